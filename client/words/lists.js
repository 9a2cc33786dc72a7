// Texts for lists of names and for repetitions.

import { count, counted } from './format.js';

/** Names listed; the others are counted. */
const MAX_NAMED = 3;

/** @param {string[]} names @returns {string} such as "a, b and c" */
export const joinNames = (names) =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;

/**
 * @param {string[]} names
 * @param {number} [maxNamed] names listed
 * @returns {string} such as "a, b, c and 4 others"
 */
export function listNames(names, maxNamed = MAX_NAMED) {
  if (names.length <= maxNamed + 1) return joinNames(names);
  return joinNames([...names.slice(0, maxNamed), `${count(names.length - maxNamed)} others`]);
}

/** @param {string[]} parts @param {number} [maxNamed] @returns {string} such as "a 3, b 5 and 4 more" */
export function listParts(parts, maxNamed = MAX_NAMED) {
  if (parts.length <= maxNamed + 1) return joinNames(parts);
  return joinNames([...parts.slice(0, maxNamed), counted(parts.length - maxNamed, 'more', 'more')]);
}

/**
 * @param {string} text @param {number} maxLength characters
 * @returns {string} the text, cut with an ellipsis if longer
 */
export const shortened = (text, maxLength) => (text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text);

const WORDS = ['', 'once', 'twice'];

/** @param {number} n at least 1 @returns {string} once, twice, 3 times */
export const timesText = (n) => WORDS[n] ?? `${count(n)} times`;
