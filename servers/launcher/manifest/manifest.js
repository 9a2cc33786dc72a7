// Reads manifests and holds them to config/schema/server.json. The one thing to know: a wrong one is read as far as it
// goes, so that its server can be listed with what is wrong.

import { readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { faultsIn } from './manifest-errors.js';

const ROOT = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))));
const SCHEMA = join(ROOT, 'config', 'schema', 'server.json');

/** @typedef {1 | 'unbounded' | {option: 'threads' | 'processes', default: number}} Concurrent */
/** @typedef {'ipv4' | 'ipv6' | 'unix'} Family */

/**
 * @typedef {object} Manifest see config/schema/server.json
 * @property {string} name
 * @property {string} language
 * @property {string} model
 * @property {string} description
 * @property {string[]} protocols
 * @property {import('./requirements.js').Requirement[]} [requires]
 * @property {{command: string[], output: string, sources: string[]}} [build]
 * @property {string[]} run
 * @property {Record<string, string[]>} [options]
 * @property {Family[]} [listens] absent: IPv4
 * @property {{authority: string}} [tls] absent: it speaks none
 * @property {'line' | 'exchange'} ready
 * @property {Concurrent | null} concurrent null: not known, as the server was contributed without a manifest
 * @property {'backlog' | 'closed' | null} surplus likewise
 * @property {'threads' | 'processes' | 'none'} scales
 */

/** @type {import('ajv').ValidateFunction | undefined} */
let validate;

/**
 * @param {string} path of a manifest
 * @returns {{manifest: Manifest, fault: string | null}}
 */
export function readManifest(path) {
  const name = basename(path, '.json');
  /** @type {any} */
  let manifest = {};
  let fault = null;
  try {
    if (!statSync(path).isFile()) throw new Error('it is not a regular file'); // a FIFO would be read for ever
    manifest = JSON.parse(readFileSync(path, 'utf8'));
    validate ??= new Ajv2020({ allErrors: true, verbose: true, validateSchema: false }).compile(
      JSON.parse(readFileSync(SCHEMA, 'utf8')),
    );
    const faults = validate(manifest) ? [] : faultsIn(validate.errors ?? []);
    if (typeof manifest?.name === 'string' && manifest.name !== name) {
      faults.push(`name is "${manifest.name}", and the file is called ${name}.json`);
    }
    if (faults.length > 0) fault = faults.join('; ');
  } catch (error) {
    fault = /** @type {Error} */ (error).message;
  }
  if (fault === null) return { manifest, fault };
  return { manifest: unreadable(path, manifest), fault };
}

/**
 * @param {string} path
 * @param {any} said what could be read
 * @returns {Manifest} what stands in the list for a manifest that is wrong; its language is at least its folder's name
 */
function unreadable(path, said) {
  const text = (/** @type {unknown} */ value, /** @type {string} */ otherwise) =>
    typeof value === 'string' && value !== '' ? value : otherwise;
  const language = text(said?.language, basename(dirname(dirname(path))));
  return {
    name: basename(path, '.json'),
    language,
    model: text(said?.model, '?'),
    description: '',
    protocols: [],
    run: [],
    ready: 'line',
    concurrent: null,
    surplus: null,
    scales: 'none',
  };
}
