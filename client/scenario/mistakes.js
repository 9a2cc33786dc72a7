// Turns validation errors into sentences: where (file and path, or the flag), the value, why, and what was probably
// meant.

import { UsageError } from '../errors.js';
import { ownValue } from '../measure/objects.js';
import { nearest } from './nearest.js';
import { insteadOf } from './removed.js';
import { expected } from './schema.js';
import { count } from '../words/format.js';
import { isSecretHeader, sayable, sayableKey } from '../words/secrets.js';
import { guessUnit } from '../words/units.js';

/**
 * @import { Data } from '../errors.js'
 * @import { ErrorObject } from 'ajv'
 * @import { KeySchema } from './schema.js'
 */

/** Most mistakes shown; further ones usually repeat one of these. */
const MAX_SHOWN = 20;

/**
 * @typedef {object} Mistake
 * @property {string} code  kebab-case
 * @property {string} path  dotted, such as `ramp.add`; '' for the whole scenario
 * @property {Data} data
 * @property {string} text  the place, the value, what is wrong with it and what to do
 */

/** Keywords of the schema that say which keys go together. */
const CONDITIONS = ['if', 'not', 'dependentRequired'];

/** @param {ErrorObject} error @returns {boolean} whether each key is valid by itself, but not with the others */
export const isOfKeysTogether = ({ keyword, schemaPath }) =>
  CONDITIONS.includes(keyword) || /\/(then|else)\//.test(schemaPath);

/** @typedef {(path: string) => string} Where  names the place of a dotted path: `--ramp.add` or `my.json: ramp.add` */

/**
 * @param {Where} where
 * @param {string} code
 * @param {string} path
 * @param {Data} data
 * @param {string} why  for people, without the place
 * @returns {Mistake}
 */
export const mistake = (where, code, path, data, why) => ({
  ...{ code, path, text: `${where(path)}: ${why}` },
  data: { ...data, ...('value' in data && { value: sayable(data.value, keyAt(path)) }) },
});

/** @param {string} path dotted @returns {string} the last key of it */
const keyAt = (path) => path.replace(/\[[0-9]+\]$/, '').replace(/^.*\./s, '');

/**
 * @param {string} pointer JSON pointer, such as /servers/0/options
 * @returns {string} dotted, such as servers[0].options
 */
export function dotted(pointer) {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => sayableKey(part.replaceAll('~1', '/').replaceAll('~0', '~')))
    .reduce((path, part) => (/^[0-9]+$/.test(part) ? `${path}[${part}]` : path === '' ? part : `${path}.${part}`), '');
}

/**
 * @param {unknown} value
 * @param {string} [key] that it was written for
 * @returns {string} short enough for a message, and without a secret
 */
export function shown(value, key) {
  const safe = sayable(value, key);
  const text = JSON.stringify(safe) ?? String(safe);
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}

/**
 * @param {unknown} raw a scenario as it was written
 * @param {string} path dotted
 * @returns {string | undefined} the value at that path, short enough for a message; undefined when it is absent
 */
export function writtenText(raw, path) {
  const keys = path.split(/[.[\]]+/).filter((key) => key !== '');
  const value = keys.reduce(ownValue, raw);
  return value === undefined ? undefined : shown(value).replaceAll('"', '');
}

