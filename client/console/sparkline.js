// Values as a row of characters of eight heights.

const HEIGHTS = '▁▂▃▄▅▆▇█';

/**
 * @param {number} share of the tallest, 0..1
 * @returns {string} a character; the lowest one also for 0
 */
export const heightOf = (share) =>
  HEIGHTS[Math.min(HEIGHTS.length - 1, Math.max(0, Math.ceil(share * HEIGHTS.length) - 1))];

/**
 * @param {(number | undefined)[]} values @param {number} [highest] value of the tallest character; absent: the largest
 * @returns {string} a character for each value; a space for a missing value
 */
export function sparkline(values, highest = Math.max(0, ...values.map((value) => value ?? 0))) {
  return values.map((value) => (value === undefined ? ' ' : heightOf(highest > 0 ? value / highest : 0))).join('');
}
