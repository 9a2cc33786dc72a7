// Describes the options of an invocation: a row for each, with rules for the options that it needs and excludes.

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
 * @property {(given: any, name: string) => unknown} [read]  the value, from what was typed; throws a UsageError
 * @property {Rule[]} [rules]  about the options that it needs and excludes
 *
 * @typedef {{ name: string, part: string, yargs: Options } & Reading} Row  an option; part: of the request
 * @typedef {{ option: string, argv: Typed, values: Record<string, any> }} Given  values: as read
 * @typedef {(given: Given) => UsageError | null} Rule
 * @typedef {(option: string, value: unknown, others: string[]) => UsageError} Refusal  others: excluded options
 *
 * @typedef {{ argv: Typed, env: Record<string, string | undefined>, parts: any }} Context  parts: those read before
 */

/** @param {string} group @param {string} description @returns {Options} */
export const text = (group, description) => ({ type: 'string', requiresArg: true, group, description });
/** @param {string} group @param {string} description @returns {Options} */
export const flag = (group, description) => ({ type: 'boolean', group, description });

/** @param {unknown} value @returns {boolean} whether the option was given, and not negated */
export const isGiven = (value) => value !== undefined && value !== false;

/** @param {string[]} names @param {Refusal} refuse @returns {Rule} broken if one of these options is given, too */
export const excludes =
  (names, refuse) =>
  ({ option, argv }) => {
    const given = names.filter((name) => isGiven(argv[name]));
    return isGiven(argv[option]) && given.length > 0 ? refuse(option, argv[option], given) : null;
  };

/** @param {string[]} names @param {Refusal} refuse @returns {Rule} broken if none of these options is given */
export const needs =
  (names, refuse) =>
  ({ option, argv }) =>
    isGiven(argv[option]) && !names.some((name) => isGiven(argv[name])) ? refuse(option, argv[option], []) : null;

/** @param {string} [more] what to do instead @returns {Rule} broken if the option is given several times */
export const once =
  (more = '') =>
  ({ option, argv }) =>
    Array.isArray(argv[option]) ? optionError(option, argv[option], `is given more than once${more}`) : null;

/** @param {string} why @returns {Refusal} */
export const because = (why) => (option, value) => optionError(option, sayable(value, option), why);

/** Refuses two options that choose what is printed. @type {Refusal} */
export const notTogether = (option, value, [other]) =>
  optionError(option, value, `does not go together with --${other}; leave one of them out`, { other });

/** @param {string} name @param {string} part @param {Options} yargs @param {Reading} [reading] @returns {Row} */
export const row = (name, part, yargs, reading = {}) => ({ name, part, yargs, ...reading });
