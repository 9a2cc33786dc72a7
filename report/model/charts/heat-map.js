/**
 * The heat map of response times over time: a row for each part of a doubling, a column for each short time, a colour
 * for the number of transfers. It shows what percentiles hide: two groups of times, stalls, a few slow transfers. Each
 * transfer is counted in one cell: at the time when it was due if the leg has a density, else in the second when it
 * ended.
 */
import { Histogram } from '../../../client/measure/histogram.js';
import { count, duration } from '../../../client/words/format.js';
import { nounOf } from '../../../client/scenario/load-text.js';
import { figureText, maxBelow, numberOf } from '../page-leg.js';
import { drainFrom, total } from '../downsample.js';
import { capital, spanText } from '../scope.js';
import { gapsOf, nothingDue } from './response-time.js';
import { stallMarks, stallSpans, united } from './stalls.js';
import { silencesOf, trackOf } from './tracks.js';
import { timedSamples } from '../../../client/measure/leg-figures.js';

/**
 * @import { Density } from '../../../config/types.js'
 * @import { Chart, Dataset, Leg, PageLeg, Panel, Point, Sample } from '../../types.js'
 * @import { Interval } from '../downsample.js'
 * @import { ChartInput } from './all.js'
 */

/** More rows are less than two pixels high. */
const MAX_ROWS = 110;
/** Rows for each doubling; the density of a log has as many. */
const PER_DOUBLING = 10;
/** Columns of all legs together: a limit for the size of the page. */
const MAX_COLUMNS = 2000;
/** Share of the height that is free at the top for the strip of failures. */
const STRIP = 0.05;
/** Share of the height that is free at the top for the text at a stall. */
const WORDS = 0.12;
/** Number of the palette's heat colours. */
const COLOURS = 6;

/**
 * @typedef {Map<number, number>} Cells  key: row; value: number of transfers
 * @typedef {{ fromNs: number, toNs: number, answered: Cells, failed: Cells }} Column
 */

/** @param {number} value ns @returns {number} its row; row 0 begins at 1 ns */
export const rowOf = (value) => Math.floor(Math.log2(Math.max(1, value)) * PER_DOUBLING + 1e-9);

/** @param {Cells} cells @returns {number} */
const sumOf = (cells) => [...cells.values()].reduce((sum, n) => sum + n, 0);

/** @param {Cells} cells @param {number} row @param {number} n */
const addTo = (cells, row, n) => void (n > 0 && cells.set(row, (cells.get(row) ?? 0) + n));

/** @param {Sample[]} samples @returns {{ times: Histogram, cells: Cells }} their response times */
export function cellsOf(samples) {
  /** @type {Cells} */
  const cells = new Map();
  const times = Histogram.ofLines(samples.map(({ histograms }) => histograms?.responseTime));
  for (const [value, n] of times.values()) addTo(cells, rowOf(value), n);
  return { times, cells };
}

/** @param {Interval[]} intervals @returns {Column[]} a column for each interval */
const columnsOfSamples = (intervals) =>
  intervals.map(({ fromNs, toNs, samples }) => ({
    ...{ fromNs, toNs },
    ...{ answered: cellsOf(samples).cells, failed: new Map() },
  }));

/**
 * @param {number[]} rows rows that are not empty
 * @returns {{ merged: number, perDoubling: number, high: number, bottom: number, top: number, edge: (row: number) =>
 *   number }} merged: number of rows merged into one; high: the highest of the rows; the others are those of merged
 *   rows
 */
export function rowRange(rows) {
  const [low, high] =
    rows.length > 0 ? rows.reduce(([a, b], row) => [Math.min(a, row), Math.max(b, row)], [Infinity, 0]) : [100, 300];
  const merged = Math.max(1, Math.ceil((high - low + 1) / MAX_ROWS));
  return {
    ...{ merged, perDoubling: PER_DOUBLING / merged, high },
    ...{ bottom: Math.floor(low / merged), top: Math.floor(high / merged) + 1 },
    edge: (row) => 2 ** ((row * merged) / PER_DOUBLING),
  };
}

/**
 * @param {Density} density @param {number} maxColumns
 * @returns {Column[]} up to maxColumns; neighbours are merged if there are more
 */
function columnsOfDensity({ columnNs, rowsPerDoubling, columns }, maxColumns) {
  const merged = Math.max(1, Math.ceil(((columns.at(-1)?.at ?? 0) + 1) / maxColumns));
  /** @type {Map<number, Column>} */
  const byPlace = new Map();
  for (const column of columns) {
    const place = Math.floor(column.at / merged);
    const fromNs = place * merged * columnNs;
    const target = byPlace.get(place) ?? {
      fromNs,
      toNs: fromNs + merged * columnNs,
      answered: new Map(),
      failed: new Map(),
    };
    byPlace.set(place, target);
    for (const kind of /** @type {const} */ (['answered', 'failed'])) {
      const [first = 0, ...counts] = column[kind] ?? [];
      counts.forEach((n, i) => addTo(target[kind], Math.floor(((first + i) * PER_DOUBLING) / rowsPerDoubling), n));
    }
  }
  return [...byPlace.values()];
}

