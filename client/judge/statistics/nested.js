// The ratio of two servers that were both started several times, or measured in several rounds, in blocks of slices.
// The start is the outer level, the block the inner level (T. Kalibera, R. Jones: Rigorous Benchmarking in Reasonable
// Time, ISMM 2013). Each level has an interval, and the wider interval counts: that of the blocks is right if starts do
// not differ, and that of the starts always, because their spread includes that of the blocks. An estimate of the
// spread that starts add, by subtraction, would find a difference between equal servers in 10 % of runs with two to
// four starts.

import { meanOf, standardDeviationOf } from '../../measure/statistics.js';
import { studentP, studentQuantile } from './block-test.js';
import { medianInterval } from './index.js';
import { trimmedMean } from './trimmed-mean.js';

/** @import { Interval } from './index.js' */

/** From this number of blocks on, the outer tenths are left out, because some blocks may be disturbed. */
export const MIN_BLOCKS_TO_TRIM = 10;
/**
 * Least degrees of freedom, those of two starts of each of two servers. With fewer, an interval would be of no use, so
 * the starts of both servers are assumed to scatter alike.
 */
const LEAST_DEGREES = 2;

/**
 * @typedef {(number | null | undefined)[]} Blocks  values of one start, in order; null if not measured
 * @typedef {{ own: Blocks[], other: Blocks[] }} Round  the starts of each server; all have blocks at the same times
 *
 * @typedef {object} Level
 * @property {number} variance  of the mean of logarithms
 * @property {number} degrees  of freedom
 */

/**
 * @param {{ variance: number, degrees: number }[]} parts of a sum of independent estimates
 * @returns {Level | null} with the degrees of freedom of Welch and Satterthwaite; null without parts
 */
function sumOf(parts) {
  if (parts.length === 0) return null;
  const variance = parts.reduce((sum, part) => sum + part.variance, 0);
  const scatter = parts.reduce((sum, part) => sum + part.variance ** 2 / part.degrees, 0);
  const degrees = scatter > 0 ? variance ** 2 / scatter : parts.reduce((sum, part) => sum + part.degrees, 0);
  return { variance, degrees };
}

/** @param {number[]} logs in order @returns {{ mean: number, error: Level | null }} error: null for a single value */
export function meanOfBlocks(logs) {
  const n = logs.length;
  if (n < 2) return { mean: logs[0], error: null };
  if (n < MIN_BLOCKS_TO_TRIM)
    return { mean: meanOf(logs), error: { variance: standardDeviationOf(logs) ** 2 / n, degrees: n - 1 } };
  const { mean, error, degrees } = trimmedMean(logs, 0.05);
  return { mean, error: { variance: error ** 2, degrees } };
}

/** @param {number | null | undefined} value @returns {value is number} */
const isKnown = (value) => typeof value === 'number' && Number.isFinite(value);

/** @param {number[]} levels @returns {number} sum of their squared deviations */
function squaresOf(levels) {
  const mean = meanOf(levels);
  return levels.reduce((sum, level) => sum + (level - mean) ** 2, 0);
}

/**
 * @typedef {object} Measured  a round
 * @property {number} mean  of the logarithms of the ratio in each block
 * @property {Level | null} error  of the mean, from the scatter of the blocks; null for a single block
 * @property {[own: number[], other: number[]]} levels  for each start: the mean of its logarithms, relative to all
 *   starts in the same blocks
 * @property {number} blocks
 *
 * The ratio in a block is that of the means over the starts of each server: a start may have stood still in a block.
 * @param {Round} round
 * @returns {Measured | undefined} undefined if no block has a value for each start; NaN if values are not positive
 */
