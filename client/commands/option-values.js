// Reads and refuses the values of options that have no schema.

import { readFileSync } from 'node:fs';
import { UsageError } from '../errors.js';
import { refuseTwice } from '../scenario/flags.js';
import { sayable } from '../words/secrets.js';

/**
 * @param {string} option @param {unknown} value @param {string} why
 * @param {object} [more] data
 * @returns {UsageError}
 */
export const optionError = (option, value, why, more = {}) =>
  new UsageError(`--${option}: ${why}`, { code: 'EOPTION', data: { option, ...more, value } });

/** @param {string} option @param {unknown} value @param {string} remedy @returns {UsageError} */
export function refusedOption(option, value, remedy) {
  const said = sayable(value, option);
  return optionError(option, said, `${JSON.stringify(said)} is not valid; ${remedy}`);
}

/** @param {string} option @param {string} message @returns {UsageError} */
export const missingOption = (option, message) =>
  new UsageError(message, { code: 'EOPTION', data: { option, value: null } });

/**
 * @param {string} option its name
 * @param {string | string[] | undefined} given
 * @param {{ range: [min: number, max: number], integer?: boolean }} rule
 * @returns {number | undefined} undefined if it was not given
 * @throws {UsageError}
 */
export function numberOf(option, given, { range: [min, max], integer = true }) {
  refuseTwice(option, given);
  if (given === undefined) return undefined;
  const number = /^-?[0-9]+(\.[0-9]+)?$/.test(String(given)) ? Number(given) : NaN;
  if (number >= min && number <= max && (!integer || Number.isInteger(number))) return number;
  throw refusedOption(option, given, `give a ${integer ? 'whole ' : ''}number from ${min} to ${max}`);
}

/**
 * @param {unknown} given as typed
 * @returns {number | null} a share; null: it was not given
 * @throws {UsageError}
 */
export function parseTolerance(given) {
  if (given === undefined) return null;
  if (typeof given === 'string' && /^[0-9]+(\.[0-9]+)?%$/.test(given)) return Number(given.slice(0, -1)) / 100;
  throw optionError('tolerance', given, `${JSON.stringify(given)} is not a percentage, such as 5%`);
}

/** @param {string} option @param {unknown} path @returns {string} */
export function readable(option, path) {
  try {
    return readFileSync(String(path), 'utf8');
  } catch (error) {
    throw refusedOption(option, path, `the file cannot be read (${/** @type {NodeJS.ErrnoException} */ (error).code})`);
  }
}
