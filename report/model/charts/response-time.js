/**
 * The chart of response time over time: p50, p90, p99 and max of every second, and sampled single transfers as dots.
 */
import { drainFrom, lineOf, middle, percentilesOf, Range } from '../downsample.js';
import { capital, spanText } from '../scope.js';
import { stallMarks, stallSpans, united } from './stalls.js';
import { count } from '../../../client/words/format.js';
import { figureText } from '../page-leg.js';

/**
 * @import { Rows } from '../../../config/types.js'
 * @import { Chart, Leg, PageLeg, Panel, Point, Remark } from '../../types.js'
 * @import { Interval } from '../downsample.js'
 * @import { ChartInput } from './all.js'
 */

/** In drawing order, from the back to the front. */
const LINES = /** @type {const} */ (['max', 'p99', 'p90', 'p50']);
/** More dots of a leg cannot be told apart. */
const MAX_ROWS = 4000;
/** Dots of all legs together: a limit for the size of the page. */
const MAX_TOTAL_ROWS = 24_000;

/** @typedef {Rows[number]} TransferRow */

/**
 * @param {TransferRow[]} slowest
 * @param {TransferRow[]} random
 * @returns {TransferRow[]} both lists, without repeated rows
 */
function withoutRepeats(slowest, random) {
  const starts = new Set(slowest.map(([start]) => start));
  const isNew = (/** @type {TransferRow} */ row) =>
    !starts.has(row[0]) || !slowest.some((slow) => slow.every((value, i) => value === row[i]));
  return [...slowest, ...random.filter(isNew)];
}

/** @template T @param {T[]} rows @param {number} maxRows @returns {T[]} at most maxRows of them, evenly spaced */
function thinned(rows, maxRows) {
  const every = Math.ceil(rows.length / maxRows);
  return every > 1 ? rows.filter((_, i) => i % every === 0) : rows;
}

/**
 * @param {Leg} leg @param {number} startNs of the leg relative to the run's t0
 * @param {number} maxRows rows of each kind @param {boolean} [slowestAlone] without the random sample
 */
export function cloudOf(leg, startNs, maxRows, slowestAlone = false) {
  const rows = leg.samples.flatMap(({ transfers }) =>
    withoutRepeats(transfers?.slowest ?? [], slowestAlone ? [] : (transfers?.random ?? [])),
  );
  /** @type {(row: TransferRow) => Point} */
  const pointOf = ([start, response, connection, status]) => [
    Math.round((start - startNs + response) / 1e6) / 1e3,
    // A logarithmic axis has no zero.
    Math.max(1, response),
    connection,
    status,
  ];
  // chart.js finds the points to draw by bisection, so they must be sorted.
  const pointsOf = (/** @type {TransferRow[]} */ kind) =>
    thinned(kind, maxRows)
      .map(pointOf)
      .sort((a, b) => a[0] - b[0]);
  return {
    ok: pointsOf(rows.filter(([, , , status]) => status === 0)),
    failed: pointsOf(rows.filter(([, , , status]) => status !== 0)),
  };
}

/**
 * @param {Interval[]} intervals
 * @returns {Array<[number, number]>} spans without a completed transfer although some were due
 */
export function gapsOf(intervals) {
  /** @type {Array<[number, number]>} */
  const gaps = [];
  for (const interval of intervals) {
    const { inFlight = 1, connecting = 0, backingOff = 0 } = interval.last.gauges;
    // Between heartbeats and after the last transfer nothing is due: that is no gap.
    const isDue = inFlight + connecting + backingOff > 0;
    if (!isDue || interval.seconds < 0.5 || interval.samples.some((sample) => sample.counters.transfers > 0)) continue;
    const [from, to] = [interval.fromNs / 1e9, interval.toNs / 1e9];
    if (gaps.length && gaps[gaps.length - 1][1] === from) gaps[gaps.length - 1][1] = to;
    else gaps.push([from, to]);
  }
  return gaps;
}

