// Compiles the schemas of scenarios, HAR files, manifests, agents' messages and run files to validators in
// config/build/, for set-up. The validators import nothing; validators.js loads them.

import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import standalone from 'ajv/dist/standalone/index.js';

/** @import { Options } from 'ajv' */

const HERE = fileURLToPath(new URL('.', import.meta.url));
const BUILD = join(HERE, 'build');

/** Keywords of Broadside's schemas: annotations for help and messages, ignored by validation. */
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
  'x-row',
  'x-flag',
  'x-alias',
  'x-mistake',
  'x-engine',
];

/**
 * The tests validate the schemas themselves. A validator usually runs once per process, so its code is optimised for
 * loading, not for running: V8 compiles only the functions that are called.
 * @type {Options}
 */
const OPTIONS = {
  ...{ allErrors: true, verbose: true, validateSchema: false, inlineRefs: false },
  code: { source: true, optimize: 1 },
};

/**
 * @typedef {object} Kind
 * @property {string} file in config/schema/
 * @property {(schema: any) => object} part returns the part of the schema that documents must match
 * @property {Options} options in addition to OPTIONS
 * @property {string[]} [refersTo] files of other schemas that it refers to
 */

/** For documents that anybody may send: stop at the first mistake, and keep the document out of its error. */
const UNTRUSTED = { allErrors: false, verbose: false, strictTypes: false, allowUnionTypes: true };
/** For documents in a run folder. */
const OF_RUNS = { ...UNTRUSTED, strictRequired: false };

/** @type {Record<string, Kind>} */
const KINDS = {
  scenario: { file: 'scenario.json', part: (schema) => schema, options: { useDefaults: true, allowUnionTypes: true } },
  'server-options': {
    file: 'scenario.json',
    part: (schema) => schema.properties.servers.items.properties.options,
    options: { allowUnionTypes: true },
  },
  manifest: { file: 'server.json', part: (schema) => schema, options: {} },
  har: { file: 'har.json', part: (schema) => schema, options: UNTRUSTED },
  'agent-hello': { file: 'agent.json', part: (schema) => schema, options: UNTRUSTED },
  summary: { file: 'summary.json', part: (schema) => schema, options: OF_RUNS, refersTo: ['fields.json'] },
  'leg-summary': {
    file: 'summary.json',
    part: ({ $id, $defs }) => ({ ...$defs.leg, $id: `${$id}:leg`, $defs }),
    options: OF_RUNS,
    refersTo: ['fields.json'],
  },
  resolved: { file: 'resolved.json', part: (schema) => schema, options: OF_RUNS },
  environment: { file: 'environment.json', part: (schema) => schema, options: OF_RUNS },
  density: { file: 'density.json', part: (schema) => schema, options: OF_RUNS },
  connections: { file: 'connections.json', part: (schema) => schema, options: OF_RUNS },
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
 * Replacements for what compiled code imports from ajv. Their text is inserted there, so they use nothing outside
 * themselves.
 * @type {Record<string, Function>}
 */
const HELPERS = { equal: isSame, ucs2length: lengthOf };

/**
 * @param {unknown} left any JSON @param {unknown} right any JSON
 * @returns {boolean}
 */
export function isSame(left, right) {
  if (Object(left) !== left || Object(right) !== right) return left === right;
  const [a, b] = /** @type {Record<string, unknown>[]} */ ([left, right]);
  const keys = Object.keys(a);
  return (
    Array.isArray(a) === Array.isArray(b) &&
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && isSame(a[key], b[key]))
  );
}

/** @param {string} text @returns {number} its number of characters; a surrogate pair is one character */
export function lengthOf(text) {
  return text.replace(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g, '-').length;
}

/**
 * Compiles all validators, and removes other files from the folder.
 * @param {string} [folder]
 * @returns {string[]} the files, relative to `config/`
 */
export function buildValidators(folder = BUILD) {
  mkdirSync(folder, { recursive: true });
  const files = Object.keys(KINDS).map((name) => {
    const file = `${name}.cjs`;
    writeFileSync(join(folder, `${file}.part`), codeOf(name));
    renameSync(join(folder, `${file}.part`), join(folder, file)); // another command may be about to read it
    return file;
  });
  for (const name of readdirSync(folder)) if (!files.includes(name)) rmSync(join(folder, name));
  return files.map((file) => join('build', file));
}

/** @param {string} name of a kind */
export function compile(name) {
  const { file, part, options, refersTo = [] } = KINDS[name];
  const ajv = new Ajv2020({ ...OPTIONS, ...options });
  ajv.addVocabulary(ANNOTATIONS);
  ajv.addSchema(refersTo.map(readSchema));
  return { ajv, validate: ajv.compile(part(readSchema(file))) };
}

/** @param {string} name of a kind @returns {string} the code of its validator, which imports nothing */
function codeOf(name) {
  const { ajv, validate } = compile(name);
  return standalone
    .default(ajv, validate)
    .replace(/\brequire\("ajv\/dist\/runtime\/(\w+)"\)\.default/g, (_, helper) => {
      if (!Object.hasOwn(HELPERS, helper)) throw new Error(`the validator of ${name} needs ${helper} in HELPERS`);
      return String(HELPERS[helper]);
    });
}

/** The schemas of the documents of a run. @returns {Record<string, any>} by their files */
export function runSchemas() {
  const kinds = Object.values(KINDS).filter(({ options }) => options === OF_RUNS);
  const files = kinds.flatMap(({ file, refersTo = [] }) => [file, ...refersTo]);
  return Object.fromEntries([...new Set(files)].map((file) => [file, readSchema(file)]));
}

/** @param {string} file @returns {any} */
const readSchema = (file) => JSON.parse(readFileSync(join(HERE, 'schema', file), 'utf8'));
