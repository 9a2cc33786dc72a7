// Several names in one sentence. Pure.

import { count, counted } from './format.js';

/** Of more names than these the others are counted. */
const MOST_NAMED = 3;

/** @param {string[]} names @returns {string} such as "a, b and c" */
export const joinNames = (names) =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;

/**
 * @param {string[]} names
 * @param {number} [most] that are named
 * @returns {string} such as "a, b, c and 4 others"
 */
export function listNames(names, most = MOST_NAMED) {
  if (names.length <= most + 1) return joinNames(names);
  return joinNames([...names.slice(0, most), `${count(names.length - most)} others`]);
}

/** @param {string[]} parts @param {number} [most] @returns {string} such as "a 3, b 5 and 4 more" */
export function listParts(parts, most = MOST_NAMED) {
  if (parts.length <= most + 1) return joinNames(parts);
  return joinNames([...parts.slice(0, most), counted(parts.length - most, 'more', 'more')]);
}

/** @param {string} text @param {number} most characters @returns {string} with an ellipsis where it was longer */
export const shortened = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

const WORDS = ['', 'once', 'twice'];

/** @param {number} n at least 1 @returns {string} once, twice, 3 times */
export const timesText = (n) => WORDS[n] ?? `${count(n)} times`;
