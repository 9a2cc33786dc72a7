// The password of protocol redis. It is taken out of a scenario and its flags before they are read, and kept for
// the workers (protocols/kept-secrets.js): what is stored, printed or sent elsewhere only says that there is one.

import { isObject } from '../../measure/objects.js';
import { keptSecrets } from '../../protocols/kept-secrets.js';
import { KEPT_PASSWORD, PASSWORD_VARIABLE } from '../../protocols/redis.js';
import { mistake, mistakesError } from '../mistakes.js';

/**
 * @import { ProtocolOptions } from '../../protocols/index.js'
 * @import { UsageError } from '../../errors.js'
 * @import { Flags } from '../flags.js'
 * @import { Where } from '../mistakes.js'
 */

const KEY = 'redis.password';

/**
 * @param {unknown} content of a scenario file
 * @param {Flags} flags
 * @param {Where} where
 * @param {Record<string, string | undefined>} [env] changed in place
 * @returns {{content: unknown, flags: Flags}} the same, with KEPT_PASSWORD for passwords
 * @throws {UsageError} when there are several
 */
export function takePassword(content, flags, where, env = keptSecrets) {
  /** @type {Set<string>} */
  const passwords = new Set();
  /** @param {unknown} password @returns {unknown} null for anything but a text, so that no message shows it */
  const kept = (password) => {
    if (typeof password !== 'string' || password === '') return null;
    if (password !== KEPT_PASSWORD) passwords.add(password);
    return KEPT_PASSWORD;
  };
  /** @param {unknown} part of a scenario @returns {unknown} */
  const without = (part) =>
    !isObject(part) || !isObject(part.redis) || part.redis.password === undefined
      ? part
      : { ...part, redis: { ...part.redis, password: kept(part.redis.password) } };
  const taken = without(content);
  const cleaned = isObject(taken) && Array.isArray(taken.tests) ? { ...taken, tests: taken.tests.map(without) } : taken;
  const isGiven = Object.hasOwn(flags, KEY);
  if (isGiven) passwords.clear(); // a flag replaces what the scenario says
  const cleanedFlags = isGiven ? { ...flags, [KEY]: kept(flags[KEY]) } : flags;
  if (passwords.size > 1) {
    throw mistakesError([
      mistake(where, 'several-passwords', KEY, {}, 'is not the same in all tests; a run has one password'),
    ]);
  }
  const [password] = passwords;
  if (password !== undefined) env[PASSWORD_VARIABLE] = password;
  return { content: cleaned, flags: cleanedFlags };
}

/**
 * @template {{protocol: string, protocolOptions: ProtocolOptions}} T
 * @param {T} scenario
 * @param {Where} where
 * @param {Record<string, string | undefined>} [env]
 * @returns {T} with the password that the environment has
 * @throws {UsageError}
 */
export function withPassword(scenario, where, env = keptSecrets) {
  const { protocol, protocolOptions } = scenario;
  if (protocol !== 'redis') return scenario;
  if (env[PASSWORD_VARIABLE]) return { ...scenario, protocolOptions: { ...protocolOptions, password: KEPT_PASSWORD } };
  const { user } = protocolOptions;
  if (user === undefined) return scenario;
  const why = `${user}, but there is no password; give ${KEY}, or ${PASSWORD_VARIABLE} in the environment`;
  throw mistakesError([mistake(where, 'user-without-password', 'redis.user', { user }, why)]);
}
