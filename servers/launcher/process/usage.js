// CPU, memory, threads and processes of a server and everything it has started, as cumulative readings. The CPU time of
// a process that has ended is included, because whoever waited for it (the server, or in the end the guard) carries it;
// children that are never waited for (SIGCHLD ignored) are missing.

import { readTree, residentBytes, threadTimes } from './process-tree.js';

/** With more threads than this, single threads are not read: 10,000 small files a second would cost too much. */
const MAX_THREADS = 64;

/**
 * @typedef {import('./process-tree.js').ProcessFacts} ProcessFacts
 *
 * @typedef {object} Usage
 * @property {number} cpuSeconds since the start, of all processes and threads, in steps of 10 ms
 * @property {number | null} waitSeconds spent runnable without a core; null with more than 64 threads
 * @property {number} rssBytes now, summed over processes: shared pages are counted once per process
 * @property {number} threads now
 * @property {number} processes now
 * @property {Record<string, number> | null} threadSeconds CPU seconds since the start, by thread; null as above
 * @property {Record<string, number>} processSeconds CPU seconds since the start, by process alive now, including its
 *   ended threads; in steps of 10 ms
 */

/**
 * @param {number} root pid
 * @param {{countRoot?: boolean}} [options] countRoot: false when root is the guard and not part of the server
 * @returns {{usage: () => Usage, last: () => ProcessFacts[]}} last: the processes of the last reading
 */
export function watchTree(root, { countRoot = true } = {}) {
  /** @type {ProcessFacts[]} */
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
      const threads = sumOf(members, (each) => each.threads);
      cpuSeconds = Math.max(
        cpuSeconds,
        sumOf(tree, (each) => each.cpuSeconds + each.childrenCpuSeconds),
      );
      const readsThreads = threads <= MAX_THREADS;
      const times = new Map(readsThreads ? members.flatMap(({ pid }) => [...threadTimes(pid)]) : []);
      for (const [tid, { waitNs }] of times) waitSeconds += Math.max(0, waitNs - (waitedNs.get(tid) ?? 0)) / 1e9;
      waitedNs = new Map([...times].map(([tid, { waitNs }]) => [tid, waitNs]));
      return {
        cpuSeconds,
        waitSeconds: readsThreads ? waitSeconds : null,
        rssBytes: sumOf(members, ({ pid }) => residentBytes(pid)),
        threads,
        processes: members.length,
        threadSeconds: readsThreads
          ? Object.fromEntries([...times].map(([tid, { cpuNs }]) => [tid, cpuNs / 1e9]))
          : null,
        processSeconds: Object.fromEntries(members.map((member) => [member.pid, member.cpuSeconds])),
      };
    },
  };
}

/**
 * Watches a server that is already running.
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
