// The table of the console: columns of text, aligned by spaces, below their titles and the titles of groups of columns.
// If the terminal is too narrow, cells are wrapped, and columns are left out by rank.

import { pad, plain, wrap } from './terminal-text.js';

/** @import { Style, Tone } from './terminal-text.js' */

/**
 * @template T
 * @typedef {object} Column
 * @property {string} title
 * @property {(item: T) => string} text  of its cell in the item's row; may have several lines
 * @property {(item: T) => Tone | null | undefined} [tone]  of its cell
 * @property {string} [group]  a title above this column and its neighbours of the same group
 * @property {boolean} [left]  aligned to the left; absent: to the right, like numbers
 * @property {number} [rank]  columns of the highest rank are left out first; absent: always shown
 * @property {number} [widest]  longer lines are wrapped
 * @property {number} [narrowest]  least width to which lines are wrapped if room is lacking
 */

/**
 * @typedef {{ title: string, group?: string, left?: boolean, rank?: number, width: number }} Sized  a column with its
 *   width
 */

const INDENT = ' ';
const GAP = '  ';

/** @param {Sized[]} columns @returns {number} width with the gaps between them */
const totalWidth = (columns) => columns.reduce((sum, { width }) => sum + width + GAP.length, -GAP.length);

/** @template {Sized} C @param {C[]} columns @returns {C[][]} neighbours of the same group together */
function grouped(columns) {
  /** @type {C[][]} */
  const groups = [];
  for (const column of columns) {
    const last = groups.at(-1);
    if (last && column.group && last[0].group === column.group) last.push(column);
    else groups.push([column]);
  }
  return groups;
}

/**
 * @template {Sized} C
 * @param {C[]} columns
 * @returns {C[]} the first column of each group is widened if the group's title needs more room
 */
const widened = (columns) =>
  grouped(columns).flatMap(([first, ...rest]) => {
    const lacking = (first.group ?? '').length - totalWidth([first, ...rest]);
    return lacking > 0 ? [{ ...first, width: first.width + lacking }, ...rest] : [first, ...rest];
  });

/** @template {Sized} C @param {C[]} columns @param {number} width @returns {C[]} columns that fit, by rank */
export function fitting(columns, width) {
  /** @type {C[]} */
  let shown = [];
  for (const column of [...columns].sort((a, b) => (a.rank ?? -1) - (b.rank ?? -1))) {
    const more = columns.filter((candidate) => candidate === column || shown.includes(candidate));
    if (column.rank === undefined || totalWidth(widened(more)) <= width) shown = more;
  }
  return widened(shown);
}

/** @param {string[]} cells as wide as their columns @returns {string} */
export const joined = (cells) => cells.join(GAP).trimEnd();

/**
 * @param {Sized[]} columns
 * @param {Style} style
 * @param {Tone} [tone] of the titles
 * @returns {string[]} the groups, if there are any, and the titles
 */
export function headLines(columns, style, tone = 'bold') {
  const groups = grouped(columns).map((group) => {
    const [{ group: title = '', left }, ...others] = group;
    const width = totalWidth(group);
    const rule = width - title.length - 2;
    if (title === '' || others.length === 0 || rule < 2) return pad(title, width, left);
    return `${'─'.repeat(Math.floor(rule / 2))} ${title} ${'─'.repeat(Math.ceil(rule / 2))}`;
  });
  const titles = columns.map(({ title, width, left }) => pad(title, width, left));
  return [...(joined(groups) === '' ? [] : [style('dim', joined(groups))]), style(tone, joined(titles))];
}

/** @template T @param {Column<T>} column @param {T[]} items @param {number} [maxWidth] wider lines are wrapped */
function laidOut(column, items, maxWidth = column.widest ?? Infinity) {
  const cells = items.map((item) =>
    column
      .text(item)
      .split('\n')
      .flatMap((line) => (line.length > maxWidth ? wrap(line, maxWidth) : [line])),
  );
  const width = cells.flat().reduce((widest, { length }) => Math.max(widest, length), column.title.length);
  return { ...column, column, cells, width };
}

/**
 * @template T
 * @param {Column<T>[]} columns @param {T[]} items one for each row
 * @param {{ width?: number, style?: Style, tone?: Tone }} [options] width: of the terminal; tone: of the titles
 * @returns {{ head: string[], rows: string[][], lines: string[], leftOut: Column<T>[] }} rows: the lines of each row;
 *   lines: of head and rows
 */
export function textTable(columns, items, { width = Infinity, style = plain, tone } = {}) {
  const room = width - INDENT.length;
  const narrow = fitting(
    columns.map((column) => laidOut(column, items, column.narrowest)),
    room,
  );
  let shown = narrow.map(({ column }) => laidOut(column, items));
  for (const { column, narrowest } of [...shown].reverse()) {
    const lacking = totalWidth(widened(shown)) - room;
    if (lacking <= 0 || narrowest === undefined) continue;
    shown = shown.map((sized) =>
      sized.column === column ? laidOut(column, items, Math.max(narrowest, sized.width - lacking)) : sized,
    );
  }
  shown = widened(shown);
  const head = headLines(shown, style, tone).map((line) => INDENT + line);
  const rows = items.map((item, i) => {
    const height = Math.max(...shown.map(({ cells }) => cells[i].length));
    return Array.from({ length: height }, (_, k) => {
      const cells = shown.map(({ cells, width: wide, left, tone: toneOf }) => {
        const cellTone = toneOf?.(item);
        return pad(cells[i][k] ?? '', wide, left, (text) => (cellTone && text !== '' ? style(cellTone, text) : text));
      });
      return (INDENT + joined(cells)).trimEnd();
    });
  });
  const leftOut = columns.filter((candidate) => shown.every(({ column }) => column !== candidate));
  return { head, rows, lines: [...head, ...rows.flat()], leftOut };
}
