// What this machine allows: the limits a plan depends on. Reads /proc and /sys; what cannot be read is null.

import { readFile, statfs } from 'node:fs/promises';
import { availableParallelism, freemem, totalmem } from 'node:os';
import { dirname } from 'node:path';
import { backends } from '../engine/index.js';
import { parseCpus } from './cpus.js';

/**
 * @typedef {object} Host
 * @property {number} cores                     usable by this process
 * @property {number[]} cpus                   those this process may run on
 * @property {import('./backend.js').Backend[]} backends  of io, in this build and kernel
 * @property {number} memoryBytes
 * @property {number} memoryAvailableBytes
 * @property {number} descriptors               hard limit of open descriptors of one process
 * @property {number | null} openFiles          of the whole system
 * @property {number} ports                     local ports of one source address towards one target
 * @property {{from: number, to: number}} portRange
 * @property {number | null} threads            most threads or processes, the smallest of the limits that hold here
 * @property {number | null} somaxconn          longest accept queue
 * @property {number | null} tcpMemoryBytes     above it the kernel is under TCP memory pressure
 * @property {number | null} tcpMemoryMaxBytes  above it it drops
 * @property {number | null} diskFreeBytes      of the file system of the logs folder
 */

const PAGE_BYTES = 4096;

/**
 * @param {string} path
 * @returns {Promise<string | null>}
 */
async function read(path) {
  return readFile(path, 'utf8').catch(() => null);
}

/**
 * @param {string | null} text
 * @returns {number[]} the whole numbers at its start
 */
function numbers(text) {
  return (text ?? '').trim().split(/\s+/).map(Number).filter((value) => Number.isFinite(value));
}

/**
 * @param {string} path
 * @returns {Promise<number | null>}
 */
async function readNumber(path) {
  const text = await read(path);
  return text === null || text.trim() === '' ? null : numbers(text)[0] ?? null;
}

/**
 * @param {string | null} limits content of /proc/self/limits
 * @param {string} name
 * @returns {number} the hard limit; Infinity when unlimited or unknown
 */
export function hardLimit(limits, name) {
  const line = (limits ?? '').split('\n').find((row) => row.startsWith(name));
  const hard = line?.slice(name.length).trim().split(/\s+/)[1];
  return hard === undefined || hard === 'unlimited' ? Infinity : Number(hard);
}

/**
 * How many ports of the range a connect may pick.
 * @param {{from: number, to: number}} range
 * @param {string | null} reserved content of ip_local_reserved_ports, such as `8080,9148-9150`
 */
export function countPorts({ from, to }, reserved) {
  const taken = (reserved ?? '').trim().split(',').filter((part) => part !== '').reduce((count, part) => {
    const [first = NaN, last = first] = part.split('-').map(Number);
    return count + Math.max(0, Math.min(last, to) - Math.max(first, from) + 1);
  }, 0);
  return to - from + 1 - taken;
}

/**
 * @param {string | null} status content of /proc/self/status
 * @returns {number[]}
 */
export function allowedCpus(status) {
  const list = /^Cpus_allowed_list:\s*(\S+)$/m.exec(status ?? '')?.[1];
  return parseCpus(list ?? '') ?? Array.from({ length: availableParallelism() }, (_, cpu) => cpu);
}

/**
 * The most threads of this user and control group.
 * @param {string | null} limits
 */
async function mostThreads(limits) {
  const group = /^0::(.*)$/m.exec(await read('/proc/self/cgroup') ?? '')?.[1] ?? '/';
  const values = await Promise.all(['/proc/sys/kernel/pid_max', '/proc/sys/kernel/threads-max',
    `/sys/fs/cgroup${group}/pids.max`, '/sys/fs/cgroup/pids.max', '/sys/fs/cgroup/pids/pids.max'].map(readNumber));
  const least = Math.min(hardLimit(limits, 'Max processes'), ...values.map((value) => value ?? Infinity));
  return Number.isFinite(least) ? least : null;
}

/**
 * @param {string} folder may not exist yet
 * @returns {Promise<number | null>}
 */
async function freeDisk(folder) {
  for (let place = folder; ; place = dirname(place)) {
    const found = await statfs(place).catch(() => null);
    if (found !== null) return found.bavail * found.bsize;
    if (place === dirname(place)) return null;
  }
}

/**
 * @param {{logs: string}} options `logs`: the folder runs are written to
 * @returns {Promise<Host>}
 */
export async function readHost({ logs }) {
  const [status, limits, range, reserved, tcpMemory, meminfo, openFiles, somaxconn, diskFreeBytes] = await Promise.all([
    read('/proc/self/status'), read('/proc/self/limits'), read('/proc/sys/net/ipv4/ip_local_port_range'),
    read('/proc/sys/net/ipv4/ip_local_reserved_ports'), read('/proc/sys/net/ipv4/tcp_mem'), read('/proc/meminfo'),
    readNumber('/proc/sys/fs/file-max'), readNumber('/proc/sys/net/core/somaxconn'), freeDisk(logs),
  ]);
  const [from = 32768, to = 60999] = numbers(range);
  const [, pressure, most] = numbers(tcpMemory);
  const available = /MemAvailable:\s+([0-9]+) kB/.exec(meminfo ?? '')?.[1];
  return {
    cores: availableParallelism(),
    cpus: allowedCpus(status),
    backends: backends(),
    memoryBytes: totalmem(),
    memoryAvailableBytes: available === undefined ? freemem() : Number(available) * 1024,
    descriptors: Math.min(hardLimit(limits, 'Max open files'), 2 ** 30),
    openFiles: openFiles === null ? null : Math.min(openFiles, Number.MAX_SAFE_INTEGER),
    ports: countPorts({ from, to }, reserved),
    portRange: { from, to },
    threads: await mostThreads(limits),
    somaxconn,
    tcpMemoryBytes: pressure === undefined ? null : pressure * PAGE_BYTES,
    tcpMemoryMaxBytes: most === undefined ? null : most * PAGE_BYTES,
    diskFreeBytes,
  };
}
