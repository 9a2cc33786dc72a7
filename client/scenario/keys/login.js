// The file with the credentials of protocol nats. The resolved scenario has its path, never its content, because it is
// kept with the run.

import path from 'node:path';
import { NATS_SECRETS, natsSecret } from '../../protocols/nats.js';
import { fileError, readNamedFile } from './named-file.js';

const MAX_BYTES = 4096;
const FORMS = { login: 'USER:PASSWORD', token: 'a token' };

/**
 * Finds the file and checks its content.
 * @param {import('../scenario.js').Scenario} scenario
 * @param {(path: string) => string} where
 * @param {(path: string) => string} folderOf what a file's path is relative to
 * @returns {import('../scenario.js').Scenario} with its absolute path
 * @throws {import('../../errors.js').UsageError}
 */
export function withLoginFile(scenario, where, folderOf) {
  const { protocol, protocolOptions } = scenario;
  const key = protocol === 'nats' && NATS_SECRETS.find((each) => protocolOptions[each] !== undefined);
  if (!key) return scenario;
  const file = path.resolve(folderOf(`nats.${key}`), protocolOptions[key]);
  const named = { file, key: `nats.${key}`, where: where(`nats.${key}`), code: 'ELOGIN' };
  const tooLarge = () => `is too large; it has one line, ${FORMS[key]}`;
  const text = readNamedFile(named, { maxBytes: MAX_BYTES, tooLarge }).toString('utf8');
  if (natsSecret(key, text) === null) throw fileError(named, 'content', `does not hold one line, ${FORMS[key]}`);
  return { ...scenario, protocolOptions: { ...protocolOptions, [key]: file } };
}
