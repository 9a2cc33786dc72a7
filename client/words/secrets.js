// Masks secrets: passwords and tokens on a command line and in headers of requests are not stored with a run, printed,
// or sent to other hosts. The name of an environment variable replaces them.

import { withoutLogin } from './endpoint.js';

/** Headers with credentials. */
const SECRET_HEADER = /(^|-)(authorization|cookie|api-?key|token|secret|password|subscription-key)$/i;
const VARIABLE = 'BROADSIDE_HTTP_';
const REFERENCE = new RegExp(`^\\$(${VARIABLE}[A-Z0-9_]+)$`);

/** @param {string} name of a header @returns {boolean} */
export const isSecretHeader = (name) => SECRET_HEADER.test(name);

/** @param {string} name of a header @returns {string} the name as part of a variable's name */
const inCapitals = (name) => name.toUpperCase().replace(/[^A-Z0-9]/g, '_');

/** @param {string} name of a header @returns {string} the variable that has its value */
export const variableOf = (name) => VARIABLE + inCapitals(name);

/**
 * @param {unknown} value of a header
 * @returns {string | null} the variable that has the value; null if it is a plain value
 */
export const variableIn = (value) => (typeof value === 'string' ? (REFERENCE.exec(value)?.[1] ?? null) : null);

/** Variables that hold a secret. */
const SECRET_VARIABLE = new RegExp(`^(${VARIABLE}[A-Z0-9_]+|BROADSIDE_REDIS_PASSWORD)$`);

/** @param {string} name @returns {boolean} whether the environment has a secret in this variable */
export const isSecretVariable = (name) => SECRET_VARIABLE.test(name);

/** @typedef {{ text: string, shownAs: string }} Secret  text: its bytes, one character each, or its characters */

/** Shorter values are not masked. */
const MIN_CHARACTERS = 4;
/** Shorter parts of values are not masked. Texts of at least this length are masked in upper and lower case. */
const MIN_PART_CHARACTERS = 8;

/** @param {string} text NAME=value or NAME="value" @returns {string} the value */
const valueOfPair = (text) => text.replace(/^[^=\s]+=/, '').replace(/^"(.*)"$/, '$1');

/** @param {string} base64 @returns {string[]} the login of the scheme Basic, and its password: RFC 7617 */
function partsOfLogin(base64) {
  const login = Buffer.from(base64, 'base64').toString();
  return [login, login.slice(login.indexOf(':') + 1)];
}

/**
 * @param {string} value of a header, or a password
 * @returns {string[]} parts that a server may repeat: the text after the scheme, each word, each value of a list of
 *   pairs, such as a token or a cookie, and a decoded login
 */
function partsOf(value) {
  const [, scheme, credentials = value] = /^([A-Za-z][A-Za-z0-9-]*) +(\S.*)$/s.exec(value) ?? [];
  const words = [...value.split(/;\s*/), ...value.split(/[\s,;]+/)];
  const login = scheme?.toLowerCase() === 'basic' ? partsOfLogin(credentials) : [];
  return [credentials, ...words, ...words.map(valueOfPair), ...login];
}

/** @param {string} text @returns {string[]} the text, and its encodings in a URL, in JSON and in UTF-8 */
const spellingsOf = (text) => [
  ...[text, encodeURIComponent(Buffer.from(text).toString()), JSON.stringify(text).slice(1, -1)],
  Buffer.from(text).toString('latin1'),
];

/**
 * @param {string} value @param {string} shownAs
 * @returns {Secret[]} the value and its parts in all encodings, longest first
 */
