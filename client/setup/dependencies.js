// Whether node_modules holds what package-lock.json asks for. Read from npm's own record, which npm writes at the end of
// an install: an interrupted install has none. A node_modules that was copied here needs no network.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** @typedef {{version?: string, integrity?: string, dev?: boolean, optional?: boolean, devOptional?: boolean,
 *   peer?: boolean, link?: boolean}} Entry a package in a lock file */

/**
 * @typedef {object} Mismatch a package that is missing or another one
 * @property {string} code no-lock-file, not-installed, missing, other-version, other-content
 * @property {Record<string, any>} data
 * @property {string} text
 */

/**
 * @param {string} root the checkout
 * @param {{development: boolean}} options
 * @returns {Mismatch[]} empty when all is right
 */
export function mismatches(root, { development }) {
  const wanted = packagesOf(join(root, 'package-lock.json'));
  if (wanted === null) return [{ code: 'no-lock-file', data: {}, text: 'package-lock.json is missing' }];
  const installed = packagesOf(join(root, 'node_modules', '.package-lock.json'));
  if (installed === null) {
    return [{ code: 'not-installed', data: {}, text: 'node_modules has not been installed, or not to the end' }];
  }
  return compare(wanted, installed, {
    development,
    isThere: (path) => existsSync(join(root, path, 'package.json')),
  });
}

/**
 * @param {Record<string, Entry>} wanted
 * @param {Record<string, Entry>} installed
 * @param {{development: boolean, isThere: (path: string) => boolean}} options
 * @returns {Mismatch[]}
 */
export function compare(wanted, installed, { development, isThere }) {
  return Object.entries(wanted).flatMap(([path, want]) => {
    if (path === '' || want.link || (want.dev && !development)) return [];
    const found = installed[path];
    const missing = { code: 'missing', data: { path }, text: `${path} is missing` };
    // Optional ones are mostly builds for other platforms, which npm leaves out.
    if (!found) return want.optional || want.devOptional ? [] : [missing];
    if (found.version !== want.version) {
      const text = `${path} is ${found.version}, package-lock.json has ${want.version}`;
      return [{ code: 'other-version', data: { path, found: found.version, wanted: want.version }, text }];
    }
    if (found.integrity !== want.integrity) {
      const text = `${path} ${found.version} is not the one in package-lock.json`;
      return [{ code: 'other-content', data: { path, version: found.version }, text }];
    }
    return isThere(path) ? [] : [missing];
  });
}

/**
 * @param {string} path of a lock file
 * @returns {Record<string, Entry> | null} null when there is none, or none that can be read
 */
function packagesOf(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8')).packages ?? null;
  } catch {
    return null;
  }
}
