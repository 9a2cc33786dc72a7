// The cells of the bench agents, and what makes a run of them. Pure.

import { UsageError } from '../../../client/errors.js';
import { wholeOf } from '../options.js';

/** What the agents' workers report: transfers, or connections that are open and do nothing. */
export const LOADS = /** @type {const} */ (['busy', 'idle']);
/** A process of simulated agents has this many at most. */
export const AGENTS_PER_PROCESS = 100;
const MOST_AGENTS = 1000;

/**
 * @typedef {(typeof LOADS)[number]} Load
 * @typedef {{ agents: number, workers: number }} Cell  workers: of each agent
 * @typedef {{ from: number, count: number }} Batch  agents of one process, by their numbers
 */

/** @param {string} text such as 20,50 @param {number} workers of each agent @returns {Cell[]} */
export function cellsOf(text, workers) {
  const counts = text.split(',').map((word) => wholeOf(Number(word), '--agents', MOST_AGENTS));
  if (new Set(counts).size < counts.length) throw new UsageError(`--agents ${text}: each number once`);
  return counts.map((agents) => ({ agents, workers }));
}

/** @param {number} agents @returns {Batch[]} with as many agents each, to within one */
export function batchesOf(agents) {
  const processes = Math.ceil(agents / AGENTS_PER_PROCESS);
  return Array.from({ length: processes }, (_, i) => {
    const from = Math.floor((agents * i) / processes);
    return { from, count: Math.floor((agents * (i + 1)) / processes) - from };
  });
}

/** @param {number} index @returns {string} the agent's name; names sort by their number */
export const nameOf = (index) => `agent-${String(index).padStart(4, '0')}`;
