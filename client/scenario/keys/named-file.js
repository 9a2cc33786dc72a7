// A file that a key of the scenario names, such as a certificate. It is read when the scenario is loaded, so that an error
// is reported before anything is started.

import { readFileSync, statSync } from 'node:fs';
import { UsageError } from '../../errors.js';

/**
 * @typedef {object} NamedFile
 * @property {string} file its path
 * @property {string} key that names it, such as tls.ca
 * @property {string} where what messages call the key
 * @property {string} code of the errors
 */

/**
 * @param {NamedFile} named
 * @param {string} problem for programs
 * @param {string} why for people, after the file's name
 * @param {unknown} [cause]
 * @returns {UsageError}
 */
export function fileError({ file, key, where, code }, problem, why, cause) {
  return new UsageError(`${where}: ${file} ${why}`, { code, data: { key, value: file, problem }, cause });
}

/**
 * @param {NamedFile} named
 * @param {{maxBytes: number, tooLarge: (bytes: number) => string}} limit tooLarge: the end of the message
 * @returns {Buffer}
 * @throws {UsageError} also for a pipe, which might never end
 */
export function readNamedFile(named, { maxBytes, tooLarge }) {
  try {
    const found = statSync(named.file);
    if (!found.isFile()) throw fileError(named, 'not-a-file', 'is not a regular file');
    if (found.size > maxBytes) throw fileError(named, 'too-large', tooLarge(found.size));
    return readFileSync(named.file);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    throw code === 'ENOENT'
      ? fileError(named, 'missing', 'does not exist', error)
      : fileError(named, 'unreadable', `cannot be read (${code})`, error);
  }
}