/** @param {ChartInput} input @returns {Chart} */
export function responseTime({ legs, results, intervals, loop, xMax, step }) {
  const range = new Range();
  /** @type {Panel[]} */
  const panels = legs.map((leg, i) => {
    const cloud = cloudOf(
      leg,
      results[i].summary.startNs ?? 0,
      Math.min(MAX_ROWS, Math.ceil(MAX_TOTAL_ROWS / legs.length)),
    );
    const f = results[i];
    const drain = drainFrom(intervals[i], f);
    const times = intervals[i].map((interval) => percentilesOf(interval, 'responseTime'));
    const datasets = LINES.map((name) => ({
      role: name,
      label: name,
      points: lineOf(intervals[i], (interval, at) => {
        const value = times[at]?.[name] ?? null;
        range.add(value, middle(interval) > drain);
        return [middle(interval), value, name === 'p50' ? (times[at]?.count ?? 0) : undefined];
      }),
    }));
    for (const [x, y] of [...cloud.ok, ...cloud.failed]) range.add(y, x > drain);
    return {
      leg: i,
      phases: true,
      gaps: united(gapsOf(intervals[i]), stallSpans(leg)),
      marks: stallMarks(leg),
      note: f.saturation ?? undefined,
      strong: f.saturation?.code === 'saturated',
      empty:
        intervals[i].some((interval) => interval.samples.some((sample) => sample.counters.transfers > 0)) ||
        cloud.failed.length
          ? undefined
          : 'no transfer completed',
      alt: `${leg.label}: response time over time. ${capital(spanText(f))}: p50 ${figureText(f, 'p50')}, p99 ${figureText(f, 'p99')}, max ${figureText(f, 'max')}; ${count(f.summary.transfers?.count)} transfers.`,
      datasets: [
        ...datasets,
        { role: 'cloud', label: 'single transfers', points: cloud.ok },
        { role: 'failed', label: 'failed or unfinished', points: cloud.failed },
      ],
    };
  });
  const [min, max] = rangeOf(range);
  return {
    id: 'response',
    kind: 'line',
    title: `Response time over time (${loop})`,
    lead:
      `Per ${step === 1 ? 'second' : `${step} s`}: the median as a line, with bands up to p90, p99 and the maximum. Dots are ` +
      'randomly sampled transfers and the slowest ones, at the time they ended. Logarithmic scale, the same for all servers. ' +
      'Where no transfer completed, the figure is hatched; lines mark the longest times without a reply on any connection.',
    x: { type: 'time', unit: 's', min: 0, max: xMax },
    y: { type: 'log', unit: 'duration', min: decadeBelow(min), max: max * 1.3 },
    empty: nothingDue(results),
    legend: [
      { role: 'p50', label: 'p50' },
      { role: 'p90', label: 'to p90' },
      { role: 'p99', label: 'to p99' },
      { role: 'max', label: 'to max' },
      { role: 'cloud', label: 'single transfer' },
      { role: 'failed', label: 'failed or unfinished transfer' },
    ],
    panels,
  };
}

/**
 * @param {PageLeg[]} results
 * @returns {Remark | undefined} why charts of transfers are empty, if all legs only held connections
 */
export function nothingDue(results) {
  if (!results.every((f) => f.summary.heldOnly)) return undefined;
  const text = 'Connections were held without a heartbeat, so there were no transfers.';
  return { code: 'only-held', data: {}, text };
}

/** @param {Range} range of response times @returns {number[]} minimum and maximum, ns; 1 µs and 1 s if it is empty */
export function rangeOf(range) {
  const [min, max] = range.ends();
  return Number.isFinite(min) ? [min, max] : [1e3, 1e9];
}

/** @param {number} value @returns {number} a round value at or below: 1, 2 or 5 times a power of ten */
export function decadeBelow(value) {
  const decade = 10 ** Math.floor(Math.log10(value));
  return (value >= 5 * decade ? 5 : value >= 2 * decade ? 2 : 1) * decade;
}
