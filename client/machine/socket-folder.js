// Whether the temporary folder can hold the unix socket of a server that is started here. The
// launcher makes broadside-XXXXXX/server.sock in it, and the path of a socket may have 107 bytes.
import { accessSync, constants } from 'node:fs';
import { tmpdir } from 'node:os';
import { MAX_PATH_BYTES } from '../words/endpoint.js';

const MAX_BYTES = MAX_PATH_BYTES - '/broadside-XXXXXX/server.sock'.length;

/**
 * @typedef {object} SocketFolder
 * @property {string} folder
 * @property {number} bytes     of its path
 * @property {number} maxBytes
 * @property {'too-long' | 'missing' | 'closed' | null} problem  null: a socket can be made in it
 * @property {string | null} errorCode  of the system, where it says why
 */

/**
 * @param {string} [folder]
 * @returns {SocketFolder}
 */
export function readSocketFolder(folder = tmpdir()) {
  const bytes = Buffer.byteLength(folder);
  const facts = { folder, bytes, maxBytes: MAX_BYTES };
  if (bytes > MAX_BYTES) return { ...facts, problem: 'too-long', errorCode: null };
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return { ...facts, problem: null, errorCode: null };
  } catch (error) {
    const { code = null } = /** @type {NodeJS.ErrnoException} */ (error);
    return { ...facts, problem: code === 'ENOENT' ? 'missing' : 'closed', errorCode: code };
  }
}
