// What several rounds, or blocks of slices, say of a figure: its median and the 95 % interval of it, and the ratio of
// two servers paired by round or block. Pure and without randomness. The methods were chosen by simulation
// (test/unit/statistics.test.js): Student's t on logarithms up to 9 values; from 10 on order statistics for a figure,
// and for a ratio, which fewer values shall tell, the trimmed mean of logarithms. A percentile bootstrap of the median
// contains it in 75 of 100 cases with 3 rounds.

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
 * too-few-rounds: fewer than three; student-t-log, student-t: Student's t on the logarithms, or on the values where one
 * is not positive; order-statistics: between two of the sorted values; trimmed-mean-log: of the logarithms
 * (trimmed-mean.js); nested-t-log: of several starts, or of rounds of blocks (nested.js); not-positive: a ratio of
 * values that are not positive.
 *
 * @typedef {object} Interval
 * @property {number | null} median  null without a value
 * @property {number | null} low  of the interval, of 95 % unless another level is asked for; null where it cannot be
 *   known
 * @property {number | null} high
 * @property {number} rounds  how many values it was made from
 * @property {Method} method
 * @property {number} [p]  of a ratio: how likely it is to be as far from 1 where the true one is 1; absent where that
 *   cannot be known
 */

/** With two rounds the interval would hold only if the values were normal, which two values cannot show. */
export const MIN_ROUNDS = 3;
/** Slices of each server: fewer are too few pairs, and a disturbance lasts as long as one of them. */
export const MIN_SLICES = 10;
/** From this number of rounds on, the order of the values is enough. */
export const MIN_ROUNDS_BY_ORDER = 10;

/** @typedef {number | null | undefined} Figure  absent: the figure was not measured in that round */

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
 * The median of a figure over rounds, and the 95 % interval of the median of all rounds that might have been measured.
 * @param {Figure[]} values one of each round
 * @returns {Interval} low <= median <= high; low is not negative where no value is
 */
export function medianInterval(values) {
  const known = values.filter(isNumber);
  const rounds = known.length;
  const median = rounds === 0 ? null : medianOf(known);
  if (median === null || rounds < MIN_ROUNDS)
    return { median, low: null, high: null, rounds, method: 'too-few-rounds' };
  const { bounds, method } = boundsOf(known);
  const least = known.some((value) => value < 0) ? -Infinity : 0;
  const low = Math.max(least, Math.min(bounds[0], median));
  return { median, low, high: Math.max(bounds[1], median), rounds, method };
}

/**
 * The ratio of a figure to the baseline's. What changes the speed of the whole machine from round to round, such as its
 * temperature or other programs, concerns both values of a pair and cancels out.
 * @param {[value: Figure, baseline: Figure][]} pairs one of each round; one with an absent value is omitted
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
 * Several tests judged together: of those in which there is no difference, one finds any with at most the given
 * probability (S. Holm, A Simple Sequentially Rejective Multiple Test Procedure, Scandinavian Journal of Statistics 6,
 * 1979).
 * @param {number[]} ps of the tests @param {number} level @returns {boolean[]} whether each finds a difference
 */
export function holm(ps, level) {
  const order = ps.map((_, i) => i).sort((a, b) => ps[a] - ps[b]);
  const failed = order.findIndex((test, i) => ps[test] > level / (ps.length - i));
  const found = new Set(failed === -1 ? order : order.slice(0, failed));
  return ps.map((_, i) => found.has(i));
}

/** The ratio of two neighbouring slices scatters so, of this length; that of longer ones with the square root of it. */
const SCATTER = 0.09;
const SCATTER_AT_NS = 100e6;
/** Standard errors of a difference that four of five runs find: those of the interval, and 0.84. */
const FOUND_MOSTLY = 0.84;
/** Of an interval of 95 % by many blocks. */
const OF_BLOCKS = 1.96;

/**
 * How small a difference of throughput a comparison in slices will probably see, before anything is measured. An
 * estimate, from what was seen on two virtual CPUs beside other tenants (2026-11-23, a server with itself and with
 * another one, 100 to 10,000 connections): the ratio of two neighbouring slices of 100 ms scatters by 9 %, of 300 ms by
 * 15 to 19 %, and of 1 s by 28 %, and the pairs are nearly independent.
 * @param {Leg[]} legs of a run
 * @param {number} rounds
 * @returns {number | null} as a share of the throughput, of the leg that sees least; null where none are in slices
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