function measured({ own, other }) {
  const [a, b] = [own, other].map((starts) => starts.filter((blocks) => blocks.some(isKnown)));
  if (a.length === 0 || b.length === 0) return undefined;
  const starts = [...a, ...b];
  const common = starts[0].flatMap((_, block) => {
    const values = starts.map((blocks) => blocks[block]);
    // a block in which the whole machine stood still tells nothing of a ratio
    return values.every(isKnown) && values.some((value) => value !== 0) ? [values] : [];
  });
  if (common.length === 0) return undefined;
  const ratios = common.map((values) => Math.log(meanOf(values.slice(0, a.length)) / meanOf(values.slice(a.length))));
  const levels = starts.map((_, start) => {
    const moving = common.filter((values) => values[start] > 0);
    return moving.length === 0
      ? NaN
      : meanOfBlocks(moving.map((values) => Math.log(values[start] / meanOf(values)))).mean;
  });
  return {
    ...meanOfBlocks(ratios),
    levels: [levels.slice(0, a.length), levels.slice(a.length)],
    blocks: common.length,
  };
}

/**
 * @param {Measured[]} rounds
 * @returns {Level | null} variation of the ratio between starts of a round; null if each server has one start in it
 */
function betweenStarts(rounds) {
  const sides = [0, 1].map((side) => {
    const starts = rounds.map(({ levels }) => levels[side]);
    const degrees = starts.reduce((sum, startLevels) => sum + startLevels.length - 1, 0);
    const squares = starts.reduce((sum, startLevels) => sum + squaresOf(startLevels), 0);
    const share = starts.reduce((sum, startLevels) => sum + 1 / startLevels.length, 0) / rounds.length ** 2;
    return { degrees, squares, share };
  });
  const known = sides.filter(({ degrees }) => degrees > 0);
  // a server that was started once is assumed to scatter like the other
  const share = sides.reduce((sum, side) => sum + side.share, 0);
  const parts = known.map(({ squares, degrees, share: sideShare }) => ({
    variance: (squares / degrees) * (known.length === 1 ? share : sideShare),
    degrees,
  }));
  const sum = sumOf(parts);
  const allDegrees = known.reduce((sum, { degrees }) => sum + degrees, 0);
  return sum && { ...sum, degrees: Math.max(sum.degrees, Math.min(LEAST_DEGREES, allDegrees)) };
}

/** @param {Measured[]} rounds @returns {Level | null} variation of the ratio from round to round; null for one round */
const betweenRounds = (rounds) =>
  rounds.length < 2
    ? null
    : {
        variance: standardDeviationOf(rounds.map(({ mean }) => mean)) ** 2 / rounds.length,
        degrees: rounds.length - 1,
      };

/** @param {(Level | null)[]} estimates of one variance @returns {Level | null} pooled; null without an estimate */
function pooled(estimates) {
  const known = estimates.filter((estimate) => estimate !== null);
  const degrees = known.reduce((sum, estimate) => sum + estimate.degrees, 0);
  if (degrees === 0) return null;
  return {
    variance: known.reduce((sum, estimate) => sum + estimate.variance * estimate.degrees, 0) / degrees,
    degrees,
  };
}

/**
 * @param {Measured[]} rounds
 * @returns {Level | null} variation of the ratio between blocks; null if a round has a single block
 */
function betweenBlocks(rounds) {
  const errors = rounds.flatMap(({ error }) => error ?? []);
  if (errors.length < rounds.length) return null;
  return sumOf(errors.map(({ variance, degrees }) => ({ variance: variance / rounds.length ** 2, degrees })));
}

/**
 * @param {Round[]} given @param {number} [level] of the interval: 0.05 for one of 95 %
 * @returns {Interval} of the ratio; rounds: number of values of one server
 */
export function nestedRatio(given, level = 0.05) {
  const none = { median: null, low: null, high: null };
  const rounds = given.flatMap((round) => measured(round) ?? []);
  const count = rounds.reduce(
    (sum, { levels, blocks }) => sum + blocks * Math.min(levels[0].length, levels[1].length),
    0,
  );
  if (rounds.length === 0) return { ...none, rounds: 0, method: 'too-few-rounds' };
  const mean = meanOf(rounds.map((round) => round.mean));
  if (![mean, ...rounds.flatMap(({ levels }) => levels.flat())].every(Number.isFinite))
    return { ...none, rounds: count, method: 'not-positive' };
  const inner = betweenBlocks(rounds);
  const outer = pooled([betweenStarts(rounds), betweenRounds(rounds)]);
  const known = [inner, outer].filter((level) => level !== null);
  const isEnough = known.length > 0 && (inner !== null || Number(outer?.degrees) >= LEAST_DEGREES);
  if (!isEnough) return { ...none, median: Math.exp(mean), rounds: count, method: 'too-few-rounds' };
  const errors = known.map(({ variance, degrees }) => ({ error: Math.sqrt(variance), degrees }));
  const half = Math.max(...errors.map(({ error, degrees }) => error * studentQuantile(level, degrees)));
  const p = Math.max(...errors.map(({ error, degrees }) => studentP(mean, error, degrees)));
  const [median, low, high] = [mean, mean - half, mean + half].map(Math.exp);
  return { median, low, high, rounds: count, method: 'nested-t-log', p };
}

