// Reads manifests and holds them to config/schema/server.json. The one thing to know: a wrong one is read as far as it
// goes, so that its server can be listed with what is wrong.

import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';

const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const SCHEMA = join(ROOT, 'config', 'schema', 'server.json');

/** @typedef {1 | 'unbounded' | {option: 'threads' | 'processes', default: number}} Concurrent */

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
    manifest = JSON.parse(readFileSync(path, 'utf8'));
    validate ??= new Ajv2020({ allErrors: false }).compile(JSON.parse(readFileSync(SCHEMA, 'utf8')));
    if (!validate(manifest)) {
      const [{ instancePath, message, params }] = validate.errors ?? [];
      fault = `${instancePath || 'the whole'} ${message} ${JSON.stringify(params)}`;
    } else if (manifest.name !== name) {
      fault = `/name is "${manifest.name}", the file is called ${name}.json`;
    }
  } catch (error) {
    fault = /** @type {Error} */ (error).message;
  }
  if (fault === null) return { manifest, fault };
  return { manifest: unreadable(name, manifest), fault };
}

/**
 * @param {string} name
 * @param {any} said what could be read
 * @returns {Manifest} what stands in the list for a manifest that is wrong
 */
function unreadable(name, said) {
  const text = (/** @type {unknown} */ value) => (typeof value === 'string' ? value : '?');
  return {
    name, language: text(said?.language), model: text(said?.model), description: '', protocols: [], run: [],
    ready: 'line', concurrent: null, surplus: null, scales: 'none',
  };
}
