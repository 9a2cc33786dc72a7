// A histogram of times as HdrHistogram's percentile distribution (.hgrm), which its plotter and other tools read. Pure.
// Format: AbstractHistogram.outputPercentileDistribution of https://github.com/HdrHistogram/HdrHistogram, 5 ticks per
// half distance. Values are in ms, as in the output of other load generators; a value is the highest of its bucket.

import { layout } from '../measure/histogram.js';

/** @import { Histogram } from '../measure/histogram.js' */

const NS_PER_MS = 1e6;
const TICKS_PER_HALF_DISTANCE = 5;
const VALUE_WIDTH = 12;
/** Of the layout: each bucket doubles the range of the one before. */
const SUB_BUCKETS = 2048;
const BUCKETS = Math.ceil(Math.log2(layout.highest / SUB_BUCKETS)) + 1;

/** @param {number} ns @returns {string} */
const ms = (ns) => (ns / NS_PER_MS).toFixed(layout.digits).padStart(VALUE_WIDTH);

/** @param {number} level 0 to below 100 @returns {number} the next level: steps halve with the distance to 100 % */
function nextLevel(level) {
  const halvings = Math.floor(Math.log2(100 / (100 - level))) + 1;
  return level + 100 / (TICKS_PER_HALF_DISTANCE * 2 ** halvings);
}

/**
 * @param {Histogram} histogram
 * @returns {{ value: number, percent: number, count: number }[]} count: of all values up to this one
 */
function levelsOf(histogram) {
  const rows = [];
  let reached = 0;
  let level = 0;
  for (const [value, count] of histogram.values()) {
    reached += count;
    const percent = (100 * reached) / histogram.count;
    while (percent >= level && level < 100) {
      rows.push({ value, percent: level, count: reached });
      if (reached === histogram.count) break;
      level = nextLevel(level);
    }
  }
  rows.push({ value: histogram.max, percent: 100, count: histogram.count });
  return rows;
}

/**
 * @param {Histogram} histogram in ns
 * @param {string[]} [comments] lines at the end, which readers skip
 * @returns {string | null} null when nothing was recorded
 */
export function percentileDistribution(histogram, comments = []) {
  if (histogram.count === 0) return null;
  const rows = levelsOf(histogram).map(({ value, percent, count }) => {
    const inverse = percent < 100 ? ` ${(1 / (1 - percent / 100)).toFixed(2).padStart(14)}` : '';
    return `${ms(value)} ${(percent / 100).toFixed(12)} ${String(count).padStart(10)}${inverse}`;
  });
  return [
    '       Value     Percentile TotalCount 1/(1-Percentile)',
    '',
    ...rows,
    `#[Mean    = ${ms(histogram.mean)}, StdDeviation   = ${ms(histogram.stddev)}]`,
    `#[Max     = ${ms(histogram.max)}, Total count    = ${String(histogram.count).padStart(VALUE_WIDTH)}]`,
    `#[Buckets = ${String(BUCKETS).padStart(VALUE_WIDTH)}, SubBuckets     = ${String(SUB_BUCKETS).padStart(VALUE_WIDTH)}]`,
    ...comments.map((comment) => `#[${comment.replace(/[\r\n]+/g, ' ')}]`),
    '',
  ].join('\n');
}
