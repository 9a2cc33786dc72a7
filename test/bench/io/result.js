// epoll against io_uring, cell by cell. Pure. io_uring counts as cheaper only if the whole interval of its cost is
// below epoll's.

import { cost, perSecond } from '../round-trips.js';
import { wholeRounds } from '../rounds.js';
import { spreadOf } from '../spread.js';
import { BACKENDS } from './cells.js';

/**
 * @typedef {import('./cells.js').Cell} Cell
 * @typedef {import('./cells.js').Backend} Backend
 * @typedef {import('../spread.js').Spread} Spread
 * @typedef {Pick<import('../engine-client.js').Figures,
 *   'roundTrips' | 'seconds' | 'cpuSeconds' | 'rssBytes' | 'p50Ns' | 'p99Ns'>} Figures
 * @typedef {Record<Backend, number>} PerBackend medians
 * @typedef {object} CellResult
 * @property {Cell} cell
 * @property {number} rounds
 * @property {PerBackend} cost client CPU seconds per million transfers
 * @property {PerBackend} perSecond transfers
 * @property {PerBackend} p50Ns
 * @property {PerBackend} p99Ns
 * @property {PerBackend} rssBytes
 * @property {Spread} ratio cost of io_uring / cost of epoll
 * @property {Spread} speed throughput of io_uring / throughput of epoll
 * @property {Spread} p50 response time over io_uring / response time over epoll
 * @property {Spread} p99
 */

/**
 * @param {import('../conduct.js').Raw<Cell, Figures, Backend>} raw
 * @returns {CellResult[]} in the order of the cells; one without a whole round is left out
 */
export function resultsOf({ cells, measurements }) {
  return cells.flatMap((cell) => {
    const rounds = wholeRounds(measurements, cell, BACKENDS);
    if (rounds.length === 0) return [];
    /** @param {(figures: Figures) => number} of @returns {PerBackend} */
    const medians = (of) => ({
      epoll: spreadOf(rounds.map(({ epoll }) => of(epoll))).median,
      io_uring: spreadOf(rounds.map(({ io_uring: ring }) => of(ring))).median,
    });
    /** @param {(figures: Figures) => number} of */
    const ratioOf = (of) => spreadOf(rounds.map(({ epoll, io_uring: ring }) => of(ring) / of(epoll)));
    return [
      {
        cell,
        rounds: rounds.length,
        cost: medians(cost),
        perSecond: medians(perSecond),
        p50Ns: medians(({ p50Ns }) => p50Ns ?? NaN),
        p99Ns: medians(({ p99Ns }) => p99Ns ?? NaN),
        rssBytes: medians(({ rssBytes }) => rssBytes),
        ratio: ratioOf(cost),
        speed: ratioOf(perSecond),
        p50: ratioOf(({ p50Ns }) => p50Ns ?? NaN),
        p99: ratioOf(({ p99Ns }) => p99Ns ?? NaN),
      },
    ];
  });
}

/** One round, which has no interval, decides nothing. @param {CellResult} result @returns {Backend} */
export function cheaperOf({ ratio: { high, level } }) {
  return level > 0 && high < 1 ? 'io_uring' : 'epoll';
}
