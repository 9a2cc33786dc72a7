// The table of servers with its marks as lines for the console: a row for each server, its marks below its values. Pure.

import { pointText } from '../judge/comparisons.js';
import { conditionTexts, besidesTexts } from '../judge/compare-runs/texts.js';
import { runsTable } from '../judge/compare-runs/table.js';
import { MARKS_EXPLAINED, markText, rangeText, shownMark, valueText } from '../judge/mark-texts.js';
import { hasSeveral } from '../judge/ranking-table.js';
import { counted } from '../words/format.js';
import { wrap } from './terminal-text.js';
import { textTable } from './text-table.js';

/**
 * @typedef {import('../judge/ranking-table.js').RankingTable} RankingTable
 * @typedef {import('./terminal-text.js').Style} Style
 */

/** Points of a sweep are shown up to this many rows. */
const MOST_ROWS = 30;
/** Where room is lacking, labels and cells are wrapped down to this width. */
const NARROWEST = 10;
/** From this width on, an interval stands beside its value, else below it. */
const WIDE = 110;
/** Between two columns. */
const GAP = 3;

/** @type {Partial<Record<import('../judge/comparisons.js').Mark['code'], import('./terminal-text.js').Tone>>} */
const TONES = { best: 'green', better: 'green', 'as-good': 'green', worse: 'red' };

/**
 * @param {RankingTable} table @param {number} width @param {Style} style
 * @returns {string[]} none where there is no row
 */
export function tableLines(table, width, style) {
  const { figures, points } = table;
  let left = MOST_ROWS;
  const shown = points.filter(({ rows }, i) => (left -= rows.length) >= 0 || i === 0);
  const items = shown.flatMap(({ axes, rows }) =>
    rows.map((row, i) => ({ ...row, at: i === 0 ? pointText(axes) : undefined })),
  );
  if (items.length === 0) return [];
  const widths = items.map(({ label }) => label.length);
  // every figure gets the same share of the room, before one of them is wrapped to less
  const share = Math.max(NARROWEST, Math.floor((width - Math.max(...widths)) / figures.length) - GAP);
  const { head, rows } = textTable(
    [
      { title: 'server', left: true, narrowest: NARROWEST, text: ({ label }) => label },
      ...figures.map((figure, i) => ({
        title: figure.title ?? figure.name,
        left: true,
        narrowest: share,
        text: (/** @type {typeof items[number]} */ { cells }) => cellText(table, figure, cells[i], width >= WIDE),
        tone: (
          /** @type {typeof items[number]} */ {
            cells: {
              [i]: { mark },
            },
          },
        ) => mark && TONES[mark.code],
      })),
    ],
    items,
    { width, style },
  );
  const more = points.length - shown.length;
  return [
    ...head,
    ...rows.flatMap((lines, i) =>
      items[i].at === undefined ? lines : [style('bold', ` at ${items[i].at}`), ...lines],
    ),
    ...(more > 0 ? [` ${counted(more, 'more point')} on the page and in summary.json`] : []),
  ];
}

/**
 * @param {RankingTable} table @param {RankingTable['figures'][number]} figure @param {import('../judge/ranking-table.js').Cell} cell
 * @param {boolean} isWide whether the interval has room beside the value @returns {string}
 */
function cellText(table, figure, cell, isWide) {
  const [value, range] = [valueText(figure, cell), rangeText(figure, cell)];
  const values = range === undefined ? [value] : isWide ? [`${value} (${range})`] : [value, range];
  return [...values, ...(shownMark(table, cell.mark) ? [markText(cell.mark)] : [])].join('\n');
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
