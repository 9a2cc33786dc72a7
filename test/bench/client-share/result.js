// The client's part by transport and placement, cell by cell. Pure.

import { cost, perSecond } from '../round-trips.js';
import { wholeRounds } from '../rounds.js';
import { spreadOf } from '../spread.js';
import { BASELINE, WAY_NAMES } from './cells.js';

/**
 * @typedef {import('./cells.js').Cell} Cell
 * @typedef {import('./cells.js').WayName} WayName
 * @typedef {import('../spread.js').Spread} Spread
 * @typedef {Pick<import('../engine-client.js').Figures, 'roundTrips' | 'seconds' | 'cpuSeconds' | 'clientPart'>} Figures
 *
 * @typedef {object} Result of a cell, measured in one way
 * @property {Cell} cell
 * @property {WayName} way
 * @property {Spread} p50Share client's part of the p50 response time, 0..1
 * @property {Spread} p99Share
 * @property {number} p50Ns median of the rounds
 * @property {Spread} clientTime the client's part of p50 in time, compared with that of the baseline
 * @property {Spread} speed transfers per second, compared with the baseline
 * @property {Spread} cost client CPU per transfer, compared with the baseline
 */

/**
 * @param {import('../conduct.js').Raw<Cell, Figures, WayName>} raw
 * @returns {Result[]} by cell, then by way; a cell without a whole round is left out
 */
export function resultsOf({ cells, measurements }) {
  return cells.flatMap((cell) => {
    const rounds = wholeRounds(measurements, cell, WAY_NAMES);
    if (rounds.length === 0) return [];
    return WAY_NAMES.map((way) => {
      const spread = (/** @type {(figures: Figures) => number} */ of) =>
        spreadOf(rounds.map((round) => of(round[way])));
      const ratio = (/** @type {(figures: Figures) => number} */ of) =>
        spreadOf(rounds.map((round) => of(round[way]) / of(round[BASELINE])));
      return {
        cell,
        way,
        p50Share: spread(({ clientPart }) => clientPart?.p50?.share ?? NaN),
        p99Share: spread(({ clientPart }) => clientPart?.p99?.share ?? NaN),
        p50Ns: spread(({ clientPart }) => clientPart?.p50?.responseNs ?? NaN).median,
        clientTime: ratio(({ clientPart }) => clientPart?.p50?.clientNs ?? NaN),
        speed: ratio(perSecond),
        cost: ratio(cost),
      };
    });
  });
}
