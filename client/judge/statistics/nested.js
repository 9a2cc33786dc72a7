// The ratio of two servers, both started several times or measured in several rounds, in blocks of slices:
// the start is the outer level, the block the inner one (T. Kalibera, R. Jones: Rigorous Benchmarking in Reasonable
// Time, ISMM 2013). Pure. Each level has an interval, and the wider one counts: that of the blocks is right where
// starts do not differ, and that of the starts in any case, because their spread includes that of the blocks. An
// estimate of what the starts add, from the difference of the two with degrees of freedom for the sum, finds a
// difference between equal servers in 10 % of runs with two to four starts.

import { meanOf, standardDeviationOf } from '../../measure/statistics.js';
import { studentP, studentQuantile } from './block-test.js';
import { medianInterval } from './index.js';
import { trimmedMean } from './trimmed-mean.js';

/** @import { Interval } from './index.js' */

/** From this number of blocks on, some may be disturbed: the outer tenths are left out. */
export const MIN_BLOCKS_TO_TRIM = 10;
/**
 * Fewer degrees of freedom than two starts of each of two servers have make an interval of no use; it then takes their
 * starts to scatter alike.
 */
const LEAST_DEGREES = 2;

/**
 * @typedef {(number | null | undefined)[]} Blocks  values of one start, in order; null: not measured
 * @typedef {{ own: Blocks[], other: Blocks[] }} Round  of each server, its starts; all have blocks of the same times
 *
 * @typedef {object} Level  of which the ratio is an estimate
 * @property {number} variance  of the mean of logarithms
 * @property {number} degrees  of freedom
 */

/**
 * @param {{ variance: number, degrees: number }[]} parts of a sum of independent estimates
 * @returns {Level | null} with the degrees of freedom of Welch and Satterthwaite; null without any
 */
function sumOf(parts) {
  if (parts.length === 0) return null;
  const variance = parts.reduce((sum, one) => sum + one.variance, 0);
  const scatter = parts.reduce((sum, one) => sum + one.variance ** 2 / one.degrees, 0);
  const degrees = scatter > 0 ? variance ** 2 / scatter : parts.reduce((sum, one) => sum + one.degrees, 0);
  return { variance, degrees };
}

/** @param {number[]} logs in order @returns {{ mean: number, error: Level | null }} error: null of a single one */
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
 * @property {Level | null} error  of that, by the scatter of the blocks; null of a single block
 * @property {[own: number[], other: number[]]} levels  of each start: the mean of its logarithms, relative to all
 *   starts of the same blocks
 * @property {number} blocks
 *
 * A block has the mean of a server's starts: one of them may have stood still in it.
 * @param {Round} round
 * @returns {Measured | undefined} undefined where no block has a value of each start; of values that are not positive,
 *   NaN
 */
