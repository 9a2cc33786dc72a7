/** The names of causes, in the order of stacks and lists. */
import { errorCauses, rejectCauses } from '../../../client/measure/fields.js';
import { causeName } from '../../../client/words/causes.js';

/** @import { Causes } from '../../../config/types.js' */

/** @param {readonly string[]} causes @returns {Record<string, string>} key: cause; value: its name */
const namesOf = (causes) => Object.fromEntries(causes.map((cause) => [cause, causeName(cause)]));

export const REJECT_WORDS = namesOf(rejectCauses);
export const ERROR_WORDS = namesOf(errorCauses);

/**
 * @param {Causes | undefined} causes
 * @returns {Record<string, number>} the causes without their total; empty for a leg that did not run
 */
export function causesOf(causes) {
  const { total: _, ...counts } = causes ?? { total: 0 };
  return counts;
}

/**
 * @param {Record<string, number>} causes
 * @param {Record<string, string>} words
 * @returns {string[]} the causes that occurred, in order
 */
export function causesSeen(causes, words) {
  const known = Object.keys(words);
  const foreign = Object.keys(causes).filter((cause) => !known.includes(cause));
  return [...known, ...foreign].filter((cause) => (causes[cause] ?? 0) > 0);
}

/**
 * @param {Record<string, number>} causes @param {Record<string, string>} words
 * @param {(value: number) => string} format @returns {string} "refused 4,210 · timeout 12"; '' if none occurred
 */
export function causesText(causes, words, format) {
  return causesSeen(causes, words)
    .map((cause) => `${words[cause] ?? cause} ${format(causes[cause])}`)
    .join(' · ');
}
