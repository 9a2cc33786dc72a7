// Hashes of files and listings of folders: how set-up knows whether anything has changed. Contents count, times do not.

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';

/** Folders that hold results, never sources. */
const RESULTS = new Set(['build', 'target', 'node_modules', '__pycache__']);

/**
 * @param {string} root the checkout; what was built in it is as good where it is moved or copied to
 * @param {string[]} files in it, read in this order; a missing one counts as missing
 * @param {string[]} [words] anything else that decides
 * @returns {string} hexadecimal SHA-256 over names, contents and words
 */
export function hashOf(root, files, words = []) {
  const hash = createHash('sha256');
  for (const file of files) {
    const content = read(file);
    const name = relative(root, file);
    hash.update(`${name.length} ${name} ${content === null ? 'missing' : content.length}\n`);
    if (content !== null) hash.update(content);
  }
  return hash.update(JSON.stringify(words)).digest('hex');
}

/**
 * @param {string} folder
 * @param {RegExp} pattern what the path has to match
 * @returns {string[]} the sources below it, in a fixed order
 */
export function treeOf(folder, pattern) {
  return walk(folder, (name) => !RESULTS.has(name)).filter((path) => pattern.test(path));
}

/**
 * @param {string} folder
 * @returns {string[]} the programs in the `build` folders below it
 */
export function builtIn(folder) {
  return walk(folder, (name) => name !== 'node_modules')
    .filter((path) => path.slice(folder.length).includes('/build/'))
    .filter((path) => (statSync(path).mode & 0o111) !== 0);
}

/**
 * @param {string} folder
 * @param {(name: string) => boolean} enter
 * @returns {string[]}
 */
function walk(folder, enter) {
  const entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name.startsWith('.') || !enter(entry.name) ? [] : walk(path, enter);
    return entry.isFile() ? [path] : [];
  });
}

/** @param {string} file */
function read(file) {
  try {
    return readFileSync(file);
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') return null;
    throw error;
  }
}
