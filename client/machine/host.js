// Reads the limits of this machine that a plan depends on, from /proc and /sys. A value that cannot be read is null.

import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { availableParallelism, endianness, freemem, tmpdir, totalmem } from 'node:os';
import { dirname } from 'node:path';
import { canOwnDescriptors } from '../engine/index.js';
import { readTransports } from '../transports/facts.js';
import { cpuQuota, groupRoom } from './control-group.js';
import { readTopology } from './cpu-topology.js';
import { parseCpus } from '../measure/cpu-list.js';
import { limitsOf, numbers, read, readNumber } from './kernel-files.js';
import { addressTowards, ownAddresses, ownFamilies } from './own-addresses.js';
import { familyOf, MAX_PATH_BYTES } from '../words/endpoint.js';
import { isReused, takenPorts } from './taken-ports.js';

/**
 * @import { Endpoint } from '../../config/types.js'
 * @import { Host as TransportHost } from '../transports/index.js'
 * @import { CpuThread } from './cpu-topology.js'
 * @import { OwnAddress } from './own-addresses.js'
 */

/**
 * @typedef {Machine & TransportHost} Host
 *
 * @typedef {object} Machine
 * @property {number} cores                     usable by this process; with a CPU quota the quota, such as 1.5
 * @property {number | null} cpuQuota          of its control groups, in cores; null: they have none
 * @property {number} pageBytes               of a memory page
 * @property {number[]} cpus                    on which this process may run
 * @property {CpuThread[]} topology  of these CPUs
 * @property {number} memoryBytes               of the machine, or of the control group if that has less
 * @property {number} memoryAvailableBytes      without paging anything out
 * @property {number} descriptors               hard limit of open descriptors of one process
 * @property {boolean} ownDescriptors           whether each thread may have that many
 * @property {Raiser} raisedBy                 who can raise the hard limit of descriptors
 * @property {number | null} descriptorsMost    to which root may raise the hard limit (fs.nr_open)
 * @property {number | null} openFiles          of the whole system
 * @property {number} openFilesUsed
 * @property {number} ports                     local ports of one source address towards one target
 * @property {{from: number, to: number}} portRange
 * @property {number} portsTaken                ports of all addresses that are taken towards the target
 * @property {OwnAddress[]} addresses  of this machine
 * @property {string[]} loopbacks            addresses on loopback; empty: that interface is down
 * @property {boolean} hasIpv6                whether an interface that is up has an IPv6 address, link-local or other
 * @property {string | null} towards            source address towards the target; null: no target, or no route to it
 * @property {{reuse: number, most: number}} timeWait  net.ipv4.tcp_tw_reuse, tcp_max_tw_buckets
 * @property {number | null} threads            limit of threads and processes, the smallest of all limits
 * @property {number | null} threadsFree        threads and processes that may still be started
 * @property {number} tasks                     threads and processes of the machine now
 * @property {number | null} mappings           memory mappings of one process (vm.max_map_count)
 * @property {number | null} orphans            TCP connections that may be closing without a process (tcp_max_orphans)
 * @property {number | null} somaxconn          longest accept queue
 * @property {number | null} tcpMemoryBytes     above this the kernel is under TCP memory pressure
 * @property {number | null} tcpMemoryMaxBytes  above this the kernel drops packets
 * @property {{most: number, used: number, timeWaitSeconds: number} | null} conntrack  connections that the firewall can
 *   track; null: the kernel has no such table
 * @property {SocketFolder} socketFolder  where the sockets of servers are made
 * @property {number | null} diskFreeBytes      of the file system of the logs folder
 * @property {ServerMachine} [server]           on which the servers are started; absent: this one
 * @property {LoadHost[]} [hosts]               whose combined limits these are; absent: this is one machine
 *
 * @typedef {'root' | 'container' | 'service' | 'login'} Raiser  root: this process; otherwise whoever starts its
 *   container, its service of systemd, or its login session
 * @typedef {{name: string, title: string, host: Host}} NamedHost  title: how messages name it
 * @typedef {NamedHost & {clockErrorNs?: number}} LoadHost  a host that sends a share of the load; clockErrorNs: largest
 *   error of the controller's estimate of the host's clock; absent: the host is the controller
 * @typedef {NamedHost & {address: string}} ServerMachine  address: on which its servers listen
 */

/** The capability to raise a hard limit. */
const CAP_SYS_RESOURCE = 24n;
/** Docker and Podman put these files into their containers. */
const CONTAINER_MARKS = ['/.dockerenv', '/run/.containerenv'];
/** Used if the kernel lacks the settings tcp_tw_reuse and tcp_max_tw_buckets: the default, and a small value. */
const TIME_WAIT = { reuse: 0, most: 4096 };
/** Seconds for which a firewall remembers a closed connection, if its setting cannot be read. */
const CONNTRACK_TIME_WAIT_SECONDS = 120;

