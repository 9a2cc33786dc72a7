// What each transfer takes, from two runs that differ in the number of transfers, and what the tools print. Pure.

import { sameCell } from '../rounds.js';
import { spreadOf } from '../spread.js';

/**
 * @typedef {import('./cells.js').Cell} Cell
 * @typedef {import('./cells.js').Client} Client
 * @typedef {object} Figures for each transfer
 * @property {number} instructions user mode
 * @property {number} calls system calls
 * @property {number} wakeUps voluntary context switches of the thread that moves the bytes
 */

/**
 * @param {import('../conduct.js').Raw<Cell, Figures, Client>} raw
 * @returns {({cell: Cell, client: Client} & Figures)[]} medians over the rounds
 */
export function resultsOf({ cells, clients, measurements }) {
  return cells.flatMap((cell) =>
    clients.flatMap((client) => {
      const own = measurements.filter((one) => one.client === client && sameCell(one.cell, cell));
      if (own.length === 0) return [];
      /** @param {(figures: Figures) => number} of */
      const median = (of) => spreadOf(own.map(({ figures }) => of(figures))).median;
      return [
        {
          cell,
          client,
          instructions: median(({ instructions }) => instructions),
          calls: median(({ calls }) => calls),
          wakeUps: median(({ wakeUps }) => wakeUps),
        },
      ];
    }),
  );
}

/**
 * @param {[number, number]} transfers of the shorter and of the longer run
 * @param {[number, number]} totals
 */
export function perTransfer([few, many], [less, more]) {
  return (more - less) / (many - few);
}

/** @param {string} text a file of callgrind's @returns {number} the instructions of all threads */
export function readInstructions(text) {
  const totals = /^(?:totals|summary): (\d+)/m.exec(text)?.[1];
  if (totals === undefined) throw new Error('callgrind wrote no totals');
  return Number(totals);
}

/** @param {string} text the table of `strace -c` @returns {number} the calls of all threads */
export function readCalls(text) {
  const calls = [...text.matchAll(/^\s*[\d.]+\s+[\d.]+\s+\d+\s+(\d+)\s+(?:\d+\s+)?(\w+)$/gm)]
    .filter(([, , name]) => name !== 'total')
    .map(([, count]) => Number(count));
  if (calls.length === 0) throw new Error('strace wrote no table');
  return calls.reduce((sum, count) => sum + count, 0);
}
