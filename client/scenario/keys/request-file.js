// The file that protocol raw sends. It is read once, when the scenario is loaded, so that the workers, the exchange before
// a leg and the run's record have the same bytes.

import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { UsageError } from '../../errors.js';
import { MAX_REQUEST_BYTES } from '../../protocols/raw.js';
import { count } from '../../results/format.js';
import { writeSize } from '../../results/units.js';

/**
 * @param {import('../scenario.js').Scenario} scenario
 * @param {string} where what to call raw.file in messages
 * @param {string} folder that its path is relative to
 * @returns {Promise<import('../scenario.js').Scenario>} with the file's bytes, where it names one
 * @throws {UsageError}
 */
export async function withRequestFile(scenario, where, folder) {
  const { protocol, protocolOptions } = scenario;
  if (protocol !== 'raw' || protocolOptions.file === undefined) return scenario;
  const file = path.resolve(folder, protocolOptions.file);
  const bytes = await readRequest(file, where);
  const content = bytes.toString('base64');
  return { ...scenario, protocolOptions: { ...protocolOptions, content }, payloadBytes: bytes.length };
}

/** @param {string} file @param {string} where @returns {Promise<Buffer>} */
async function readRequest(file, where) {
  const refuse = (/** @type {string} */ problem, /** @type {string} */ why, /** @type {unknown} */ cause) =>
    new UsageError(`${where}: ${file} ${why}`, {
      code: 'EREQUESTFILE',
      data: { key: 'raw.file', value: file, problem },
      cause,
    });
  try {
    const found = await stat(file);
    if (!found.isFile()) throw refuse('not-a-file', 'is not a regular file', undefined); // a pipe could be waited for without end
    if (found.size > MAX_REQUEST_BYTES) {
      throw refuse(
        'too-large',
        `has ${count(found.size)} bytes; what raw sends has at most ${writeSize(MAX_REQUEST_BYTES)}`,
        undefined,
      );
    }
    if (found.size === 0) throw refuse('empty', 'is empty; there is nothing to send', undefined);
    return await readFile(file);
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    throw error instanceof UsageError
      ? error
      : code === 'ENOENT'
        ? refuse('missing', 'does not exist', error)
        : refuse('unreadable', `cannot be read (${code})`, error);
  }
}
