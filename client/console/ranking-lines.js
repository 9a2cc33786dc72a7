// The table of servers with its marks as lines for the console: a row for each server, its marks below its values. Pure.

import { conditionTexts, besidesTexts } from '../judge/compare-runs/texts.js';
import { runsTable } from '../judge/compare-runs/table.js';
import {
  markText,
  rangeText,
  runsExplained,
  serversExplained,
  shownMark,
  startsText,
  valueText,
} from '../judge/mark-texts.js';
import { hasSeveral } from '../judge/ranking-table.js';
import { counted } from '../words/format.js';
import { wrap } from './terminal-text.js';
import { textTable } from './text-table.js';

/**
 * @typedef {import('../judge/ranking-table.js').RankingTable} RankingTable
 * @typedef {import('./terminal-text.js').Style} Style
 * @typedef {import('../judge/ranking-table.js').Row & { at: string | undefined }} Item  at: the point, of its first row
 * @typedef {import('./text-table.js').Column<Item>} Column
 */

/** Points of a sweep are shown up to this many rows. */
const MOST_ROWS = 30;
/** Where room is lacking, labels are wrapped down to this width. */
const NARROWEST = 10;

/** @type {Partial<Record<import('../judge/comparisons.js').Mark['code'], import('./terminal-text.js').Tone>>} */
const TONES = { best: 'green', better: 'green', 'as-good': 'green', worse: 'red' };

/**
 * @param {RankingTable} table @param {number} width @param {Style} style
 * @returns {string[]} none where there is no row
 */
function tableLines(table, width, style) {
  const { figures, points } = table;
  let left = MOST_ROWS;
  const shown = points.filter(({ rows }, i) => (left -= rows.length) >= 0 || i === 0);
  const items = shown.flatMap(({ at, rows }) => rows.map((row, i) => ({ ...row, at: i === 0 ? at : undefined })));
  if (items.length === 0) return [];
  /** @type {Column[]} */
  const columns = figures.map((figure, i) => ({
    title: figure.title ?? figure.name,
    left: true,
    text: ({ cells }) => cellText(table, figure, cells[i]),
    tone: ({ cells }) => TONES[cells[i].mark?.code ?? 'not-known'],
  }));
  const more = points.length - shown.length;
  return [
    ...blocksOf(columns, items, width).flatMap((block, i) => {
      const { head, rows } = textTable(block, items, { width, style });
      const pointed = rows.flatMap((lines, row) => {
        const { at } = items[row];
        return at === undefined ? lines : [style('bold', ` at ${at}`), ...lines];
      });
      return [...(i > 0 ? [''] : []), ...head, ...pointed];
    }),
    ...(more > 0 ? [` ${counted(more, 'more point')} on the page and in summary.json`] : []),
  ];
}

/**
 * Columns that do not fit beside the first ones stand below them: a cell that is wrapped is hard to read.
 * @param {Column[]} columns of figures @param {Item[]} items @param {number} width
 * @returns {Column[][]} each with the column of the servers
 */
function blocksOf(columns, items, width) {
  /** @type {Column} */
  const server = { title: 'server', left: true, narrowest: NARROWEST, text: ({ label }) => label };
  /** @type {Column[][]} */
  const blocks = [];
  for (const column of columns) {
    const last = blocks.at(-1);
    if (last && widthOf([...last, column], items) <= width) last.push(column);
    else blocks.push([server, column]);
  }
  return blocks;
}

/** @param {Column[]} columns @param {Item[]} items @returns {number} of a table without wrapped lines */
const widthOf = (columns, items) =>
  textTable(columns, items).lines.reduce((most, line) => Math.max(most, line.length), 0);

/**
 * @param {RankingTable} table @param {RankingTable['figures'][number]} figure @param {import('../judge/ranking-table.js').Cell} cell
 * @returns {string} its value, interval and mark, a line each
 */
function cellText(table, figure, cell) {
  const range = rangeText(figure, cell);
  const lines = [valueText(figure, cell), range, shownMark(table, cell.mark) ? markText(cell.mark) : undefined];
  return lines.filter((line) => line !== undefined).join('\n');
}

/**
 * @param {RankingTable} table of a run @param {number} width @param {Style} style
 * @returns {string | null} lines joined, the last without a line end; null of one server, and of one round, whose figures the table of legs has
 */
export function rankingLines(table, width, style) {
  if (!hasSeveral(table) || table.rounds === 1) return null;
  const isMarked = table.points.some(({ rows }) =>
    rows.some(({ cells }) => cells.some(({ mark }) => shownMark(table, mark))),
  );
  const texts = [...(isMarked ? [serversExplained(table)] : []), startsText(table) ?? []].flat();
  const note = texts.flatMap((text) => wrap(text, width)).map((line) => style('dim', line));
  return [...tableLines(table, width, style), ...(note.length > 0 ? ['', ...note] : [])].join('\n');
}

/**
 * @param {import('../judge/compare-runs/index.js').RunsComparison} comparison @param {number} width @param {Style} style
 * @returns {string} lines joined, the last without a line end; without the outcome
 */
export function runComparisonLines(comparison, width, style) {
  const { run, baseline } = comparison;
  const conditions = conditionTexts(comparison);
  const wrapped = (/** @type {string[]} */ lines) => lines.flatMap((line) => wrap(line, width));
  return [
    wrapped([`${run.name} (${run.id})`, `compared with ${baseline.name} (${baseline.id})`]),
    tableLines(runsTable(comparison), width, style),
    wrapped(besidesTexts(comparison)),
    wrapped(conditions.length === 0 ? [] : ['Conditions that differ:', ...conditions.map((one) => `  ${one}`)]),
    wrap(runsExplained(comparison), width).map((line) => style('dim', line)),
  ]
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n');
}
