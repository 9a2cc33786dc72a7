// Whether a series rises or falls, and by how much: Kendall's test and the slope of Theil and Sen, which outliers do not
// move. Pure.

import { medianOf } from '../../measure/order-statistics.js';

/**
 * @param {number[]} values in order @param {(later: number, earlier: number, distance: number) => number} compare
 * @returns {number[]} of each pair
 */
function pairs(values, compare) {
  return values.flatMap((later, i) => values.slice(0, i).map((earlier, j) => compare(later, earlier, i - j)));
}

/**
 * @param {number[]} values in order, at least 8: below that the normal approximation is poor
 * @returns {number} standardised: beyond ±2.58 by chance in 1 % of series without a trend
 */
export function kendallScore(values) {
  const n = values.length;
  const sum = pairs(values, (later, earlier) => Math.sign(later - earlier)).reduce((a, b) => a + b, 0);
  const deviation = Math.sqrt((n * (n - 1) * (2 * n + 5)) / 18);
  return Math.sign(sum) * (Math.max(0, Math.abs(sum) - 1) / deviation);
}

/** @param {number[]} values in order, at least two @returns {number} change from one value to the next */
export const slopeOf = (values) => medianOf(pairs(values, (later, earlier, distance) => (later - earlier) / distance));
