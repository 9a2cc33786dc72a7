// What /proc says about a running server: the process that was started and all that descend from it. The one thing to
// know: every figure is the sum over that tree, so it means the same for every model.

import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { readAll, readProcess, residentBytes, threadTimes } from '../launcher/process/process-tree.js';
import { until } from './wait.js';

const CPU_WINDOW_MS = 500;

/** @typedef {{pid: number}} Root */

/**
 * Looks at threads and their children only, not at every process of the machine: it is asked often.
 * @param {Root} server
 * @returns {number[]} pids of the tree, those that have ended and were not waited for included
 */
export function processesOf({ pid }) {
  const children = namesIn(pid, 'task').flatMap((tid) => childrenOf(pid, tid));
  return [pid, ...children.flatMap((each) => processesOf({ pid: each }))];
}

/**
 * @param {Root} server that started a session of its own
 * @returns {number[]} who is alive of its session or tree, also where its parent has ended
 */
export function leftOf({ pid }) {
  const inside = new Set([pid]);
  const all = readAll();
  for (let size = 0; size !== inside.size;) {
    size = inside.size;
    for (const each of all) if (each.session === pid || inside.has(each.parent)) inside.add(each.pid);
  }
  return [...inside].filter(lives);
}

/** @param {Root} server */
export const threadsOf = (server) =>
  processesOf(server).reduce((sum, pid) => sum + (readProcess(pid)?.threads ?? 0), 0);

/** @param {Root} server @returns {number} bytes; what processes share is counted once */
export const memoryOf = (server) => processesOf(server).reduce((sum, pid) => sum + ownBytes(pid), 0);

/** @param {number} pid */
function ownBytes(pid) {
  try {
    return Number(/^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0) * 1024;
  } catch {
    return residentBytes(pid); // it is not to be looked into
  }
}

/** @param {Root} server */
export const descriptorsOf = (server) => processesOf(server).reduce((sum, pid) => sum + namesIn(pid, 'fd').length, 0);

/** @param {Root} server */
export const socketsOf = (server) => processesOf(server).reduce((sum, pid) => sum + socketsOfProcess(pid), 0);

/** @param {number} pid @returns {number} sockets that it has opened; what it was started with may be sockets too */
export function socketsOfProcess(pid) {
  return namesIn(pid, 'fd').filter((fd) => {
    if (Number(fd) <= 2) return false;
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`).startsWith('socket:');
    } catch {
      return false; // closed between the two looks
    }
  }).length;
}

/** @param {number} pid @returns {number} the lowest number that its next descriptor can have */
export function lowestFree(pid) {
  const used = new Set(namesIn(pid, 'fd').map(Number));
  let fd = 0;
  while (used.has(fd)) fd++;
  return fd;
}

/**
 * Sets the soft limit of descriptors of one running process.
 * @param {number} pid
 * @param {number} limit
 */
export function limitDescriptors(pid, limit) {
  const { status, stderr } = spawnSync('prlimit', ['--pid', String(pid), `--nofile=${limit}:`], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`prlimit --pid ${pid} --nofile=${limit}: failed: ${stderr}`);
}

/** @param {number} pid @returns {number} soft */
export const descriptorLimitOf = (pid) =>
  Number(/^Max open files\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/limits`, 'utf8'))?.[1]);

/**
 * @param {number} pid
 * @returns {boolean} whether any thread of it runs, also one that outlives the first; what has ended and was not waited
 *   for does not
 */
export const lives = (pid) => (readProcess(pid)?.threads ?? 0) > 0 || namesIn(pid, 'task').length > 1;

/** @param {number} pid */
export const parentOf = (pid) => readProcess(pid)?.parent;

/** @param {Root} server @returns {boolean} true when none of its threads runs or is ready to */
export function isAsleep({ pid }) {
  return namesIn(pid, 'task').every((tid) => {
    try {
      const stat = readFileSync(`/proc/${pid}/task/${tid}/stat`, 'utf8');
      if (!/^[SZXI]/.test(stat.slice(stat.lastIndexOf(')') + 2))) return false;
    } catch {
      return true; // it has ended between the two looks
    }
    return childrenOf(pid, tid).every((each) => isAsleep({ pid: each }));
  });
}

/**
 * A server may say that it is ready and then open what it needs for itself; so this comes before counting.
 * @param {Root} server
 */
export async function untilAtRest(server) {
  let before = '';
  await until(() => {
    const now = isAsleep(server) ? JSON.stringify([socketsOf(server), threadsOf(server)]) : '';
    const rests = now !== '' && now === before;
    before = now;
    return rests;
  }, 'the server rests');
}

/** @param {Root} server @returns {number} of all its threads that are alive, to the nanosecond */
export const cpuNsOf = (server) =>
  processesOf(server).reduce(
    (sum, pid) => [...threadTimes(pid).values()].reduce((own, { cpuNs }) => own + cpuNs, sum),
    0,
  );

/**
 * @param {Root} server
 * @returns {Promise<number>} the share of a core that it takes, over half a second
 */
export async function cpuShareOf(server) {
  const cpuBefore = cpuNsOf(server);
  const wallBefore = process.hrtime.bigint();
  await wait(CPU_WINDOW_MS); // what is measured here is a length of time
  return (cpuNsOf(server) - cpuBefore) / Number(process.hrtime.bigint() - wallBefore);
}

/** @param {number} pid @param {'fd' | 'task'} folder */
function namesIn(pid, folder) {
  try {
    return readdirSync(`/proc/${pid}/${folder}`);
  } catch {
    return []; // it has ended
  }
}

/** @param {number} pid @param {string} tid of one of its threads @returns {number[]} processes that it has started */
function childrenOf(pid, tid) {
  try {
    return readFileSync(`/proc/${pid}/task/${tid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  } catch {
    return []; // it has ended
  }
}
