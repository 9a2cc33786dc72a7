// Connections per second and CPU time: the engine compared with the other available clients. Pure.

import { wholeRounds } from '../rounds.js';
import { spreadOf } from '../spread.js';

/**
 * @typedef {import('./clients.js').Client} Client
 * @typedef {import('./measure.js').Cell} Cell
 * @typedef {import('./measure.js').Figures} Figures
 * @typedef {import('../spread.js').Spread} Spread
 * @typedef {object} ClientResult medians, except the failures
 * @property {Client} client
 * @property {string} [io] of an engine
 * @property {number} cost CPU milliseconds per 1,000 connections, which is us per connection
 * @property {number} perSecond
 * @property {number} failures in all rounds
 * @property {Spread | null} costRatio engine / client; null for the engine itself. tcp_crr is compared with the engine
 *   that closes as it does, where that was measured
 * @property {Spread | null} speedRatio engine / client
 * @typedef {{cell: Cell, rounds: number, level: number, clients: ClientResult[]}} CellResult
 */

/** @param {Figures} figures */
export function cost({ cpuSeconds, connections }) {
  return (cpuSeconds / connections) * 1e6;
}

/** @param {Figures} figures */
export function perSecond({ connections, seconds }) {
  return connections / seconds;
}

/**
 * @param {import('../conduct.js').Raw<Cell, Figures, Client>} raw
 * @returns {CellResult[]} in the order of the cells; one without a whole round is left out
 */
export function resultsOf({ cells, clients, measurements }) {
  return cells.flatMap((cell) => {
    const rounds = wholeRounds(measurements, cell, clients);
    if (rounds.length === 0) return [];
    /** @param {Client} client @param {(figures: Figures) => number} of */
    const median = (client, of) => spreadOf(rounds.map((round) => of(round[client]))).median;
    /** @param {Client} client @param {(figures: Figures) => number} of */
    const ratio = (client, of) => {
      const engine = client === 'tcp_crr' && clients.includes('engine-reset') ? 'engine-reset' : 'engine';
      if (client === 'engine' || !clients.includes(engine)) return null;
      return spreadOf(rounds.map((round) => of(round[engine]) / of(round[client])));
    };
    const each = clients.map((client) => ({
      client,
      ...(rounds[0]?.[client].io ? { io: rounds[0][client].io } : {}),
      cost: median(client, cost),
      perSecond: median(client, perSecond),
      failures: rounds.reduce((sum, round) => sum + round[client].failures, 0),
      costRatio: ratio(client, cost),
      speedRatio: ratio(client, perSecond),
    }));
    const { level } = spreadOf(rounds.map(({ round }) => round));
    return [{ cell, rounds: rounds.length, level, clients: each }];
  });
}
