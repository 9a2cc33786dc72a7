// Secrets on a command line and in the headers of requests: passwords and tokens are not stored with a run, printed or
// sent to other hosts. They are replaced by the name of an environment variable. Pure.

import { withoutLogin } from './endpoint.js';

/** Headers that say who somebody is. */
const SECRET_HEADER = /(^|-)(authorization|cookie|api-?key|token|secret|password|subscription-key)$/i;
const VARIABLE = 'BROADSIDE_HTTP_';
const REFERENCE = new RegExp(`^\\$(${VARIABLE}[A-Z0-9_]+)$`);

/** @param {string} name of a header @returns {boolean} */
export const isSecretHeader = (name) => SECRET_HEADER.test(name);

/** @param {string} name of a header @returns {string} as it is in the name of a variable */
const inCapitals = (name) => name.toUpperCase().replace(/[^A-Z0-9]/g, '_');

/** @param {string} name of a header @returns {string} the variable that has its value */
export const variableOf = (name) => VARIABLE + inCapitals(name);

/**
 * @param {unknown} value of a header
 * @returns {string | null} the variable that has the value; null: it is the value itself
 */
export const variableIn = (value) => (typeof value === 'string' ? (REFERENCE.exec(value)?.[1] ?? null) : null);

/** Variables that hold a secret. */
const SECRET_VARIABLE = new RegExp(`^(${VARIABLE}[A-Z0-9_]+|BROADSIDE_REDIS_PASSWORD)$`);

/** @param {string} name @returns {boolean} whether the environment has a secret in this variable */
export const isSecretVariable = (name) => SECRET_VARIABLE.test(name);

/** @typedef {{ text: string, shownAs: string }} Secret  text: its bytes, one character each, or its characters */

/** A shorter value is nothing to look for in what is said. */
const LEAST_CHARACTERS = 4;
/** Nor is a shorter part of one. As long, it is looked for in capitals and small letters alike. */
const LEAST_OF_PART = 8;

/** @param {string} text @returns {string} what a list of pairs has after NAME=, without quotation marks */
const valueOfPair = (text) => text.replace(/^[^=\s]+=/, '').replace(/^"(.*)"$/, '$1');

/** @param {string} base64 @returns {string[]} the login of the scheme Basic, and its password: RFC 7617 */
function partsOfLogin(base64) {
  const login = Buffer.from(base64, 'base64').toString();
  return [login, login.slice(login.indexOf(':') + 1)];
}

/**
 * @param {string} value of a header, or a password
 * @returns {string[]} what a server may repeat of it: all behind the scheme, each word and each value of a list of
 *   pairs, such as a token or a cookie, and a login in clear
 */
function partsOf(value) {
  const [, scheme, credentials = value] = /^([A-Za-z][A-Za-z0-9-]*) +(\S.*)$/s.exec(value) ?? [];
  const words = [...value.split(/;\s*/), ...value.split(/[\s,;]+/)];
  const login = scheme?.toLowerCase() === 'basic' ? partsOfLogin(credentials) : [];
  return [credentials, ...words, ...words.map(valueOfPair), ...login];
}

/** @param {string} text @returns {string[]} also as a URL, JSON and UTF-8 have it */
const spellingsOf = (text) => [
  ...[text, encodeURIComponent(Buffer.from(text).toString()), JSON.stringify(text).slice(1, -1)],
  Buffer.from(text).toString('latin1'),
];

/**
 * @param {string} value @param {string} shownAs
 * @returns {Secret[]} the value and its parts, in all the ways in which they are looked for; the longest first
 */
export function secretsOf(value, shownAs) {
  const whole = value.length >= LEAST_CHARACTERS ? [value] : [];
  const parts = partsOf(value).filter((part) => part.length >= LEAST_OF_PART);
  const texts = new Set([...whole, ...parts].flatMap(spellingsOf));
  return [...texts].sort((a, b) => b.length - a.length).map((text) => ({ text, shownAs }));
}

/** @param {Record<string, string | undefined>} variables that hold secrets @returns {Secret[]} */
export const secretsIn = (variables) =>
  Object.entries(variables).flatMap(([name, value = '']) => secretsOf(value, `$${name}`));

/** @param {string} text */
const quoted = (text) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

