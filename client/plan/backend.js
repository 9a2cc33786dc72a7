// Which io backend a leg runs over. `auto` follows one table, io-table.json, which `npm run bench -- io --write` makes:
// io_uring where it was measured to cost less there, epoll where it was not, or where this machine has no io_uring.

import { readFileSync } from 'node:fs';
import { EnvironmentError } from '../errors.js';

/**
 * @typedef {{name: string, available: boolean, why: string | null}} Backend
 * @typedef {{connections: number, payloadBytes: number, workload: string, io: string}} Cell measured
 * @typedef {{cells: Cell[]}} Table
 */

/** @type {Table} */
export const measured = JSON.parse(readFileSync(new URL('./io-table.json', import.meta.url), 'utf8'));

/**
 * How far a cell is from a load: in powers of two, of connections and payload together.
 * @param {Cell} cell
 * @param {{connections: number, payloadBytes: number}} load
 */
function distance(cell, { connections, payloadBytes }) {
  const bytes = Math.max(1, payloadBytes);
  return Math.abs(Math.log2(cell.connections / connections)) + Math.abs(Math.log2(cell.payloadBytes / bytes));
}

/**
 * The cell next to a load: of its workload if the table has that, else of any.
 * @param {{connections: number, payloadBytes: number, workload: string}} load
 * @param {Table} table
 * @returns {Cell | undefined}
 */
export function nearestCell(load, { cells }) {
  const same = cells.filter(({ workload }) => workload === load.workload);
  const candidates = same.length > 0 ? same : cells;
  return candidates.reduce(
    (/** @type {Cell | undefined} */ best, cell) =>
      best === undefined || distance(cell, load) < distance(best, load) ? cell : best,
    undefined,
  );
}

/**
 * @param {{io: 'auto' | 'epoll' | 'io_uring', connections: number, payloadBytes: number, workload: string}} scenario
 * @param {Backend[]} backends of this build and kernel
 * @param {Table} [table]
 * @returns {string} the name of a backend that is there
 * @throws {EnvironmentError} when the one asked for is not
 */
export function chooseBackend(scenario, backends, table = measured) {
  const lacking = (/** @type {string} */ name) => backends.find((one) => one.name === name && !one.available);
  if (scenario.io === 'auto') {
    const best = nearestCell(scenario, table)?.io ?? 'epoll';
    return lacking(best) ? 'epoll' : best;
  }
  const why = lacking(scenario.io)?.why;
  if (why) {
    throw new EnvironmentError(`io: ${scenario.io} cannot be used here: ${why}; give --io auto or epoll`, {
      code: 'EIO',
    });
  }
  return scenario.io;
}
