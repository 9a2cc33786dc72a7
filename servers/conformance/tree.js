// Reads figures of a running server from /proc: of the process that was started and all its descendants. Every figure
// is the sum over that tree, so it means the same for every model.

import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { readAll, readProcess, readThreadState, residentBytes, threadTimes } from '../launcher/process/process-tree.js';
import { until } from './wait.js';

const CPU_WINDOW_MS = 500;
/** States of threads that do not run: asleep, zombie, dead, idle. */
const SLEEPING = new Set(['S', 'Z', 'X', 'I']);

/** @typedef {{pid: number}} Root */

/**
 * Lists the processes of a server. It is called often, and reads only their threads and children, not all processes.
 * @param {Root} server
 * @returns {number[]} pids of the tree, including zombies
 */
export function processesOf({ pid }) {
  const children = namesIn(pid, 'task').flatMap((tid) => childrenOf(pid, tid));
  return [pid, ...children.flatMap((child) => processesOf({ pid: child }))];
}

/**
 * @param {Root} server that leads its own session
 * @returns {number[]} the live processes of its session or tree, including those whose parent has ended
 */
export function remainingProcesses({ pid }) {
  const members = new Set([pid]);
  const processes = readAll();
  for (let size = 0; size !== members.size;) {
    size = members.size;
    for (const facts of processes) if (facts.session === pid || members.has(facts.parent)) members.add(facts.pid);
  }
  return [...members].filter(isAlive);
}

/** @param {Root} server */
export const threadsOf = (server) =>
  processesOf(server).reduce((sum, pid) => sum + (readProcess(pid)?.threads ?? 0), 0);

/**
 * Pages of files are left out: a process's share of them changes whenever another program that maps the same library
 * starts or ends.
 * @param {Root} server
 * @returns {number} bytes of memory without pages of files; pages shared between its processes are counted once
 */
export const memoryOf = (server) => processesOf(server).reduce((sum, pid) => sum + memoryOfProcess(pid), 0);

/** @param {number} pid */
function memoryOfProcess(pid) {
  try {
    const matches = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8').matchAll(/^Pss_(?:Anon|Shmem):\s+(\d+) kB/gm);
    return [...matches].reduce((sum, [, kib]) => sum + Number(kib) * 1024, 0);
  } catch {
    return residentBytes(pid); // smaps_rollup is not readable
  }
}

/** @param {Root} server */
export const descriptorsOf = (server) => processesOf(server).reduce((sum, pid) => sum + namesIn(pid, 'fd').length, 0);

/** @param {Root} server */
export const socketsOf = (server) => processesOf(server).reduce((sum, pid) => sum + socketsOfProcess(pid), 0);

/** @param {number} pid @returns {number} sockets that it has opened, without stdio, which may be sockets too */
export function socketsOfProcess(pid) {
  return namesIn(pid, 'fd').filter((fd) => {
    if (Number(fd) <= 2) return false;
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`).startsWith('socket:');
    } catch {
      return false; // closed since it was listed
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
 * @returns {boolean} whether any of its threads is alive, even if the first has ended; false for a zombie
 */
export const isAlive = (pid) => (readProcess(pid)?.threads ?? 0) > 0 || namesIn(pid, 'task').length > 1;

/** @param {number} pid */
export const parentOf = (pid) => readProcess(pid)?.parent;

/** @param {Root} server @returns {boolean} whether none of its threads is running or runnable */
export function isAsleep({ pid }) {
  return namesIn(pid, 'task').every((tid) => {
    const state = readThreadState(pid, tid);
    if (state === null) return true; // it has ended since it was listed
    if (!SLEEPING.has(state)) return false;
    return childrenOf(pid, tid).every((child) => isAsleep({ pid: child }));
  });
}

/**
 * Waits until the server is idle. Call it before counting sockets, because a server may open sockets for itself after
 * it is ready.
 * @param {Root} server
 */
export async function untilIdle(server) {
  let before = '';
  await until(() => {
    const now = isAsleep(server) ? JSON.stringify([socketsOf(server), threadsOf(server)]) : '';
    const isIdle = now !== '' && now === before;
    before = now;
    return isIdle;
  }, 'the server to become idle');
}

/** @param {Root} server @returns {number} CPU time of all its live threads */
export const cpuNsOf = (server) =>
  processesOf(server).reduce(
    (sum, pid) => [...threadTimes(pid).values()].reduce((partialSum, { cpuNs }) => partialSum + cpuNs, sum),
    0,
  );

/**
 * @param {Root} server
 * @returns {Promise<number>} the share of a core that it uses, measured over half a second
 */
export async function cpuShareOf(server) {
  const cpuBefore = cpuNsOf(server);
  const wallBefore = process.hrtime.bigint();
  await wait(CPU_WINDOW_MS); // the measurement is over a period of time
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

/** @param {number} pid @param {string} tid of a thread @returns {number[]} child processes of the thread */
function childrenOf(pid, tid) {
  try {
    return readFileSync(`/proc/${pid}/task/${tid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  } catch {
    return []; // it has ended
  }
}