/** @param {string} text @param {string} other @returns {boolean} */
const isSame = (text, other) =>
  text === other || (text.length >= LEAST_OF_PART && text.toLowerCase() === other.toLowerCase());

/**
 * @param {Secret[]} secrets
 * @returns {(text: string) => string} that shows none of them; names of variables stay as they are
 */
export function maskOf(secrets) {
  if (secrets.length === 0) return (text) => text;
  const all = [...secrets].sort((a, b) => b.text.length - a.text.length);
  const pattern = new RegExp([`\\$BROADSIDE_[A-Z0-9_]+`, ...all.map(({ text }) => quoted(text))].join('|'), 'gi');
  return (text) => text.replace(pattern, (found) => all.find((one) => isSame(one.text, found))?.shownAs ?? found);
}

/**
 * @param {string} bytes one character each
 * @param {Secret[]} secrets
 * @param {boolean} isCut whether there were more bytes
 * @returns {string} without the secrets, nor with what the end has of one
 */
export function masked(bytes, secrets, isCut) {
  const rest = maskOf(secrets)(bytes);
  if (!isCut) return rest;
  const ends = secrets.map(({ text }) => {
    for (let length = Math.min(text.length, rest.length); length > 0; length -= 1) {
      if (rest.toLowerCase().endsWith(text.slice(0, length).toLowerCase())) return length;
    }
    return 0;
  });
  return rest.slice(0, rest.length - Math.max(0, ...ends));
}

const PASSWORD_FLAG = /^--redis\.password(=|$)/;
/** A word that ends with a header, whatever the flag before it. */
const HEADER = /^([^:]*?)(:[ \t]*)(.*?)([ \t]*['"]?)$/s;

/**
 * @param {string} word of a command line @param {Record<string, string | undefined>} variables
 * @returns {string} with the variable in place of a secret
 */
function withoutSecretValue(word, variables) {
  const [, start = '', colon, value, end] = HEADER.exec(word) ?? [];
  const name = inCapitals(start.trimEnd());
  const isOf = (/** @type {string} */ variable) =>
    name.endsWith(variable.slice(VARIABLE.length).replace(/_[0-9]+$/, '')) && variables[variable] === value;
  const variable = Object.keys(variables).find((one) => one.startsWith(VARIABLE) && isOf(one));
  return variable === undefined ? word : `${start}${colon}$${variable}${end}`;
}

/**
 * @param {string[]} words of a command line
 * @param {Record<string, string | undefined>} variables that hold the secrets which were read from it
 * @returns {string[]} without secrets, which the environment can give when it is repeated
 */
export const withoutSecrets = (words, variables) =>
  words
    .filter((word, i) => !PASSWORD_FLAG.test(word) && !(words[i - 1] === '--redis.password' && i > 0))
    .map((word) => withoutLogin(withoutSecretValue(word, variables)));

/** What is shown in place of what may be a secret. */
export const HIDDEN = '...';
/** A header as a text. */
const HEADER_TEXT = /^\s*([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*:/;
const CREDENTIALS = /\b(?:bearer|basic)\s+\S/i;

/**
 * @param {unknown} value that a user wrote, perhaps in the wrong place
 * @returns {boolean} whether it is the text of a header with a secret, or has one, or the key or name of one
 */
export function mayHoldSecret(value) {
  if (typeof value === 'string') return CREDENTIALS.test(value) || isSecretHeader(HEADER_TEXT.exec(value)?.[1] ?? '');
  if (Object(value) !== value) return false;
  const isNamed = (/** @type {unknown} */ text) => typeof text === 'string' && isSecretHeader(text.trim());
  return Object.entries(Object(value)).some((pair) => pair.some((each) => isNamed(each) || mayHoldSecret(each)));
}

/**
 * @template T
 * @param {T} value that a user wrote @param {string} [key] that it was written for
 * @returns {T | string} as a message and its data may have it
 */
export function sayable(value, key = '') {
  if (mayHoldSecret({ [key]: value })) return HIDDEN;
  return typeof value === 'string' ? withoutLogin(value) : value;
}

/**
 * @param {string} key that a user wrote
 * @returns {string} as a message may have it: without what follows the name of a secret header
 */
export const sayableKey = (key) => (mayHoldSecret(key) ? key.replace(/:.*/s, `: ${HIDDEN}`) : key);
