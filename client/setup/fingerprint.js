// Which files decide whether a step of set-up has to run again, and which programs it has built.

import { statSync } from 'node:fs';
import { filesBelow, isSource } from '../../servers/launcher/builder/content-hash.js';

/**
 * @param {string} folder
 * @param {RegExp} pattern that the path has to match
 * @returns {string[]} the sources below the folder, in a fixed order
 */
export function sourcesBelow(folder, pattern) {
  return filesBelow(folder, isSource).filter((path) => pattern.test(path));
}

/**
 * @param {string} folder
 * @returns {string[]} the programs in the `build` folders below it
 */
export function builtIn(folder) {
  return filesBelow(folder, (path) => !/(^|\/)(\.[^/]*|node_modules)$/.test(path))
    .filter((path) => path.slice(folder.length).includes('/build/'))
    .filter((path) => (statSync(path).mode & 0o111) !== 0);
}
