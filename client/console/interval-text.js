// A column of compared figures with drawn intervals: in each cell the value, its mark, and where both lie on the axis
// of the column. Pure.

import { cellText } from '../judge/figure-values.js';

/** @import { DrawnCell, TableCell, TableColumn } from '../judge/table.js' */

const MARKS = { known: '●', unknown: '○', interval: '─' };

/** @param {number} share of the axis @param {number} width @returns {number} the character that it is in */
const placeOf = (share, width) => Math.round(Math.min(1, Math.max(0, share)) * (width - 1));

/**
 * @param {DrawnCell} drawn @param {number} width of the axis, in characters
 * @returns {string} of that width: a line from end to end of the interval, and on it the value, hollow where it is not
 *   known whether it differs from the best
 */
export function intervalText({ at, interval = [at, at], isKnown }, width) {
  const [from, to] = interval.map((share) => placeOf(share, width));
  const value = placeOf(at, width);
  return Array.from({ length: width }, (_, i) => {
    if (i === value) return isKnown ? MARKS.known : MARKS.unknown;
    return i >= from && i <= to ? MARKS.interval : ' ';
  }).join('');
}

/**
 * @param {TableColumn} column @param {number} width of the axis @returns {string} the ends of its ticks, of that width
 */
function ticksText({ figure, ticks = [] }, width) {
  const ends = ticks.length > 1 ? [ticks[0], ticks[ticks.length - 1]] : ticks;
  return ends.reduce((line, { at, value }) => {
    const text = cellText(figure, value);
    const start = Math.min(width - text.length, Math.max(0, placeOf(at, width) - Math.floor(text.length / 2)));
    const isFree = start >= 0 && line.slice(Math.max(0, start - 1), start + text.length + 1).trim() === '';
    return isFree ? line.slice(0, start) + text + line.slice(start + text.length) : line;
  }, ' '.repeat(width));
}

/** @param {TableCell} cell @returns {string} its mark, without what the drawing shows */
const markText = ({ mark, short = '' }) => (mark?.code === 'not-known' ? 'not known' : short);

/**
 * @param {TableColumn} column with an axis
 * @param {TableCell[]} cells of it, of all rows
 * @param {number} width of the axis
 * @returns {{ title: string, text: (cell: TableCell) => string }}
 */
export function drawnColumn(column, cells, width) {
  const widest = (/** @type {string[]} */ texts) => Math.max(0, ...texts.map(({ length }) => length));
  const values = widest(cells.map(({ text }) => text));
  const marks = widest(cells.map(markText));
  const before = values + marks + 4;
  const isShort = column.title.length < before;
  return {
    title: isShort ? column.title.padEnd(before) + ticksText(column, width) : column.title,
    text: (cell) => {
      const drawn = cell.drawn ? intervalText(cell.drawn, width) : '';
      return `${cell.text.padStart(values)}  ${markText(cell).padEnd(marks)}  ${drawn}`.trimEnd();
    },
  };
}
