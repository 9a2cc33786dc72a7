// Replaces yargs' texts about mistakes, which have no codes, by texts that begin with a code, for argument-mistakes.js.

/** Separates a code from the values that yargs fills in; no argument can contain it. */
export const END_OF_CODE = '\0';

/** @param {string} code @param {string} [values] */
const coded = (code, values = '') => `${code}${END_OF_CODE}${values}`;

/** @param {string} text for singular and plural */
const both = (text) => ({ one: text, other: text });

/** @param {string} word @returns {string} the message of yargs about a word that it does not know */
export const unknownArgument = (word) => coded('unknown', word);

/** @param {string} option that takes a value @returns {string} the message about `--no-OPTION` */
export const negated = (option) => coded('negated', option);

/** For `demandCommand()`. */
export const MISSING_COMMAND = coded('missing-command');

/**
 * For `updateStrings()`: texts of yargs, and their replacements.
 * @type {Record<string, string | { one: string, other: string }>}
 */
export const YARGS_TEXTS = {
  'Not enough arguments following: %s': coded('missing-value', '%s'),
  'Not enough non-option arguments: got %s, need at least %s': both(coded('missing-argument', '%s')),
  'Unknown argument: %s': both(coded('unknown', '%s')),
  'Unknown command: %s': both(coded('unknown', '%s')),
};
