// Reads processes and their descendants from /proc. Reads one small file per process and none per thread, so a server
// with 10,000 threads costs no more than one with a single thread.

import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { constants } from 'node:os';

/** USER_HZ, the unit of the times in /proc/<pid>/stat; 100 on all architectures that Linux still supports. */
const TICKS_PER_SECOND = 100;

/**
 * @typedef {object} ProcessFacts
 * @property {number} pid
 * @property {string} state R, S, D, Z, ...: see proc_pid_stat(5)
 * @property {number} parent
 * @property {number} session
 * @property {number} cpuSeconds of all its threads, including ended ones
 * @property {number} childrenCpuSeconds of ended children that it has waited for, including their children
 * @property {number} childrenFaults page faults of the same children; even a short-lived process has page faults
 * @property {number} threads 0 for a zombie
 * @property {string} started in clock ticks since boot; together with the pid it identifies a process
 */

/**
 * @param {number} pid
 * @returns {ProcessFacts | null} null: it has ended
 */
export function readProcess(pid) {
  const text = readText(`/proc/${pid}/stat`);
  return text === null ? null : parseStat(pid, text);
}

/**
 * @param {number} pid
 * @param {number | string} tid
 * @returns {string | null} the state of the thread; null: it has ended
 */
export function readThreadState(pid, tid) {
  const text = readText(`/proc/${pid}/task/${tid}/stat`);
  return text === null ? null : parseStat(pid, text).state;
}

/** @param {number} pid @param {string} text of a stat file @returns {ProcessFacts} */
function parseStat(pid, text) {
  // starts after the last bracket, because the name before it may contain blanks and brackets; fields[0] is field 3
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return {
    pid,
    state: fields[0],
    parent: Number(fields[1]),
    session: Number(fields[3]),
    cpuSeconds: (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND,
    childrenCpuSeconds: (Number(fields[13]) + Number(fields[14])) / TICKS_PER_SECOND,
    childrenFaults: Number(fields[8]) + Number(fields[10]),
    threads: fields[0] === 'Z' ? 0 : Number(fields[17]),
    started: fields[19],
  };
}

/** @returns {ProcessFacts[]} every process of the machine */
export function readAll() {
  return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (readProcess(Number(name)) ?? []) : []));
}

/**
 * @param {number} root
 * @returns {ProcessFacts[]} root, if it exists, and all its descendants
 */
export function readTree(root) {
  /** @type {Map<number, ProcessFacts[]>} */
  const byParent = new Map();
  for (const facts of readAll()) {
    const siblings = byParent.get(facts.parent);
    if (siblings) siblings.push(facts);
    else byParent.set(facts.parent, [facts]);
  }
  const top = readProcess(root);
  const tree = top === null ? [] : [top];
  for (let i = 0; i < tree.length; i++) tree.push(...(byParent.get(tree[i].pid) ?? []));
  return tree;
}

/**
 * @param {string} status content of /proc/<pid>/status
 * @returns {{residentBytes: number, ignoresChildren: boolean}} residentBytes: 0: the process has ended;
 *   ignoresChildren: it ignores SIGCHLD, so the kernel adds the CPU time of its ended children to no process
 */
export function parseStatus(status) {
  const [, kib = 0] = /^VmRSS:\s+(\d+) kB$/m.exec(status) ?? [];
  const [, ignored = '0'] = /^SigIgn:\s+([0-9a-f]+)$/m.exec(status) ?? [];
  const ignoresChildren = ((BigInt(`0x${ignored}`) >> BigInt(constants.signals.SIGCHLD - 1)) & 1n) === 1n;
  return { residentBytes: Number(kib) * 1024, ignoresChildren };
}

/** @param {number} pid @returns {ReturnType<typeof parseStatus>} */
export const readStatus = (pid) => parseStatus(readText(`/proc/${pid}/status`) ?? '');

/** @param {number} pid @returns {number} resident memory; 0: it has ended */
export const residentBytes = (pid) => readStatus(pid).residentBytes;

/**
 * @param {number} pid of this process
 * @returns {boolean} false: /proc belongs to another PID namespace, and its ids are those of other processes
 */
export function isOwnProc(pid) {
  try {
    return readlinkSync('/proc/self') === String(pid);
  } catch {
    return false;
  }
}

/**
 * @param {number} pid
 * @returns {Map<number, {cpuNs: number, waitNs: number}>} by thread id: time on a core, and time runnable without one
 */
export function threadTimes(pid) {
  const times = new Map();
  for (const name of readNames(`/proc/${pid}/task`)) {
    const text = readText(`/proc/${pid}/task/${name}/schedstat`);
    if (text === null) continue;
    const [cpuNs, waitNs] = text.split(' ').map(Number);
    times.set(Number(name), { cpuNs, waitNs });
  }
  return times;
}

/**
 * @param {string} status content of /proc/<pid>/task/<tid>/status
 * @returns {{voluntary: number, involuntary: number} | null} since the thread's start; null: the kernel keeps none
 */
export function parseSwitches(status) {
  const countOf = (/** @type {string} */ name) =>
    new RegExp(`^${name}_ctxt_switches:\\s+(\\d+)$`, 'm').exec(status)?.[1];
  const [voluntary, involuntary] = [countOf('voluntary'), countOf('nonvoluntary')];
  if (voluntary === undefined || involuntary === undefined) return null;
  return { voluntary: Number(voluntary), involuntary: Number(involuntary) };
}

/**
 * @param {number} pid
 * @param {number} tid
 * @returns {{voluntary: number, involuntary: number} | null} null: the thread has ended, or the kernel keeps none
 */
export const threadSwitches = (pid, tid) => parseSwitches(readText(`/proc/${pid}/task/${tid}/status`) ?? '');

/** @param {string} path @returns {string | null} null: it cannot be read */
function readText(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

/** @param {string} folder @returns {string[]} empty: it cannot be read */
function readNames(folder) {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
