// Secrets on a command line and in the headers of requests: passwords and tokens are not stored with a run, printed or sent to
// agents. They are replaced by the name of an environment variable. Pure.

import { withoutLogin } from './endpoint.js';

/** Headers that say who somebody is. */
const SECRET_HEADER = /(^|-)(authorization|cookie|api-?key|token|secret|password|subscription-key)$/i;
const VARIABLE = 'BROADSIDE_HTTP_';
const REFERENCE = new RegExp(`^\\$(${VARIABLE}[A-Z0-9_]+)$`);

/** @param {string} name of a header @returns {boolean} */
export const isSecretHeader = (name) => SECRET_HEADER.test(name);

/** @param {string} name of a header @returns {string} the variable that has its value */
export const variableOf = (name) => VARIABLE + name.toUpperCase().replace(/[^A-Z0-9]/g, '_');

/** @param {unknown} value of a header @returns {string | null} the variable that has the value; null: it is the value itself */
export const variableIn = (value) => (typeof value === 'string' ? (REFERENCE.exec(value)?.[1] ?? null) : null);

/** @typedef {{ text: string, shownAs: string }} Secret  text: its bytes, one character each */

/** Variables that hold a secret. */
const SECRET_VARIABLE = new RegExp(`^(${VARIABLE}[A-Z0-9_]+|BROADSIDE_REDIS_PASSWORD)$`);
/** A shorter one is nothing to look for in what is said. */
const LEAST_CHARACTERS = 4;

/** @param {Record<string, string | undefined>} env @returns {Secret[]} */
export const secretsIn = (env) =>
  Object.entries(env).flatMap(([name, value = '']) =>
    SECRET_VARIABLE.test(name) && value.length >= LEAST_CHARACTERS
      ? [{ text: Buffer.from(value).toString('latin1'), shownAs: `$${name}` }]
      : [],
  );

/**
 * @param {string} bytes one character each
 * @param {Secret[]} secrets
 * @param {boolean} isCut whether there were more bytes
 * @returns {string} without the secrets, nor with what the end has of one
 */
export function masked(bytes, secrets, isCut) {
  const rest = secrets.reduce((text, secret) => text.replaceAll(secret.text, secret.shownAs), bytes);
  if (!isCut) return rest;
  const ends = secrets.map(({ text }) => {
    for (let length = Math.min(text.length, rest.length); length > 0; length -= 1) {
      if (rest.endsWith(text.slice(0, length))) return length;
    }
    return 0;
  });
  return rest.slice(0, rest.length - Math.max(0, ...ends));
}

const PASSWORD_FLAG = /^--redis\.password(=|$)/;
const HEADER_FLAG = /^(-H=?|--(?:header|http\.headers)(?:=|$))(.*)$/s;

/**
 * @param {string} header as on a command line @param {Record<string, string | undefined>} env
 * @returns {string} with the variable in place of a secret
 */
function withoutSecretValue(header, env) {
  const [, start, name, value] = /^(([^:]*):[ \t]*)(.*)$/s.exec(header) ?? [];
  if (name === undefined || !isSecretHeader(name.trim()) || variableIn(value) !== null) return header;
  const own = variableOf(name.trim());
  const variable = Object.keys(env).find((key) => key.startsWith(own) && env[key] === value.trim());
  return `${start}$${variable ?? own}`;
}

/**
 * @param {string[]} words of a command line
 * @param {Record<string, string | undefined>} [env]
 * @returns {string[]} without secrets, which the environment can give when it is repeated
 */
export const withoutSecrets = (words, env = process.env) =>
  words
    .filter((word, i) => !PASSWORD_FLAG.test(word) && !(words[i - 1] === '--redis.password' && i > 0))
    .map((word, i, all) => {
      const [, flag, header] = HEADER_FLAG.exec(word) ?? [];
      if (flag !== undefined && header !== '') return flag + withoutSecretValue(header, env);
      const before = HEADER_FLAG.exec(all[i - 1] ?? '');
      return before !== null && before[2] === '' ? withoutSecretValue(word, env) : word;
    })
    .map(withoutLogin);
