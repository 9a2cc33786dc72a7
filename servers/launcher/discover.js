// Finds the servers: every servers/<folder>/manifests/*.json, checked against config/schema/server.json. The one thing
// to know: a server that cannot be had is listed all the same, with the reason and the command that helps.

import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { isFresh } from './stamp.js';
import { firstMissing } from './tools.js';

const SERVERS = dirname(dirname(fileURLToPath(import.meta.url)));
const SCHEMA = join(dirname(SERVERS), 'config', 'schema', 'server.json');

/** @typedef {1 | 'unbounded' | {option: 'threads' | 'processes', default: number}} Concurrent */

/**
 * @typedef {object} Manifest see config/schema/server.json
 * @property {string} name
 * @property {string} language
 * @property {string} model
 * @property {string} description
 * @property {string[]} protocols
 * @property {import('./tools.js').Requirement[]} [requires]
 * @property {{command: string[], output: string, sources: string[]}} [build]
 * @property {string[]} run
 * @property {Record<string, string[]>} [options]
 * @property {'line' | 'exchange'} ready
 * @property {Concurrent} concurrent
 * @property {'backlog' | 'closed'} surplus
 * @property {'threads' | 'processes' | 'none'} scales
 */

/**
 * @typedef {object} FoundServer
 * @property {string} name
 * @property {string} language
 * @property {string} model
 * @property {string[]} protocols
 * @property {Concurrent} concurrent
 * @property {boolean} available
 * @property {string | null} why it is not available
 * @property {string | null} remedy what to do about that
 * @property {Manifest} manifest
 * @property {string} folder that the manifest's paths are relative to
 */

/** @type {import('ajv').ValidateFunction | undefined} */
let validate;

/**
 * @param {{folder?: string}} [options] folder: where to look instead of servers/
 * @returns {Promise<FoundServer[]>} sorted by language (C first), then by name
 */
export async function discover({ folder = SERVERS } = {}) {
  const found = manifestPaths(folder).map(describeServer);
  const rank = (/** @type {FoundServer} */ { language, name }) => `${language === 'c' ? 0 : 1} ${language} ${name}`;
  return found.sort((a, b) => (rank(a) < rank(b) ? -1 : 1));
}

/** @param {string} folder */
function manifestPaths(folder) {
  return namesIn(folder).flatMap((each) =>
    namesIn(join(folder, each, 'manifests'))
      .filter((name) => name.endsWith('.json'))
      .map((name) => join(folder, each, 'manifests', name)),
  );
}

/** @param {string} folder */
function namesIn(folder) {
  try {
    return readdirSync(folder);
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    throw error;
  }
}

/**
 * @param {string} path of a manifest
 * @returns {FoundServer}
 */
function describeServer(path) {
  const folder = dirname(dirname(path));
  const { manifest, fault } = readManifest(path);
  const { name, language, model, protocols, concurrent } = manifest;
  const missing = fault
    ? { why: `its manifest is wrong: ${fault}`, remedy: `correct ${path}` }
    : isFresh({ folder, manifest })
      ? null
      : firstMissing(manifest.requires ?? []);
  return {
    name, language, model, protocols, concurrent, manifest, folder,
    available: missing === null, why: missing?.why ?? null, remedy: missing?.remedy ?? null,
  };
}

/**
 * @param {string} name
 * @returns {Manifest} what stands in the list for a manifest that is wrong
 */
function unreadable(name) {
  return {
    name, language: '?', model: '?', description: '', protocols: [], run: [], ready: 'line',
    concurrent: 'unbounded', surplus: 'backlog', scales: 'none',
  };
}

/**
 * @param {string} path
 * @returns {{manifest: Manifest, fault: string | null}}
 */
function readManifest(path) {
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
  return { manifest: unreadable(name), fault };
}
