// What a live page costs the primary. Pure.

import { wholeRounds } from '../rounds.js';
import { spreadOf } from '../spread.js';
import { conditionsText, spreadText, table } from '../tables.js';

export const WAYS = /** @type {const} */ (['without', 'live']);

/**
 * @typedef {import('../spread.js').Spread} Spread
 * @typedef {(typeof WAYS)[number]} Way  live: with --live and one reader
 * @typedef {{ connections: number }} Cell
 * @typedef {{ cpuSeconds: number, seconds: number, events: number }} Figures  of the primary; events: that the reader got
 * @typedef {{ cell: Cell, rounds: number, without: number, live: number, ratio: Spread, added: Spread }} CellResult  CPU in ms
 *   per second, medians; ratio and difference are taken within a round
 */

/** @param {Figures} figures @returns {number} ms of CPU per second */
export const cost = ({ cpuSeconds, seconds }) => (cpuSeconds / seconds) * 1000;

/** @param {import('../conduct.js').Raw<Cell, Figures, Way>} raw @returns {CellResult[]} */
export function resultsOf({ cells, measurements }) {
  return cells.flatMap((cell) => {
    const rounds = wholeRounds(measurements, cell, WAYS);
    if (rounds.length === 0) return [];
    return [
      {
        cell,
        rounds: rounds.length,
        without: spreadOf(rounds.map(({ without }) => cost(without))).median,
        live: spreadOf(rounds.map(({ live }) => cost(live))).median,
        ratio: spreadOf(rounds.map(({ without, live }) => cost(live) / cost(without))),
        added: spreadOf(rounds.map(({ without, live }) => cost(live) - cost(without))),
      },
    ];
  });
}

/** @param {CellResult[]} results @param {import('../tables.js').Conditions} conditions @returns {string} */
export function markdownOf(results, conditions) {
  const rows = results.map(({ cell, without, live, ratio, added }) => [
    cell.connections.toLocaleString('en'),
    ...[without, live].map((ms) => ms.toFixed(1)),
    spreadText(ratio, (value) => value.toFixed(2)),
    spreadText(added, (value) => value.toFixed(1)),
  ]);
  return [
    '### Results',
    conditionsText(conditions, results[0]?.ratio.level ?? NaN, false),
    table(
      'CPU of the primary, ms per second, medians:',
      ['connections', 'without', 'with --live', 'with / without', 'difference'],
      rows,
    ),
  ].join('\n\n');
}
