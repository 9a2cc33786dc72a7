// Computes the error of each percentile from single measurements, and whether it meets the requirement. Pure. Allowed
// are 1 % of the delay plus 200 us for the way there and back; the requirement is on the share of that used by the
// worst percentile.

import { spreadOf } from '../spread.js';
import { wholeRounds } from '../rounds.js';

/**
 * @typedef {import('./cells.js').Cell} Cell
 * @typedef {import('./measure.js').Figures} Figures
 * @typedef {import('../spread.js').Spread} Spread
 * @typedef {object} CellResult medians of the rounds
 * @property {Cell} cell
 * @property {number} transfers in a window
 * @property {number} cpuShare of a core that the client used
 * @property {string[]} percents
 * @property {number[]} serverNs the server's own delay at each percentile
 * @property {number[]} errorNs the client's response time less that
 * @property {Spread} taken of what is allowed, at the worst percentile
 * @typedef {import('../must.js').Must<CellResult>} Must
 */

const SHARE = 0.01;
const WAY_NS = 200_000;

/** @type {Must} */
export const TRUE = {
  name: 'error / (1 % + 200 us)',
  of: ({ taken }) => taken,
  limit: 1,
  format: (value) => value.toFixed(2),
};

/** @param {Figures} figures @returns {number} */
function takenBy({ serverNs, clientNs }) {
  return Math.max(...serverNs.map((ns, i) => Math.abs((clientNs[i] ?? NaN) - ns) / (SHARE * ns + WAY_NS)));
}

/**
 * @param {import('../conduct.js').Raw<Cell, Figures, string>} raw
 * @returns {CellResult[]} in the order of the cells; one without a whole round is left out
 */
export function resultsOf({ cells, clients, measurements }) {
  return cells.flatMap((cell) => {
    const rounds = wholeRounds(measurements, cell, clients).flatMap((round) => clients.map((name) => round[name]));
    if (rounds.length === 0) return [];
    const median = (/** @type {(figures: Figures) => number} */ of) => spreadOf(rounds.map(of)).median;
    const { percents } = rounds[0];
    return [
      {
        cell,
        transfers: median(({ transfers }) => transfers),
        cpuShare: median(({ cpuShare }) => cpuShare),
        percents,
        serverNs: percents.map((_, i) => median(({ serverNs }) => serverNs[i] ?? NaN)),
        errorNs: percents.map((_, i) =>
          median(({ serverNs, clientNs }) => (clientNs[i] ?? NaN) - (serverNs[i] ?? NaN)),
        ),
        taken: spreadOf(rounds.map(takenBy)),
      },
    ];
  });
}
