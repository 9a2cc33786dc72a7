// Times in which replies were awaited and none came, on any connection: of all workers together, and over the samples
// of a leg. What is found is a lower bound. A worker reports the longest such time of each second, and only the part
// that those of all workers have in common counts.

import { addHistograms } from './sums.js';

/** @import { SummedSample } from './sample-sum.js' */

/** Shorter ones are not recorded in a sample. */
const MIN_QUIET_NS = 50e6;
/**
 * A stall is at least this long, as long as this many replies take on average, and this many times as long as most
 * requests wait for their reply: connections that are answered together wait together.
 */
const MIN_STALL_NS = 200e6;
const MIN_STALL_REPLIES = 20;
const MIN_STALL_TIMES = 3;
const MOST = 90;

/**
 * @param {{ quietFromNs?: number, quietToNs?: number }[]} intervals of all workers, for the same second
 * @returns {[number, number] | null} from, to: relative to the leg's start
 */
export function commonQuiet(intervals) {
  if (intervals.length === 0) return null;
  const fromNs = Math.max(...intervals.map((one) => one.quietFromNs ?? Infinity));
  const toNs = Math.min(...intervals.map((one) => one.quietToNs ?? -Infinity));
  return toNs - fromNs >= MIN_QUIET_NS ? [fromNs, toNs] : null;
}

/** @param {SummedSample} sample @returns {[number, number][]} times without a reply */
export const quietsOf = ({ quiet, quiets }) => quiets ?? (quiet === undefined ? [] : [quiet]);

/**
 * @param {[number, number][]} quiets of a span, in order @param {number} toNs its end
 * @returns {[number, number][]} those that touch as one, without those that are too short for a stall, however they go
 *   on
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
function mostWait(samples) {
  const service = addHistograms(samples, 'serviceTime');
  const times = service.count > 0 ? service : addHistograms(samples, 'responseTime');
  return times.count > 0 ? times.percentiles([MOST])[0] : 0;
}

/**
 * @param {SummedSample[]} samples of a steady state, in order
 * @returns {[number, number][]} the stalls: one that lasts over several samples once
 */
export function stallsOf(samples) {
  const spans = joinQuiet(samples.flatMap(quietsOf), Infinity);
  const transfers = samples.reduce((sum, { counters }) => sum + counters.transfers, 0);
  const ns = samples.reduce((sum, { fromNs, toNs, slices }) => sum + (slices?.turnNs ?? toNs - fromNs), 0);
  const long = spans.filter(([fromNs, toNs]) => toNs - fromNs >= MIN_STALL_NS);
  if (long.length === 0) return [];
  const least = Math.max(transfers > 0 ? (MIN_STALL_REPLIES * ns) / transfers : 0, MIN_STALL_TIMES * mostWait(samples));
  return long.filter(([fromNs, toNs]) => toNs - fromNs >= least);
}
