// The ratio of a figure of one run to that of another run. Nothing cancels out between two runs, so their rounds are
// not paired. The method is Welch's t on the logarithms (B. L. Welch, "The generalization of Student's problem",
// Biometrika 34, 1947). The interval does not contain changes of the machine between the runs.

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
 * @param {Figure[]} values one for each round; those that were not measured are left out
 * @param {Figure[]} baseline likewise
 * @returns {Interval} of the ratio; rounds: of the side with fewer rounds
 */
export function independentRatioInterval(values, baseline) {
  const [runValues, baselineValues] = [values, baseline].map((side) =>
    side.filter((value) => typeof value === 'number' && Number.isFinite(value)),
  );
  const rounds = Math.min(runValues.length, baselineValues.length);
  const none = { median: null, low: null, high: null, rounds };
  if (rounds === 0) return { ...none, method: 'too-few-rounds' };
  if ([...runValues, ...baselineValues].some((value) => /** @type {number} */ (value) <= 0))
    return { ...none, method: 'not-positive' };
  const [a, b] = [runValues, baselineValues].map((side) =>
    side.map((value) => Math.log(/** @type {number} */ (value))),
  );
  const median = Math.exp(medianOf(a) - medianOf(b));
  if (rounds < MIN_ROUNDS) return { median, low: null, high: null, rounds, method: 'too-few-rounds' };
  const errors = /** @type {[number, number]} */ ([squaredError(a), squaredError(b)]);
  const half = quantile975(degreesOf(errors, [a.length, b.length])) * Math.sqrt(errors[0] + errors[1]);
  const middle = meanOf(a) - meanOf(b);
  const [low, high] = [Math.exp(middle - half), Math.exp(middle + half)];
  return { median, low: Math.min(low, median), high: Math.max(high, median), rounds, method: 'student-t-log' };
}

/** @param {Blocks[]} starts @returns {Figure[]} the mean of the blocks of each start */
const levelsOf = (starts) =>
  starts.map((blocks) => {
    const logs = blocks.flatMap((value) => (typeof value === 'number' ? Math.log(value) : []));
    return logs.length === 0 ? null : Math.exp(meanOfBlocks(logs).mean);
  });

/**
 * The blocks of a start are not independent of each other. With three starts or more on both sides, an interval over
 * the starts is computed too, and the wider interval counts.
 * @param {Blocks[]} starts the blocks of each start @param {Blocks[]} baseline likewise
 * @returns {Interval} of the ratio
 */
export function independentNestedRatio(starts, baseline) {
  const ofBlocks = independentRatioInterval(starts.flat(), baseline.flat());
  if (ofBlocks.low === null || ofBlocks.high === null) return ofBlocks;
  const { low, high } = independentRatioInterval(levelsOf(starts), levelsOf(baseline));
  if (low === null || high === null) return ofBlocks;
  return { ...ofBlocks, low: Math.min(low, ofBlocks.low), high: Math.max(high, ofBlocks.high), method: 'nested-t-log' };
}