/** @param {string} path @returns {string} with invalid characters percent-encoded: RFC 3986, section 2.1 */
const percentEncoded = (path) =>
  path.replace(/[^!-~]+/g, (text) =>
    Array.from(Buffer.from(text), (byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(''),
  );

/** The placeholders of a command, also in capitals, and the port as a shell and other tools write it. */
const PLACEHOLDERS = /\{(port|path|host)\}|\$PORT\b|\$\{PORT\}|<port>/gi;

/**
 * @param {unknown} value
 * @param {KeySchema} schema
 * @returns {string | undefined} a valid value that was probably meant
 */
function suggestionFor(value, schema) {
  if (Object(value) === value) return undefined;
  if (typeof value === 'string' && /^\/\P{Cc}*$/u.test(value) && schema.pattern !== undefined) {
    const encoded = percentEncoded(value);
    return new RegExp(schema.pattern).test(encoded) ? encoded : undefined;
  }
  if (typeof value === 'string' && schema['x-expects']?.includes('{port}')) {
    const filled = value.replace(PLACEHOLDERS, (placeholder, name = 'port') => `{${name.toLowerCase()}}`);
    return filled === value ? undefined : filled;
  }
  const unit = schema['x-unit'];
  if (unit !== undefined) return guessUnit(String(value), unit);
  if (schema.enum !== undefined) return nearest(String(value), schema.enum)[0];
  if (schema.type === 'boolean' && /^(true|false)$/i.test(String(value))) return String(value).toLowerCase();
  if (typeof value === 'string' && [schema.type].flat().includes('integer') && /^[0-9][0-9_, ']*$/.test(value)) {
    return value.replace(/[^0-9]/g, '');
  }
  const [, digits, factor = ''] = /^([0-9]+(?:\.[0-9]+)?) ?([kKmM])$/.exec(String(value)) ?? [];
  if (digits !== undefined && [schema.type].flat().includes('integer')) {
    const whole = Number(digits) * (factor.toLowerCase() === 'k' ? 1e3 : 1e6);
    return Number.isInteger(whole) ? String(whole) : undefined;
  }
  return undefined;
}

/**
 * @param {ErrorObject} error
 * @param {Where} where
 * @returns {Mistake | undefined} undefined for an error that another one already covers
 */
function mistakeOf(error, where) {
  const path = dotted(error.instancePath);
  const inside = path === '' ? '' : `${path}.`;
  if (/^#\/(oneOf|anyOf)\//.test(error.schemaPath) || ['propertyNames', 'if'].includes(error.keyword)) return undefined;
  const stated = error.parentSchema?.['x-mistake'];
  switch (error.keyword) {
    case 'not': // a key that does not go with others
      return mistake(
        where,
        stated.code,
        path,
        { [stated.data]: sayable(error.data) },
        `${writtenText(error.data, '')} ${stated.why}`,
      );
    case 'dependentRequired': {
      const { property: given, missingProperty: missing } = error.params;
      return mistake(where, stated.code, inside + given, { given, missing }, `needs ${inside}${missing}; give both`);
    }
    case 'oneOf': {
      const given = ['servers', 'target', 'command'].filter((key) => Object.hasOwn(Object(error.data), key));
      // a URL may also be given without --target
      const named = (/** @type {string} */ key) =>
        where(key) === '--target' ? `the target ${[sayable(Object(error.data).target)].flat().join(', ')}` : where(key);
      return given.length === 0
        ? mistake(
            where,
            'server-missing',
            '',
            {},
            `no server to measure; give one of servers, target or command (${example('servers')}, ` +
              `${example('target')} or ${example('command')})`,
          )
        : {
            code: 'exclusive-keys',
            path: '',
            data: { keys: given },
            text:
              `${given.map(named).join(' and ')} exclude each other: a target runs already, the others are started; ` +
              'start both with command and servers, or measure them in two runs',
          };
    }
    case 'required': {
      const key = `${inside}${error.params.missingProperty}`;
      const place = where(key); // the flag, for a key inside a flag's value
      const what = place.endsWith(error.params.missingProperty) ? 'missing' : `${key} is missing`;
      const text = `${place}: ${what}; give ${wanted(error.parentSchema?.properties?.[error.params.missingProperty])}`;
      return { code: 'missing', path: key, data: {}, text };
    }
    case 'additionalProperties': {
      const written = error.params.additionalProperty;
      const key = sayableKey(written);
      const instead = insteadOf(inside + key);
      if (instead !== undefined)
        return removedMistake(where, inside + key, Object(error.data)[written], `was removed; ${instead}`);
      const known = Object.keys(error.parentSchema?.properties ?? {});
      const [near] = nearest(key, known);
      const value = sayable(Object(error.data)[written], isSecretHeader(near ?? '') ? near : written);
      const hint =
        near === undefined
          ? `the keys here are ${known.filter((name) => name !== '$schema').join(', ')}`
          : `did you mean "${inside}${near}"?`;
      return mistake(
        where,
        'unknown-key',
        inside + key,
        { value, near: near ?? null },
        `unknown key (value ${shown(value)}); ${hint}`,
      );
    }
    case 'maxLength': {
      const [length, max] = [[.../** @type {string} */ (error.data)].length, error.params.limit];
      const why = `${shown(error.data, keyAt(path))} has ${count(length)} characters, at most ${count(max)}`;
      return mistake(where, 'too-long', path, { length, max }, why);
    }
    default: {
      const instead = insteadOf(path, error.data);
      if (instead !== undefined)
        return removedMistake(where, path, error.data, `${shown(error.data, keyAt(path))} was removed; ${instead}`);
      const schema = /** @type {KeySchema} */ (error.parentSchema ?? {});
      const guess = suggestionFor(error.data, schema);
      // x-flag-expects of a duration names another flag, which does not help where the value looks like a duration
      const isTime = schema['x-unit'] === 'duration' && typeof error.data === 'string' && /^-?[0-9]/.test(error.data);
      const sentence = `${shown(error.data, keyAt(path))} is not ${wanted(schema, where(path).startsWith('--') && !isTime)}`;
      return mistake(
        where,
        'wrong-value',
        path,
        { value: error.data, meant: guess ?? null },
        guess === undefined ? sentence : `${sentence}; did you mean ${guess}?`,
      );
    }
  }
}

/** @param {Where} where @param {string} path @param {unknown} value @param {string} why */
const removedMistake = (where, path, value, why) => mistake(where, 'removed', path, { value }, why);

/**
 * @param {KeySchema | undefined} schema
 * @param {boolean} [flag]
 */
function wanted(schema, flag) {
  return schema === undefined ? 'a value' : expected(schema, flag);
}

/** @param {string} key */
function example(key) {
  /** @type {Record<string, string>} */
  const flags = { servers: 'epoll', target: '127.0.0.1:8080', command: "'./mine --port {port}'" };
  return `--${key} ${flags[key]}`;
}

/**
 * @param {ErrorObject[]} errors of one validation, with `verbose`
 * @param {Where} where
 * @returns {Mistake[]} unknown keys first (they often cause the others), without duplicates
 */
export function explain(errors, where) {
  const rank = (/** @type {ErrorObject} */ error) =>
    error.keyword === 'additionalProperties' ? 0 : error.keyword === 'oneOf' || error.keyword === 'required' ? 2 : 1;
  const seen = new Set();
  const mistakes = [];
  for (const error of [...errors].sort((a, b) => rank(a) - rank(b))) {
    const place =
      error.keyword === 'additionalProperties'
        ? `${error.instancePath}/${error.params.additionalProperty}`
        : error.keyword === 'required' || error.keyword === 'dependentRequired'
          ? `${error.instancePath}/${error.params.missingProperty}`
          : `${error.instancePath}#${error.propertyName ?? ''}`;
    const explained = seen.has(place) && error.keyword !== 'oneOf' ? undefined : mistakeOf(error, where);
    if (explained === undefined) continue;
    seen.add(place);
    mistakes.push(explained);
  }
  return mistakes;
}

/**
 * @param {Pick<Mistake, 'text'>[]} mistakes
 * @returns {string} one a line, at most MAX_SHOWN
 */
function formatMistakes(mistakes) {
  const texts = [...new Set(mistakes.map(({ text }) => text))];
  const more = texts.length - MAX_SHOWN;
  return [...texts.slice(0, MAX_SHOWN), ...(more > 0 ? [`and ${count(more)} more`] : [])].join('\n');
}

/**
 * @param {Mistake[]} mistakes
 * @param {string} [code]
 * @returns {UsageError} with all of them in its data
 */
export const mistakesError = (mistakes, code = 'ESCENARIO') =>
  new UsageError(formatMistakes(mistakes), { code, data: { mistakes } });

/** @param {Mistake[]} mistakes @throws {UsageError} if there are any */
export function refuse(mistakes) {
  if (mistakes.length > 0) throw mistakesError(mistakes);
}
