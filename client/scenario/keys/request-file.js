// The file that protocol raw sends. It is read once, when the scenario is loaded, so that the workers, the exchange before
// a leg and the run's record have the same bytes.

import path from 'node:path';
import { MAX_REQUEST_BYTES } from '../../protocols/raw.js';
import { count } from '../../words/format.js';
import { writeSize } from '../../words/units.js';
import { fileError, readNamedFile } from './named-file.js';

/**
 * @param {import('../scenario.js').Scenario} scenario
 * @param {string} where what to call raw.file in messages
 * @param {string} folder that its path is relative to
 * @returns {import('../scenario.js').Scenario} with the file's bytes, if it names one
 * @throws {import('../../errors.js').UsageError}
 */
export function withRequestFile(scenario, where, folder) {
  const { protocol, protocolOptions } = scenario;
  if (protocol !== 'raw' || protocolOptions.file === undefined) return scenario;
  const file = path.resolve(folder, protocolOptions.file);
  const named = { file, key: 'raw.file', where, code: 'EREQUESTFILE' };
  const bytes = readNamedFile(named, {
    maxBytes: MAX_REQUEST_BYTES,
    tooLarge: (size) => `has ${count(size)} bytes; what raw sends has at most ${writeSize(MAX_REQUEST_BYTES)}`,
  });
  if (bytes.length === 0) throw fileError(named, 'empty', 'is empty; there is nothing to send');
  const content = bytes.toString('base64');
  return { ...scenario, protocolOptions: { ...protocolOptions, content }, payloadBytes: bytes.length };
}
