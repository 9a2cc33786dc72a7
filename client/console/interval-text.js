// A column of compared figures with drawn intervals: each cell has the value, its difference from the best, and the
// value and interval on the axis of the column.

import { cellText } from '../judge/figure-values.js';

/** @import { DrawnCell, TableCell, TableColumn } from '../judge/table.js' */

const MARKS = { known: '●', unknown: '○', interval: '─' };

/** @param {number} share of the axis @param {number} width @returns {number} index of the character */
const placeOf = (share, width) => Math.round(Math.min(1, Math.max(0, share)) * (width - 1));

/**
 * @param {DrawnCell} drawn @param {number} width of the axis, in characters
 * @returns {string} of that width: the interval as a line, and on it the value, hollow if no difference from the best
 *   is known
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
 * @param {TableColumn} column @param {number} width of the axis @returns {string} the first and last tick, of that
 *   width
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

/** Gap between the parts of a cell. */
const GAP = '  ';

/**
 * @param {TableColumn} column with an axis
 * @param {TableCell[]} cells of the column, in all rows
 * @param {{ axis: number, isStacked: boolean }} layout  axis: its width; isStacked: the difference is below the value
 * @returns {{ title: string, text: (cell: TableCell) => string }}
 */
export function drawnColumn({ title, ...column }, cells, { axis, isStacked }) {
  const widest = (/** @type {string[]} */ texts) => Math.max(0, ...texts.map(({ length }) => length));
  const values = widest(cells.map(({ text }) => text));
  const marks = isStacked ? 0 : widest(cells.map(({ bounds = '' }) => bounds));
  const beside = marks === 0 ? values : values + GAP.length + marks;
  const before = Math.max(beside, title.length) + GAP.length;
  return {
    title: title.padEnd(before) + ticksText({ title, ...column }, axis),
    text: ({ text, bounds = '', drawn }) => {
      const value = text.padStart(values);
      const first = `${marks === 0 ? value : value + GAP + bounds}`.padEnd(before);
      const line = (drawn ? first + intervalText(drawn, axis) : first).trimEnd();
      return isStacked && bounds !== '' ? `${line}\n${bounds}` : line;
    },
  };
}
