// Hashes of files, by which a build knows whether its sources have changed. Contents count, times do not. Built-in
// modules only: set-up uses it before anything is installed.

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join, relative } from 'node:path';

/** Folders that builds write to; they never hold sources. */
const BUILD_RESULTS = new Set(['build', 'target', 'node_modules', '__pycache__']);

/**
 * @param {string} root names are hashed relative to it, so that a copy of the folder has the same hash
 * @param {string[]} files below root, hashed in this order; a file that does not exist is hashed as missing
 * @param {unknown} [settings] whatever else decides the outcome of the build, such as its command
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
      .filter((each) => accepts(relative(folder, each)))
      .flatMap((each) => {
        const found = statSync(each, { throwIfNoEntry: false });
        return found?.isDirectory() ? search(each) : found?.isFile() ? [each] : [];
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

/** @param {string} file @returns {Buffer | null} null when it does not exist */
function readIfPresent(file) {
  try {
    return readFileSync(file);
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') return null;
    throw error;
  }
}
