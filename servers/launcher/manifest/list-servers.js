// Finds the servers: every servers/<folder>/manifests/*.json, and every folder in volley's form. The one thing to know:
// listing starts no process, and a server whose manifest is wrong is listed all the same, with the reason.

import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { contributed } from './contributed.js';
import { readManifest } from './manifest.js';

const SERVERS = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/**
 * @typedef {import('./manifest.js').Manifest} Manifest
 * @typedef {import('./manifest.js').Concurrent} Concurrent
 */

/**
 * @typedef {object} ListedServer
 * @property {string} name
 * @property {string} language
 * @property {string} model
 * @property {string[]} protocols
 * @property {Concurrent | null} concurrent null: not known
 * @property {Manifest} manifest
 * @property {string} folder that the manifest's paths are relative to
 * @property {string} path of its manifest, or of the Makefile that stands for one
 * @property {{why: string, remedy: string} | null} fault what is wrong with it wherever it runs
 */

/**
 * @param {{folder?: string}} [options] folder: where to look instead of servers/
 * @returns {ListedServer[]} sorted: C first, then by language, programs and contributed ones last; then by name
 */
export function listServers({ folder = SERVERS } = {}) {
  const listed = foldersIn(folder).flatMap(serversIn);
  for (const server of listed) server.fault ??= nameFault(server, listed, folder);
  /** @type {Record<string, number>} */
  const order = { c: 0, program: 2, contributed: 3 };
  const rank = (/** @type {ListedServer} */ { language, name }) => `${order[language] ?? 1} ${language} ${name}`;
  return listed.sort((a, b) => (rank(a) < rank(b) ? -1 : 1));
}

/** @param {string} folder */
function foldersIn(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .map((name) => join(folder, name))
    .filter(isFolder);
}

/** @param {string} path */
const isFolder = (path) => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

/**
 * @param {string} folder
 * @returns {ListedServer[]}
 */
function serversIn(folder) {
  const manifests = join(folder, 'manifests');
  if (!isFolder(manifests)) {
    const found = contributed(folder);
    return found === null ? [] : [listedOf({ ...found, folder })];
  }
  return readdirSync(manifests)
    .filter((name) => name.endsWith('.json'))
    .map((name) => {
      const path = join(manifests, name);
      const { manifest, fault } = readManifest(path);
      return listedOf({ manifest, path, folder, fault: fault && `its manifest is wrong: ${fault}` });
    });
}

/**
 * @param {{manifest: Manifest, path: string, folder: string, fault: string | null}} found
 * @returns {ListedServer}
 */
function listedOf({ manifest, path, folder, fault }) {
  const { name, language, model, protocols, concurrent } = manifest;
  return {
    name,
    language,
    model,
    protocols,
    concurrent,
    manifest,
    folder,
    path,
    fault: fault === null ? null : { why: fault, remedy: `correct ${path}` },
  };
}

/**
 * A name is unique over all languages: scenarios and reports go by it alone.
 * @param {ListedServer} server
 * @param {ListedServer[]} all
 * @param {string} folder
 */
function nameFault({ name, path }, all, folder) {
  const others = all.filter((other) => other.name === name && other.path !== path);
  if (others.length === 0) return null;
  const where = others.map((other) => join('servers', relative(folder, other.path))).join(' and ');
  return { why: `its name is also that of ${where}`, remedy: 'give one of them another name' };
}
