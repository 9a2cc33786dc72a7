// A 95 % interval in words, for console, page and Markdown. Pure; the page runs it in the browser too.
// With three rounds Student's t may reach far beyond every value that was measured. Such bounds are
// right and say nothing, so that words take their place; summary.json has the numbers.

/** From this ratio of its bounds on, an interval says nothing. */
const MOST_TELLING = 10;

/** In place of the bounds. @type {Readonly<Record<'rounds' | 'seconds', string>>} */
export const TOO_WIDE = Object.freeze({ rounds: 'varies too much', seconds: 'seconds differ too much' });

/**
 * @param {readonly number[]} bounds low and high, neither negative
 * @returns {boolean} whether they are too far apart to say anything
 */
export const isTooWide = ([low, high]) => high > MOST_TELLING * low;

/**
 * @param {readonly number[]} bounds low and high, neither negative @param {(value: number) => string} text
 * @param {keyof typeof TOO_WIDE} [over] what the values are of
 * @returns {string} such as "1.1 ms to 1.3 ms"
 */
export const boundsText = (bounds, text, over = 'rounds') =>
  isTooWide(bounds) ? TOO_WIDE[over] : `${text(bounds[0])} to ${text(bounds[1])}`;
