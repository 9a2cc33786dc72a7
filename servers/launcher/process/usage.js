// CPU, memory, threads and processes of a server and everything it has started, as cumulative readings. The CPU time of
// a process that has ended is included, because whoever waited for it (the server, or in the end the guard) carries it.
// It is not known where a process ignores SIGCHLD, since then nobody waits for its children.

import { isOwnProc, readProcess, readStatus, threadSwitches, threadTimes } from './process-tree.js';
import { TreeWatch } from './tree-watch.js';

/** @import { ProcessFacts } from './process-tree.js' */

/** With more threads than this, single threads are not read: 10,000 small files a second would cost too much. */
const MAX_THREADS = 64;
/** Of more processes only the oldest are told apart, and some are read for memory in turn. */
const MAX_PROCESSES = 64;
const MEMORY_READS = 16;
/** CPU time of a process is counted in steps of 10 ms, user and system time each: less may be rounding. */
const UNSEEN_CPU_SECONDS = 0.02;

/**
 * @typedef {{voluntary: number, involuntary: number}} Switches
 *
 * @typedef {object} Usage
 * @property {number | null} cpuSeconds since the start, of all processes and threads; null once a process has ignored
 *   SIGCHLD
 * @property {number | null} waitSeconds spent runnable without a core; null with more than 64 threads
 * @property {number} rssBytes now, summed over processes: shared pages are counted once per process; with more than 64
 *   of them some are read each time, and one that was not read yet counts as the mean of the others
 * @property {number} threads now
 * @property {number} processes now
 * @property {Record<string, number> | null} threadSeconds CPU seconds since the start, by thread; null as above
 * @property {Switches | null} contextSwitches since the start, of all threads; null as cpuSeconds and waitSeconds, and
 *   where a thread has ended since the reading before, since nothing tells how many it had
 * @property {Record<string, number>} processSeconds CPU seconds since the start, by process alive now, of the 64
 *   oldest, including its ended threads
 */

/**
 * @typedef {(pid: number) => number | null} CpuClock  the CPU time of a process in ns; null when it has ended. Without
 *   one, times are in steps of 10 ms, as those of children that have ended are in any case
 */

/** @param {CpuClock} cpuClock @returns {(pid: number) => ProcessFacts | null} */
const clocked = (cpuClock) => (pid) => {
  const facts = readProcess(pid);
  const ns = facts === null ? null : cpuClock(pid);
  return facts === null || ns === null ? facts : { ...facts, cpuSeconds: ns / 1e9 };
};

/**
 * @param {number} root pid
 * @param {{countRoot?: boolean, cpuClock?: CpuClock, ownPid?: number, statusOf?: typeof readStatus}} [options]
 *   countRoot: false when root is the guard and not part of the server; ownPid: of this process
 * @returns {{usage: () => Usage | null, last: () => ProcessFacts[]}} usage: null where no process of the server can be
 *   read; last: the processes of the last reading
 */
export function watchTree(root, { countRoot = true, cpuClock, ownPid = process.pid, statusOf = readStatus } = {}) {
  /** @type {ProcessFacts[]} */
  let tree = [];
  let cpuSeconds = 0;
  let waitSeconds = 0;
  /** @type {Map<number, number>} */
  let waitedNs = new Map();
  const switches = countSwitches();
  const watch = new TreeWatch(root, cpuClock && { read: clocked(cpuClock) });
  let losesChildren = false;
  const memory = residentMemory((pid) => {
    const { residentBytes, ignoresChildren } = statusOf(pid);
    losesChildren ||= ignoresChildren;
    return residentBytes;
  });
  return {
    last: () => tree,
    usage() {
      if (!isOwnProc(ownPid)) return null;
      tree = watch.read();
      const isServer = (/** @type {ProcessFacts} */ { pid }) => countRoot || pid !== root;
      const members = tree.filter((each) => each.threads > 0 && isServer(each));
      if (members.length === 0) return null;
      const rssBytes = memory(members.map(({ pid }) => pid));
      const threads = sumOf(members, (each) => each.threads);
      const readsThreads = threads <= MAX_THREADS;
      const threadsOf = new Map(readsThreads ? members.map(({ pid }) => [pid, threadTimes(pid)]) : []);
      cpuSeconds = Math.max(
        cpuSeconds,
        sumOf(tree, (each) => (isServer(each) ? each.cpuSeconds : 0) + each.childrenCpuSeconds) +
          (readsThreads ? 0 : watch.unreadSeconds()),
      );
      const times = new Map([...threadsOf.values()].flatMap((each) => [...each]));
      for (const [tid, { waitNs }] of times) waitSeconds += Math.max(0, waitNs - (waitedNs.get(tid) ?? 0)) / 1e9;
      waitedNs = new Map([...times].map(([tid, { waitNs }]) => [tid, waitNs]));
      const contextSwitches = switches(readsThreads ? members : [], threadsOf);
      return {
        contextSwitches: losesChildren ? null : contextSwitches,
        cpuSeconds: losesChildren ? null : cpuSeconds,
        waitSeconds: readsThreads && !losesChildren ? waitSeconds : null,
        rssBytes,
        threads,
        processes: members.length,
        threadSeconds: readsThreads
          ? Object.fromEntries([...times].map(([tid, { cpuNs }]) => [tid, cpuNs / 1e9]))
          : null,
        processSeconds: Object.fromEntries(
          members.slice(0, MAX_PROCESSES).map((member) => [member.pid, member.cpuSeconds]),
        ),
      };
    },
  };
}

