// Computes the figures of each cell from single measurements, and checks the three requirements. Pure. Ratios are taken
// within a round, between neighbours; then the median of the ratios.

import { cost, perSecond } from '../round-trips.js';
import { wholeRounds } from '../rounds.js';
import { spreadOf } from '../spread.js';
import { OTHER } from './cells.js';

/**
 * @typedef {import('./cells.js').Cell} Cell
 * @typedef {import('./cells.js').Client} Client
 * @typedef {import('../spread.js').Spread} Spread
 * @typedef {object} Figures what a client says of its window
 * @property {number} roundTrips
 * @property {number} seconds
 * @property {number} cpuSeconds
 * @property {number} [engineCpuSeconds]
 * @property {number} [writerCpuSeconds]
 * @property {number} [logRows]
 * @property {string} [io] what the engine ran over
 * @typedef {Record<Exclude<Client, typeof OTHER>, number>} PerClient
 * @typedef {object} CellResult
 * @property {Cell} cell
 * @property {number} rounds
 * @property {string} io what the engine ran over
 * @property {PerClient} cost medians; CPU seconds per million round trips
 * @property {number} engineThreadCost of that, the engine's own thread
 * @property {PerClient} perSecond medians; round trips per second
 * @property {Spread} toBare cost of the engine / cost of the bare client
 * @property {Spread} toNet cost of the engine / cost of the net client
 * @property {Spread} [toOther] cost of the engine / cost of that of another checkout
 * @property {Spread} logLoss the share of throughput that logging costs; negative where it was faster
 * @typedef {import('../must.js').Must<CellResult>} Must
 */

/** Below it a connection's round trip is mostly the waking of the other side, and flips with the placement. */
export const MUST_FROM_CONNECTIONS = 100;

const binds = (/** @type {CellResult} */ { cell }) => cell.connections >= MUST_FROM_CONNECTIONS;
const ratio = (/** @type {number} */ value) => value.toFixed(2);
const percent = (/** @type {number} */ share) => `${(share * 100).toFixed(1)} %`;

/** @type {Record<'toBare' | 'toNet' | 'logLoss', Must>} */
export const MUSTS = {
  toBare: { name: 'engine / bare', of: ({ toBare }) => toBare, limit: 1.15, binds, format: ratio },
  toNet: { name: 'engine / net', of: ({ toNet }) => toNet, limit: 0.6, binds, format: ratio },
  logLoss: { name: 'throughput lost to the log', of: ({ logLoss }) => logLoss, limit: 0.05, binds, format: percent },
};

/**
 * @param {import('../conduct.js').Raw<Cell, Figures, Client>} raw
 * @returns {CellResult[]} in the order of the cells; one without a whole round is left out
 */
export function resultsOf({ cells, clients, measurements }) {
  return cells.flatMap((cell) => {
    const rounds = wholeRounds(measurements, cell, clients);
    if (rounds.length === 0) return [];
    /** @param {(round: Record<Client, Figures>) => number} of */
    const median = (of) => spreadOf(rounds.map(of)).median;
    const perClient = (/** @type {(figures: Figures) => number} */ of) => ({
      bare: median(({ bare }) => of(bare)),
      net: median(({ net }) => of(net)),
      engine: median(({ engine }) => of(engine)),
      'engine-no-log': median((round) => of(round['engine-no-log'])),
    });
    const ratios = {
      toBare: spreadOf(rounds.map(({ engine, bare }) => cost(engine) / cost(bare))),
      toNet: spreadOf(rounds.map(({ engine, net }) => cost(engine) / cost(net))),
      ...(clients.includes(OTHER) && {
        toOther: spreadOf(rounds.map(({ engine, other }) => cost(engine) / cost(other))),
      }),
      logLoss: spreadOf(rounds.map((round) => 1 - perSecond(round.engine) / perSecond(round['engine-no-log']))),
    };
    const engineThreadCost = median(({ engine }) => cost({ ...engine, cpuSeconds: engine.engineCpuSeconds ?? NaN }));
    const medians = { cost: perClient(cost), engineThreadCost, perSecond: perClient(perSecond) };
    return [{ cell, rounds: rounds.length, io: rounds[0]?.engine.io ?? '', ...medians, ...ratios }];
  });
}
