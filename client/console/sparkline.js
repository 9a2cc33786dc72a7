// Values as a row of characters of eight heights. Pure.

const HEIGHTS = '▁▂▃▄▅▆▇█';

/**
 * @param {number} share of the tallest, 0..1
 * @returns {string} a character; what is not 0 is never lower than the lowest
 */
export const heightOf = (share) =>
  HEIGHTS[Math.min(HEIGHTS.length - 1, Math.max(0, Math.ceil(share * HEIGHTS.length) - 1))];

/**
 * @param {(number | undefined)[]} values @param {number} [most] that of the tallest; absent: the largest of them
 * @returns {string} a character each; a space where there is no value
 */
export function sparkline(values, most = Math.max(0, ...values.map((value) => value ?? 0))) {
  return values.map((value) => (value === undefined ? ' ' : heightOf(most > 0 ? value / most : 0))).join('');
}
