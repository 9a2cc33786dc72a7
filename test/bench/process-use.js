// What a process of a run uses: its private resident memory and its descriptors, with connections counted separately.
// Pages of files (the node program alone has 35 MB of them) are loaded when code first runs, belong to the page cache
// and are not growth; so they are excluded.

import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** @typedef {{rssBytes: number, sockets: number, others: number}} Use  rssBytes: without pages of files */

/** @param {number} pid @returns {Use | null} null when it has ended */
export function useOf(pid) {
  try {
    const kinds = readdirSync(`/proc/${pid}/fd`).map((fd) => kindOf(`/proc/${pid}/fd/${fd}`));
    const count = (/** @type {string} */ wanted) => kinds.filter((kind) => kind === wanted).length;
    return { rssBytes: ownBytes(pid), sockets: count('socket'), others: count('other') };
  } catch {
    return null;
  }
}

/** @param {number} pid @returns {number} s of CPU that its threads have used, of those that run; throws when it has ended */
export function cpuSecondsOf(pid) {
  const tasks = readdirSync(`/proc/${pid}/task`);
  const ns = tasks.map((task) => Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0]));
  return ns.reduce((sum, one) => sum + one, 0) / 1e9;
}

/** @param {number} pid @returns {number} anonymous and shared memory that is resident; throws when it has ended */
function ownBytes(pid) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const kib = (/** @type {string} */ name) =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? NaN);
  return (kib('RssAnon') + kib('RssShmem')) * 1024;
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
