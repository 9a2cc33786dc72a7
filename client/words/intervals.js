// Texts for 95 % intervals, for console, page and Markdown. The page runs this file in the browser too. With three
// rounds, Student's t may reach far beyond every measured value. Such bounds are correct but useless, so a text
// replaces them; summary.json has the numbers.

/** Greatest ratio of the bounds of an interval that is shown. */
const MAX_RATIO = 10;

/** Texts that replace the bounds. @type {Readonly<Record<'rounds' | 'seconds', string>>} */
export const TOO_WIDE = Object.freeze({ rounds: 'varies too much', seconds: 'seconds differ too much' });

/**
 * @param {readonly number[]} bounds low and high, neither negative
 * @returns {boolean} whether they are too far apart to be useful
 */
export const isTooWide = ([low, high]) => high > MAX_RATIO * low;

/**
 * @param {readonly number[]} bounds low and high, neither negative @param {(value: number) => string} text
 * @param {keyof typeof TOO_WIDE} [over] rounds or seconds: what the interval's values are of
 * @returns {string} such as "1.1 ms to 1.3 ms"
 */
export const boundsText = (bounds, text, over = 'rounds') =>
  isTooWide(bounds) ? TOO_WIDE[over] : `${text(bounds[0])} to ${text(bounds[1])}`;