/**
 * @param {Cells} cells @param {number} merged number of rows merged into one
 * @returns {number[]} the first row that is not empty, then the counts from it to the last; [] if all are empty
 */
export function listOf(cells, merged) {
  /** @type {Cells} */
  const rows = new Map();
  for (const [row, n] of cells) addTo(rows, Math.floor(row / merged), n);
  if (rows.size === 0) return [];
  const [first, last] = [Math.min(...rows.keys()), Math.max(...rows.keys())];
  return [first, ...Array.from({ length: last - first + 1 }, (_, i) => rows.get(first + i) ?? 0)];
}

/** @param {Cells} cells @returns {number | null} middle of the median's row, ns; null if the cells are empty */
function medianOf(cells) {
  let left = sumOf(cells) / 2;
  for (const [row, n] of [...cells].sort(([a], [b]) => a - b)) {
    left -= n;
    if (left <= 0) return Math.round(2 ** ((row + 0.5) / PER_DOUBLING));
  }
  return null;
}

/**
 * @param {Column[]} columns @param {number} merged @param {number} largest of all counts in the chart's cells
 * @param {string} label
 * @returns {Dataset} a point for each column that is not empty, at the median of its answered transfers
 */
function heatOf(columns, merged, largest, label) {
  const drawn = columns.filter(({ answered, failed }) => answered.size + failed.size > 0);
  return {
    role: 'heat',
    label,
    points: drawn.map(({ fromNs, toNs, answered, failed }) => [
      Number(((fromNs + toNs) / 2e9).toFixed(4)),
      medianOf(answered) ?? medianOf(failed),
      sumOf(answered) + sumOf(failed),
    ]),
    heat: {
      perDoubling: PER_DOUBLING / merged,
      largest,
      widths: drawn.map(({ fromNs, toNs }) => Number(((toNs - fromNs) / 1e9).toFixed(4))),
      columns: drawn.map(({ answered }) => listOf(answered, merged)),
      failed: drawn.map(({ failed }) => listOf(failed, merged)),
    },
  };
}

/** @param {Interval[]} intervals @returns {Dataset} a point for each interval with failed or unfinished transfers */
function failuresOf(intervals) {
  /** @type {Point[]} */
  const points = intervals.map((interval) => [
    Number(((interval.fromNs + interval.toNs) / 2e9).toFixed(3)),
    null,
    total(interval, 'counters', 'failed') + total(interval, 'counters', 'unfinished'),
  ]);
  return { role: 'failures', label: 'failed or unfinished', points: points.filter(([, , n]) => n) };
}

/** @param {Dataset} dataset @returns {number} */
const countOf = ({ points }) => points.reduce((sum, [, , n = 0]) => sum + n, 0);

/** @param {number} largest @returns {string[]} labels of the legend: the count of each colour, from 1 to the largest */
const countsOf = (largest) => [
  ...new Set(Array.from({ length: COLOURS }, (_, i) => count(Math.round(largest ** (i / (COLOURS - 1)))))),
];

/**
 * Rows of the transfers that ended before the drain. Those that ended in it do not extend the axis.
 * @param {Column[]} columns @param {number} drainNs since the leg's start
 * @param {boolean} isExact whether columns count transfers when they were due, not when they ended
 * @returns {number[]}
 */
function rowsBefore(columns, drainNs, isExact) {
  const endOf = (/** @type {Column} */ { fromNs }, /** @type {number} */ row) =>
    isExact ? fromNs + 2 ** ((row + 1) / PER_DOUBLING) : fromNs;
  return columns.flatMap((column) =>
    [...column.answered.keys(), ...column.failed.keys()].filter((row) => endOf(column, row) < drainNs),
  );
}

/** Percentiles labelled beside the heat map of a single leg. */
const NAMED = ['p50', 'p90', 'p99', 'p99.9'];

/** @param {Leg} leg @param {PageLeg} f @param {number} merged @returns {Panel['side']} */
function sideOf({ samples }, f, merged) {
  const max = f.figures?.responseTimeNs?.max;
  const values = NAMED.flatMap((name) => {
    const at = numberOf(f, name);
    return at && figureText(f, name) !== duration(max) ? [{ label: `${name} ${figureText(f, name)}`, at }] : [];
  });
  // A percentile is unknown if too many requests had no reply; it is above the longest time.
  const above = NAMED.find((name) => maxBelow(f, name));
  if (max && above) values.push({ label: `${above} > max`, at: max * (1 + Number.EPSILON) });
  if (max) values.push({ label: `max ${duration(max)}`, at: max });
  return {
    title: spanText(f),
    counts: listOf(cellsOf(timedSamples(f.summary, samples)).cells, merged),
    values,
  };
}

/** @param {ChartInput} input @returns {string} text for the longest time without a reply; '' if there was none */
function silenceText(input) {
  const longest = Math.max(0, ...silencesOf(input).map(([from, to]) => to - from));
  return longest > 0 ? `no reply on any connection for ${duration(longest * 1e9, 2)}` : '';
}

