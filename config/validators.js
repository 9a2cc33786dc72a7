// The validators of the schemas that every start of a command needs. To compile them takes longer than the rest of the
// start, so set-up does it once, into config/build/. A file there is named by a hash of all that it was made of; where
// it is missing, as after a change of the schema without set-up, the schema is compiled on the spot.

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const BUILD = join(HERE, 'build');
const require = createRequire(import.meta.url);

/** Words of the schemas that are ours: annotations for help and messages, ignored by validation. */
export const ANNOTATIONS = [
  'x-unit',
  'x-expects',
  'x-flag-expects',
  'x-default',
  'x-group',
  'x-flag',
  'x-alias',
  'x-mistake',
];

/**
 * The schemas themselves are validated by the tests: doing so at each start would take longer than everything else, as
 * would optimising the code of a validator that runs once.
 * @type {import('ajv').Options}
 */
const OPTIONS = { allErrors: true, verbose: true, validateSchema: false, code: { optimize: false } };

/**
 * @typedef {object} Kind
 * @property {string} file in config/schema/
 * @property {(schema: any) => object} part of the schema that is validated
 * @property {import('ajv').Options} options over OPTIONS
 */

/** Of documents that anybody may send: the first mistake suffices, and its error must not hold the document. */
const OF_STRANGERS = { allErrors: false, verbose: false, strictTypes: false, allowUnionTypes: true };

/** @type {Record<string, Kind>} */
const KINDS = {
  scenario: { file: 'scenario.json', part: (schema) => schema, options: { useDefaults: true, allowUnionTypes: true } },
  'server-options': {
    file: 'scenario.json',
    part: (schema) => schema.properties.servers.items.properties.options,
    options: { allowUnionTypes: true },
  },
  manifest: { file: 'server.json', part: (schema) => schema, options: {} },
  'agent-hello': { file: 'agent.json', part: (schema) => schema, options: OF_STRANGERS },
};

/**
 * @param {keyof typeof KINDS} name `scenario` also fills in the schema's defaults
 * @param {string} [folder] of the compiled ones
 * @returns {import('ajv').ValidateFunction}
 */
export function validatorOf(name, folder = BUILD) {
  const text = textOf(name);
  const path = join(folder, nameOf(name, text));
  return existsSync(path) ? require(path) : compile(name, text, OPTIONS).validate;
}

/**
 * Compiles all validators, and removes those of earlier schemas.
 * @param {string} [folder]
 * @returns {string[]} the files, relative to `config/`
 */
export function buildValidators(folder = BUILD) {
  const standalone = require('ajv/dist/standalone/index.js').default;
  mkdirSync(folder, { recursive: true });
  const files = Object.keys(KINDS).map((name) => {
    const text = textOf(name);
    const { ajv, validate } = compile(name, text, { ...OPTIONS, code: { ...OPTIONS.code, source: true } });
    const file = nameOf(name, text);
    writeFileSync(join(folder, `${file}.part`), standalone(ajv, validate));
    renameSync(join(folder, `${file}.part`), join(folder, file)); // another command may be about to read it
    return file;
  });
  for (const name of readdirSync(folder)) if (!files.includes(name)) rmSync(join(folder, name));
  return files.map((file) => join('build', file));
}

/** @param {string} name @returns {string} of its schema */
const textOf = (name) => readFileSync(join(HERE, 'schema', KINDS[name].file), 'utf8');

/** @param {string} name @param {string} text of its schema @returns {string} of the compiled file */
function nameOf(name, text) {
  const { version } = require('ajv/package.json');
  const made = JSON.stringify([version, OPTIONS, KINDS[name].options, String(KINDS[name].part), ANNOTATIONS]);
  return `${name}-${createHash('sha256').update(made).update(text).digest('hex').slice(0, 16)}.cjs`;
}

/** @param {string} name @param {string} text of its schema @param {import('ajv').Options} options */
function compile(name, text, options) {
  const { Ajv2020 } = /** @type {typeof import('ajv/dist/2020.js')} */ (require('ajv/dist/2020.js'));
  const ajv = new Ajv2020({ ...options, ...KINDS[name].options });
  ajv.addVocabulary(ANNOTATIONS);
  return { ajv, validate: ajv.compile(KINDS[name].part(JSON.parse(text))) };
}
