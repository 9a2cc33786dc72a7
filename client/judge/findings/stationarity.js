// Whether a steady state is steady: no figure has a trend, and its seconds are independent of each other. A trend is a
// finding only if it is large, and chance explains it in less than 1 % of cases.

import { batchSums, unbiasedLagCorrelation } from '../statistics/autocorrelation.js';
import { medianOf, meanOf, standardDeviationOf } from '../../measure/statistics.js';
import { percent, plain } from '../../words/format.js';

/**
 * @import { Row } from './finding.js'
 * @import { Slice } from './steady-slices.js'
 */

/** Below this number of slices, neither can be seen. */
const MIN_SLICES = 10;
/** Number of batches in which a trend is sought: most of the dependence of neighbours is gone in them. */
const BATCHES = 10;
/** Kendall's score that 1 % of series without a trend exceed by chance. */
const SIGNIFICANT_SCORE = 2.58;
/** Least mean: 0 has no logarithm. */
const LEAST = 1e-9;
/** A smaller change over the steady state does not matter. */
const MIN_CHANGE = 0.1;
/** Dependence does not matter if the seconds differ by a smaller part of their mean. */
const MIN_SPREAD = 0.05;
/** A smaller correlation of neighbouring seconds does not matter. */
const MIN_CORRELATION = 0.5;
/** Quantile of the normal distribution that 1 % of correlations exceed by chance. */
const CORRELATION_SCORE = 2.33;

/** @typedef {'perSecond' | 'p50Ns'} SeriesName */

/**
 * @param {Slice[]} [slices] of a steady state under an even load
 * @returns {{ figure: SeriesName, values: number[] }[]} values of each slice; only series that are long enough
 */
function seriesOf(slices = []) {
  const series = /** @type {const} */ ([
    ['perSecond', slices.map(({ transfers, measuredNs }) => (transfers * 1e9) / measuredNs)],
    ['p50Ns', slices.flatMap(({ times }) => (times.count > 0 ? times.percentiles([50]) : []))],
  ]);
  return series.flatMap(([figure, values]) => (values.length < MIN_SLICES ? [] : [{ figure, values }]));
}

/**
 * @param {number[]} values in order, at least MIN_SLICES
 * @returns {number | null} how much the series rose or fell, as a part of its first value; null without a trend that
 *   matters
 */
export function trendOf(values) {
  const lengths = batchSums(
    values.map(() => 1),
    BATCHES,
  );
  const means = batchSums(values, BATCHES).map((sum, i) => sum / lengths[i]);
  const median = medianOf(means);
  if (!(median > 0) || Math.abs(kendallScore(means)) < SIGNIFICANT_SCORE) return null;
  // on a logarithmic scale: nothing falls below 0
  const change = Math.expm1(slopeOf(means.map((mean) => Math.log(Math.max(mean, LEAST)))) * (BATCHES - 1));
  return Math.abs(change) < MIN_CHANGE ? null : change;
}

/**
 * @param {number[]} values in order
 * @returns {number | null} correlation of neighbours; null if it does not matter or may be chance
 */
export function dependenceOf(values) {
  if (!(standardDeviationOf(values) >= MIN_SPREAD * meanOf(values))) return null;
  const correlation = unbiasedLagCorrelation(values);
  const threshold = Math.max(MIN_CORRELATION, CORRELATION_SCORE / Math.sqrt(values.length));
  return correlation < threshold ? null : Math.min(1, correlation);
}

/** @param {{ figure: SeriesName, values: number[] }[]} series @returns {{ figure: SeriesName, change: number }[]} */
const trendsOf = (series) =>
  series.flatMap(({ figure, values }) => {
    const change = trendOf(values);
    return change === null ? [] : [{ figure, change }];
  });

/** @type {Readonly<Record<SeriesName, string>>} */
const FIGURES = { perSecond: 'throughput', p50Ns: 'the median response time' };

/** @type {Row<{ figure: SeriesName, change: number }>} change: as a part of the first value */
export const drift = {
  code: 'drift',
  severity: 'caution',
  when: "throughput or median response time rose or fell by 10 % or more over the steady state (Kendall's test at 1 %)",
  ofSamples: (_leg, { slices }) =>
    trendsOf(seriesOf(slices)).sort((a, b) => Math.abs(b.change) - Math.abs(a.change))[0],
  text: ({ figure, change }) =>
    `${FIGURES[figure]} ${change > 0 ? 'rose' : 'fell'} by ${percent(Math.abs(change), 2)} during the steady state: the server had not settled`,
  remedy: 'Give a longer warmup or duration.',
  charts: ['transfers', 'response', 'load'],
  weight: ({ change }) => Math.abs(change),
};

/** @type {Row<{ figure: SeriesName, correlation: number }>} */
export const slicesDependent = {
  code: 'slices-dependent',
  severity: 'note',
  when: 'neighbouring seconds resemble each other (correlation of 0.5 or more) and differ by 5 % or more',
  ofSamples: (_leg, { slices }) => {
    const series = seriesOf(slices);
    if (trendsOf(series).length > 0) return undefined;
    const [first] = series.flatMap(({ figure, values }) => {
      const correlation = dependenceOf(values);
      return correlation === null ? [] : [{ figure, correlation }];
    });
    return first;
  },
  text: ({ correlation }) =>
    `speed came in phases of seconds (neighbouring ones correlate by ${plain(correlation, 2)}): count this as shorter than it was`,
  remedy: 'Give a longer duration or more rounds.',
  charts: ['transfers', 'load'],
};

/**
 * @param {number[]} values in order @param {(later: number, earlier: number, distance: number) => number} compare
 * @returns {number[]} one for each pair
 */
function pairs(values, compare) {
  return values.flatMap((later, i) => values.slice(0, i).map((earlier, j) => compare(later, earlier, i - j)));
}

/**
 * @param {number[]} values in order, at least 8: below that the normal approximation is poor
 * @returns {number} Kendall's score, standardised: beyond ±2.58 by chance in 1 % of series without a trend
 */
export function kendallScore(values) {
  const n = values.length;
  const sum = pairs(values, (later, earlier) => Math.sign(later - earlier)).reduce((a, b) => a + b, 0);
  const deviation = Math.sqrt((n * (n - 1) * (2 * n + 5)) / 18);
  return Math.sign(sum) * (Math.max(0, Math.abs(sum) - 1) / deviation);
}

/** @param {number[]} values in order, at least two @returns {number} change from one value to the next */
export const slopeOf = (values) => medianOf(pairs(values, (later, earlier, distance) => (later - earlier) / distance));
