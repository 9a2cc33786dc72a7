// Hashes the inputs of a build: the contents of its sources, not their times, and the installed libraries. It uses only
// built-in modules, as set-up needs it before anything is installed.

import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, delimiter, join, relative } from 'node:path';

/** Folders that builds write to; they never hold sources. */
const BUILD_RESULTS = new Set(['build', 'target', 'node_modules', '__pycache__']);

/**
 * @param {string} root names are hashed relative to it, so that a copy of the folder has the same hash
 * @param {string[]} files below root, hashed in this order; a file that does not exist is hashed as missing
 * @param {unknown} [settings] other inputs of the build, such as its command
 * @returns {string} hexadecimal SHA-256
 */
export function hashFiles(root, files, settings = null) {
  const hash = createHash('sha256');
  for (const file of files) {
    const content = readIfPresent(file);
    const name = relative(root, file);
    hash.update(`${name.length} ${name} ${content === null ? 'missing' : content.length}\n`);
    if (content !== null) hash.update(content);
  }
  return hash.update(JSON.stringify(settings)).digest('hex');
}

/**
 * @param {string} folder
 * @param {(path: string) => boolean} [accepts] called with each path relative to `folder`; a folder that it rejects is
 *   not searched
 * @returns {string[]} the regular files below the folder, in a fixed order
 */
export function filesBelow(folder, accepts = () => true) {
  /** @type {(path: string) => string[]} */
  const search = (path) =>
    readdirSync(path)
      .sort()
      .map((name) => join(path, name))
      .filter((entry) => accepts(relative(folder, entry)))
      .flatMap((entry) => {
        const stats = statSync(entry, { throwIfNoEntry: false });
        return stats?.isDirectory() ? search(entry) : stats?.isFile() ? [entry] : [];
      });
  return search(folder);
}

/**
 * @param {string} path
 * @returns {boolean} false for hidden files and for the folders that builds write to
 */
export function isSource(path) {
  const name = basename(path);
  return !name.startsWith('.') && !BUILD_RESULTS.has(name);
}

/** Headers of libraries that C programs use if they are installed. */
const OPTIONAL_HEADERS = ['uv.h', 'liburing.h', 'openssl/ssl.h'];

/** @returns {string[]} paths of the installed headers; if they change, C programs are built again */
export function installedHeaders({ CPATH = '', C_INCLUDE_PATH = '' } = process.env) {
  const named = [CPATH, C_INCLUDE_PATH].flatMap((path) => path.split(delimiter).filter(Boolean));
  const folders = [...named, '/usr/local/include', '/usr/include'];
  return OPTIONAL_HEADERS.flatMap((name) => folders.map((folder) => join(folder, name)).find(existsSync) ?? []);
}

/** @param {string} file @returns {Buffer | null} null: it does not exist */
function readIfPresent(file) {
  try {
    return readFileSync(file);
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') return null;
    throw error;
  }
}
