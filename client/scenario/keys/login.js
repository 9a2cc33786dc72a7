// The file with the credentials of protocol nats. The resolved scenario has its path, never its content, because it is
// kept with the run.

import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { UsageError } from '../../errors.js';
import { NATS_SECRETS, natsSecret } from '../../protocols/nats.js';

const MAX_BYTES = 4096;
const FORMS = { login: 'USER:PASSWORD', token: 'a token' };

/**
 * Finds the file, and tries what it holds before anything is started.
 * @param {import('../scenario.js').Scenario} scenario
 * @param {(path: string) => string} where
 * @param {(path: string) => string} folderOf what a file's path is relative to
 * @returns {import('../scenario.js').Scenario} with its absolute path
 * @throws {UsageError}
 */
export function withLoginFile(scenario, where, folderOf) {
  const { protocol, protocolOptions } = scenario;
  const key = protocol === 'nats' && NATS_SECRETS.find((each) => protocolOptions[each] !== undefined);
  if (!key) return scenario;
  const file = path.resolve(folderOf(`nats.${key}`), protocolOptions[key]);
  const refuse = (/** @type {string} */ problem, /** @type {string} */ why, /** @type {unknown} */ cause) =>
    new UsageError(`${where(`nats.${key}`)}: ${file} ${why}`, {
      code: 'ELOGIN',
      data: { key: `nats.${key}`, value: file, problem },
      cause,
    });
  let secret;
  try {
    const found = statSync(file);
    if (!found.isFile()) throw refuse('not-a-file', 'is not a regular file', undefined); // a pipe could be waited for without end
    if (found.size > MAX_BYTES) throw refuse('too-large', `is too large; it has one line, ${FORMS[key]}`, undefined);
    secret = natsSecret(key, readFileSync(file, 'utf8'));
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    throw error instanceof UsageError
      ? error
      : code === 'ENOENT'
        ? refuse('missing', 'does not exist', error)
        : refuse('unreadable', `cannot be read (${code})`, error);
  }
  if (secret === null) throw refuse('content', `does not hold one line, ${FORMS[key]}`, undefined);
  return { ...scenario, protocolOptions: { ...protocolOptions, [key]: file } };
}
