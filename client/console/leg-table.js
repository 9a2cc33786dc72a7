// The end of the console's output: the legs side by side with a row for each figure, or below each other when there are many.
// Pure. What was not served comes before how fast the rest was; nothing is ranked.

import { isAtRate } from '../judge/comparisons.js';
import { isMeasured, withFigures } from '../measure/leg-figures.js';
import { endingText } from '../words/endings.js';
import { fewPlacesText, MAX_SIDE_BY_SIDE, placesText } from '../words/figures.js';
import { count, duration, NOT_MEASURED } from '../words/format.js';
import { coverage, remarkLines, roundsNote, shownFigures, someServedRemark } from './leg-cells.js';
import { legRows } from './leg-rows.js';
import { shortened } from './shorten-labels.js';
import { sweepTable } from './sweep-table.js';
import { plain, wrap } from './terminal-text.js';
import { textTable } from './text-table.js';

/** @typedef {import('./leg-cells.js').LegSummary} LegSummary */
/**
 * @typedef {{ title: string, text: (leg: LegSummary) => string, rank?: number, tone?: import('./leg-cells.js').Shown['tone'],
 *   figure?: import('../judge/figures.js').Figure }} Row  rank: as of a figure
 * @typedef {{ most: number, elsewhere: readonly import('../judge/figures.js').Figure[] }} Rows  that are shown. most: of legs side by
 *   side, besides failures; elsewhere: figures that another table has
 */

/** Rows of the table that does not show all. */
export const MAIN_ROWS = 10;

/** @type {Rows} */
const ALL = { most: Infinity, elsewhere: [] };

/** A longer ending is broken into lines: a leg's column stays narrow. */
const WIDEST_ENDING = 24;

/** @param {LegSummary[]} legs @returns {Row[]} what is no figure: how they ended, and of what their figures are */
function factRows(legs) {
  const somePlaces = legs.some((leg) => isMeasured(leg) && fewPlacesText(leg) !== undefined);
  /** @type {Row[]} */
  const rows = [
    {
      title: 'ended',
      ...(legs.every(({ complete, endedBy }) => complete && endedBy === 'plan') ? {} : { rank: 0 }),
      text: ({ endedBy, complete }) =>
        complete ? endingText(endedBy) : wrap(`incomplete: ${endingText(endedBy)}`, WIDEST_ENDING).join('\n'),
    },
    { title: 'serves at once', text: (leg) => (somePlaces && placesText(leg)) || NOT_MEASURED },
    { title: 'figures of', rank: 0.1, text: coverage },
    {
      title: 'warm-up',
      text: ({ warmup }) =>
        warmup ? `${duration(warmup.toNs - warmup.fromNs)}, ${count(warmup.transfers)} transfers` : NOT_MEASURED,
    },
  ];
  return rows.filter(({ text }) => legs.some((leg) => text(leg) !== NOT_MEASURED));
}

/**
 * @param {LegSummary[]} all legs @param {number} width of the terminal; Infinity when there is none
 * @param {import('./terminal-text.js').Style} [style] @param {Rows} [rows]
 * @returns {string} of a sweep, a table for each figure, without the legs of compareAt; else a column a leg, or a row a leg when they are many or too
 *   wide; lines joined, the last without end
 */
export function legTable(all, width, style = plain, rows = ALL) {
  const legs = all.map(withFigures);
  const note = roundsNote(legs)
    .flatMap((text) => wrap(text, width))
    .map((line) => style('dim', line));
  return [...note, tableOf(legs, width, style, rows)].join('\n');
}

/**
 * @param {Row[]} rows @param {LegSummary[]} legs @param {Rows} shown
 * @returns {Row[]} in their order those of the lowest rank, and beside these every failure
 */
function mainRows(rows, legs, { most, elsewhere }) {
  const ranked = rows.filter(({ rank }) => rank !== undefined).sort((a, b) => Number(a.rank) - Number(b.rank));
  const main = new Set(ranked.slice(0, most).filter(({ figure }) => !(figure && elsewhere.includes(figure))));
  return rows.filter((row) => main.has(row) || legs.some((leg) => (row.tone?.(leg) ?? null) !== null));
}

/** @param {LegSummary[]} legs @param {number} width @param {import('./terminal-text.js').Style} style @param {Rows} wanted @returns {string} */
function tableOf(legs, width, style, wanted) {
  const given = legs.filter((leg) => !isAtRate(leg));
  if (given.some(({ series }) => series !== undefined)) return sweepTable(given, width, style);
  if (legs.length > MAX_SIDE_BY_SIDE) return legRows(legs, width, style, wanted.elsewhere);
  const shown = shownFigures(legs).map((one) => ({
    ...one,
    title: `${one.title}${one.isOfWorst ? ' (worst)' : ''}`,
  }));
  const all = [...factRows(legs), ...shown];
  const rows = wanted.most === Infinity ? all : mainRows(all, legs, wanted);
  const more =
    rows.length < all.length
      ? [style('dim', ` ${count(all.length - rows.length)} more: --table all, or the page`)]
      : [];
  const room =
    legs.length === 1 ? Math.max(1, width - Math.max(...rows.map(({ title }) => title.length)) - 3) : Infinity;
  /** @type {import('./text-table.js').Column<Row>[]} */
  const columns = [
    { title: '', left: true, text: ({ title }) => title },
    ...legs.map((leg) => ({
      title: shortened(leg.label, room),
      text: (/** @type {Row} */ { text }) => text(leg),
      tone: (/** @type {Row} */ { tone }) => tone?.(leg),
    })),
  ];
  const isTooWide = textTable(columns, rows).lines.some((line) => line.length > width);
  if (isTooWide && legs.length > 1) return legRows(legs, width, style, wanted.elsewhere);
  const remark = remarkLines([someServedRemark(legs)], width);
  return [...textTable(columns, rows, { style }).lines, ...more, ...(remark.length > 0 ? ['', ...remark] : [])].join(
    '\n',
  );
}
