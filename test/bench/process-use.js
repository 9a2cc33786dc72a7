// What a process of a run uses: resident memory and descriptors, connections apart from the others. The one thing to
// know: connections come and go with the load; what else is open must stay as it is.

import { readdirSync, readlinkSync } from 'node:fs';
import { rssOf } from '../fixtures/e2e-sockets.js';

/** @typedef {{rssBytes: number, sockets: number, others: number}} Use */

/** @param {number} pid @returns {Use | null} null when it has ended */
export function useOf(pid) {
  try {
    const kinds = readdirSync(`/proc/${pid}/fd`).map((fd) => kindOf(`/proc/${pid}/fd/${fd}`));
    const count = (/** @type {string} */ wanted) => kinds.filter((kind) => kind === wanted).length;
    return { rssBytes: rssOf(pid), sockets: count('socket'), others: count('other') };
  } catch {
    return null;
  }
}

/** @param {string} path of a link in fd/ @returns {'socket' | 'other' | 'gone'} */
function kindOf(path) {
  try {
    return readlinkSync(path).startsWith('socket:') ? 'socket' : 'other';
  } catch {
    return 'gone'; // closed since it was listed
  }
}

/** @typedef {{pid: number, name: string}} Member */

/**
 * Every process of a run by a name that says what it is.
 * @param {import('../fixtures/e2e-run.js').Run} run
 * @returns {Member[]}
 */
export function membersOf(run) {
  const workers = run.workers();
  return run.processes().map(({ pid, name }) => ({
    pid,
    name: pid === run.pid ? 'primary' : workers.includes(pid) ? `worker ${workers.indexOf(pid)}` : name,
  }));
}
