// Percentile intervals within a leg, from its slices. Transfers are not independent of each other, and neither are
// neighbouring seconds. The share of transfers above the percentile is computed for each slice. Its spread over batches
// of slices gives the interval of the share, which the histogram of all slices turns into times (Woodruff: Confidence
// Intervals for Medians and Other Position Measures, 1952). The batches were chosen by test/unit/slices.test.js.

import { batchSums, unbiasedLagCorrelation } from './autocorrelation.js';
import { quantile975 } from '../../measure/statistics.js';

/** @import { Histogram } from '../../measure/histogram.js' */

/** Least slices for an interval: with fewer, it would be too narrow if seconds resemble their neighbours. */
const MIN_SLICES = 30;
/** Slices of one batch, and the least number of batches. */
const SLICES_PER_BATCH = 3;
const MIN_BATCHES = 10;
/** Highest correlation of neighbouring batches that is used: the interval is very wide then. */
const MAX_CORRELATION = 0.9;
/** Least transfers above a percentile for an interval. */
const MIN_ABOVE = 20;

/** The percentiles that have intervals, by their name in a summary. */
const intervalPercentiles = Object.freeze({ p50: 50, p90: 90, p99: 99, p99_9: 99.9 });

/** @typedef {{ [name in keyof typeof intervalPercentiles]?: [number, number] }} PercentileIntervals */

/**
 * @param {number[]} excesses of each batch: transfers above the percentile minus the expected number; their sum is near
 *   0
 * @returns {number} half the width of the 95 % interval of the sum
 */
function halfWidthOfSum(excesses) {
  const n = excesses.length;
  const correlation = Math.min(MAX_CORRELATION, Math.max(0, unbiasedLagCorrelation(excesses)));
  // if values resemble their neighbours, the variance of their sum is larger by this factor, and the number of
  // independent values smaller
  const inflation = (1 + correlation) / (1 - correlation);
  const squares = excesses.reduce((sum, value) => sum + value ** 2, 0);
  const degrees = Math.max(2, Math.round(n / inflation) - 1);
  return quantile975(degrees) * Math.sqrt(((squares * n) / (n - 1)) * inflation);
}

/**
 * The 95 % interval of one percentile.
 * @param {Histogram[]} slices in order, at least MIN_SLICES
 * @param {Histogram} all the sum of the slices
 * @param {number} percent
 * @returns {[number, number] | null} null if it cannot be known
 */
export function percentileInterval(slices, all, percent) {
  const share = 1 - percent / 100;
  if (all.count * Math.min(share, 1 - share) < MIN_ABOVE) return null;
  const [value] = all.percentiles([percent]);
  const above = slices.map((slice) => slice.countBetween(value + 1, Infinity));
  const actual = above.reduce((sum, n) => sum + n, 0) / all.count;
  const excesses = above.map((n, i) => n - actual * slices[i].count);
  const batches = Math.max(MIN_BATCHES, Math.floor(slices.length / SLICES_PER_BATCH));
  const half = halfWidthOfSum(batchSums(excesses, batches));
  // on the scale of log-odds, where a share has no bounds
  const spread = Math.exp(half / all.count / (share * (1 - share)));
  const odds = share / (1 - share);
  const [fewer, more] = [odds / spread, odds * spread].map((shareOdds) => shareOdds / (1 + shareOdds));
  if (fewer * all.count < 1 || (1 - more) * all.count < 1) return null;
  const [low, high] = all.percentiles([(1 - more) * 100, (1 - fewer) * 100]);
  return [low, high];
}

/**
 * @param {{ times: Histogram[], all: Histogram }} steady times: of each slice of the steady state, in order; all: their
 *   sum
 * @returns {PercentileIntervals | undefined} without percentiles whose interval cannot be known; undefined if the
 *   steady state is too short
 */
export function percentileIntervals({ times: slices, all }) {
  if (slices.length < MIN_SLICES) return undefined;
  const known = Object.entries(intervalPercentiles).flatMap(([name, percent]) => {
    const interval = percentileInterval(slices, all, percent);
    return interval === null ? [] : [[name, interval]];
  });
  return known.length === 0 ? undefined : Object.fromEntries(known);
}
