// The answers of a search as lines for the console: a sentence for each server, or a table for several goals. Below are
// the legs by their value, with response times as numbers and as a bar.

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
import { WIDEST_TEXT, wrap } from './terminal-text.js';
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

const NARROWEST = 24;
/** Characters of the longest bar. */
const BAR = 20;
/** Index of the percentile that a bar shows. */
const SHOWN = PERCENTILES.indexOf('p99');

/** @param {Point} point @returns {number | undefined} the longest time, for a percentile above all measured times */
function barValue({ times }) {
  const value = times[SHOWN];
  const known = typeof value === 'object' ? value.above : value;
  return typeof known === 'number' && known > 0 ? known : undefined;
}

/** @param {Point[]} points of all servers @returns {(point: Point) => string} a bar on a logarithmic scale */
function barsOf(points) {
  const values = points.flatMap((point) => barValue(point) ?? []);
  const [shortest, longest] = [Math.min(...values), Math.max(...values)];
  return (point) => {
    const value = barValue(point);
    if (value === undefined) return '';
    const share = longest > shortest ? Math.log(value / shortest) / Math.log(longest / shortest) : 0;
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
    held.length > 0 && held.every((hasHeld) => hasHeld === false) ? /** @type {const} */ ('red') : null;
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
    ...answers.filter((answer) => answer.server === server),
    ...saturated.filter((leg) => leg.server === server).map((leg) => ({ goal: 'saturated', ...saturatedTexts(leg) })),
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
 * @param {number} width of the terminal; Infinity without one
 * @param {Style} style
 * @returns {string} lines joined, the last without a line end
 */
export function searchLines(search, legs, width, style) {
  const textWidth = Math.min(width, WIDEST_TEXT);
  const { goals, answers, tolerance, remedy, cautions = [] } = search;
  const curves = curvesOf(search, legs);
  const bar = barsOf(curves.flatMap(({ points }) => points));
  const lines = curves.flatMap(({ server, points }) => [
    '',
    ...(goals.length === 1
      ? answers
          .filter((answer) => answer.server === server)
          .flatMap((answer) =>
            wrap(wholeAnswer(answer), textWidth).map((line) =>
              style(['bold', answer.decided && !answer.remark ? 'green' : 'yellow'], line),
            ),
          )
      : [style('bold', server), ...goalLines(search, server, style, textWidth)]),
    ...cautions
      .filter((caution) => caution.server === server)
      .flatMap(({ text }) => wrap(`! ${text}`, textWidth).map((line) => style('yellow', line))),
    '',
    ...curveLines(search, points, bar, style, textWidth),
  ]);
  const advice = remedy === undefined ? [] : ['', ...wrap(remedy, textWidth)];
  return [style('dim', `${soughtText(search)}, within ${percent(tolerance)}`), ...lines, ...advice].join('\n');
}
