// The end of the console's output of a sweep: what each server did at each point, a table for each figure. Pure. Failures have
// tables of their own next to response times, and a figure of a server that left connections unanswered has a mark.

import { disturbedRounds, someDisturbed } from '../judge/disturbances.js';
import { isSwept } from '../judge/figure-values.js';
import { arrangeAxes, isOfTests, lineName, numericAxis, valueText } from '../words/axes.js';
import { NOT_MEASURED } from '../words/format.js';
import { areOfRounds, legRemarks, remarkLines, shownFigures } from './leg-cells.js';
import { legRows } from './leg-rows.js';
import { shortLabels } from './shorten-labels.js';
import { wrap } from './terminal-text.js';
import { textTable } from './text-table.js';

/**
 * @typedef {import('./leg-cells.js').LegSummary} LegSummary
 * @typedef {import('./leg-cells.js').Shown} Shown
 * @typedef {import('./terminal-text.js').Style} Style
 * @typedef {{ shown: Shown, line: string }} Row  of the table of that figure
 */

const WIDEST_NAME = 32;
const NARROWEST_NAME = 10;
/** At a figure that other programs may have changed. */
const DAGGER = '†';

/**
 * The cells of a sweep: a line for each server and each value of the axes that the columns do not run along.
 * @param {LegSummary[]} legs
 * @returns {{ axis: string, columns: unknown[], lines: string[],
 *   at: (line: string, column: unknown) => LegSummary | undefined } | null} null: there would be one column, or names of tests as columns
 */
function arranged(legs) {
  const { main: axis, others } = arrangeAxes(legs.map(({ axes }) => axes));
  const columns = axis === null ? [] : [...new Set(legs.map(({ axes }) => axes[axis]))];
  if (axis === null || isOfTests(axis) || columns.length < 2) return null;
  const numbers = numericAxis(axis, columns);
  if (numbers !== null) columns.sort((a, b) => numbers.of(a) - numbers.of(b));
  /** @type {Map<string, LegSummary>} */
  const cells = new Map();
  const keyOf = (/** @type {string} */ line, /** @type {unknown} */ column) => JSON.stringify([line, column]);
  const varied = others.filter((key) => new Set(legs.map(({ axes }) => axes[key])).size > 1);
  for (const leg of legs) {
    cells.set(keyOf(lineName(leg, varied), leg.axes[axis]), leg);
  }
  const lines = [...new Set(legs.map((leg) => lineName(leg, varied)))].sort(
    (a, b) => serverOrder(a, legs) - serverOrder(b, legs),
  );
  return { axis, columns, lines, at: (line, column) => cells.get(keyOf(line, column)) };
}

/** @param {string} line @param {LegSummary[]} legs @returns {number} its server's place in the run */
function serverOrder(line, legs) {
  const servers = [...new Set(legs.map(({ series, label }) => series ?? label))];
  return servers.findLastIndex((server) => line === server || line.startsWith(`${server}, `));
}

/** @param {Shown} shown @param {LegSummary} leg @param {boolean} some whether any has a dagger @returns {string} with it, or with room for it */
function cellOf({ figure, text }, leg, some) {
  const cell = text(leg);
  if (!some || !figure?.ofServed || cell === NOT_MEASURED) return cell;
  return `${cell}${disturbedRounds(leg) > 0 ? DAGGER : ' '.repeat(DAGGER.length)}`;
}

/** @param {LegSummary[]} legs @returns {string} what the daggers mean; empty without any */
const disturbedRemark = (legs) =>
  someDisturbed(legs)
    ? `${DAGGER} Other programs used the machine ${areOfRounds(legs) ? 'in at least one round of that point' : 'during that leg'}.`
    : '';

/**
 * @param {LegSummary[]} legs @param {number} width of the terminal; Infinity when there is none
 * @param {Style} style
 * @returns {string} lines joined, the last without a line end
 */
export function sweepTable(legs, width, style) {
  const points = arranged(legs);
  if (points === null) return legRows(legs, width, style);
  const { axis, columns, lines, at } = points;
  const names = shortLabels(lines, Math.max(NARROWEST_NAME, Math.min(WIDEST_NAME, Math.floor(width / 4))));
  const tables = shownFigures(legs).filter(({ figure }) => figure && isSwept(figure, legs));
  if (tables.length === 0) return legRows(legs, width, style);
  const rows = tables.flatMap((shown) => lines.map((line) => ({ shown, line })));
  const hasDaggers = someDisturbed(legs);
  const tableOf = (/** @type {unknown[]} */ some, /** @type {Style | undefined} */ styled) =>
    textTable(
      [
        { title: '', left: true, text: (/** @type {Row} */ { line }) => names.get(line) ?? line },
        ...some.map((column) => ({
          title: valueText(column),
          text: (/** @type {Row} */ { shown, line }) => {
            const leg = at(line, column);
            return leg === undefined ? NOT_MEASURED : cellOf(shown, leg, hasDaggers);
          },
          tone: (/** @type {Row} */ { shown, line }) => {
            const leg = at(line, column);
            return leg && shown.tone?.(leg);
          },
        })),
      ],
      rows,
      { style: styled, tone: 'dim' },
    );
  const fits = (/** @type {unknown[]} */ some) => tableOf(some, undefined).lines.every(({ length }) => length <= width);
  /** @type {string[][]} */
  const blocks = [];
  for (let rest = columns; rest.length > 0;) {
    let some = rest;
    while (some.length > 1 && !fits(some)) some = some.slice(0, -1);
    const table = tableOf(some, style);
    tables.forEach(({ title, figure, isOfWorst }, i) => {
      const what = figure?.partOf ? `${figure.group} ${title.trim()}` : title;
      blocks.push([
        ...wrap(`${what}${isOfWorst ? ', worst round' : ''}, against ${axis}`, width).map((text) =>
          style('bold', text),
        ),
        ...table.head,
        ...table.rows.slice(i * lines.length, (i + 1) * lines.length).flat(),
      ]);
    });
    rest = rest.slice(some.length);
  }
  const [someServed, ...others] = legRemarks(legs);
  const remarks = [someServed, disturbedRemark(legs), ...others].map((text) => remarkLines([text], width));
  return [...blocks, ...remarks.filter((lines) => lines.length > 0)].map((lines) => lines.join('\n')).join('\n\n');
}
