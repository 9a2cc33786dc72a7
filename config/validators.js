// The validators of the schemas by which documents are read: scenarios, HAR files, manifests, messages of agents, and
// what a run has left in its folder. To compile them takes longer than the rest of a start, so set-up does it once,
// into config/build/. A file there is named by a hash of all that it was made of; where it is missing, as after a
// change of the schema without set-up, the schema is compiled on the spot.

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** @import { Options, ValidateFunction } from 'ajv' */

const HERE = fileURLToPath(new URL('.', import.meta.url));
const BUILD = join(HERE, 'build');
const require = createRequire(import.meta.url);

/** Words of the schemas that are ours: annotations for help and messages, ignored by validation. */
export const ANNOTATIONS = [
  'x-unit',
  'x-most',
  'x-least',
  'x-expects',
  'x-flag-expects',
  'x-default',
  'x-group',
  'x-heading',
  'x-words',
  'x-flag',
  'x-alias',
  'x-mistake',
  'x-engine',
];

/**
 * The schemas themselves are validated by the tests: doing so at each start would take longer than everything else, as
 * would optimising the code of a validator that runs once.
 * @type {Options}
 */
const OPTIONS = { allErrors: true, verbose: true, validateSchema: false, code: { optimize: false } };

/**
 * @typedef {object} Kind
 * @property {string} file in config/schema/
 * @property {(schema: any) => object} part of the schema that is validated
 * @property {Options} options over OPTIONS
 * @property {string[]} [refersTo] the files of other schemas, parts of which it refers to
 */

/** Of documents that anybody may send: the first mistake suffices, and its error must not hold the document. */
const OF_STRANGERS = { allErrors: false, verbose: false, strictTypes: false, allowUnionTypes: true };
/** Of documents in a run folder: likewise. */
const OF_RUNS = { ...OF_STRANGERS, strictRequired: false };

/** @type {Record<string, Kind>} */
const KINDS = {
  scenario: { file: 'scenario.json', part: (schema) => schema, options: { useDefaults: true, allowUnionTypes: true } },
  'server-options': {
    file: 'scenario.json',
    part: (schema) => schema.properties.servers.items.properties.options,
    options: { allowUnionTypes: true },
  },
  manifest: { file: 'server.json', part: (schema) => schema, options: {} },
  har: { file: 'har.json', part: (schema) => schema, options: OF_STRANGERS },
  'agent-hello': { file: 'agent.json', part: (schema) => schema, options: OF_STRANGERS },
  summary: { file: 'summary.json', part: (schema) => schema, options: OF_RUNS, refersTo: ['fields.json'] },
  'leg-summary': {
    file: 'summary.json',
    part: ({ $id, $defs }) => ({ ...$defs.leg, $id: `${$id}:leg`, $defs }),
    options: OF_RUNS,
    refersTo: ['fields.json'],
  },
  resolved: { file: 'resolved.json', part: (schema) => schema, options: OF_RUNS },
  environment: { file: 'environment.json', part: (schema) => schema, options: OF_RUNS },
  plan: {
    file: 'plan.json',
    part: (schema) => schema,
    options: OF_RUNS,
    refersTo: ['summary.json', 'fields.json', 'resolved.json'],
  },
  sample: {
    file: 'sample.json',
    part: (schema) => schema,
    options: OF_RUNS,
    refersTo: ['summary.json', 'fields.json'],
  },
};

/**
 * @param {keyof typeof KINDS} name `scenario` also fills in the schema's defaults
 * @param {string} [folder] of the compiled ones
 * @returns {ValidateFunction}
 */
export function validatorOf(name, folder = BUILD) {
  const texts = textsOf(name);
  const path = join(folder, nameOf(name, texts));
  return existsSync(path) ? require(path) : compile(name, texts, OPTIONS).validate;
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
    const texts = textsOf(name);
    const { ajv, validate } = compile(name, texts, { ...OPTIONS, code: { ...OPTIONS.code, source: true } });
    const file = nameOf(name, texts);
    writeFileSync(join(folder, `${file}.part`), standalone(ajv, validate));
    renameSync(join(folder, `${file}.part`), join(folder, file)); // another command may be about to read it
    return file;
  });
  for (const name of readdirSync(folder)) if (!files.includes(name)) rmSync(join(folder, name));
  return files.map((file) => join('build', file));
}

/** @param {string} file @returns {string} of a schema */
const schemaText = (file) => readFileSync(join(HERE, 'schema', file), 'utf8');

/** @param {string} name @returns {string[]} texts of its schema and of those that it refers to */
const textsOf = (name) => [KINDS[name].file, ...(KINDS[name].refersTo ?? [])].map(schemaText);

/** @param {string} name @param {string[]} texts of its schemas @returns {string} of the compiled file */
function nameOf(name, texts) {
  const { version } = require('ajv/package.json');
  const made = JSON.stringify([version, OPTIONS, KINDS[name].options, String(KINDS[name].part), ANNOTATIONS]);
  return `${name}-${createHash('sha256').update(made).update(texts.join('')).digest('hex').slice(0, 16)}.cjs`;
}

/** @param {string} name @param {string[]} texts of its schemas @param {Options} options */
function compile(name, texts, options) {
  const { Ajv2020 } = /** @type {typeof import('ajv/dist/2020.js')} */ (require('ajv/dist/2020.js'));
  const ajv = new Ajv2020({ ...options, ...KINDS[name].options });
  ajv.addVocabulary(ANNOTATIONS);
  const [schema, ...others] = texts.map((text) => JSON.parse(text));
  ajv.addSchema(others);
  return { ajv, validate: ajv.compile(KINDS[name].part(schema)) };
}
