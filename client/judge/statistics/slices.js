// Percentile intervals within a leg, from its seconds: transfers are not independent of each other, and neither are
// neighbouring seconds. Pure.
// The share of transfers above the percentile is taken in each slice; its spread over batches of
// slices gives the interval of the share, which the histogram of all slices turns into times (Woodruff: Confidence
// Intervals for Medians and Other Position Measures, 1952). How the batches were chosen: test/unit/slices.test.js.

import { batchSums, unbiasedLagCorrelation } from './autocorrelation.js';
import { quantile975 } from '../../measure/statistics.js';

/** @import { Histogram } from '../../measure/histogram.js' */

/**
 * Below this number of seconds no interval is given: it would be too narrow where seconds resemble their neighbours.
 */
const MIN_SLICES = 30;
/** Slices of one batch, and the least number of batches. */
const SLICES_PER_BATCH = 3;
const MIN_BATCHES = 10;
/**
 * Higher estimates of the correlation of neighbouring batches are not told apart: the interval is very wide as it is.
 */
const MAX_CORRELATION = 0.9;
/** So many transfers above a percentile, at least, make its share a value with a spread. */
const MIN_ABOVE = 20;

/** The percentiles that have intervals, by their name in a summary. */
const intervalPercentiles = Object.freeze({ p50: 50, p90: 90, p99: 99, p99_9: 99.9 });

/** @typedef {{ [name in keyof typeof intervalPercentiles]?: [number, number] }} PercentileIntervals */

/**
 * @param {number[]} excesses of each batch: transfers above the percentile, less those to be expected; their sum is
 *   near 0
 * @returns {number} half of the 95 % interval of that sum
 */
function halfWidthOfSum(excesses) {
  const n = excesses.length;
  const correlation = Math.min(MAX_CORRELATION, Math.max(0, unbiasedLagCorrelation(excesses)));
  // a sum of values that resemble their neighbours has this many times the variance, and as many fewer independent
  // values
  const inflation = (1 + correlation) / (1 - correlation);
  const squares = excesses.reduce((sum, value) => sum + value ** 2, 0);
  const degrees = Math.max(2, Math.round(n / inflation) - 1);
  return quantile975(degrees) * Math.sqrt(((squares * n) / (n - 1)) * inflation);
}

/**
 * The 95 % interval of one percentile.
 * @param {Histogram[]} slices in order, at least MIN_SLICES
 * @param {Histogram} all of them added
 * @param {number} percent
 * @returns {[number, number] | null} null where it cannot be known
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
  // on the scale of log-odds, on which a share has no bounds
  const spread = Math.exp(half / all.count / (share * (1 - share)));
  const odds = share / (1 - share);
  const [fewer, more] = [odds / spread, odds * spread].map((one) => one / (1 + one));
  if (fewer * all.count < 1 || (1 - more) * all.count < 1) return null;
  const [low, high] = all.percentiles([(1 - more) * 100, (1 - fewer) * 100]);
  return [low, high];
}

/**
 * @param {{ times: Histogram[], all: Histogram }} steady times: of each slice of the steady state, in order; all: added
 * @returns {PercentileIntervals | undefined} undefined where the steady state is too short; without the percentiles
 *   whose interval cannot be known
 */
export function percentileIntervals({ times: slices, all }) {
  if (slices.length < MIN_SLICES) return undefined;
  const known = Object.entries(intervalPercentiles).flatMap(([name, percent]) => {
    const interval = percentileInterval(slices, all, percent);
    return interval === null ? [] : [[name, interval]];
  });
  return known.length === 0 ? undefined : Object.fromEntries(known);
}
