// Finds quiet times, in which replies were awaited and none came on any connection: of all workers together, and over
// the samples of a leg. The result is a lower bound: a worker reports only its longest quiet time of each second, and
// only the part that those of all workers share counts.

import { addHistograms } from './sums.js';

/** @import { SummedSample } from './sample-sum.js' */

/** Shorter quiet times are not recorded in a sample. */
const MIN_QUIET_NS = 50e6;
/**
 * A stall is at least this long, lasts at least as long as this many replies on average, and this many times as long as
 * the 90th percentile of the wait for a reply: connections that are answered together wait together.
 */
const MIN_STALL_NS = 200e6;
const MIN_STALL_REPLIES = 20;
const MIN_STALL_TIMES = 3;
const WAIT_PERCENTILE = 90;

/**
 * @param {{ quietFromNs?: number, quietToNs?: number }[]} intervals of all workers, for the same second
 * @returns {[number, number] | null} from, to: relative to the leg's start
 */
export function commonQuiet(intervals) {
  if (intervals.length === 0) return null;
  const fromNs = Math.max(...intervals.map((interval) => interval.quietFromNs ?? Infinity));
  const toNs = Math.min(...intervals.map((interval) => interval.quietToNs ?? -Infinity));
  return toNs - fromNs >= MIN_QUIET_NS ? [fromNs, toNs] : null;
}

/** @param {SummedSample} sample @returns {[number, number][]} times without a reply */
export const quietsOf = ({ quiet, quiets }) => quiets ?? (quiet === undefined ? [] : [quiet]);

/**
 * @param {[number, number][]} quiets of a span, in order @param {number} toNs its end
 * @returns {[number, number][]} merged where they touch, without those that are too short for a stall even if the first
 *   or last one continues
 */
export function joinQuiet(quiets, toNs) {
  /** @type {[number, number][]} */
  const spans = [];
  for (const [from, to] of quiets) {
    const last = spans.at(-1);
    if (last && from <= last[1]) last[1] = Math.max(last[1], to);
    else spans.push([from, to]);
  }
  return spans.filter(([from, to], i) => i === 0 || to >= toNs || to - from >= MIN_STALL_NS);
}

/** @param {SummedSample[]} samples @returns {number} ns, from when a request was sent: p90; 0 without a reply */
function longWaitNs(samples) {
  const service = addHistograms(samples, 'serviceTime');
  const times = service.count > 0 ? service : addHistograms(samples, 'responseTime');
  return times.count > 0 ? times.percentiles([WAIT_PERCENTILE])[0] : 0;
}

/**
 * @param {SummedSample[]} samples of a steady state, in order
 * @returns {[number, number][]} the stalls; one that lasts over several samples counts once
 */
export function stallsOf(samples) {
  const spans = joinQuiet(samples.flatMap(quietsOf), Infinity);
  const transfers = samples.reduce((sum, { counters }) => sum + counters.transfers, 0);
  const ns = samples.reduce((sum, { fromNs, toNs, slices }) => sum + (slices?.turnNs ?? toNs - fromNs), 0);
  const long = spans.filter(([fromNs, toNs]) => toNs - fromNs >= MIN_STALL_NS);
  if (long.length === 0) return [];
  const least = Math.max(
    transfers > 0 ? (MIN_STALL_REPLIES * ns) / transfers : 0,
    MIN_STALL_TIMES * longWaitNs(samples),
  );
  return long.filter(([fromNs, toNs]) => toNs - fromNs >= least);
}
