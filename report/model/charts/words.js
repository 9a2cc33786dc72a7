/** The words of causes as a person reads them, in the order they are stacked and listed. */

import { errorCauses, rejectCauses } from '../../../client/measure/fields.js';
import { causeName } from '../../../client/words/causes.js';

/** @import { Causes } from '../../../config/types.js' */

/** @param {readonly string[]} causes @returns {Record<string, string>} name by cause */
const namesOf = (causes) => Object.fromEntries(causes.map((cause) => [cause, causeName(cause)]));

export const REJECT_WORDS = namesOf(rejectCauses);
export const ERROR_WORDS = namesOf(errorCauses);

/**
 * @param {Causes | undefined} causes
 * @returns {Record<string, number>} without their total; empty of a leg that did not run
 */
export function causesOf(causes) {
  const { total: _, ...own } = causes ?? { total: 0 };
  return own;
}

/**
 * @param {Record<string, number>} causes
 * @param {Record<string, string>} words
 * @returns {string[]} those that occurred, in order
 */
export function causesSeen(causes, words) {
  const known = Object.keys(words);
  const foreign = Object.keys(causes).filter((cause) => !known.includes(cause));
  return [...known, ...foreign].filter((cause) => (causes[cause] ?? 0) > 0);
}

/**
 * @param {Record<string, number>} causes @param {Record<string, string>} words
 * @param {(value: number) => string} format @returns {string} "refused 4,210 · timeout 12", empty when nothing occurred
 */
export function causesText(causes, words, format) {
  return causesSeen(causes, words)
    .map((cause) => `${words[cause] ?? cause} ${format(causes[cause])}`)
    .join(' · ');
}
