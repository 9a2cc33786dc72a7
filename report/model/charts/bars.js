/**
 * The bar chart: the rate of each leg, grouped by an axis whose values are names, such as the commands of redis. Each
 * group has a bar for each server.
 */
import { figureOf } from '../../../client/judge/figures.js';
import { tickText } from '../../../client/words/axes.js';
import { count, percent } from '../../../client/words/format.js';
import { failedText } from '../../../client/words/replies.js';
import { sweepOf } from '../sweep.js';
import { intervalOf as intervalIn } from '../../../client/judge/value-of.js';
import { servedOnlySome } from '../../../client/words/figures.js';
import { failedShareOf, figureText, numberOf } from '../page-leg.js';

/**
 * @import { Figure } from '../../../client/judge/figures.js'
 * @import { PageLeg } from '../../types.js'
 */

/**
 * @typedef {object} Bar
 * @property {number} series  index into the chart's series
 * @property {number} colour
 * @property {string} leg
 * @property {number | undefined} value
 * @property {number} share  0..1 of the width
 * @property {string} text
 * @property {string} bad  the failures in words; '' if there were none
 * @property {[number, number]} [interval]  95 % interval over rounds, in shares of the width; an end above 1 lies
 *   outside the chart
 * @typedef {{ title: string, lead: string, axis: string, series: string[], groups: { name: string, bars: Bar[] }[] }}
 *   BarChart
 */

/** The axis of a run with tests, and the name of a leg on it. @type {Record<string, (f: PageLeg) => string>} */
const NAMES = { test: (f) => f.summary.axes.test ?? '' };

/**
 * @param {PageLeg[]} results
 * @returns {{ axis: string, legs: PageLeg[], nameOf: (f: PageLeg) => string, seriesOf: (f: PageLeg) => string } | null}
 *   null if no axis has several names as values
 */
function namedAxis(results) {
  const sweep = sweepOf(results);
  if (sweep === null) {
    const legs = results.filter((f) => f.summary.axes.test !== undefined);
    const [[axis, nameOf]] = Object.entries(NAMES);
    if (new Set(legs.map(nameOf)).size < 2) return null;
    return { axis, legs, nameOf, seriesOf: (f) => f.summary.series ?? f.label };
  }
  const { axis, numberOf, columns, lines } = sweep;
  if (numberOf !== null || columns.length < 2) return null;
  const lineOf = new Map(lines.flatMap((line) => line.results.map((f) => [f, line.name])));
  return {
    axis,
    legs: [...lineOf.keys()],
    nameOf: (f) => tickText(axis, f.summary.axes?.[axis]),
    seriesOf: (f) => lineOf.get(f) ?? f.label,
  };
}

/** @param {PageLeg} f @returns {string} */
const failureText = (f) =>
  [
    failedText(f.figures?.statuses, f.figures?.codes),
    failedShareOf(f) > 0 ? `failed ${percent(failedShareOf(f))}` : '',
    servedOnlySome(f.summary) ?? '',
  ]
    .filter((text) => text !== '')
    .join(', ');

/**
 * @param {PageLeg} f
 * @returns {string[]} text for p99 of a point of a sweep, since no chart shows it; none for a test
 */
const p99Of = (f) =>
  f.summary.axes.test !== undefined || !f.figures?.responseTimeNs ? [] : [`p99 ${figureText(f, 'p99')}`];

const RATE = /** @type {Figure} */ (figureOf('rate'));

/** Greatest width of the chart, as a multiple of the longest bar. Wider intervals are cut, so that bars stay long. */
const ROOM = 1.6;

/** @param {PageLeg[]} legs @param {boolean} intervals @returns {string} explanation of a bar */
function leadOf(legs, intervals) {
  const rounds = Math.max(1, ...legs.map((f) => f.shown.rounds.length));
  if (rounds === 1) return 'A bar for each measurement, from zero; the longest is the highest rate.';
  const line = intervals ? '; the thin line is its 95 % interval' : '';
  return `A bar, from zero, is the median of ${count(rounds)} rounds${line}.`;
}

/** @param {PageLeg[]} results @returns {BarChart | null} null unless an axis has at least two names as values */
export function barChart(results) {
  const groupAxis = namedAxis(results);
  const isRate = results.every((f) => !f.summary.heldOnly && f.workload !== 'once');
  if (groupAxis === null || !isRate) return null;
  const { axis, legs: named, nameOf, seriesOf } = groupAxis;
  const series = [...new Set(named.map(seriesOf))];
  const intervalOf = (/** @type {PageLeg} */ f) => intervalIn(RATE, f.shown);
  const longest = Math.max(0, ...named.map((f) => numberOf(f, 'rate') ?? 0)) || 1;
  const intervalEnd = Math.max(0, ...named.map((f) => intervalOf(f)?.[1] ?? 0));
  const width = Math.max(longest, Math.min(longest * ROOM, intervalEnd));
  const bar = (/** @type {PageLeg} */ f) => {
    const value = f.ran ? numberOf(f, 'rate') : undefined;
    const interval = value === undefined ? undefined : intervalOf(f);
    return {
      series: series.indexOf(seriesOf(f)),
      colour: f.colour,
      leg: f.label,
      value,
      share: (value ?? 0) / width,
      text: f.ran ? [figureText(f, 'rate'), ...p99Of(f)].join(', ') : 'did not run',
      bad: f.ran ? failureText(f) : '',
      ...(interval ? { interval: /** @type {[number, number]} */ (interval.map((end) => end / width)) } : {}),
    };
  };
  const names = [...new Set(named.map(nameOf))];
  return {
    title: `Transfers per second by ${axis}`,
    lead: leadOf(named, named.some(intervalOf)),
    axis,
    series,
    groups: names.map((name) => ({ name, bars: named.filter((f) => nameOf(f) === name).map(bar) })),
  };
}
