// The time to open connections and their memory, for both clients, and the two requirements on memory. Pure. The slope
// is taken between the fewest and the most connections of the same round with the same number of workers, so that the
// memory of a process without connections cancels out.

import { keeps } from '../must.js';
import { wholeRounds } from '../rounds.js';
import { spreadOf } from '../spread.js';
import { CLIENTS } from './measure.js';

/**
 * @typedef {import('./measure.js').Cell} Cell
 * @typedef {import('./measure.js').Client} Client
 * @typedef {import('./measure.js').Figures} Figures
 * @typedef {import('../spread.js').Spread} Spread
 * @typedef {{cell: Cell, client: Client} & Figures} Row medians; failures: in all rounds
 * @typedef {{cell: Cell, ratio: Spread, rows: Row[]}} CellResult ratio: time to open, broadside / bare
 * @typedef {object} Result
 * @property {CellResult[]} cells
 * @property {Spread | null} slope bytes of client memory for each connection more; null with one cell
 * @property {Spread | null} most bytes of client memory at the most connections
 */

/** What the musts are about. */
const FROM = 10_000;
const TO = 80_000;

const spans = (/** @type {Result} */ { cells }) =>
  cells.some(({ cell }) => cell.connections === FROM) && cells.some(({ cell }) => cell.connections === TO);
const present = (/** @type {Spread | null} */ spread) => spread ?? spreadOf([NaN]);

/** @type {Record<'slope' | 'most', import('../must.js').Must<Result>>} */
export const MUSTS = {
  slope: {
    name: 'client memory for each connection between 10,000 and 80,000',
    of: ({ slope }) => present(slope),
    limit: 200,
    binds: spans,
    format: (bytes) => `${bytes.toFixed(0)} B`,
  },
  most: {
    name: 'client memory at 80,000, all processes',
    of: ({ most }) => present(most),
    limit: 400e6,
    binds: spans,
    format: (bytes) => `${(bytes / 1e6).toFixed(0)} MB`,
  },
};

/**
 * @param {import('../conduct.js').Raw<Cell, Figures, Client>} raw
 * @returns {Result[]} one, for all cells
 */
export function resultsOf({ cells, measurements }) {
  const found = cells
    .map((cell) => ({ cell, rounds: wholeRounds(measurements, cell, CLIENTS) }))
    .filter(({ rounds }) => rounds.length > 0)
    .sort((a, b) => a.cell.connections - b.cell.connections);
  const [fewest, most] = [found[0], found.at(-1)];
  if (!fewest || !most) return [];
  const span = most.cell.connections - fewest.cell.connections;
  const pairs = most.rounds.flatMap(({ round, broadside: many }) => {
    const few = fewest.rounds.find((other) => other.round === round)?.broadside;
    return few ? [(many.clientRssBytes - few.clientRssBytes) / span] : [];
  });
  return [
    {
      cells: found.map(({ cell, rounds }) => ({
        cell,
        ratio: spreadOf(rounds.map(({ broadside, bare }) => broadside.openSeconds / bare.openSeconds)),
        rows: CLIENTS.map((client) => ({ cell, client, ...medians(rounds.map((round) => round[client])) })),
      })),
      slope: span > 0 && pairs.length > 0 ? spreadOf(pairs) : null,
      most: spreadOf(most.rounds.map(({ broadside }) => broadside.clientRssMostBytes)),
    },
  ];
}

/** @param {Figures[]} all @returns {Figures} */
function medians(all) {
  const median = (/** @type {(figures: Figures) => number} */ of) => spreadOf(all.map(of)).median;
  return {
    openSeconds: median(({ openSeconds }) => openSeconds),
    synsAgain: median(({ synsAgain }) => synsAgain),
    failures: all.reduce((sum, { failures }) => sum + failures, 0),
    clientRssBytes: median(({ clientRssBytes }) => clientRssBytes),
    clientRssMostBytes: median(({ clientRssMostBytes }) => clientRssMostBytes),
    clientProcesses: median(({ clientProcesses }) => clientProcesses),
    serverRssBytes: median(({ serverRssBytes }) => serverRssBytes),
    kernelBytes: median(({ kernelBytes }) => kernelBytes),
  };
}

/** @param {Result[]} results */
export function allKept(results) {
  return results.every((result) => Object.values(MUSTS).every((must) => keeps(must, result)));
}
