// Lists the servers: every servers/<folder>/manifests/*.json, and every folder with a Makefile that contributed.js
// accepts. Starts no process. A server with an invalid manifest is listed too, with its problem.

import { existsSync, readdirSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { contributedServers, subfolders } from './contributed.js';
import { readManifest } from './manifest.js';

/**
 * @import { Problem } from '../errors.js'
 * @import { Concurrent, Manifest } from './manifest.js'
 */

const SERVERS = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

/**
 * @typedef {object} ListedServer
 * @property {string} name
 * @property {string} language
 * @property {string} model
 * @property {string[]} protocols
 * @property {Concurrent | null} concurrent null: unknown
 * @property {Manifest} manifest
 * @property {string} folder the manifest's paths are relative to it
 * @property {string} path of the manifest, or of the Makefile of a server without one
 * @property {(Problem & {remedy: string}) | null} fault a problem that the server has on every machine
 */

/**
 * @param {{folder?: string}} [options] folder: where to look instead of servers/
 * @returns {ListedServer[]} C first, then the other languages, programs, contributed servers; by name within a language
 */
export function listServers({ folder = SERVERS } = {}) {
  const listed = (existsSync(folder) ? subfolders(folder) : []).flatMap(serversIn);
  for (const server of listed) server.fault ??= duplicateName(server, listed, folder);
  /** @type {Record<string, number>} */
  const order = { c: 0, program: 2, contributed: 3 };
  const rank = (/** @type {ListedServer} */ { language, name }) => `${order[language] ?? 1} ${language} ${name}`;
  return listed.sort((a, b) => (rank(a) < rank(b) ? -1 : 1));
}

/** @param {string} path */
const isFolder = (path) => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

/**
 * @param {string} folder
 * @returns {ListedServer[]}
 */
function serversIn(folder) {
  const manifests = join(folder, 'manifests');
  if (!isFolder(manifests)) return contributedServers(folder).map(listedServer);
  return readdirSync(manifests)
    .filter((name) => name.endsWith('.json'))
    .map((name) => {
      const path = join(manifests, name);
      return listedServer({ ...readManifest(path), path, folder });
    });
}

/**
 * @param {{manifest: Manifest, path: string, folder: string, problem: Problem | null}} entry
 * @returns {ListedServer}
 */
function listedServer({ manifest, path, folder, problem }) {
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
    fault: problem === null ? null : { ...problem, remedy: `correct ${path}` },
  };
}

/**
 * Names are unique over all languages, because scenarios and reports use only the name.
 * @param {ListedServer} server
 * @param {ListedServer[]} servers
 * @param {string} folder
 */
function duplicateName({ name, path }, servers, folder) {
  const duplicates = servers
    .filter((server) => server.name === name && server.path !== path)
    .map((server) => join('servers', relative(folder, server.path)));
  if (duplicates.length === 0) return null;
  const text = `${duplicates.join(' and ')} ${duplicates.length === 1 ? 'has' : 'have'} the same name`;
  return { code: 'duplicate-name', data: { name, others: duplicates }, text, remedy: 'rename one of them' };
}
