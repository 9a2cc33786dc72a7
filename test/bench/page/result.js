// What the pages of large runs take, and how that compares with the page of three legs. Pure.

import { sameCell } from '../rounds.js';
import { keepsEach } from '../must.js';
import { spreadOf } from '../spread.js';
import { conditionsText, judgedText, mustsTable, spreadText, table } from '../tables.js';
import { bytes, count } from '../../../client/words/format.js';
import { SMALL } from './pages.js';

/**
 * @typedef {import('../spread.js').Spread} Spread
 * @typedef {{ page: import('./pages.js').Page }} Cell
 * @typedef {import('./open-page.js').Opened & { bytes: number, buildMs: number }} Figures
 * @typedef {{ cell: Cell, rounds: number, spreads: Record<keyof Figures, Spread>, ratio: Spread }} CellResult  ratio: of
 *   the time to the load event, to that of the page of three legs in the same round
 */

const MOST_BYTES = 10_000_000;
const MOST_MS = 1000;

const ms = (/** @type {number} */ value) => count(Math.round(value));

/** @type {import('../must.js').Must<CellResult>[]} */
export const MUSTS = [
  { name: 'bytes', of: ({ spreads }) => spreads.bytes, limit: MOST_BYTES, format: bytes },
  { name: 'load event, ms', of: ({ spreads }) => spreads.loadMs, limit: MOST_MS, format: ms },
  { name: 'charts painted, ms', of: ({ spreads }) => spreads.chartMs, limit: MOST_MS, format: ms },
];

/** @param {import('../conduct.js').Raw<Cell, Figures, 'page'>} raw @returns {CellResult[]} */
export function resultsOf({ cells, measurements }) {
  const of = (/** @type {Cell} */ cell) => measurements.filter((one) => sameCell(one.cell, cell));
  const small = new Map(of({ page: SMALL }).map(({ round, figures }) => [round, figures.loadMs]));
  return cells.flatMap((cell) => {
    const own = of(cell);
    if (own.length === 0) return [];
    const names = /** @type {(keyof Figures)[]} */ (Object.keys(own[0].figures));
    const ratios = own.flatMap(({ round, figures }) => {
      const other = small.get(round);
      return other === undefined ? [] : [figures.loadMs / other];
    });
    return [
      {
        cell,
        rounds: own.length,
        spreads: /** @type {Record<keyof Figures, Spread>} */ (
          Object.fromEntries(names.map((name) => [name, spreadOf(own.map(({ figures }) => figures[name]))]))
        ),
        ratio: spreadOf(ratios.length > 0 ? ratios : [NaN]),
      },
    ];
  });
}

export const keepsAll = keepsEach(MUSTS);

/** @param {CellResult[]} results @param {import('../tables.js').Conditions} conditions @returns {string} */
export function markdownOf(results, conditions) {
  const [size, load, charts] = MUSTS;
  const times = results.map((result) => [
    result.cell.page,
    spreadText(result.spreads.buildMs, ms),
    spreadText(result.spreads.paintMs, ms),
    judgedText(load, result),
    judgedText(charts, result),
    spreadText(result.spreads.scriptMs, ms),
    spreadText(result.spreads.styleMs, ms),
    spreadText(result.ratio, (value) => value.toFixed(2)),
  ]);
  const sizes = results.map((result) => [
    result.cell.page,
    judgedText(size, result),
    ...[result.spreads.elements, result.spreads.canvases, result.spreads.charts].map(({ median }) => count(median)),
  ]);
  return [
    '### Results',
    conditionsText(conditions, results[0]?.ratio.level ?? NaN, true),
    mustsTable('', MUSTS, results),
    table(
      'Times, ms: building the page, and from the navigation on:',
      ['page', 'build', 'first paint', 'load event', 'charts painted', 'script', 'style and layout', 'load / 3 legs'],
      times,
      1,
    ),
    table('', ['page', 'size', 'elements', 'canvases', 'charts drawn'], sizes, 1),
  ].join('\n\n');
}
