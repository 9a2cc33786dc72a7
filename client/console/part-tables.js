// The tables of the requests of a list, and of the parts that the load of a leg is divided over. The rows add up to the
// leg.

import { PART_TABLES } from '../judge/parts.js';
import { requestTable, requestText } from '../judge/request-table.js';
import { figuresOf, secondsOf } from '../measure/leg-figures.js';
import { counted } from '../words/format.js';
import { textTable } from './text-table.js';

/**
 * @import { LegSummary } from '../../config/types.js'
 * @import { PartTable } from '../judge/parts.js'
 * @import { ShownCase } from '../judge/value-of.js'
 * @import { Style } from './terminal-text.js'
 * @import { Column } from './text-table.js'
 */

/**
 * @param {PartTable} parts @param {LegSummary[]} legs @param {Style} style
 * @returns {string | null} lines joined, the last without a line end; null if no leg has such parts
 */
function partTable({ heading, columns, partsOf }, legs, style) {
  const rows = legs.flatMap((leg) =>
    (partsOf(leg) ?? []).map((part, i) => ({
      ...{ label: i === 0 ? leg.label : '', part },
      seconds: secondsOf(figuresOf(leg)),
    })),
  );
  if (rows.length === 0) return null;
  /** @type {Column<typeof rows[number]>[]} */
  const shown = columns
    .filter(({ isDetail }) => !isDetail)
    .map(({ title: name, left, text, isBad }) => ({
      ...{ title: name, left },
      text: ({ part, seconds }) => text(part, seconds),
      tone: ({ part }) => (isBad?.(part) ? 'red' : null),
    }));
  const table = textTable([{ title: 'leg', left: true, text: ({ label }) => label }, ...shown], rows, {
    style,
    tone: 'dim',
  });
  return [style('bold', heading), ...table.lines].join('\n');
}

/** @param {LegSummary[]} legs @param {Style} style @returns {(string | null)[]} null if no leg has such parts */
export const partTables = (legs, style) => PART_TABLES.map((parts) => partTable(parts, legs, style));

/** Rows of the short table; the page, and the table of all figures, have all rows. */
const MAX_REQUESTS = 20;

/**
 * @param {ShownCase[]} cases @param {Style} style
 * @param {boolean} isOfAll whether every request is shown
 * @returns {string | null} null if no leg has a list
 */
export function requestLines(cases, style, isOfAll) {
  const table = requestTable(cases);
  if (table === null) return null;
  const rows = isOfAll ? table.rows : table.rows.slice(0, MAX_REQUESTS);
  const more = table.rows.length - rows.length;
  const named = rows.map((row, i) => ({ ...row, name: row.name === rows[i - 1]?.name ? '' : row.name }));
  const columns = table.columns.map((title, i) => ({
    title,
    text: (/** @type {typeof named[number]} */ { cells }) => requestText(cells[i]),
    tone: (/** @type {typeof named[number]} */ { cells }) =>
      cells[i].mark === 'bad' ? /** @type {const} */ ('red') : null,
  }));
  /** @type {Column<typeof named[number]>[]} */
  const allColumns = [
    { title: 'request', left: true, text: ({ name }) => name },
    ...(cases.length > 1
      ? [{ title: 'server', left: true, text: (/** @type {typeof named[number]} */ { leg }) => leg }]
      : []),
    ...columns,
  ];
  const { lines } = textTable(allColumns, named, { style, tone: 'dim' });
  return [
    style('bold', 'each request'),
    ...lines,
    ...(more > 0 ? [`${counted(more, 'more row')} on the page`] : []),
  ].join('\n');
}
