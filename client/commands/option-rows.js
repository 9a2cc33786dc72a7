// How options that belong to an invocation are written down: a row for each, with rules of what it needs and excludes.

import { sayable } from '../words/secrets.js';
import { optionError } from './option-values.js';

/**
 * @import { Options } from 'yargs'
 * @import { UsageError } from '../errors.js'
 */

/**
 * @typedef {Record<string, unknown>} Typed  options and positionals of a command line, as yargs leaves them
 *
 * @typedef {object} Reading
 * @property {(given: any, name: string) => unknown} [read]  the value, of what was typed alone; throws a UsageError
 * @property {Rule[]} [rules]  what it needs, and what it excludes
 *
 * @typedef {{ name: string, part: string, yargs: Options } & Reading} Row  an option; part: what it is read into
 * @typedef {{ option: string, argv: Typed, values: Record<string, any> }} Given  values: as read
 * @typedef {(given: Given) => UsageError | null} Rule
 * @typedef {(option: string, value: unknown, others: string[]) => UsageError} Refusal  others: that it excludes
 *
 * @typedef {{ argv: Typed, env: Record<string, string | undefined>, parts: any }} Context  parts: read before
 */

/** @param {string} group @param {string} description @returns {Options} */
export const text = (group, description) => ({ type: 'string', requiresArg: true, group, description });
/** @param {string} group @param {string} description @returns {Options} */
export const flag = (group, description) => ({ type: 'boolean', group, description });

/** @param {unknown} value @returns {boolean} whether the option was given, and not negated */
export const isGiven = (value) => value !== undefined && value !== false;

/** @param {string[]} others @param {Refusal} refuse @returns {Rule} broken where one of them is given too */
export const excludes =
  (others, refuse) =>
  ({ option, argv }) => {
    const found = others.filter((other) => isGiven(argv[other]));
    return isGiven(argv[option]) && found.length > 0 ? refuse(option, argv[option], found) : null;
  };

/** @param {string[]} others @param {Refusal} refuse @returns {Rule} broken where none of them is given */
export const needs =
  (others, refuse) =>
  ({ option, argv }) =>
    isGiven(argv[option]) && !others.some((other) => isGiven(argv[other])) ? refuse(option, argv[option], []) : null;

/** @param {string} [more] what to do instead @returns {Rule} broken where it is given several times */
export const once =
  (more = '') =>
  ({ option, argv }) =>
    Array.isArray(argv[option]) ? optionError(option, argv[option], `is given more than once${more}`) : null;

/** @param {string} why @returns {Refusal} */
export const because = (why) => (option, value) => optionError(option, sayable(value, option), why);

/** @type {Refusal} What is printed is one thing. */
export const notTogether = (option, value, [other]) =>
  optionError(option, value, `does not go together with --${other}; leave one of them out`, { other });

/** @param {string} name @param {string} part @param {Options} yargs @param {Reading} [reading] @returns {Row} */
export const row = (name, part, yargs, reading = {}) => ({ name, part, yargs, ...reading });
