// The secrets of this process, from a scenario, the command line or the environment, and functions that remove them
// from texts. Workers get the secrets when they are forked; other child processes do not, because the secrets are
// removed from the environment.

import { HIDDEN, isSecretVariable, maskOf, secretsIn, secretsOf } from '../words/secrets.js';

/** @import { Secret } from '../words/secrets.js' */

/** Variables with their values, such as BROADSIDE_HTTP_AUTHORIZATION. @type {Record<string, string>} */
export const keptSecrets = {};

/**
 * Secrets that no variable holds, such as a login from a file. key: the secret; value: the text shown in its place
 * @type {Map<string, string>}
 */
const unnamed = new Map();

/** Moves secrets from the environment to keptSecrets. @param {NodeJS.ProcessEnv} env */
export function takeSecrets(env) {
  for (const [name, value] of Object.entries(env)) {
    if (!isSecretVariable(name) || value === undefined) continue;
    keptSecrets[name] = value;
    delete env[name];
  }
}

/** Keeps a secret that no variable holds. @param {string} text @param {string} shownAs text shown in its place */
export const keepUnseen = (text, shownAs) => void unnamed.set(text, shownAs);

/** Keeps the password of a URL. @param {URL} url */
export function keepPasswordOf({ password }) {
  keepUnseen(password, HIDDEN);
  try {
    keepUnseen(decodeURIComponent(password), HIDDEN);
  } catch {
    // the password contains a %, and is not percent-encoded
  }
}

/** @returns {Secret[]} all secrets of this process */
export const allSecrets = () => [
  ...secretsIn(keptSecrets),
  ...[...unnamed].flatMap(([text, shownAs]) => secretsOf(text, shownAs)),
];

/** Only secrets of at least this length are removed from what is written; a shorter one may be part of any word. */
const MIN_CHARACTERS = 8;
/** Names and codes of Broadside. They are never secrets, even if a secret has the same text. */
const WORD = /^(?:[a-z]+|[0-9]+|[a-z0-9]{1,6})(?:[-.](?:[a-z]+|[0-9]+|[a-z0-9]{1,6}))*$/;

const longSecrets = () => allSecrets().filter(({ text }) => text.length >= MIN_CHARACTERS);

/** @param {string} text to be written or printed @returns {string} the text without secrets */
export const withoutKept = (text) => maskOf(longSecrets())(text);

/**
 * @returns {((key: string, value: unknown) => unknown) | undefined} replacer for JSON.stringify that removes secrets;
 *   undefined if there are none
 */
export function replacerOfKept() {
  const secrets = longSecrets();
  if (secrets.length === 0) return undefined;
  const mask = maskOf(secrets);
  return (_key, value) => (typeof value === 'string' && !WORD.test(value) ? mask(value) : value);
}
