// Reads CPU, memory, threads and processes of a server and everything it has started, as cumulative readings. The CPU
// time of an ended process is included, because the process that waited for it (the server, or in the end the guard)
// carries it. It is not known if a process ignores SIGCHLD, since then no process waits for its children.

import { isOwnProc, readProcess, readStatus, threadSwitches, threadTimes } from './process-tree.js';
import { TreeWatch } from './tree-watch.js';

/** @import { ProcessFacts } from './process-tree.js' */

/** With more threads than this, single threads are not read: 10,000 small files a second would cost too much. */
const MAX_THREADS = 64;
/** With more processes, only the oldest are listed one by one, and the memory of only some is read each time. */
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
 * @property {number} rssBytes now, summed over processes: shared pages are counted once per process. With more than 64
 *   processes only some are read each time; a process that was not read yet counts as the mean of the others
 * @property {number} threads now
 * @property {number} processes now
 * @property {Record<string, number> | null} threadSeconds CPU seconds since the start, by thread; null as above
 * @property {Switches | null} contextSwitches since the start, of all threads; null as cpuSeconds and waitSeconds, and
 *   if a thread has ended since the previous reading, since its switches are not known
 * @property {Record<string, number>} processSeconds CPU seconds since the start of the 64 oldest living processes, each
 *   with its ended threads
 */

/**
 * @typedef {(pid: number) => number | null} CpuClock  the CPU time of a process in ns; null: it has ended. Without a
 *   CpuClock, times are in steps of 10 ms; times of ended children always are
 */

/** @param {CpuClock} cpuClock @returns {(pid: number) => ProcessFacts | null} */
const readerWithClock = (cpuClock) => (pid) => {
  const facts = readProcess(pid);
  const ns = facts === null ? null : cpuClock(pid);
  return facts === null || ns === null ? facts : { ...facts, cpuSeconds: ns / 1e9 };
};

/**
 * @param {number} root pid
 * @param {{countRoot?: boolean, cpuClock?: CpuClock, ownPid?: number, statusOf?: typeof readStatus}} [options]
 *   countRoot: false when root is the guard and not part of the server; ownPid: of this process
 * @returns {{usage: () => Usage | null, last: () => ProcessFacts[]}} usage: null: no process of the server can be read;
 *   last: the processes of the last reading
 */
export function watchTree(root, { countRoot = true, cpuClock, ownPid = process.pid, statusOf = readStatus } = {}) {
  /** @type {ProcessFacts[]} */
  let tree = [];
  let cpuSeconds = 0;
  let waitSeconds = 0;
  /** @type {Map<number, number>} */
  let waitedNs = new Map();
  const switches = countSwitches();
  const watch = new TreeWatch(root, cpuClock && { read: readerWithClock(cpuClock) });
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
      const members = tree.filter((facts) => facts.threads > 0 && isServer(facts));
      if (members.length === 0) return null;
      const rssBytes = memory(members.map(({ pid }) => pid));
      const threads = sumOf(members, (facts) => facts.threads);
      const readsThreads = threads <= MAX_THREADS;
      const threadsOf = new Map(readsThreads ? members.map(({ pid }) => [pid, threadTimes(pid)]) : []);
      cpuSeconds = Math.max(
        cpuSeconds,
        sumOf(tree, (facts) => (isServer(facts) ? facts.cpuSeconds : 0) + facts.childrenCpuSeconds) +
          (readsThreads ? 0 : watch.unreadSeconds()),
      );
      const times = new Map([...threadsOf.values()].flatMap((threadsOfProcess) => [...threadsOfProcess]));
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
 * @returns {(pids: number[]) => number} total resident memory; of many processes only some are read each time
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
 * Whether threads began and ended between two readings: the living threads do not account for all CPU time.
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
 *   living processes, and the threads of each; null: a thread has ended since the previous call, and its switches are
 *   not known
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
        const threadTotal = threadSwitches(pid, tid);
        if (threadTotal !== null) now.set(tid, threadTotal);
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
 * @param {(item: T) => number} valueOf
 */
function sumOf(list, valueOf) {
  return list.reduce((sum, item) => sum + valueOf(item), 0);
}
