// Describes a resolved scenario as rows of a name and a value: one for each key that has x-words in the schema.

import { count, duration, payload, rate } from '../words/format.js';
import { derivedKeys, resolvedName } from './resolve.js';

/** @import { KeySchema } from './schema.js' */

/** @type {Record<NonNullable<KeySchema['x-unit']>, (value: number) => string>} */
const BY_UNIT = { duration, size: payload, rate };

/** @param {KeySchema} schema @param {unknown} value @returns {string} */
const textOf = ({ 'x-unit': unit }, value) => {
  if (unit !== undefined) return BY_UNIT[unit](/** @type {number} */ (value));
  return typeof value === 'number' ? count(value) : String(value);
};

const DESCRIBED = derivedKeys.flatMap(([key, schema]) => {
  const { 'x-words': words } = schema;
  return words === undefined ? [] : [{ key, schema, words, name: resolvedName(key, schema) }];
});

/**
 * @param {Record<string, unknown>} scenario as resolved, or a part of it
 * @returns {{ key: string, words: string, text: string }[]} in the order of the schema, without values that are null,
 *   0, or the minimum where that is the default
 */
export const describe = (scenario) =>
  DESCRIBED.flatMap(({ key, schema, words, name }) => {
    const value = scenario[name] ?? null;
    const isNothing = value === null || value === 0 || (value === schema.minimum && value === schema.default);
    return isNothing ? [] : [{ key, words, text: textOf(schema, value) }];
  });
