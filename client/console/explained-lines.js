// Where CPU time comes from, as lines for the console: a table of functions for each server or difference.

import { counted } from '../words/format.js';
import { explainedTexts } from '../judge/explained/texts.js';
import { WIDEST_TEXT, wrap } from './terminal-text.js';
import { textTable } from './text-table.js';

/**
 * @import { Explained } from '../../config/types.js'
 * @import { ExplainedRow } from '../judge/explained/texts.js'
 * @import { Style } from './terminal-text.js'
 * @import { Column } from './text-table.js'
 */

/** The other functions and servers are on the page. */
const MOST_ROWS = 5;
const MOST_TABLES = 3;
const WIDEST_NAME = 50;

/** @type {Column<ExplainedRow>[]} */
const COLUMNS = [
  { title: 'function', text: ({ name }) => name, left: true, widest: WIDEST_NAME },
  { title: 'CPU per request', text: ({ value }) => value },
  { title: 'interval', text: ({ range }) => range, rank: 2 },
  { title: 'share', text: ({ share }) => share, rank: 1 },
  { title: '', text: ({ remark }) => remark, left: true, rank: 3 },
];

/** @param {ExplainedRow[]} rows @returns {Column<ExplainedRow>[]} without columns that are empty */
const columnsOf = (rows) => COLUMNS.filter(({ text }) => rows.some((row) => text(row) !== ''));

/** @param {Explained} explained @param {number} width @param {Style} style @returns {string} */
export function explainedLines(explained, width, style) {
  const { texts, notes } = explainedTexts(explained, MOST_ROWS);
  const textWidth = Math.min(width, WIDEST_TEXT);
  return [
    ...texts
      .slice(0, MOST_TABLES)
      .flatMap(({ lead, rows }) => [
        ...wrap(lead, textWidth),
        ...(rows.length === 0 ? [] : textTable(columnsOf(rows), rows, { width, style }).lines),
      ]),
    ...(texts.length > MOST_TABLES ? [`${counted(texts.length - MOST_TABLES, 'more server')} on the page.`] : []),
    ...notes.flatMap((note) => wrap(note, textWidth)),
  ].join('\n');
}
