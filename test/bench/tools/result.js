// Compares the engine with each tool from single measurements, and checks the requirements. Pure. Ratios are taken
// within a round, between neighbours; a CPU ratio below 1 is in favour of the engine.

import { cost, perSecond } from '../round-trips.js';
import { wholeRounds } from '../rounds.js';
import { spreadOf } from '../spread.js';
import { CONTESTS, OURS } from './contests.js';

/**
 * @typedef {import('./contests.js').Cell} Cell
 * @typedef {import('./measure.js').Figures} Figures
 * @typedef {import('../spread.js').Spread} Spread
 * @typedef {object} CellResult
 * @property {Cell} cell
 * @property {number} rounds
 * @property {string} tool
 * @property {string} io what the engine ran over
 * @property {Record<string, {cost: number, perSecond: number}>} clients medians: CPU us a request, requests a second
 * @property {Spread} cpu engine as shipped / tool, CPU a request
 * @property {Spread} cpuNoLog the same without the transfer log
 * @property {Spread} speed engine as shipped / tool, requests a second
 * @typedef {import('../must.js').Must<CellResult>} Must
 */

const format = (/** @type {number} */ value) => value.toFixed(2);

/** @type {Record<'cpu' | 'cpuNoLog', Must>} */
export const MUSTS = {
  cpu: { name: 'engine / tool', of: ({ cpu }) => cpu, limit: 1.15, format },
  cpuNoLog: { name: 'engine without its log / tool', of: ({ cpuNoLog }) => cpuNoLog, limit: 1.15, format },
};

/**
 * @param {import('../conduct.js').Raw<Cell, Figures, string>} raw
 * @returns {CellResult[]} in the order of the cells; one without a whole round is left out
 */
export function resultsOf({ cells, measurements }) {
  return cells.flatMap((cell) => {
    const { tool } = CONTESTS[cell.contest];
    const names = [tool, ...OURS];
    const rounds = wholeRounds(measurements, cell, names);
    if (rounds.length === 0) return [];
    const ratio = (/** @type {string} */ name, /** @type {(figures: Figures) => number} */ of) =>
      spreadOf(rounds.map((round) => of(round[name]) / of(round[tool])));
    const median = (/** @type {string} */ name, /** @type {(figures: Figures) => number} */ of) =>
      spreadOf(rounds.map((round) => of(round[name]))).median;
    const clients = Object.fromEntries(
      names.map((name) => [name, { cost: median(name, cost), perSecond: median(name, perSecond) }]),
    );
    const cpu = { cpu: ratio('engine', cost), cpuNoLog: ratio('engine-no-log', cost) };
    const speed = ratio('engine', perSecond);
    return [{ cell, rounds: rounds.length, tool, io: rounds[0]?.engine.io ?? '', clients, ...cpu, speed }];
  });
}
