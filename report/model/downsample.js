/**
 * Merges samples into the intervals of charts over time: one a second, or one for several seconds in a long leg. Counts
 * and histograms are added, so the sums of a chart equal the sums of the samples.
 */
import { Histogram } from '../../client/measure/histogram.js';
import { LEAST_MEASURED_NS } from '../../client/measure/slices.js';

/** @import { Point, Sample } from '../types.js' */

/** More points in one line cannot be told apart and enlarge the page. */
const MAX_POINTS = 600;
/** A bar needs more room than a point. */
const MAX_BARS = 120;
/** Round lengths of an interval, s. */
const STEPS = [1, 2, 5, 10, 15, 20, 30, 60];

/**
 * @typedef {{ fromNs: number, toNs: number, seconds: number, phase: string, last: Sample,
 *   samples: Sample[] }} Interval
 */

/**
 * @param {Sample[][]} legs
 * @param {number} maxIntervals intervals in a leg
 * @returns {number} minimum length of an interval, s
 */
function leastStep(legs, maxIntervals) {
  const longest = legs.reduce((sum, samples) => Math.max(sum, samples.length), 0);
  return Math.max(1, Math.ceil(longest / maxIntervals));
}

/** @param {Sample[][]} legs @returns {number} length of an interval in every leg, s */
export const stepOf = (legs) => leastStep(legs, MAX_POINTS);

/** @param {Sample[][]} legs @returns {number} length of a bar's interval, a round number of seconds */
export function barStepOf(legs) {
  const least = leastStep(legs, MAX_BARS);
  return STEPS.find((step) => step >= least) ?? Math.ceil(least / 60) * 60;
}

/**
 * @param {Interval} interval
 * @returns {boolean} false if the leg waited for its turn, or was not measured during it: its line continues after
 *   that. An unmeasured step of the ramp leaves a gap
 */
export const hadTurn = ({ samples }) =>
  samples.some(
    ({ slices, phase }) =>
      slices === undefined || slices.measuredNs >= LEAST_MEASURED_NS || (phase === 'ramp' && slices.turnNs > 0),
  );

/**
 * @param {Sample[]} samples in the order of time
 * @param {number} step seconds
 * @returns {Interval[]}
 */
export function coarsen(samples, step) {
  /** @type {Interval[]} */
  const intervals = [];
  let key = -1;
  for (const sample of samples) {
    const bucket = Math.ceil(sample.second / step);
    const seconds = (sample.toNs - sample.fromNs) / 1e9;
    // The drain closes connections, which must not look lost, so no interval crosses its start.
    if (bucket !== key || (sample.phase === 'drain') !== (intervals.at(-1)?.phase === 'drain')) {
      key = bucket;
      intervals.push({
        fromNs: sample.fromNs,
        toNs: sample.toNs,
        seconds,
        phase: sample.phase,
        last: sample,
        samples: [sample],
      });
      continue;
    }
    const interval = intervals[intervals.length - 1];
    interval.toNs = sample.toNs;
    interval.seconds += seconds;
    interval.last = sample;
    interval.samples.push(sample);
  }
  return intervals;
}

/**
 * @template {'counters' | 'rejects' | 'errors'} G
 * @param {Interval} interval
 * @param {G} group
 * @param {G extends 'counters' ? keyof Sample['counters'] : string} name  a counter, or a cause
 * @returns {number}
 */
export function total(interval, group, name) {
  return interval.samples.reduce((sum, sample) => {
    /** @type {Record<string, number>} */
    const counts = sample[group];
    return sum + (counts[name] ?? 0);
  }, 0);
}

/** The x value of counts. @param {Interval} interval @returns {number} middle, s since the leg's start */
export function middle(interval) {
  return Number(((interval.fromNs + interval.toNs) / 2e9).toFixed(3));
}

/** The x value of gauges. @param {Interval} interval @returns {number} end, s since the leg's start */
export function end(interval) {
  return Number((interval.toNs / 1e9).toFixed(3));
}

/**
 * @param {Interval} interval @returns {number} seconds to divide a count by; below 0.5 s it is 1, since the rate of a
 *   drain of 70 ms would be a false spike
 */
export function perSeconds(interval) {
  return interval.seconds < 0.5 ? 1 : interval.seconds;
}

/**
 * @param {Interval} interval @param {keyof Sample['histograms']} name
 * @returns {{p50: number, p90: number, p99: number, max: number, count: number} | null} null when nothing was recorded
 */
export function percentilesOf(interval, name) {
  const parts = interval.samples.map((sample) => sample.histograms?.[name]).filter((part) => part && part.count > 0);
  if (parts.length === 0) return null;
  if (parts.length === 1 && parts[0]) return parts[0];
  const merged = Histogram.ofLines(parts);
  const [p50, p90, p99] = merged.percentiles([50, 90, 99]);
  return { p50, p90, p99, max: merged.max, count: merged.count };
}

/**
 * A line over time. No transfer begins in the drain: its points are dots, apart from the line.
 * @param {Interval[]} intervals @param {(interval: Interval, at: number) => Point | null} pointOf null: no point
 * @returns {Point[]} a point whose y is null breaks the line
 */
export const lineOf = (intervals, pointOf) =>
  intervals.flatMap((interval, at) => {
    const point = pointOf(interval, at);
    if (point === null) return [];
    /** @type {Point} */
    const gap = [interval.fromNs / 1e9, null, 0];
    return interval.phase === 'drain' && at > 0 ? [gap, point] : [point];
  });

/** Range of an axis: the smallest and the largest value drawn. */
export class Range {
  constructor() {
    this.seen = [Infinity, 0];
    this.drained = [Infinity, 0];
  }

  /**
   * @param {number | null | undefined} value
   * @param {boolean} [isDrained] measured in the drain: the value does not stretch the axis
   */
  add(value, isDrained = false) {
    if (!value) return;
    const range = isDrained ? this.drained : this.seen;
    range[0] = Math.min(range[0], value);
    range[1] = Math.max(range[1], value);
  }

  /** @returns {number[]} minimum and maximum; the drain's if there are no others; Infinity and 0 if there are none */
  ends() {
    return this.seen[1] > 0 ? this.seen : this.drained;
  }
}

/**
 * @param {Interval[]} intervals @param {{ workload?: string }} leg
 * @returns {number} start of the drain, s since the leg's start; Infinity if there is none, or the workload is "once"
 */
export function drainFrom(intervals, { workload }) {
  const first = workload === 'once' ? undefined : intervals.find(({ phase }) => phase === 'drain');
  return first === undefined ? Infinity : first.fromNs / 1e9;
}