export function secretsOf(value, shownAs) {
  const whole = value.length >= MIN_CHARACTERS ? [value] : [];
  const parts = partsOf(value).filter((part) => part.length >= MIN_PART_CHARACTERS);
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
  text === other || (text.length >= MIN_PART_CHARACTERS && text.toLowerCase() === other.toLowerCase());

/**
 * @param {Secret[]} secrets
 * @returns {(text: string) => string} masks the secrets in a text; names of variables stay unchanged
 */
export function maskOf(secrets) {
  if (secrets.length === 0) return (text) => text;
  const longestFirst = [...secrets].sort((a, b) => b.text.length - a.text.length);
  const texts = longestFirst.map(({ text }) => quoted(text));
  const pattern = new RegExp([`\\$BROADSIDE_[A-Z0-9_]+`, ...texts].join('|'), 'gi');
  const maskFor = (/** @type {string} */ match) =>
    longestFirst.find((secret) => isSame(secret.text, match))?.shownAs ?? match;
  return (text) => text.replace(pattern, maskFor);
}

/**
 * @param {string} bytes one character each
 * @param {Secret[]} secrets
 * @param {boolean} isCut whether there were more bytes
 * @returns {string} the bytes without the secrets, and without the start of one at the cut end
 */
export function masked(bytes, secrets, isCut) {
  const text = maskOf(secrets)(bytes);
  if (!isCut) return text;
  const ends = secrets.map((secret) => {
    for (let length = Math.min(secret.text.length, text.length); length > 0; length -= 1) {
      if (text.toLowerCase().endsWith(secret.text.slice(0, length).toLowerCase())) return length;
    }
    return 0;
  });
  return text.slice(0, text.length - Math.max(0, ...ends));
}

const PASSWORD_FLAG = /^--redis\.password(=|$)/;
/** A word that ends with a header, after any flag. */
const HEADER = /^([^:]*?)(:[ \t]*)(.*?)([ \t]*['"]?)$/s;

/**
 * @param {string} word of a command line @param {Record<string, string | undefined>} variables
 * @returns {string} the word with the variable instead of a secret
 */
function withoutSecretValue(word, variables) {
  const [, start = '', colon, value, end] = HEADER.exec(word) ?? [];
  const name = inCapitals(start.trimEnd());
  const hasValue = (/** @type {string} */ variable) =>
    name.endsWith(variable.slice(VARIABLE.length).replace(/_[0-9]+$/, '')) && variables[variable] === value;
  const variable = Object.keys(variables).find((candidate) => candidate.startsWith(VARIABLE) && hasValue(candidate));
  return variable === undefined ? word : `${start}${colon}$${variable}${end}`;
}

/**
 * @param {string[]} words of a command line
 * @param {Record<string, string | undefined>} variables that hold the secrets of the command line
 * @returns {string[]} the words without secrets; the environment has them when the command is repeated
 */
export const withoutSecrets = (words, variables) =>
  words
    .filter((word, i) => !PASSWORD_FLAG.test(word) && !(words[i - 1] === '--redis.password' && i > 0))
    .map((word) => withoutLogin(withoutSecretValue(word, variables)));

/** Text that replaces a possible secret. */
export const HIDDEN = '...';
/** A header as a text. */
const HEADER_TEXT = /^\s*([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*:/;
const CREDENTIALS = /\b(?:bearer|basic)\s+\S/i;

/**
 * @param {unknown} value from a user, perhaps in the wrong place
 * @returns {boolean} whether it is or contains a header with a secret, or the name of one
 */
export function mayHoldSecret(value) {
  if (typeof value === 'string') return CREDENTIALS.test(value) || isSecretHeader(HEADER_TEXT.exec(value)?.[1] ?? '');
  if (Object(value) !== value) return false;
  const isNamed = (/** @type {unknown} */ text) => typeof text === 'string' && isSecretHeader(text.trim());
  return Object.entries(Object(value)).some((pair) => pair.some((each) => isNamed(each) || mayHoldSecret(each)));
}

/**
 * @template T
 * @param {T} value from a user @param {string} [key] of the value
 * @returns {T | string} the value without secrets, for a message and its data
 */
export function sayable(value, key = '') {
  if (mayHoldSecret({ [key]: value })) return HIDDEN;
  return typeof value === 'string' ? withoutLogin(value) : value;
}

/**
 * @param {string} key from a user
 * @returns {string} the key for a message, without the text after the name of a secret header
 */
export const sayableKey = (key) => (mayHoldSecret(key) ? key.replace(/:.*/s, `: ${HIDDEN}`) : key);