function measured({ own, other }) {
  const [a, b] = [own, other].map((starts) => starts.filter((blocks) => blocks.some(isKnown)));
  if (a.length === 0 || b.length === 0) return undefined;
  const all = [...a, ...b];
  const common = all[0].flatMap((_, block) => {
    const values = all.map((blocks) => blocks[block]);
    return values.every(isKnown) ? [values] : [];
  });
  if (common.length === 0) return undefined;
  const ratios = common.map((values) => Math.log(meanOf(values.slice(0, a.length)) / meanOf(values.slice(a.length))));
  const levels = all.map((_, start) => {
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
 * @returns {Level | null} what the ratio varies by with the starts of a round; null where each server has one in it
 */
function betweenStarts(rounds) {
  const sides = [0, 1].map((side) => {
    const starts = rounds.map(({ levels }) => levels[side]);
    const degrees = starts.reduce((sum, own) => sum + own.length - 1, 0);
    const squares = starts.reduce((sum, own) => sum + squaresOf(own), 0);
    const share = starts.reduce((sum, own) => sum + 1 / own.length, 0) / rounds.length ** 2;
    return { degrees, squares, share };
  });
  const known = sides.filter(({ degrees }) => degrees > 0);
  // one that was started once is taken to scatter as the other
  const share = sides.reduce((sum, one) => sum + one.share, 0);
  const parts = known.map(({ squares, degrees, share: own }) => ({
    variance: (squares / degrees) * (known.length === 1 ? share : own),
    degrees,
  }));
  const sum = sumOf(parts);
  const most = known.reduce((all, { degrees }) => all + degrees, 0);
  return sum && { ...sum, degrees: Math.max(sum.degrees, Math.min(LEAST_DEGREES, most)) };
}

/** @param {Measured[]} rounds @returns {Level | null} what the ratio varies by from round to round */
const betweenRounds = (rounds) =>
  rounds.length < 2
    ? null
    : {
        variance: standardDeviationOf(rounds.map(({ mean }) => mean)) ** 2 / rounds.length,
        degrees: rounds.length - 1,
      };

/** @param {(Level | null)[]} estimates of the same @returns {Level | null} all of them together */
function pooled(estimates) {
  const known = estimates.filter((one) => one !== null);
  const degrees = known.reduce((sum, one) => sum + one.degrees, 0);
  if (degrees === 0) return null;
  return { variance: known.reduce((sum, one) => sum + one.variance * one.degrees, 0) / degrees, degrees };
}

/**
 * @param {Measured[]} rounds
 * @returns {Level | null} what the ratio varies by with the blocks that it was made from; null where a round has one
 */
function betweenBlocks(rounds) {
  const errors = rounds.flatMap(({ error }) => error ?? []);
  if (errors.length < rounds.length) return null;
  return sumOf(errors.map(({ variance, degrees }) => ({ variance: variance / rounds.length ** 2, degrees })));
}

/**
 * @param {Round[]} given @param {number} [level] of the interval: 0.05 for one of 95 %
 * @returns {Interval} of the ratio; rounds: values of one server that it was made from
 */
export function nestedRatio(given, level = 0.05) {
  const none = { median: null, low: null, high: null };
  const rounds = given.flatMap((round) => measured(round) ?? []);
  const count = rounds.reduce(
    (sum, { levels, blocks }) => sum + blocks * Math.min(levels[0].length, levels[1].length),
    0,
  );
  if (rounds.length === 0) return { ...none, rounds: 0, method: 'too-few-rounds' };
  const mean = meanOf(rounds.map((one) => one.mean));
  if (![mean, ...rounds.flatMap(({ levels }) => levels.flat())].every(Number.isFinite))
    return { ...none, rounds: count, method: 'not-positive' };
  const inner = betweenBlocks(rounds);
  const outer = pooled([betweenStarts(rounds), betweenRounds(rounds)]);
  const known = [inner, outer].filter((one) => one !== null);
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
 * @typedef {{ deviation: number, isSeen: boolean }} StartNoise  deviation: standard, of the logarithms, as a share; not
 *   seen: no more than blocks explain, and then the deviation that those have
 *
 * @param {Blocks[][][]} servers of each, its rounds, and in each its starts
 * @returns {StartNoise | null} null where no server was started twice in a round
 */
export function startNoise(servers) {
  let [squares, degrees, within, levels] = [0, 0, 0, 0];
  for (const starts of servers.flatMap((rounds) => rounds)) {
    const known = starts.filter((blocks) => blocks.some(isKnown));
    const whole = starts[0].flatMap((_, block) => (known.every((blocks) => Number(blocks[block]) > 0) ? [block] : []));
    if (known.length < 2 || whole.length === 0) continue;
    const logs = known.map((blocks) => whole.map((block) => Math.log(Number(blocks[block]))));
    const common = logs[0].map((_, block) => meanOf(logs.map((own) => own[block])));
    const found = logs.map((own) => meanOfBlocks(own.map((log, block) => log - common[block])));
    squares += squaresOf(found.map(({ mean }) => mean));
    degrees += found.length - 1;
    // deviations from the mean of k have (k - 1) / k of the variance
    for (const { error } of found) within += (error?.variance ?? 0) * (found.length / (found.length - 1));
    levels += found.length;
  }
  if (degrees === 0) return null;
  const [between, ofBlocks] = [squares / degrees, within / levels];
  return { deviation: Math.sqrt(between > ofBlocks ? between - ofBlocks : ofBlocks), isSeen: between > ofBlocks };
}

/**
 * @param {Blocks[]} parts  of each start, in all rounds, its blocks
 * @returns {Interval} of the median of a figure, of 95 %
 */
export function nestedInterval(parts) {
  const values = parts.flat();
  const measuredParts = parts.map((own) => own.filter(isKnown)).filter((own) => own.length > 0);
  const known = measuredParts.map((own) => own.filter((value) => value > 0));
  if (known.length < 2 || known.some((own) => own.length === 0)) return medianInterval(values);
  const { median, rounds } = medianInterval(values);
  const found = known.map((own) => meanOfBlocks(own.map(Math.log)));
  const mean = meanOf(found.map((one) => one.mean));
  const errors = found
    .flatMap(({ error }) => error ?? [])
    .map((one) => ({ ...one, variance: one.variance / found.length ** 2 }));
  const inner = errors.length === found.length ? sumOf(errors) : null;
  const degrees = found.length - 1;
  const outer = { variance: standardDeviationOf(found.map((one) => one.mean)) ** 2 / found.length, degrees };
  if (inner === null && degrees < LEAST_DEGREES)
    return { median, low: null, high: null, rounds, method: 'too-few-rounds' };
  const levels = [outer, ...(inner === null ? [] : [inner])].map((one) => ({
    ...one,
    degrees: Math.max(one.degrees, LEAST_DEGREES),
  }));
  const half = Math.max(...levels.map((one) => Math.sqrt(one.variance) * studentQuantile(0.05, one.degrees)));
  const [low, high] = [Math.exp(mean - half), Math.exp(mean + half)];
  return {
    median,
    low: Math.min(low, Number(median)),
    high: Math.max(high, Number(median)),
    rounds,
    method: 'nested-t-log',
  };
}
