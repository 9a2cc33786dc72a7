// What it takes to convert the transfer log, and how that compares with reading it. Pure.

import { keepsEach } from '../must.js';
import { wholeRounds } from '../rounds.js';
import { spreadOf } from '../spread.js';
import { conditionsText, judgedText, mustsTable, spreadText, table } from '../tables.js';
import { count } from '../../../client/words/format.js';

export const KINDS = /** @type {const} */ (['arrow', 'parquet']);

/**
 * @typedef {import('../spread.js').Spread} Spread
 * @typedef {(typeof KINDS)[number]} Kind  arrow: the files stay, and their rows are counted
 * @typedef {{ rows: number }} Cell
 * @typedef {{ seconds: number, cpuSeconds: number, bytes: number }} Figures
 * @typedef {{ cell: Cell, rounds: number, seconds: Record<Kind, Spread>, cpuSeconds: Record<Kind, Spread>,
 *   rowBytes: Record<Kind, number>, perTenMillion: Spread, ratio: Spread }} CellResult  perTenMillion: s for Parquet; ratio:
 *   of the time for Parquet to that for Arrow in the same round
 */

const TEN_MILLION = 10_000_000;
const seconds = (/** @type {number} */ value) => value.toFixed(2);

/** @type {import('../must.js').Must<CellResult>[]} */
export const MUSTS = [
  { name: 'Parquet, s per 10 million rows', of: ({ perTenMillion }) => perTenMillion, limit: 20, format: seconds },
];

/** @param {import('../conduct.js').Raw<Cell, Figures, Kind>} raw @returns {CellResult[]} */
export function resultsOf({ cells, measurements }) {
  return cells.flatMap((cell) => {
    const rounds = wholeRounds(measurements, cell, KINDS);
    if (rounds.length === 0) return [];
    const spreads = (/** @type {'seconds' | 'cpuSeconds'} */ name) => ({
      arrow: spreadOf(rounds.map(({ arrow }) => arrow[name])),
      parquet: spreadOf(rounds.map(({ parquet }) => parquet[name])),
    });
    const [{ arrow, parquet }] = rounds;
    return [
      {
        cell,
        rounds: rounds.length,
        seconds: spreads('seconds'),
        cpuSeconds: spreads('cpuSeconds'),
        rowBytes: { arrow: arrow.bytes / cell.rows, parquet: parquet.bytes / cell.rows },
        perTenMillion: spreadOf(rounds.map((round) => (round.parquet.seconds / cell.rows) * TEN_MILLION)),
        ratio: spreadOf(rounds.map((round) => round.parquet.seconds / round.arrow.seconds)),
      },
    ];
  });
}

export const keepsAll = keepsEach(MUSTS);

/** @param {CellResult[]} results @param {import('../tables.js').Conditions} conditions @returns {string} */
export function markdownOf(results, conditions) {
  const rows = results.map((result) => [
    count(result.cell.rows),
    ...KINDS.flatMap((kind) => [
      spreadText(result.seconds[kind], seconds),
      spreadText(result.cpuSeconds[kind], seconds),
      result.rowBytes[kind].toFixed(1),
    ]),
    judgedText(MUSTS[0], result),
    spreadText(result.ratio, (value) => value.toFixed(1)),
  ]);
  return [
    '### Results',
    conditionsText(conditions, results[0]?.ratio.level ?? NaN, true),
    mustsTable('', MUSTS, results),
    table(
      '',
      [
        'rows',
        ...KINDS.flatMap((kind) => [`${kind}, s`, `${kind}, CPU s`, `${kind}, bytes per row`]),
        'Parquet, s per 10 million rows',
        'Parquet / Arrow',
      ],
      rows,
    ),
  ].join('\n\n');
}
