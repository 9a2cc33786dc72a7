// The median of a figure over rounds, or blocks of slices, with its 95 % interval, and the ratio of two servers, paired
// by round or block. The methods were chosen by simulation (test/unit/statistics.test.js): Student's t on logarithms up
// to 9 values; from 10 on, order statistics for a figure, and the trimmed mean of logarithms for a ratio. A percentile
// bootstrap of the median would contain it in only 75 of 100 cases with 3 rounds.

import { ownLengths, plannedSlices, sliceNs } from '../../measure/slices.js';
import {
  meanOf,
  medianBounds,
  medianOf,
  meanInterval,
  standardDeviationOf,
  quantile975,
} from '../../measure/statistics.js';
import { studentP, studentQuantile } from './block-test.js';
import { trimmedMean } from './trimmed-mean.js';

/**
 * @import { Method } from '../../../config/types.js'
 * @import { Leg } from '../../plan/plan.js'
 */

/**
 * Methods: too-few-rounds: fewer than three; student-t-log, student-t: Student's t on the logarithms, or on the values
 * if one is not positive; order-statistics: between two of the sorted values; trimmed-mean-log: of the logarithms
 * (trimmed-mean.js); nested-t-log: of several starts, or of rounds of blocks (nested.js); not-positive: no ratio,
 * because a value is not positive.
 *
 * @typedef {object} Interval
 * @property {number | null} median  null without a value
 * @property {number | null} low  end of the interval, of 95 % unless another level is asked for; null if it is unknown
 * @property {number | null} high  likewise
 * @property {number} rounds  number of values
 * @property {Method} method
 * @property {number} [p]  probability that a ratio is as far from 1 if the true ratio is 1; absent if it is unknown
 */

/** With two rounds, an interval would assume a normal distribution, which two values cannot show. */
export const MIN_ROUNDS = 3;
/** Least slices of each server: a disturbance may last as long as a slice. */
export const MIN_SLICES = 10;
/** From this number of rounds on, the order of the values is enough. */
export const MIN_ROUNDS_BY_ORDER = 10;

/** @typedef {number | null | undefined} Figure  null or undefined if the figure was not measured in the round */

/** @param {Figure} value @returns {value is number} */
const isNumber = (value) => typeof value === 'number' && Number.isFinite(value);

/**
 * @param {number[]} values at least MIN_ROUNDS
 * @returns {{ bounds: [number, number], method: Method }}
 */
function boundsOf(values) {
  if (values.length >= MIN_ROUNDS_BY_ORDER) return { bounds: medianBounds(values), method: 'order-statistics' };
  if (values.some((value) => value <= 0)) return { bounds: meanInterval(values), method: 'student-t' };
  const [low, high] = meanInterval(values.map(Math.log));
  return { bounds: [Math.exp(low), Math.exp(high)], method: 'student-t-log' };
}

/**
 * The median of a figure over rounds, and the 95 % interval of the true median.
 * @param {Figure[]} values one for each round
 * @returns {Interval} low <= median <= high; low is not negative unless a value is
 */
export function medianInterval(values) {
  const known = values.filter(isNumber);
  const rounds = known.length;
  const median = rounds === 0 ? null : medianOf(known);
  if (median === null || rounds < MIN_ROUNDS)
    return { median, low: null, high: null, rounds, method: 'too-few-rounds' };
  const { bounds, method } = boundsOf(known);
  const lowerLimit = known.some((value) => value < 0) ? -Infinity : 0;
  const low = Math.max(lowerLimit, Math.min(bounds[0], median));
  return { median, low, high: Math.max(bounds[1], median), rounds, method };
}

/**
 * The ratio of a figure to that of the baseline. Changes of the whole machine from round to round, such as temperature
 * or other programs, affect both values of a pair and cancel out.
 * @param {[value: Figure, baseline: Figure][]} pairs one for each round; a pair with an absent value is left out
 * @param {number} [level] of the interval: 0.05 for one of 95 %
 * @returns {Interval} of the ratio
 */
export function ratioInterval(pairs, level = 0.05) {
  const known = pairs.flatMap(([value, baseline]) =>
    isNumber(value) && isNumber(baseline) ? [{ value, baseline }] : [],
  );
  const rounds = known.length;
  if (known.some(({ value, baseline }) => value <= 0 || baseline <= 0)) {
    return { median: null, low: null, high: null, rounds, method: 'not-positive' };
  }
  const logs = known.map(({ value, baseline }) => Math.log(value / baseline));
  if (rounds < MIN_ROUNDS) return medianInterval(logs.map(Math.exp));
  if (rounds < MIN_ROUNDS_BY_ORDER) {
    const [mean, middle] = [meanOf(logs), Math.exp(medianOf(logs))];
    const error = standardDeviationOf(logs) / Math.sqrt(rounds);
    const half = studentQuantile(level, rounds - 1) * error;
    const [low, high] = [Math.min(Math.exp(mean - half), middle), Math.max(Math.exp(mean + half), middle)];
    return { median: middle, low, high, rounds, method: 'student-t-log', p: studentP(mean, error, rounds - 1) };
  }
  const { mean, half, error, degrees } = trimmedMean(logs, level);
  const [median, low, high] = [mean, mean - half, mean + half].map(Math.exp);
  return { median, low, high, rounds, method: 'trimmed-mean-log', p: studentP(mean, error, degrees) };
}

/**
 * Judges several tests together: the probability that any test finds a false difference is at most the level (S. Holm,
 * A Simple Sequentially Rejective Multiple Test Procedure, Scandinavian Journal of Statistics 6, 1979).
 * @param {number[]} ps of the tests @param {number} level @returns {boolean[]} whether each finds a difference
 */
export function holm(ps, level) {
  const order = ps.map((_, i) => i).sort((a, b) => ps[a] - ps[b]);
  const failed = order.findIndex((test, i) => ps[test] > level / (ps.length - i));
  const rejected = new Set(failed === -1 ? order : order.slice(0, failed));
  return ps.map((_, i) => rejected.has(i));
}

/** Scatter of the ratio of two neighbouring slices of this length. It grows with the square root of the length. */
const SCATTER = 0.09;
const SCATTER_AT_NS = 100e6;
/** Standard errors, beyond those of the interval, of a difference that four of five runs find. */
const FOUND_MOSTLY = 0.84;
/** Standard errors of an interval of 95 % over many blocks. */
const OF_BLOCKS = 1.96;

/**
 * Estimates, before anything is measured, the smallest difference of throughput that a comparison in slices will show.
 * The estimate is based on measurements on two virtual CPUs beside other tenants (2026-11-23, a server against itself
 * and against another server, 100 to 10,000 connections): the ratio of two neighbouring slices of 100 ms scatters by
 * 9 %, of 300 ms by 15 to 19 %, and of 1 s by 28 %, and the pairs are nearly independent.
 * @param {Leg[]} legs of a run
 * @param {number} rounds
 * @returns {number | null} as a share of the throughput, for the least sensitive leg; null if no leg is in slices
 */
export function visibleDifference(legs, rounds) {
  const shares = legs.flatMap((leg) => {
    if (leg.slices === undefined) return [];
    const { starts } = leg.slices;
    const errors = FOUND_MOSTLY + (starts === 1 ? OF_BLOCKS : quantile975(2 * (starts - 1)));
    return (
      (errors * SCATTER * Math.sqrt(sliceNs(ownLengths(leg.slices)) / SCATTER_AT_NS)) /
      Math.sqrt(rounds * plannedSlices(leg))
    );
  });
  return shares.length === 0 ? null : Math.max(...shares);
}
