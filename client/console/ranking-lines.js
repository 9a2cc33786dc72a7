// The table of servers with its marks as lines for the console: a row for each server, its marks below its values. Pure.

import { stripVTControlCharacters } from 'node:util';
import { pointText } from '../judge/comparisons.js';
import { conditionTexts, besidesTexts } from '../judge/compare-runs/texts.js';
import { runsTable } from '../judge/compare-runs/table.js';
import { MARKS_EXPLAINED, markText, rangeText, shownMark, valueText } from '../judge/mark-texts.js';
import { hasSeveral } from '../judge/ranking-table.js';
import { counted } from '../words/format.js';
import { wrap } from './terminal-text.js';

/**
 * @typedef {import('../judge/ranking-table.js').RankingTable} RankingTable
 * @typedef {import('./terminal-text.js').Style} Style
 */

/** Points of a sweep are shown up to this many rows. */
const MOST_ROWS = 30;
/** Between two columns. */
const GAP = '  ';

/** @type {Readonly<Record<import('../judge/comparisons.js').Mark['code'], import('./terminal-text.js').Tone>>} */
const TONES = {
  best: 'green',
  better: 'green',
  'as-good': 'green',
  worse: 'red',
  'not-known': 'yellow',
  'not-compared': 'yellow',
};

/** @param {string} text may hold styles @param {number} width @returns {string} */
const padded = (text, width) => text + ' '.repeat(Math.max(0, width - stripVTControlCharacters(text).length));

/** @param {string[][]} rows cells, which may hold styles @returns {number[]} of each column */
const widthsOf = (rows) =>
  rows[0].map((_, i) => Math.max(...rows.map((row) => stripVTControlCharacters(row[i] ?? '').length)));

/**
 * @param {string[][]} rows all as long as the first, the head @param {number} width
 * @returns {string[]} lines; columns for which there is no room follow below, again with the first one
 */
function columnLines(rows, width) {
  const [first, ...others] = widthsOf(rows);
  let [end, used] = [1, first];
  while (end <= others.length && (end === 1 || used + GAP.length + others[end - 1] <= width)) {
    used += GAP.length + others[end - 1];
    end += 1;
  }
  const lines = rows
    .map((row) =>
      row
        .slice(0, end)
        .map((cell, i) => padded(cell, [first, ...others][i]))
        .join(GAP)
        .trimEnd(),
    )
    .filter((line) => line !== '');
  const rest = rows.map(([name, ...cells]) => [name, ...cells.slice(end - 1)]);
  return end > others.length ? lines : [...lines, '', ...columnLines(rest, width)];
}

/**
 * @param {RankingTable} table @param {number} width @param {Style} style
 * @returns {string[]} none where there is no row
 */
export function tableLines(table, width, style) {
  const { figures, points } = table;
  const head = ['server', ...figures.map(({ title, name }) => title ?? name)].map((text) => style('dim', text));
  const blank = figures.map(() => '');
  let left = MOST_ROWS;
  const shown = points.filter(({ rows }, i) => (left -= rows.length) >= 0 || i === 0);
  const body = shown.flatMap(({ axes, rows }) => {
    const at = pointText(axes);
    return [
      ...(at === undefined ? [] : [[style('bold', `at ${at}`), ...blank]]),
      ...rows.flatMap(({ label, cells }) => {
        const values = figures.map((figure, i) => {
          const range = rangeText(figure, cells[i]);
          return `${valueText(figure, cells[i])}${range === undefined ? '' : ` (${range})`}`;
        });
        const marks = cells.map(({ mark }) => (shownMark(table, mark) ? style(TONES[mark.code], markText(mark)) : ''));
        return [[label, ...values], ...(marks.every((text) => text === '') ? [] : [['', ...marks]])];
      }),
    ];
  });
  if (body.length === 0) return [];
  const more = points.length - shown.length;
  return [
    ...columnLines([head, ...body], width),
    ...(more > 0 ? [`${counted(more, 'more point')} on the page and in summary.json`] : []),
  ];
}

/**
 * @param {RankingTable} table of a run @param {number} width @param {Style} style
 * @returns {string | null} lines joined, the last without a line end; null of one server
 */
export function rankingLines(table, width, style) {
  if (!hasSeveral(table)) return null;
  const isMarked = table.points.some(({ rows }) =>
    rows.some(({ cells }) => cells.some(({ mark }) => shownMark(table, mark))),
  );
  const note = isMarked ? wrap(MARKS_EXPLAINED.servers, width).map((line) => style('dim', line)) : [];
  return [...tableLines(table, width, style), ...(note.length > 0 ? ['', ...note] : [])].join('\n');
}

/**
 * @param {import('../judge/compare-runs/index.js').RunsComparison} comparison @param {number} width @param {Style} style
 * @returns {string} lines joined, the last without a line end; without the outcome
 */
export function runComparisonLines(comparison, width, style) {
  const { run, baseline } = comparison;
  const conditions = conditionTexts(comparison);
  const sections = [
    [`${run.name} (${run.id})`, `compared with ${baseline.name} (${baseline.id})`],
    tableLines(runsTable(comparison), width, style),
    besidesTexts(comparison),
    conditions.length === 0 ? [] : ['Conditions that differ:', ...conditions.map((one) => `  ${one}`)],
    [style('dim', MARKS_EXPLAINED.runs)],
  ];
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines, i) => (i === 1 ? lines : lines.flatMap((line) => wrap(line, width))).join('\n'))
    .join('\n\n');
}
