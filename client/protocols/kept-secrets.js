// The secrets of this process: what a scenario, a command line or the environment has given. Workers get them when they
// are forked; no other process that is started does, since they are not in the environment. And the last look at what
// is written.

import { HIDDEN, isSecretVariable, maskOf, secretsIn, secretsOf } from '../words/secrets.js';

/** @import { Secret } from '../words/secrets.js' */

/** Variables with their values, such as BROADSIDE_HTTP_AUTHORIZATION. @type {Record<string, string>} */
export const keptSecrets = {};

/**
 * What other secrets are called, by their texts, such as that of a login that a file has.
 * @type {Map<string, string>}
 */
const others = new Map();

/** @param {NodeJS.ProcessEnv} env from which the variables that hold secrets are removed */
export function takeSecrets(env) {
  for (const [name, value] of Object.entries(env)) {
    if (!isSecretVariable(name) || value === undefined) continue;
    keptSecrets[name] = value;
    delete env[name];
  }
}

/** @param {string} text that is not to be seen, and that no variable has @param {string} shownAs */
export const keepUnseen = (text, shownAs) => void others.set(text, shownAs);

/** @param {URL} url whose password is not to be seen */
export function keepPasswordOf({ password }) {
  keepUnseen(password, HIDDEN);
  try {
    keepUnseen(decodeURIComponent(password), HIDDEN);
  } catch {
    // it has a % of its own
  }
}

/** @returns {Secret[]} all that is kept, to look for in what a server says */
export const allSecrets = () => [
  ...secretsIn(keptSecrets),
  ...[...others].flatMap(([text, shownAs]) => secretsOf(text, shownAs)),
];

/** As long, a secret is looked for in whatever is written; a shorter one may be a part of any word. */
const LEAST_CHARACTERS = 8;
/** Names and codes of Broadside, which a secret may equal, but never holds. */
const WORD = /^(?:[a-z]+|[0-9]+|[a-z0-9]{1,6})(?:[-.](?:[a-z]+|[0-9]+|[a-z0-9]{1,6}))*$/;

const longSecrets = () => allSecrets().filter(({ text }) => text.length >= LEAST_CHARACTERS);

/** @param {string} text that is written or printed @returns {string} without a secret */
export const withoutKept = (text) => maskOf(longSecrets())(text);

/**
 * @returns {((key: string, value: unknown) => unknown) | undefined} for JSON.stringify: leaves the secrets out of all
 *   texts
 */
export function replacerOfKept() {
  const secrets = longSecrets();
  if (secrets.length === 0) return undefined;
  const mask = maskOf(secrets);
  return (_key, value) => (typeof value === 'string' && !WORD.test(value) ? mask(value) : value);
}
