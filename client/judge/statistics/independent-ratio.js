// The ratio of a figure in one run to that in another, whose rounds were not measured in turn. Pure.
// Nothing cancels out between two runs, so the rounds are not paired. Welch's t on the logarithms of
// both (B. L. Welch, "The generalization of Student's problem", Biometrika 34, 1947). What changed the machine between
// the runs is not in the interval.

import { medianOf, meanOf, quantile975, standardDeviationOf } from '../../measure/statistics.js';
import { MIN_ROUNDS } from './index.js';
import { meanOfBlocks } from './nested.js';

/**
 * @import { Figure, Interval } from './index.js'
 * @import { Blocks } from './nested.js'
 */

/** @param {number[]} logs @returns {number} the squared standard error of their mean */
const squaredError = (logs) => standardDeviationOf(logs) ** 2 / logs.length;

/**
 * @param {[number, number]} errors squared, of both sides @param {[number, number]} counts of values
 * @returns {number} degrees of freedom, rounded down
 */
function degreesOf([a, b], [m, n]) {
  if (a + b === 0) return m + n - 2;
  return Math.max(1, Math.floor((a + b) ** 2 / (a ** 2 / (m - 1) + b ** 2 / (n - 1))));
}

/**
 * @param {Figure[]} values one of each round; those that were not measured are omitted
 * @param {Figure[]} baseline likewise
 * @returns {Interval} of the ratio; rounds: of the side with fewer
 */
export function independentRatioInterval(values, baseline) {
  const [own, other] = [values, baseline].map((side) =>
    side.filter((value) => typeof value === 'number' && Number.isFinite(value)),
  );
  const rounds = Math.min(own.length, other.length);
  const none = { median: null, low: null, high: null, rounds };
  if (rounds === 0) return { ...none, method: 'too-few-rounds' };
  if ([...own, ...other].some((value) => /** @type {number} */ (value) <= 0))
    return { ...none, method: 'not-positive' };
  const [a, b] = [own, other].map((side) => side.map((value) => Math.log(/** @type {number} */ (value))));
  const median = Math.exp(medianOf(a) - medianOf(b));
  if (rounds < MIN_ROUNDS) return { median, low: null, high: null, rounds, method: 'too-few-rounds' };
  const errors = /** @type {[number, number]} */ ([squaredError(a), squaredError(b)]);
  const half = quantile975(degreesOf(errors, [a.length, b.length])) * Math.sqrt(errors[0] + errors[1]);
  const middle = meanOf(a) - meanOf(b);
  const [low, high] = [Math.exp(middle - half), Math.exp(middle + half)];
  return { median, low: Math.min(low, median), high: Math.max(high, median), rounds, method: 'student-t-log' };
}

/** @param {Blocks[]} starts @returns {Figure[]} a value of each: the mean of its blocks */
const levelsOf = (starts) =>
  starts.map((blocks) => {
    const logs = blocks.flatMap((value) => (typeof value === 'number' ? Math.log(value) : []));
    return logs.length === 0 ? null : Math.exp(meanOfBlocks(logs).mean);
  });

/**
 * The blocks of one start are not independent of each other: of three starts or more on either side there is an
 * interval by these too, and the wider one counts.
 * @param {Blocks[]} own of each start, its blocks @param {Blocks[]} baseline likewise
 * @returns {Interval} of the ratio
 */
export function independentNestedRatio(own, baseline) {
  const ofBlocks = independentRatioInterval(own.flat(), baseline.flat());
  if (ofBlocks.low === null || ofBlocks.high === null) return ofBlocks;
  const { low, high } = independentRatioInterval(levelsOf(own), levelsOf(baseline));
  if (low === null || high === null) return ofBlocks;
  return { ...ofBlocks, low: Math.min(low, ofBlocks.low), high: Math.max(high, ofBlocks.high), method: 'nested-t-log' };
}
