/**
 * Response times over time as a heat map: a row for each of some fifty logarithmic steps, a column for each interval,
 * the colour by the share of the interval's transfers. It shows what percentiles hide: two groups of times, or a few
 * slow transfers among many. Every transfer is counted in exactly one cell.
 */
import { Histogram } from '../../../client/measure/histogram.js';
import { count } from '../../../client/words/format.js';
import { figureText } from '../page-leg.js';
import { middle, total } from '../downsample.js';
import { capital } from '../scope.js';
import { gapsOf, nothingDue } from './response-time.js';
import { stallMarks, stallSpans, united } from './stalls.js';
import { coverageOf } from '../../../client/measure/leg-figures.js';

/**
 * @import { Chart, Dataset, PageLeg, Point } from '../../types.js'
 * @import { Interval } from '../downsample.js'
 * @import { ChartInput } from './all.js'
 */

/** More rows are less than six pixels high. */
const MAX_ROWS = 56;
/** Rows for a factor of ten. */
const PER_DECADE = [48, 40, 32, 24, 20, 16, 12, 10, 8, 6, 5, 4, 3];
/** Rows left free at the top for the strip of failures. */
const STRIP_ROWS = 2;

/** The shares of the legend, a colour of the palette each; a smaller share has the first colour. */
const HEAT_SHARES = ['0.001 %', '0.01 %', '0.1 %', '1 %', '10 %', '100 %'];

/** @typedef {{ interval: Interval, times: Histogram }} Column */

/** @param {number} value ns @param {number} perDecade @returns {number} its row; row 0 begins at 1 ns */
export const rowOf = (value, perDecade) => Math.floor(Math.log10(Math.max(1, value)) * perDecade + 1e-9);

/** @param {number} row @param {number} perDecade @returns {number} ns, where it begins */
const startOf = (row, perDecade) => 10 ** (row / perDecade);

/**
 * @param {Histogram} times @param {number} perDecade
 * @returns {number[]} its first row with any, and the counts from there to the last one with any
 */
function cellsOf(times, perDecade) {
  /** @type {Map<number, number>} */
  const rows = new Map();
  for (const [value, n] of times.values()) {
    const row = rowOf(value, perDecade);
    rows.set(row, (rows.get(row) ?? 0) + n);
  }
  const [first, last] = [Math.min(...rows.keys()), Math.max(...rows.keys())];
  return [first, ...Array.from({ length: last - first + 1 }, (_, i) => rows.get(first + i) ?? 0)];
}

/** @param {Column[]} columns @param {number} perDecade @returns {Dataset} a point for each column, at its median */
function heatOf(columns, perDecade) {
  const some = columns.filter(({ times }) => times.count > 0);
  return {
    role: 'heat',
    label: 'transfers',
    points: some.map(({ interval, times }) => [middle(interval), times.percentiles([50])[0], times.count]),
    heat: {
      perDecade,
      widths: some.map(({ interval }) => Number(((interval.toNs - interval.fromNs) / 1e9).toFixed(3))),
      columns: some.map(({ times }) => cellsOf(times, perDecade)),
    },
  };
}

/** @param {Column[]} columns @returns {Dataset} those in which transfers failed or were cut off */
function failuresOf(columns) {
  /** @type {Point[]} */
  const points = columns.map(({ interval }) => [
    middle(interval),
    null,
    total(interval, 'counters', 'failed') + total(interval, 'counters', 'unfinished'),
  ]);
  return { role: 'failures', label: 'failed or unfinished', points: points.filter(([, , n]) => n) };
}

/** @param {ChartInput} input @returns {Chart[]} none where no transfer was due */
export function heatMap({ legs, results, intervals, bars, loop, xMax, barStep }) {
  if (nothingDue(results)) return [];
  const columns = bars.map((own) =>
    own.map((interval) => ({
      interval,
      times: Histogram.ofLines(interval.samples.map(({ histograms }) => histograms?.responseTime)),
    })),
  );
  const some = columns.flat().filter(({ times }) => times.count > 0);
  const least = some.reduce((min, { times }) => Math.min(min, times.min), Infinity);
  const most = some.reduce((max, { times }) => Math.max(max, times.max), 0);
  const [min, max] = some.length ? [Math.max(1, least), Math.max(1, most)] : [1e3, 1e9];
  const heightOf = (/** @type {number} */ per) => rowOf(max, per) - rowOf(min, per) + 1;
  const perDecade = PER_DECADE.find((per) => heightOf(per) <= MAX_ROWS) ?? 2;
  const failures = columns.map(failuresOf);
  const strip = failures.some(({ points }) => points.length > 0) ? STRIP_ROWS : 0;
  const panels = legs.map((leg, i) => {
    const f = results[i];
    const failed = failures[i].points.reduce((sum, [, , n = 0]) => sum + n, 0);
    return {
      leg: i,
      phases: true,
      gaps: united(gapsOf(intervals[i]), stallSpans(leg)),
      marks: stallMarks([leg], i),
      empty: columns[i].some(({ times }) => times.count > 0) || failed > 0 ? undefined : 'no transfer completed',
      alt:
        `${leg.label}: heat map of response times over time. ${capital(coverageOf(f.summary))}: p50 ${figureText(f, 'p50')}, ` +
        `p99 ${figureText(f, 'p99')}, max ${figureText(f, 'max')}; ${count(failed)} failed or unfinished.`,
      datasets: [heatOf(columns[i], perDecade), failures[i]],
    };
  });
  const chart = /** @type {Chart} */ ({
    id: 'heat',
    layout: 'panels',
    kind: 'line',
    title: `Heat map of response times over time (${loop})`,
    lead:
      `Each column is ${barStep === 1 ? 'a second' : `${barStep} s`}, each row a range of response times. The colour is the share of ` +
      `the column’s transfers that took that long. The scales of response time and colour are logarithmic${legs.length > 1 ? ' and the same for all legs' : ''}.` +
      (strip ? ' The strip along the top marks failed and unfinished transfers; the higher, the more.' : ''),
    data: { columnSeconds: barStep },
    x: { type: 'time', unit: 's', min: 0, max: xMax },
    y: {
      type: 'log',
      unit: 'duration',
      min: startOf(rowOf(min, perDecade), perDecade),
      max: startOf(rowOf(max, perDecade) + 1 + strip, perDecade),
    },
    legend: [
      ...HEAT_SHARES.map((label, i) => ({ role: `heat-${i}`, label })),
      ...(strip ? [{ role: 'failures', label: 'failed or unfinished' }] : []),
    ],
    panels,
  });
  return [chart];
}
