// CPU, memory, threads and processes of a server and everything it started, as cumulative readings.
// The one thing to know: the CPU of an ended process is not lost, because whoever waited for it (the server, or the
// guard as the last resort) carries its time; children that are reaped by nobody (SIGCHLD ignored) are not counted.

import { readTree, residentBytes, threadTimes } from './process-tree.js';

/** Above this number of threads the times of single ones are not read: 10,000 small files a second cost too much. */
const MOST_THREADS = 64;

/**
 * @typedef {object} Usage
 * @property {number} cpuSeconds since the start, of all processes and threads, in steps of 10 ms
 * @property {number | null} waitSeconds spent runnable without a core; null with more than 64 threads
 * @property {number} rssBytes now, summed over processes: pages they share count once for each
 * @property {number} threads now
 * @property {number} processes now
 * @property {Record<string, number> | null} threadSeconds CPU seconds since the start, by thread; null as above
 * @property {Record<string, number>} processSeconds CPU seconds since the start, by process that is there now, its
 *   ended threads included; in steps of 10 ms
 */

/**
 * @param {number} root
 * @param {{countRoot?: boolean}} [options] countRoot: false when root is the guard and not part of the server
 * @returns {{usage: () => Usage, last: () => import('./process-tree.js').ProcessFacts[]}} last: whom the last reading
 *   found
 */
export function watchTree(root, { countRoot = true } = {}) {
  /** @type {import('./process-tree.js').ProcessFacts[]} */
  let tree = [];
  let cpuSeconds = 0;
  let waitSeconds = 0;
  /** @type {Map<number, number>} */
  let waitedNs = new Map();
  return {
    last: () => tree,
    usage() {
      tree = readTree(root);
      const members = tree.filter(({ pid, threads }) => threads > 0 && (countRoot || pid !== root));
      const threads = members.reduce((sum, member) => sum + member.threads, 0);
      cpuSeconds = Math.max(
        cpuSeconds,
        sumOf(tree, (each) => each.cpuSeconds + each.childrenCpuSeconds),
      );
      const few = threads <= MOST_THREADS;
      const times = new Map(few ? members.flatMap(({ pid }) => [...threadTimes(pid)]) : []);
      for (const [tid, { waitNs }] of times) waitSeconds += Math.max(0, waitNs - (waitedNs.get(tid) ?? 0)) / 1e9;
      waitedNs = new Map([...times].map(([tid, { waitNs }]) => [tid, waitNs]));
      return {
        cpuSeconds,
        waitSeconds: few ? waitSeconds : null,
        rssBytes: sumOf(members, ({ pid }) => residentBytes(pid)),
        threads,
        processes: members.length,
        threadSeconds: few ? Object.fromEntries([...times].map(([tid, { cpuNs }]) => [tid, cpuNs / 1e9])) : null,
        processSeconds: Object.fromEntries(members.map((member) => [member.pid, member.cpuSeconds])),
      };
    },
  };
}

/**
 * A server that is already running.
 * @param {number} pid
 * @returns {{usage: () => Usage}}
 */
export function watchPid(pid) {
  return watchTree(pid);
}

/**
 * @template T
 * @param {T[]} list
 * @param {(each: T) => number} value
 */
function sumOf(list, value) {
  return list.reduce((sum, each) => sum + value(each), 0);
}
