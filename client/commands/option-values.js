// Values of the options of commands that have no schema: numbers in a range.

import { UsageError } from '../errors.js';
import { refuseTwice } from '../scenario/flags.js';
import { sayable } from '../words/secrets.js';

/**
 * @param {string} option its name
 * @param {string | string[] | undefined} given
 * @param {{ range: [min: number, max: number], integer?: boolean }} rule
 * @returns {number | undefined} undefined where it was not given
 * @throws {UsageError}
 */
export function numberOf(option, given, { range: [min, max], integer = true }) {
  refuseTwice(option, given);
  if (given === undefined) return undefined;
  const number = /^-?[0-9]+(\.[0-9]+)?$/.test(String(given)) ? Number(given) : NaN;
  if (number >= min && number <= max && (!integer || Number.isInteger(number))) return number;
  throw refusedOption(option, given, `give a ${integer ? 'whole ' : ''}number from ${min} to ${max}`);
}

/** @param {string} option @param {unknown} value @param {string} remedy @returns {UsageError} */
export function refusedOption(option, value, remedy) {
  const said = sayable(value, option);
  return new UsageError(`--${option}: ${JSON.stringify(said)} is not valid; ${remedy}`, {
    code: 'EOPTION',
    data: { option, value: said },
  });
}

/** @param {string} option @param {string} text @returns {UsageError} */
export function missingOption(option, text) {
  return new UsageError(text, { code: 'EOPTION', data: { option, value: null } });
}