/**
 * How many ports of the range a connect may pick.
 * @param {{from: number, to: number}} range
 * @param {string | null} reserved content of ip_local_reserved_ports, such as `8080,9148-9150`
 */
export function countPorts({ from, to }, reserved) {
  const taken = (reserved ?? '')
    .trim()
    .split(',')
    .filter((part) => part !== '')
    .reduce((count, part) => {
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
 * @param {string | null} status content of /proc/self/status
 * @param {string | null} groups content of /proc/self/cgroup
 * @param {string[]} [marks] files that only a container has
 * @returns {Raiser}
 */
export function raiserOf(status, groups, marks = CONTAINER_MARKS) {
  const capabilities = BigInt(`0x${/^CapEff:\s*([0-9a-f]+)$/m.exec(status ?? '')?.[1] ?? '0'}`);
  if ((capabilities >> CAP_SYS_RESOURCE) & 1n) return 'root';
  if (marks.some((path) => existsSync(path))) return 'container';
  return /\/system\.slice\/.*\.service$/m.test(groups ?? '') ? 'service' : 'login';
}

/**
 * The smallest limit of threads of this machine, user and control group, and how many may still be started.
 * @param {string | null} limits content of /proc/self/limits
 * @param {number} tasks
 */
async function countThreads(limits, tasks) {
  const [pids, threads, group] = await Promise.all([
    readNumber('/proc/sys/kernel/pid_max'),
    readNumber('/proc/sys/kernel/threads-max'),
    groupRoom('pids'),
  ]);
  const machine = Math.min(pids ?? Infinity, threads ?? Infinity);
  // ulimit -u does not apply to root; it counts the user's tasks, whose number is unknown, so all of it counts as free
  const user = process.geteuid?.() === 0 ? Infinity : limitsOf(limits, 'Max processes').soft;
  const limit = Math.min(machine, user, group.limit);
  const free = Math.min(machine - tasks, user, group.free);
  if (!Number.isFinite(limit)) return { threads: null, threadsFree: null };
  return { threads: limit, threadsFree: Math.max(0, free) };
}

async function readConntrack() {
  const [max, used, seconds] = await Promise.all(
    ['max', 'count', 'tcp_timeout_time_wait'].map((name) => readNumber(`/proc/sys/net/netfilter/nf_conntrack_${name}`)),
  );
  return max === null ? null : { most: max, used: used ?? 0, timeWaitSeconds: seconds ?? CONNTRACK_TIME_WAIT_SECONDS };
}

async function readTimeWait() {
  const [reuse, maxBuckets] = await Promise.all(
    ['tcp_tw_reuse', 'tcp_max_tw_buckets'].map((name) => readNumber(`/proc/sys/net/ipv4/${name}`)),
  );
  return { reuse: reuse ?? TIME_WAIT.reuse, most: maxBuckets ?? TIME_WAIT.most };
}

/** @returns {Promise<{memoryBytes: number, memoryAvailableBytes: number}>} */
async function readMemory() {
  const [meminfo, group] = await Promise.all([read('/proc/meminfo'), groupRoom('memory')]);
  const available = /MemAvailable:\s+([0-9]+) kB/.exec(meminfo ?? '')?.[1];
  const free = available === undefined ? freemem() : Number(available) * 1024;
  return { memoryBytes: Math.min(totalmem(), group.limit), memoryAvailableBytes: Math.min(free, group.free) };
}

/**
 * @param {string} folder may not exist yet
 * @returns {Promise<number | null>}
 */
async function freeDisk(folder) {
  for (let place = folder; ; place = dirname(place)) {
    const stats = await statfs(place).catch(() => null);
    if (stats !== null) return stats.bavail * stats.bsize;
    if (place === dirname(place)) return null;
  }
}

/**
 * @param {{logs: string, target?: Endpoint}} options  logs: the folder of the runs; target: absent: the servers are
 *   started on this machine
 * @returns {Promise<Host>}
 */
export async function readHost({ logs, target: requested }) {
  // a unix socket has no ports
  const target = requested === undefined || familyOf(requested.host) === 'unix' ? undefined : requested;
  const [status, limits, range, reserved, tcpMemory, loadavg, openFilesNow] = await Promise.all(
    [
      'self/status',
      'self/limits',
      'sys/net/ipv4/ip_local_port_range',
      'sys/net/ipv4/ip_local_reserved_ports',
      'sys/net/ipv4/tcp_mem',
      'loadavg',
      'sys/fs/file-nr',
    ].map((name) => read(`/proc/${name}`)),
  );
  const [descriptorsMost, openFiles, somaxconn, mappings, orphans] = await Promise.all(
    ['fs/nr_open', 'fs/file-max', 'net/core/somaxconn', 'vm/max_map_count', 'net/ipv4/tcp_max_orphans'].map((name) =>
      readNumber(`/proc/sys/${name}`),
    ),
  );
  const [from = 32768, to = 60999] = numbers(range);
  const [, pressure, max] = numbers(tcpMemory);
  const tasks = Number(/\/([0-9]+)/.exec(loadavg ?? '')?.[1] ?? 0);
  const [memory, threads, timeWait, conntrack, diskFreeBytes, towards] = await Promise.all([
    readMemory(),
    countThreads(limits, tasks),
    readTimeWait(),
    readConntrack(),
    freeDisk(logs),
    target === undefined ? null : addressTowards(target),
  ]);
  const page = pageBytes();
  const cpus = allowedCpus(status);
  const quota = await cpuQuota();
  return {
    cores: Math.min(cpus.length, quota ?? Infinity),
    cpuQuota: quota,
    pageBytes: page,
    cpus,
    topology: await readTopology(cpus),
    ...readTransports(),
    ...memory,
    descriptors: Math.min(limitsOf(limits, 'Max open files').hard, descriptorsMost ?? Infinity, 2 ** 30),
    ownDescriptors: canOwnDescriptors(),
    raisedBy: raiserOf(status, await read('/proc/self/cgroup')),
    descriptorsMost,
    openFiles: openFiles === null ? null : Math.min(openFiles, Number.MAX_SAFE_INTEGER),
    openFilesUsed: numbers(openFilesNow)[0] ?? 0,
    ports: countPorts({ from, to }, reserved),
    portRange: { from, to },
    portsTaken: target === undefined ? 0 : await takenPorts(target, isReused(target.host, timeWait)),
    socketFolder: readSocketFolder(),
    addresses: ownAddresses(),
    ...ownFamilies(),
    towards,
    timeWait,
    ...threads,
    tasks,
    mappings,
    somaxconn,
    orphans,
    tcpMemoryBytes: pressure === undefined ? null : pressure * page,
    tcpMemoryMaxBytes: max === undefined ? null : max * page,
    conntrack,
    diskFreeBytes,
  };
}

/** Type of the page size in the auxiliary vector (getauxval(3)), which has pairs of 64-bit words: type and value. */
const AT_PAGESZ = 6n;
const USUAL_PAGE_BYTES = 4096;

/**
 * @param {Buffer} vector content of /proc/self/auxv
 * @param {'LE' | 'BE'} [order]
 * @returns {number} bytes; 4096 if the vector does not tell
 */
export function parsePageBytes(vector, order = endianness()) {
  const word = (/** @type {number} */ at) => (order === 'LE' ? vector.readBigUInt64LE(at) : vector.readBigUInt64BE(at));
  for (let at = 0; at + 16 <= vector.length; at += 16) {
    if (word(at) === AT_PAGESZ) return Number(word(at + 8));
  }
  return USUAL_PAGE_BYTES;
}

/** @returns {number} bytes of a page on this machine, in which the kernel counts TCP memory */
export function pageBytes() {
  try {
    return parsePageBytes(readFileSync('/proc/self/auxv'));
  } catch {
    return USUAL_PAGE_BYTES;
  }
}

/** The launcher makes the socket in the temporary folder. */
const MAX_FOLDER_BYTES = MAX_PATH_BYTES - '/broadside-XXXXXX/server.sock'.length;

/**
 * @typedef {object} SocketFolder
 * @property {string} folder
 * @property {number} bytes     of its path
 * @property {number} maxBytes
 * @property {'too-long' | 'missing' | 'closed' | null} problem  null: a socket can be made in it
 * @property {string | null} errorCode  of the system; null: there is none
 */

/**
 * Checks whether the temporary folder can hold the unix socket of a server that is started on this machine.
 * @param {string} [folder]
 * @returns {SocketFolder}
 */
export function readSocketFolder(folder = tmpdir()) {
  const bytes = Buffer.byteLength(folder);
  const facts = { folder, bytes, maxBytes: MAX_FOLDER_BYTES };
  if (bytes > MAX_FOLDER_BYTES) return { ...facts, problem: 'too-long', errorCode: null };
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return { ...facts, problem: null, errorCode: null };
  } catch (error) {
    const { code = null } = /** @type {NodeJS.ErrnoException} */ (error);
    return { ...facts, problem: code === 'ENOENT' ? 'missing' : 'closed', errorCode: code };
  }
}