/** @param {ChartInput} input @returns {Chart[]} none if no transfer was due */
export function heatMap(input) {
  const { legs, results, intervals, bars, loop, xMax, barStep, isAlone } = input;
  if (nothingDue(results)) return [];
  const isExact = legs.every(({ density }) => density !== null);
  const columns = legs.map(({ density }, i) =>
    isExact && density !== null
      ? columnsOfDensity(density, Math.max(1, Math.floor(MAX_COLUMNS / legs.length)))
      : columnsOfSamples(bars[i]),
  );
  const cells = columns.flat().flatMap(({ answered, failed }) => [...answered, ...failed]);
  const beforeDrain = columns.flatMap((legColumns, i) =>
    rowsBefore(legColumns, drainFrom(intervals[i], results[i]) * 1e9, isExact),
  );
  const rows = beforeDrain.length > 0 ? beforeDrain : cells.map(([row]) => row);
  const { merged, bottom, top, high, edge } = rowRange(rows);
  const beyond = cells.filter(([row]) => row > high);
  // Samples do not tell when a failed transfer was due: failures are a strip along the top.
  const failures = bars.map((legBars) => (isExact ? failuresOf([]) : failuresOf(legBars)));
  const hasStrip = failures.some(({ points }) => points.length > 0);
  const largest = Math.max(1, ...columns.flat().flatMap(({ answered }) => listOf(answered, merged).slice(1)));
  const hasFailed = isExact && columns.flat().some(({ failed }) => failed.size > 0);
  const noun = nounOf(results[0].settings);
  const panels = legs.map((leg, i) => {
    const f = results[i];
    const heat = heatOf(columns[i], merged, largest, `${noun}s`);
    const failed = isExact ? columns[i].reduce((sum, column) => sum + sumOf(column.failed), 0) : countOf(failures[i]);
    return {
      leg: i,
      phases: true,
      gaps: united(gapsOf(intervals[i]), stallSpans(leg)),
      marks: isAlone ? [] : stallMarks(leg),
      empty: heat.points.length > 0 || failed > 0 ? undefined : `no ${noun} completed`,
      alt:
        `${leg.label}: heat map of response times over time. ${capital(spanText(f))}: p50 ${figureText(f, 'p50')}, ` +
        `p99 ${figureText(f, 'p99')}, max ${figureText(f, 'max')}; ${count(failed)} failed or unfinished.`,
      datasets: [heat, failures[i]],
    };
  });
  const hasWords = panels.some(({ marks }) => marks.length > 0);
  const widths = panels.flatMap(({ datasets: [{ heat }] }) => heat?.widths ?? []);
  const width = widths.length > 0 ? Math.min(Math.max(...widths), barStep) : barStep;
  const endRow = beyond.reduce((end, [row]) => Math.max(end, row + 1), 0);
  /** @type {Chart['legend']} */
  const legend = countsOf(largest).map((label, i, labels) => ({
    role: `heat-${Math.round((i * (COLOURS - 1)) / Math.max(1, labels.length - 1))}`,
    label: i === labels.length - 1 ? `${label} ${noun}s` : label,
  }));
  if (hasStrip || hasFailed) legend.push({ role: 'failures', label: 'failed or unfinished' });
  /** @type {Chart} */
  const chart = {
    id: 'heat',
    kind: 'line',
    title: isExact
      ? `Every ${noun}, at the moment it was due (${loop})`
      : `Heat map of response times over time (${loop})`,
    lead:
      (isAlone
        ? `A cell has the ${noun}s due within ${duration(width * 1e9)} whose response times are within ` +
          `${Math.round(100 * (2 ** (merged / PER_DOUBLING) - 1))} % of one another; its colour is their number.`
        : `Each column is ${duration(width * 1e9)}, each row a range of response times; ` +
          `the colour of a cell is its number of ${noun}s, on a logarithmic scale that is the same for all servers.` +
          (hasFailed ? ` A red cell has ${noun}s that got no reply.` : '')) +
      (beyond.length > 0
        ? ` Along the upper edge: ${count(beyond.reduce((sum, [, n]) => sum + n, 0))} that ended in the drain, ` +
          `after up to ${duration(2 ** (endRow / PER_DOUBLING), 2)}.`
        : '') +
      (hasStrip && !isAlone
        ? ` The strip along the top marks failed and unfinished ${noun}s; the higher, the more.`
        : ''),
    data: { columnSeconds: width },
    x: { type: 'time', unit: 's', min: 0, max: xMax },
    y: {
      type: 'log',
      unit: 'duration',
      min: edge(bottom),
      max: edge(top + Math.ceil((top - bottom) * (hasWords ? WORDS : hasStrip ? STRIP : 0))),
    },
    legend,
    panels,
  };
  if (!isAlone) return [chart];
  const side = sideOf(legs[0], results[0], merged);
  return [trackOf(input, chart, { ...panels[0], side, gapLabel: silenceText(input) })];
}
