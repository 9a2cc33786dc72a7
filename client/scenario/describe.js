// Describes a resolved scenario as rows of a name and a value: one for each key that has x-words in the schema. Those
// that complete.js or a protocol resolves can have none.

import { count, duration, payload, rate } from '../words/format.js';
import { derivedKeys, resolvedName } from './resolve.js';
import { scenarioKeys } from './schema.js';

/** @import { KeySchema } from './schema.js' */

/** @type {Record<NonNullable<KeySchema['x-unit']>, (value: number) => string>} */
const BY_UNIT = { duration, size: payload, rate };

/** @param {KeySchema} schema @param {unknown} value @returns {string} */
const textOf = ({ 'x-unit': unit }, value) => {
  if (unit !== undefined) return BY_UNIT[unit](/** @type {number} */ (value));
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'number' ? count(value) : [value].flat().join(', ');
};

/** @param {KeySchema} schema @param {unknown} value */
const isNothing = ({ type, minimum, default: usual = false }, value) =>
  [null, 0].includes(/** @type {null} */ (value)) ||
  (Array.isArray(value) && value.length === 0) ||
  (value === usual && (value === minimum || type === 'boolean'));

/** @param {string} key its dotted name @returns {boolean} whether x-words have an effect there */
export const canBeDescribed = (key) =>
  scenarioKeys.has(key) && derivedKeys.some(([first]) => first === key.split('.')[0]);

/** @param {Iterable<[string, KeySchema]>} keys by their dotted names */
export const describedAmong = (keys) =>
  [...keys].flatMap(([key, schema]) => {
    const { 'x-words': words, 'x-row': hasRow = true } = schema;
    if (words === undefined || !canBeDescribed(key)) return [];
    return [{ schema, words, hasRow, path: resolvedName(key, schema).split('.') }];
  });

const described = describedAmong(scenarioKeys);

/**
 * @param {Record<string, unknown>} scenario as resolved, or a part of it
 * @param {ReturnType<typeof describedAmong>} [keys]
 * @returns {{ words: string, text: string, hasRow: boolean }[]} in the order of the schema, without values that are
 *   null, 0, empty, or the default where that is the minimum, yes or no; hasRow: in the plan
 */
export const describe = (scenario, keys = described) =>
  keys.flatMap(({ schema, words, hasRow, path }) => {
    const value = path.reduce((part, name) => part?.[name], /** @type {any} */ (scenario)) ?? null;
    return isNothing(schema, value) ? [] : [{ words, text: textOf(schema, value), hasRow }];
  });
