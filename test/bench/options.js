// Options of benches that are checked as they are read. What does not fit is a UsageError.

import { UsageError } from '../../client/errors.js';
import { parseSize } from '../../client/words/units.js';

/** Connections of one client process, below the usual limit of descriptors. */
export const MOST_CONNECTIONS = 15_000;

/** @param {number} [most] */
export const whole =
  (most = 2 ** 30) =>
  /** @param {string | number} word */
  (word) => {
    const value = Number(word);
    if (Number.isInteger(value) && value >= 1 && value <= most) return value;
    throw new UsageError(`${word} is not a whole number of 1 to ${most}`);
  };

/**
 * @template {string} Name
 * @param {readonly Name[]} known
 */
export const oneOf =
  (known) =>
  /** @param {string} word */
  (word) => {
    const found = known.find((name) => name === word);
    if (found !== undefined) return found;
    throw new UsageError(`"${word}" is none of ${known.join(', ')}`);
  };

/** @param {string} word such as 64KiB @returns {number} bytes */
export const size = (word) => whole()(parseSize(word));

/**
 * @template T
 * @param {string} standard the default: words and commas
 * @param {string} describe
 * @param {(word: string) => T} read
 */
export const list = (standard, describe, read) => ({
  type: /** @type {const} */ ('string'),
  default: standard,
  describe: `list of ${describe}`,
  coerce: (/** @type {string} */ text) => text.split(',').map((word) => read(word.trim())),
});

/** @param {number} standard the default @param {string} describe @param {number} [most] */
export const number = (standard, describe, most) => ({
  type: /** @type {const} */ ('number'),
  default: standard,
  describe,
  coerce: whole(most),
});
