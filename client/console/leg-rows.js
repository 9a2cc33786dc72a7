// Many legs: a row each, with the figures that tell servers apart. Pure. What does not fit is named below the table.

import { figureOf } from '../judge/figures.js';
import { count, NOT_MEASURED } from '../words/format.js';
import { legRemarks, remarkLines, shownFigures } from './leg-cells.js';
import { shortLabels } from './shorten-labels.js';
import { textTable } from './text-table.js';

/** @typedef {import('./leg-cells.js').LegSummary} LegSummary */
/** @typedef {import('./text-table.js').Column<LegSummary>} Column */

const WIDEST_NAME = 40;
const NARROWEST_NAME = 12;
/** Of the column of languages. */
const LANGUAGE_RANK = 8;

/** @param {LegSummary[]} legs @param {number} width @returns {Column[]} what tells which leg it is */
function nameColumns(legs, width) {
  const most = Math.max(NARROWEST_NAME, Math.min(WIDEST_NAME, Math.floor(width / 4)));
  const names = shortLabels(
    legs.map(({ label }) => label),
    most,
  );
  const languages = new Set(legs.flatMap(({ serverModel }) => serverModel?.language ?? []));
  /** @type {Column} */
  const language = {
    ...{ title: 'language', left: true, rank: LANGUAGE_RANK },
    text: ({ serverModel }) => serverModel?.language ?? NOT_MEASURED,
  };
  return [
    { title: 'server', left: true, text: ({ label }) => names.get(label) ?? label },
    ...(languages.size > 1 ? [language] : []),
  ];
}

/**
 * @param {LegSummary[]} legs @param {number} width of the terminal; Infinity when there is none
 * @param {import('./terminal-text.js').Style} style @param {readonly import('../judge/figures.js').Figure[]} [elsewhere] figures that another
 *   table has
 * @returns {string} lines joined, the last without a line end
 */
export function legRows(legs, width, style, elsewhere = []) {
  const requested = figureOf('requested');
  const numbers = new Set(legs.flatMap((leg) => requested?.of?.(leg) ?? []));
  const [number] = numbers;
  const isOfEach = numbers.size === 1;
  const columns = shownFigures(legs)
    .filter(({ rank, figure }) => rank !== undefined && !(isOfEach && figure === requested))
    .filter(({ figure }) => figure === undefined || !elsewhere.includes(figure))
    .map(({ title, column, ...rest }) => ({
      column: { ...rest, title: column },
      called: rest.figure === undefined ? column : title.trim(),
    }));
  const table = textTable([...nameColumns(legs, width), ...columns.map(({ column }) => column)], legs, {
    width,
    style,
  });
  const left = table.leftOut.map((one) => columns.find(({ column }) => column === one)?.called ?? one.title);
  const remarks = remarkLines(
    [
      ...legRemarks(legs),
      left.length === 0 ? '' : `Left out at ${width} columns, but in summary.json: ${left.join(', ')}.`,
    ],
    width,
  );
  return [
    ...(isOfEach ? [style('dim', ` ${count(Number(number))} connections requested of each`)] : []),
    ...table.lines,
    ...(remarks.length > 0 ? ['', ...remarks] : []),
  ].join('\n');
}