/**
 * @param {(pid: number) => number} read
 * @returns {(pids: number[]) => number} resident memory of these processes together, of which some are read each time
 */
export function residentMemory(read) {
  /** @type {Map<number, number>} */
  let known = new Map();
  let turn = 0;
  return (pids) => {
    const isSmall = pids.length <= MAX_PROCESSES;
    const from = isSmall ? 0 : turn % pids.length;
    const due = isSmall ? pids : [...pids.slice(from), ...pids.slice(0, from)].slice(0, MEMORY_READS);
    turn = from + due.length;
    const isDue = new Set(due);
    known = new Map(
      pids.flatMap((pid) => {
        const bytes = isDue.has(pid) ? read(pid) : known.get(pid);
        return bytes === undefined ? [] : [[pid, bytes]];
      }),
    );
    const sum = sumOf([...known.values()], (bytes) => bytes);
    return known.size === 0 ? 0 : Math.round((sum * pids.length) / known.size);
  };
}

/**
 * What the threads that are alive do not account for: those that began and ended between two readings.
 * @typedef {{cpuSeconds: number, childrenFaults: number, threadNs: number}} Account  of a process; threadNs: of its
 *   living threads
 *
 * @param {Account} before @param {Account} now @returns {boolean}
 */
export function hasUnseenThreads(before, now) {
  const unseen = now.cpuSeconds - before.cpuSeconds - (now.threadNs - before.threadNs) / 1e9;
  return now.childrenFaults > before.childrenFaults || unseen > UNSEEN_CPU_SECONDS;
}

/**
 * @returns {(members: ProcessFacts[], threads: Map<number, Map<number, {cpuNs: number}>>) => Switches | null} takes the
 *   living processes, and the threads of each; null when one has ended since the call before, for nothing tells how
 *   many it had
 */
function countSwitches() {
  /** @type {Map<number, Switches>} */
  let before = new Map();
  /** @type {Map<number, Account>} */
  let accounts = new Map();
  const total = { voluntary: 0, involuntary: 0 };
  return (members, threads) => {
    /** @type {Map<number, Switches>} */
    const now = new Map();
    /** @type {Map<number, Account>} */
    const accountsNow = new Map();
    for (const { pid, cpuSeconds, childrenFaults } of members) {
      let threadNs = 0;
      for (const [tid, { cpuNs }] of threads.get(pid) ?? []) {
        const found = threadSwitches(pid, tid);
        if (found !== null) now.set(tid, found);
        threadNs += cpuNs;
      }
      accountsNow.set(pid, { cpuSeconds, childrenFaults, threadNs });
    }
    for (const [tid, { voluntary, involuntary }] of now) {
      total.voluntary += voluntary - (before.get(tid)?.voluntary ?? 0);
      total.involuntary += involuntary - (before.get(tid)?.involuntary ?? 0);
    }
    const hasEnded = [...before.keys()].some((tid) => !now.has(tid));
    const unseen = [...accountsNow].some(([pid, account]) => {
      const earlier = accounts.get(pid);
      return earlier !== undefined && hasUnseenThreads(earlier, account);
    });
    [before, accounts] = [now, accountsNow];
    return hasEnded || unseen || now.size === 0 ? null : { ...total };
  };
}

/**
 * Watches a server that is already running.
 * @param {number} pid
 * @param {CpuClock} [cpuClock]
 * @returns {{usage: () => Usage | null}}
 */
export function watchPid(pid, cpuClock) {
  return watchTree(pid, { cpuClock });
}

/**
 * @template T
 * @param {T[]} list
 * @param {(each: T) => number} value
 */
function sumOf(list, value) {
  return list.reduce((sum, each) => sum + value(each), 0);
}
