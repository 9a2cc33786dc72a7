// The file of key `payload` (file:PATH), whose bytes each request carries and each reply is compared with. It is read when
// the scenario is loaded, to know its size and checksum; every worker reads it again, and stops if it has changed.

import { createHash } from 'node:crypto';
import path from 'node:path';
import { MAX_PAYLOAD_BYTES } from './payload.js';
import { count } from '../../words/format.js';
import { writeSize } from '../../words/units.js';
import { fileError, readNamedFile } from './named-file.js';

/** @param {Uint8Array} bytes @returns {string} in hexadecimal */
export const checksum = (bytes) => createHash('sha256').update(bytes).digest('hex');

/**
 * @param {import('../scenario.js').Scenario} scenario
 * @param {string} where what to call payload in messages
 * @param {string} folder that its path is relative to
 * @returns {import('../scenario.js').Scenario} with the file's absolute path, size and checksum, if it names one
 * @throws {import('../../errors.js').UsageError}
 */
export function withPayloadFile(scenario, where, folder) {
  const { payloadFile } = scenario;
  if (payloadFile === null) return scenario;
  const file = path.resolve(folder, payloadFile.path);
  const named = { file, key: 'payload', where, code: 'EPAYLOADFILE' };
  const bytes = readNamedFile(named, {
    maxBytes: MAX_PAYLOAD_BYTES,
    tooLarge: (size) => `has ${count(size)} bytes; a payload has at most ${writeSize(MAX_PAYLOAD_BYTES)}`,
  });
  if (bytes.length === 0) throw fileError(named, 'empty', 'is empty; there is nothing to send');
  return { ...scenario, payloadBytes: bytes.length, payloadFile: { path: file, sha256: checksum(bytes) } };
}
