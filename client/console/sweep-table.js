// The end of the console's output of a sweep: what each server did with each number of connections. Pure.
// The one thing to know: failures have a table of their own next to response times; a failure is never shown as a time of zero.
import { legRows } from './table-rows.js';
import { earlyRemark, handshakeTime, nothing, ran, responseTime, statusesOf, transferRate } from './cells.js';
import { shortLabels } from './shorten-labels.js';
import { servedOnlySome } from '../results/leg-figures.js';
import { incompleteText } from '../results/phrases/endings.js';
import { someUnserved } from '../results/phrases/account.js';
import { shortReplies } from '../results/phrases/replies.js';
import { wrap } from './terminal-text.js';
import { count } from '../results/format.js';

/**
 * @typedef {import('./cells.js').LegSummary} LegSummary
 * @typedef {import('./terminal-text.js').Style} Style
 * @typedef {{ title: string, cell: (leg: LegSummary) => string, bad?: true, some?: true, marked?: true,
 *   unless?: (leg: LegSummary) => boolean }} Matrix  bad: left out where there is none; some: likewise, and no failure;
 *   unless: where another says it; marked: of a server that served only some, it bears a mark
 */

const WIDEST_NAME = 32;
const NARROWEST_NAME = 10;
const GAP = 2;
const WIDEST_REMARK = 120;
/** Marks figures that are of some connections only; a remark below the tables says so. */
const MARK = '*';

/** @param {{ failed: number, unfinished: number }} transfers */
const lost = ({ failed, unfinished }) => failed + unfinished;

/** @param {LegSummary} leg @returns {string} such as 5xx 34% */
function refused(leg) {
  const replies = shortReplies(statusesOf(leg));
  return replies?.unwanted ? replies.text : '0';
}

/** @type {Matrix[]} */
const MATRICES = [
  {
    title: 'connections served at the end',
    some: true,
    unless: ({ account }) => !account || !someUnserved(account),
    cell: ({ account }) => (account ? count(account.served) : nothing),
  },
  ...['unanswered', 'connecting', 'rejected', 'lost'].map((part) => ({
    title: `connections ${part === 'connecting' ? 'still connecting' : part} at the end`,
    bad: /** @type {const} */ (true),
    cell: (/** @type {LegSummary} */ { account }) => (account ? count(account[part]) : nothing),
  })),
  { title: 'transfers/s', cell: transferRate, marked: true },
  { title: 'response p50', cell: (leg) => responseTime(leg, 'p50', 50), marked: true },
  { title: 'response p99', cell: (leg) => responseTime(leg, 'p99', 99), marked: true },
  { title: 'handshake p99', cell: handshakeTime, some: true },
  { title: 'replies other than requested', cell: ran(refused), bad: true },
  { title: 'timeouts', cell: ran(({ errors }) => count(errors.timeout)), bad: true },
  {
    title: 'failed and unfinished transfers',
    bad: true,
    unless: ({ errors, transfers }) => errors.timeout === lost(transfers),
    cell: ran(({ transfers }) => count(lost(transfers))),
  },
  { title: 'rejected attempts', cell: ran(({ rejects }) => count(rejects.total)), bad: true },
  {
    title: 'connections never answered',
    bad: true,
    cell: ran(({ connections }) => count(connections.neverAnswered)),
  },
];

/** @param {LegSummary} leg @returns {string} the server, as it is distinguished from the others */
const seriesOf = ({ series, label }) => series ?? label;

/**
 * @param {LegSummary[]} legs @param {number} width of the terminal; Infinity when there is none
 * @param {string} workload @param {Style} style
 * @returns {string} lines joined, the last without a line end
 */
export function sweepTable(legs, width, workload, style) {
  const points = [...new Set(legs.map(({ axes }) => Number(axes.connections)))];
  const series = [...new Set(legs.map(seriesOf))];
  if (points.length < 2) return legRows(legs, width, workload, style);
  const at = new Map(legs.map((leg) => [`${leg.axes.connections} ${seriesOf(leg)}`, leg]));
  const names = shortLabels(series, Math.max(NARROWEST_NAME, Math.min(WIDEST_NAME, Math.floor(width / 4))));
  const nameWidth = Math.max(...series.map((one) => (names.get(one) ?? one).length));
  const shown = MATRICES.filter((matrix) =>
    matrix.some
      ? legs.some((leg) => matrix.cell(leg) !== nothing && !matrix.unless?.(leg))
      : !matrix.bad || legs.some((leg) => isBad(matrix.cell(leg), matrix) && !matrix.unless?.(leg)),
  );
  const hasMarks = legs.some(servedOnlySome);
  const cellOf = (/** @type {Matrix} */ { cell, marked }, /** @type {string} */ one, /** @type {number} */ point) => {
    const leg = at.get(`${point} ${one}`);
    const text = leg === undefined ? nothing : cell(leg);
    if (!marked || !hasMarks || text === nothing) return text;
    return `${text}${leg && servedOnlySome(leg) ? MARK : ' '.repeat(MARK.length)}`;
  };
  const cells = shown.flatMap((matrix) => series.flatMap((one) => points.map((point) => cellOf(matrix, one, point))));
  const cellWidth = Math.max(...[...points.map(count), ...cells].map((text) => text.length)) + GAP;
  const room = Math.max(1, Math.floor((width - nameWidth - 1) / cellWidth));
  const blocks = [];
  for (let from = 0; from < points.length; from += room) {
    const some = points.slice(from, from + room);
    for (const matrix of shown) {
      const head = `${' '.repeat(nameWidth + 1)}${some.map((point) => count(point).padStart(cellWidth)).join('')}`;
      blocks.push([
        `${style('bold', matrix.title)}${style('dim', ', against connections')}`,
        style('dim', head),
        ...series.map((one) =>
          ` ${(names.get(one) ?? one).padEnd(nameWidth)}${some
            .map((point) => {
              const text = cellOf(matrix, one, point);
              const padded = text.padStart(cellWidth);
              return isBad(text, matrix) ? style('red', padded) : padded;
            })
            .join('')}`.trimEnd(),
        ),
      ]);
    }
  }
  return [...blocks.map((lines) => lines.join('\n')), ...incomplete(legs, width)].join('\n\n');
}

/** @param {string} text of a cell @param {Matrix} matrix @returns {boolean} */
const isBad = (text, { bad }) => (bad ? !['0', nothing].includes(text) : text.startsWith('>'));

/** @param {LegSummary[]} legs @param {number} width @returns {string[]} */
function incomplete(legs, width) {
  const some = legs.flatMap((leg) => {
    const said = servedOnlySome(leg);
    return said === undefined ? [] : [`${leg.label} ${said}`];
  });
  const marks = some.length > 0 ? `${MARK} Only of the connections that were served: ${some.join('; ')}.` : '';
  return [marks, earlyRemark(legs), incompleteText(legs)]
    .filter((text) => text !== '')
    .map((text) => wrap(text, Math.min(width, WIDEST_REMARK)).join('\n'));
}