/**
 * How much the starts of a server differ from each other, over all servers.
 * @typedef {{ deviation: number, isSeen: boolean }} StartNoise  deviation: standard deviation of the logarithms, as a
 *   share; isSeen: false if starts differ no more than blocks explain: then it is the deviation of the blocks
 *
 * @param {Blocks[][][]} servers the starts of each round of each server
 * @returns {StartNoise | null} null if no server was started twice in a round
 */
export function startNoise(servers) {
  let [squares, degrees, within, levels] = [0, 0, 0, 0];
  for (const starts of servers.flatMap((rounds) => rounds)) {
    const known = starts.filter((blocks) => blocks.some(isKnown));
    const whole = starts[0].flatMap((_, block) => (known.every((blocks) => Number(blocks[block]) > 0) ? [block] : []));
    if (known.length < 2 || whole.length === 0) continue;
    const logs = known.map((blocks) => whole.map((block) => Math.log(Number(blocks[block]))));
    const common = logs[0].map((_, block) => meanOf(logs.map((startLogs) => startLogs[block])));
    const startMeans = logs.map((startLogs) => meanOfBlocks(startLogs.map((log, block) => log - common[block])));
    squares += squaresOf(startMeans.map(({ mean }) => mean));
    degrees += startMeans.length - 1;
    // deviations from the mean of k values have (k - 1) / k of the variance
    for (const { error } of startMeans)
      within += (error?.variance ?? 0) * (startMeans.length / (startMeans.length - 1));
    levels += startMeans.length;
  }
  if (degrees === 0) return null;
  const [between, ofBlocks] = [squares / degrees, within / levels];
  return { deviation: Math.sqrt(between > ofBlocks ? between - ofBlocks : ofBlocks), isSeen: between > ofBlocks };
}

/**
 * @param {Blocks[]} parts the blocks of each start, over all rounds
 * @returns {Interval} of the median of a figure, of 95 %
 */
export function nestedInterval(parts) {
  const values = parts.flat();
  const measuredParts = parts.map((blocks) => blocks.filter(isKnown)).filter((blocks) => blocks.length > 0);
  const known = measuredParts.map((blocks) => blocks.filter((value) => value > 0));
  if (known.length < 2 || known.some((blocks) => blocks.length === 0)) return medianInterval(values);
  const { median, rounds } = medianInterval(values);
  const means = known.map((blocks) => meanOfBlocks(blocks.map(Math.log)));
  const mean = meanOf(means.map((part) => part.mean));
  const errors = means
    .flatMap(({ error }) => error ?? [])
    .map((error) => ({ ...error, variance: error.variance / means.length ** 2 }));
  const inner = errors.length === means.length ? sumOf(errors) : null;
  const degrees = means.length - 1;
  const outer = { variance: standardDeviationOf(means.map((part) => part.mean)) ** 2 / means.length, degrees };
  if (inner === null && degrees < LEAST_DEGREES)
    return { median, low: null, high: null, rounds, method: 'too-few-rounds' };
  const levels = [outer, ...(inner === null ? [] : [inner])].map((level) => ({
    ...level,
    degrees: Math.max(level.degrees, LEAST_DEGREES),
  }));
  const half = Math.max(...levels.map((level) => Math.sqrt(level.variance) * studentQuantile(0.05, level.degrees)));
  const [low, high] = [Math.exp(mean - half), Math.exp(mean + half)];
  return {
    median,
    low: Math.min(low, Number(median)),
    high: Math.max(high, Number(median)),
    rounds,
    method: 'nested-t-log',
  };
}
