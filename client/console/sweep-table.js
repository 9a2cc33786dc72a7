// The end of the console's output of a sweep: what each server did at each point, a table for each figure. Pure.
// The one thing to know: failures have a table of their own next to response times; a failure is never shown as a time of
// zero, and a figure of a server that left connections unanswered has a mark.
import { arrangeAxes, isOfTests, lineName, numericAxis, valueText } from '../words/axes.js';
import { disturbedRounds, someDisturbed } from '../judge/disturbances.js';
import { isMeasured } from '../measure/leg-figures.js';
import { servedOnlySome } from '../words/figures.js';
import { legRows } from './table-rows.js';
import {
  areOfRounds,
  earlyRemark,
  handshakeTime,
  nothing,
  ran,
  responseTime,
  someServedRemark,
  statusesOf,
  transferRate,
  withMark,
} from './cells.js';
import { shortLabels } from './shorten-labels.js';
import { incompleteText } from '../words/endings.js';
import { someUnserved } from '../words/account.js';
import { shortReplies } from '../words/replies.js';
import { wrap } from './terminal-text.js';
import { count } from '../words/format.js';

/**
 * @typedef {import('./cells.js').LegSummary} LegSummary
 * @typedef {import('./terminal-text.js').Style} Style
 * @typedef {object} Matrix  a table with a row for each line and a column for each value of the main axis
 * @property {string} title
 * @property {(leg: LegSummary) => string} cell
 * @property {true} [bad]   of failures: left out where there is none
 * @property {true} [some]  left out where there is none, and no failure
 * @property {(leg: LegSummary) => boolean} [unless]  where another says it
 * @property {true} [marked]  marked for a server that served only some
 * @property {true} [worst]  over rounds, of the worst one, as those of failures are
 * @property {true} [median]  over rounds, the median, although it is of failures
 */

const WIDEST_NAME = 32;
const NARROWEST_NAME = 10;
const GAP = 2;
const WIDEST_REMARK = 120;

/** @param {{ failed: number, unfinished: number }} transfers */
const failedOf = ({ failed, unfinished }) => failed + unfinished;

/** @param {LegSummary} leg @returns {string} such as 5xx 34 % */
function unwantedReplies(leg) {
  const replies = shortReplies(statusesOf(leg));
  return replies?.unwanted ? replies.text : '0';
}

/** @type {Matrix[]} */
const MATRICES = [
  {
    title: 'connections served at the end',
    some: true,
    worst: true,
    unless: ({ account }) => !account || !someUnserved(account),
    cell: ({ account }) => (account ? count(account.served) : nothing),
  },
  .../** @type {const} */ (['unanswered', 'connecting', 'rejected', 'lost']).map((part) => ({
    title: `connections ${part === 'connecting' ? 'still connecting' : part} at the end`,
    bad: /** @type {const} */ (true),
    cell: (/** @type {LegSummary} */ { account }) => (account ? count(account[part]) : nothing),
  })),
  { title: 'transfers/s', cell: transferRate, marked: true },
  { title: 'response p50', cell: (leg) => responseTime(leg, 'p50', 50), marked: true },
  { title: 'response p99', cell: (leg) => responseTime(leg, 'p99', 99), marked: true },
  { title: 'handshake p99', cell: handshakeTime, some: true },
  { title: 'replies other than requested', cell: ran(unwantedReplies), bad: true, median: true },
  { title: 'timeouts', cell: ran(({ errors }) => count(errors.timeout)), bad: true },
  {
    title: 'failed and unfinished transfers',
    bad: true,
    unless: (leg) => isMeasured(leg) && leg.errors.timeout === failedOf(leg.transfers),
    cell: ran(({ transfers }) => count(failedOf(transfers))),
  },
  { title: 'rejected attempts', cell: ran(({ rejects }) => count(rejects.total)), bad: true },
  {
    title: 'connections unanswered after the drain',
    cell: ran(({ connections }) => count(connections.neverAnswered)),
    bad: true,
  },
];

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

