// The answers of a search, as lines for the console: of one goal a sentence for each server, of several a table; and
// below it the legs by their value, with response times in numbers and as a bar. Pure.

import { figureOf } from '../judge/figures.js';
import { cellText } from '../judge/figure-values.js';
import { curvesOf, PERCENTILES } from '../judge/search/curve.js';
import { percent } from '../words/format.js';
import {
  knownFrom,
  outcomesText,
  probeText,
  saturatedTexts,
  soughtText,
  wholeAnswer,
  whyOfGoals,
} from '../words/search.js';
import { wrap } from './terminal-text.js';
import { textTable } from './text-table.js';

/**
 * @import { Figure } from '../judge/figures.js'
 * @import { Point } from '../judge/search/curve.js'
 * @import { Leg, SearchSummary } from '../judge/search/index.js'
 * @import { Style } from './terminal-text.js'
 * @import { Column } from './text-table.js'
 */

/**
 * @typedef {{ goal: string, answer: string, remark?: string, details: string, decided?: boolean }} Row  of the table of
 *   goals
 */

const WIDEST = 120;
const NARROWEST = 24;
/** Characters of the longest bar. */
const BAR = 20;
/** Of PERCENTILES that which a bar shows. */
const SHOWN = PERCENTILES.indexOf('p99');

/** @param {Point} point @returns {number | undefined} a percentile above all that was measured is at their maximum */
function barValue({ times }) {
  const value = times[SHOWN];
  const known = typeof value === 'object' ? value.above : value;
  return typeof known === 'number' && known > 0 ? known : undefined;
}

/** @param {Point[]} points of all servers @returns {(point: Point) => string} a bar on a logarithmic scale */
function barsOf(points) {
  const values = points.flatMap((point) => barValue(point) ?? []);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return (point) => {
    const value = barValue(point);
    if (value === undefined) return '';
    const share = most > least ? Math.log(value / least) / Math.log(most / least) : 0;
    return '━'.repeat(1 + Math.round(share * (BAR - 1)));
  };
}

/**
 * @param {SearchSummary} search
 * @param {Point[]} points of one server
 * @param {(point: Point) => string} bar
 * @param {Style} style
 * @param {number} width
 */
function curveLines({ maximise }, points, bar, style, width) {
  const tone = (/** @type {Point} */ { held }) =>
    held.length > 0 && held.every((one) => one === false) ? /** @type {const} */ ('red') : null;
  /** @type {Column<Point>[]} */
  const columns = [
    { title: maximise, tone, text: ({ value }) => probeText(maximise, Math.round(value)) },
    ...PERCENTILES.map((name, i) => ({
      title: name,
      tone,
      text: (/** @type {Point} */ { times }) => cellText(/** @type {Figure} */ (figureOf(name)), times[i]),
    })),
    { title: 'p99, logarithmic', left: true, tone, text: bar, rank: 1 },
    {
      title: '',
      left: true,
      tone,
      text: ({ isSaturated, why }) => (isSaturated ? 'closed loop' : `${outcomesText(why)}${whyOfGoals(why)}`),
      narrowest: NARROWEST,
    },
  ];
  return textTable(columns, points, { style, width }).lines;
}

/**
 * @param {SearchSummary} search
 * @param {string} server
 * @param {Style} style
 * @param {number} width
 * @returns {string[]}
 */
function goalLines({ saturated = [], answers }, server, style, width) {
  const rows = [
    ...answers.filter((one) => one.server === server),
    ...saturated.filter((one) => one.server === server).map((one) => ({ goal: 'saturated', ...saturatedTexts(one) })),
  ];
  const tone = (/** @type {Row} */ { decided }) => (decided === false ? /** @type {const} */ ('yellow') : null);
  /** @type {Column<Row>[]} */
  const columns = [
    { title: 'goal', left: true, tone, text: ({ goal }) => goal },
    { title: 'rate', left: true, tone: () => 'bold', text: ({ answer }) => answer },
    { title: '', left: true, tone, text: knownFrom, narrowest: NARROWEST },
  ];
  return textTable(columns, rows, { style, width }).lines;
}

/**
 * @param {SearchSummary} search
 * @param {Leg[]} legs of the summary
 * @param {number} width of the terminal; Infinity when there is none
 * @param {Style} style
 * @returns {string} lines joined, the last without a line end
 */
export function searchLines(search, legs, width, style) {
  const most = Math.min(width, WIDEST);
  const { goals, answers, tolerance, remedy, cautions = [] } = search;
  const curves = curvesOf(search, legs);
  const bar = barsOf(curves.flatMap(({ points }) => points));
  const lines = curves.flatMap(({ server, points }) => [
    '',
    ...(goals.length === 1
      ? answers
          .filter((one) => one.server === server)
          .flatMap((found) =>
            wrap(wholeAnswer(found), most).map((line) =>
              style(['bold', found.decided && !found.remark ? 'green' : 'yellow'], line),
            ),
          )
      : [style('bold', server), ...goalLines(search, server, style, most)]),
    ...cautions
      .filter((one) => one.server === server)
      .flatMap(({ text }) => wrap(`! ${text}`, most).map((line) => style('yellow', line))),
    '',
    ...curveLines(search, points, bar, style, most),
  ]);
  const advice = remedy === undefined ? [] : ['', ...wrap(remedy, most)];
  return [style('dim', `${soughtText(search)}, within ${percent(tolerance)}`), ...lines, ...advice].join('\n');
}
