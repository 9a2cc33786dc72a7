// Makes a folder with those above it, step by step. The one thing to know: mkdir's own `recursive` never ends in Node
// 20 where a folder that is there answers ENOENT, as /proc does.

import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { EnvironmentError } from '../errors.js';

/**
 * @param {string} folder
 * @returns {string[]} those that were made, the deepest last
 * @throws {NodeJS.ErrnoException} when one of them cannot be made, or is something else
 */
export function makeFolder(folder) {
  const missing = [];
  for (let place = resolve(folder); !isFolder(place); place = dirname(place)) missing.push(place);
  for (const place of missing.reverse()) {
    try {
      mkdirSync(place);
    } catch (error) {
      if (!isFolder(place)) throw error; // another run may have made it meanwhile
    }
  }
  return missing;
}

/**
 * @param {'logs' | 'report'} name of the option that says where it is
 * @param {string} folder
 * @throws {EnvironmentError} when it cannot be made
 */
export function makeOutputFolder(name, folder) {
  try {
    makeFolder(folder);
  } catch (error) {
    const { code, message } = /** @type {NodeJS.ErrnoException} */ (error);
    throw new EnvironmentError(
      `cannot make the folder ${folder}: ${message}; give another place with ` + `--${name} DIR`,
      { code: code ?? 'EFOLDER', cause: error },
    );
  }
}

/**
 * @param {string} place
 * @returns {boolean} false when nothing is there
 */
function isFolder(place) {
  const found = entry(place);
  if (found === undefined) return false;
  if (!found.isDirectory()) throw Object.assign(new Error(`${place} is not a folder`), { code: 'ENOTDIR' });
  return true;
}

/** @param {string} place */
function entry(place) {
  try {
    return statSync(place);
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}