/**
 * @param {LegSummary[]} legs @param {number} width of the terminal; Infinity when there is none
 * @param {string} workload @param {Style} style
 * @returns {string} lines joined, the last without a line end
 */
export function sweepTable(legs, width, workload, style) {
  const table = arranged(legs);
  if (table === null) return legRows(legs, width, workload, style);
  const { axis, columns, lines, at } = table;
  const names = shortLabels(lines, Math.max(NARROWEST_NAME, Math.min(WIDEST_NAME, Math.floor(width / 4))));
  const nameWidth = Math.max(...lines.map((one) => (names.get(one) ?? one).length));
  const shown = MATRICES.filter((matrix) =>
    matrix.some
      ? legs.some((leg) => matrix.cell(leg) !== nothing && !matrix.unless?.(leg))
      : !matrix.bad || legs.some((leg) => isBad(matrix.cell(leg), matrix) && !matrix.unless?.(leg)),
  );
  const hasMarks = legs.some(servedOnlySome);
  const hasDaggers = someDisturbed(legs);
  const isOfWorst = (/** @type {Matrix} */ { bad, worst, median }) => areOfRounds(legs) && !median && (bad || worst);
  const cellOf = (
    /** @type {Matrix} */ { cell, marked },
    /** @type {string} */ line,
    /** @type {unknown} */ column,
  ) => {
    const leg = at(line, column);
    const text = leg === undefined ? nothing : cell(leg);
    return leg && marked ? withDagger(withMark(text, leg, hasMarks), leg, hasDaggers) : text;
  };
  const cells = shown.flatMap((matrix) =>
    lines.flatMap((line) => columns.map((column) => cellOf(matrix, line, column))),
  );
  const cellWidth = Math.max(...[...columns.map(valueText), ...cells].map((text) => text.length)) + GAP;
  const room = Math.max(1, Math.floor((width - nameWidth - 1) / cellWidth));
  const blocks = [];
  for (let from = 0; from < columns.length; from += room) {
    const some = columns.slice(from, from + room);
    for (const matrix of shown) {
      const head = `${' '.repeat(nameWidth + 1)}${some.map((column) => valueText(column).padStart(cellWidth)).join('')}`;
      blocks.push([
        `${style('bold', matrix.title)}${style('dim', `${isOfWorst(matrix) ? ', worst round' : ''}, against ${axis}`)}`,
        style('dim', head),
        ...lines.map((line) =>
          ` ${(names.get(line) ?? line).padEnd(nameWidth)}${some
            .map((column) => {
              const text = cellOf(matrix, line, column);
              const padded = text.padStart(cellWidth);
              return isBad(text, matrix) ? style('red', padded) : padded;
            })
            .join('')}`.trimEnd(),
        ),
      ]);
    }
  }
  return [...blocks.map((block) => block.join('\n')), ...remarks(legs, width)].join('\n\n');
}

/** At a figure that other programs may have changed. */
const DAGGER = '†';

/** @param {string} text of a cell @param {LegSummary} leg @param {boolean} some whether any has one @returns {string} with the dagger, or with room for it */
const withDagger = (text, leg, some) =>
  some && text !== nothing ? `${text}${disturbedRounds(leg) > 0 ? DAGGER : ' '.repeat(DAGGER.length)}` : text;

/** @param {LegSummary[]} legs @returns {string} what the daggers mean; empty without any */
const disturbedRemark = (legs) =>
  someDisturbed(legs)
    ? `${DAGGER} Other programs used the machine ${areOfRounds(legs) ? 'in at least one round of that point' : 'during that leg'}.`
    : '';

/** @param {string} text of a cell @param {Matrix} matrix @returns {boolean} */
const isBad = (text, { bad }) => (bad ? !['0', nothing].includes(text) : text.startsWith('>'));

/** @param {LegSummary[]} legs @param {number} width @returns {string[]} */
function remarks(legs, width) {
  return [someServedRemark(legs), disturbedRemark(legs), earlyRemark(legs), incompleteText(legs)]
    .filter((text) => text !== '')
    .map((text) => wrap(text, Math.min(width, WIDEST_REMARK)).join('\n'));
}
