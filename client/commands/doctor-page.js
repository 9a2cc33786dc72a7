// What `doctor` prints for people: a heading, tables, remarks on what does not fit, and the conclusion. Lines are as
// long as the terminal is wide.

import { styleFor, wrap } from '../console/terminal-text.js';

/**
 * @import { Row } from '../console/limits-table.js'
 * @import { Style } from '../console/terminal-text.js'
 */

const MAX_TEXT_WIDTH = 120;

/**
 * @param {{ head: (style: Style) => string, tables: (width: number, style: Style) => string[], remarks: string[],
 *   verdict: string }} parts  tables: each separated from the next by an empty line; remarks: empty ones are left out
 * @returns {string} lines, the last with its line end
 */
export function doctorPage({ head, tables, remarks, verdict }) {
  const style = styleFor(process.stdout, process.env);
  const width = process.stdout.columns || Number(process.env.COLUMNS) || Infinity;
  const fold = (/** @type {string} */ text) => wrap(text, Math.min(width, MAX_TEXT_WIDTH)).join('\n');
  return [
    fold(head(style)),
    '',
    ...tables(width, style).flatMap((table) => [table, '']),
    ...remarks.filter((text) => text !== '').map(fold),
    ...verdict.split('\n').map((line) => fold(style('bold', line))),
  ]
    .join('\n')
    .concat('\n');
}

/** @param {Row[]} rows @returns {string[]} a sentence on each that does not fit */
export const remarksOf = (rows) =>
  rows
    .filter(({ exceeded }) => exceeded)
    .map(({ name, servers, text, needed }) => {
      const subject = servers.length > 0 ? servers.join(', ') : needed === null ? '' : name;
      return subject === '' ? text : `${subject}: ${text}`;
    });
