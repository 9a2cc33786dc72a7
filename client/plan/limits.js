// The ceilings a scenario meets on this machine, worked out before anything starts. Pure.

import { EnvironmentError } from '../errors.js';
import { isLocal } from './sources.js';
import { formatCount, formatDuration, formatSize } from '../units.js';

/** @typedef {import('../scenario/scenario.js').Scenario} Scenario */
/** @typedef {import('./host.js').Host} Host */

/** Descriptors of a worker that are not connections: Node's own, files, IPC, epoll. */
export const SPARE_DESCRIPTORS = 500;
/** Bytes of one row of the transfer log: while a leg runs (Arrow), and afterwards (Parquet). */
export const ROW_BYTES = { arrow: 25, parquet: 8.5, none: 0 };
const SERVER_SPARE_DESCRIPTORS = 20;
/** Kernel memory of one idle socket, measured; two of them a connection when the server is on this machine. */
const SOCKET_BYTES = 5 * 1024;
const WORKER_BYTES = 45 * 1024 ** 2;
/** Times a worker holds its payload: once in JavaScript, twice end to end in the engine, to send from any offset. */
const PAYLOAD_COPIES = 3;
/** More than this of a payload is rarely inside the kernel at once: send and receive buffer of both ends. */
const BUFFERED_BYTES_AT_MOST = 4 * 1024 ** 2;
/** For the disk only: a fast server on a fast machine. */
const FAST_TRANSFERS_PER_SECOND = 200_000;
const FAST_BYTES_PER_SECOND = 2e9;

/**
 * Refuses what the client itself cannot do.
 * @param {Scenario} scenario
 * @param {Host} host
 * @param {number} workers
 * @throws {EnvironmentError}
 */
export function limitsOf(scenario, host, workers) {
  const { connections } = scenario;
  const asked = `connections: ${formatCount(connections)}`;
  if (connections > host.ports && !isLocal(scenario)) {
    const { from, to } = host.portRange;
    const raise = to - from + 1 >= 64_000 ? ''
      : ` Up to ${formatCount(64_512)}: sysctl -w net.ipv4.ip_local_port_range="1024 65535".`;
    throw new EnvironmentError(`${asked} to one target are not possible in this version: it connects from one source ` +
      `address, which has ${formatCount(host.ports)} local ports here (net.ipv4.ip_local_port_range ${from} ${to}). ` +
      `Give at most --connections ${host.ports}.${raise}`, { code: 'EPORTS' });
  }
  const each = Math.ceil(connections / workers);
  if (each > host.descriptors - SPARE_DESCRIPTORS) {
    const room = host.descriptors - SPARE_DESCRIPTORS;
    const enough = room > 0 ? `give --workers ${Math.ceil(connections / room)} or auto, or ` : '';
    throw new EnvironmentError(`${asked} in ${workers} workers are ${formatCount(each)} a worker, and a process may have ` +
      `${formatCount(host.descriptors)} descriptors, ${SPARE_DESCRIPTORS} of them for other uses; ${enough}raise the limit ` +
      `(ulimit -Hn ${each + SPARE_DESCRIPTORS})`, { code: 'EDESCRIPTORS' });
  }
  const sockets = connections * (isLocal(scenario) ? 2 : 1);
  if (host.openFiles !== null && sockets > host.openFiles) {
    throw new EnvironmentError(`${asked} need ${formatCount(sockets)} open files, and the system allows ` +
      `${formatCount(host.openFiles)}; raise it: sysctl -w fs.file-max=${sockets * 2}`, { code: 'EFILES' });
  }
  const memory = workers * WORKER_BYTES + sockets * SOCKET_BYTES + scenario.payloadBytes * PAYLOAD_COPIES * workers;
  if (memory > host.memoryBytes) {
    throw new EnvironmentError(`${asked} in ${workers} workers need about ${formatSize(memory)} of memory, and this ` +
      `machine has ${formatSize(host.memoryBytes)}; give fewer connections, fewer workers or a smaller payload`,
    { code: 'EMEMORY' });
  }
}

/**
 * What a server of ours, or one on this machine, will run into.
 * @param {Scenario} scenario
 * @param {Host} host
 * @returns {string[]}
 */
function serverLimits({ connections, ramp, servers, target }, host) {
  if (target !== undefined) return [];
  const warnings = [];
  const room = host.descriptors - SERVER_SPARE_DESCRIPTORS;
  if (connections > room) {
    warnings.push(`A server of one process can hold about ${formatCount(room)} of the ${formatCount(connections)} ` +
      `connections: its limit is ${formatCount(host.descriptors)} descriptors (ulimit -Hn). The rest will be unanswered, ` +
      'rejected or lost, as is its way.');
  }
  if (host.threads !== null && connections > host.threads - 200) {
    warnings.push(`A server with a thread or process for each connection can have less than ${formatCount(host.threads)} ` +
      `of them (kernel.pid_max, threads-max, pids.max, ulimit -u) for ${formatCount(connections)} connections.`);
  }
  for (const { as, options } of servers ?? []) {
    const backlog = Math.min(options.backlog, host.somaxconn ?? Infinity);
    const burst = ramp.spread ? 0 : Math.min(ramp.add, connections);
    if (backlog < burst) {
      const cut = backlog < options.backlog ? ` (cut by net.core.somaxconn from ${formatCount(options.backlog)})` : '';
      warnings.push(`${as}: each step of the ramp adds ${formatCount(burst)} connections at once to a backlog of ` +
        `${formatCount(backlog)}${cut}. What does not fit is tried again by the kernel after 1 s and more: it shows as ` +
        'connect time, or as timeout.');
    }
  }
  return warnings;
}

/**
 * @param {Scenario} scenario
 * @param {Host} host
 * @returns {string[]}
 */
function memoryLimits(scenario, host) {
  const { connections, payloadBytes, workload, heartbeatNs } = scenario;
  if (host.tcpMemoryBytes === null || (workload === 'hold' && heartbeatNs === 0) || !isLocal(scenario)) return [];
  const most = connections * Math.min(payloadBytes, BUFFERED_BYTES_AT_MOST);
  if (most <= host.tcpMemoryBytes) return [];
  return [`Up to ${formatSize(most)} of payload are on the way at once, and the kernel is under TCP memory pressure from ` +
    `${formatSize(host.tcpMemoryBytes)} on (net.ipv4.tcp_mem): expect retransmissions and transfers of many seconds. ` +
    `transferTimeout is ${formatDuration(scenario.transferTimeoutNs)}.`];
}

/**
 * @param {Scenario} scenario
 * @param {Host} host
 * @returns {string[]}
 */
function diskLimits({ transferLog, payloadBytes, durationNs, workload }, host) {
  if (transferLog === 'none' || host.diskFreeBytes === null || workload !== 'continuous') return [];
  const perSecond = Math.min(FAST_TRANSFERS_PER_SECOND, FAST_BYTES_PER_SECOND / payloadBytes);
  const need = perSecond * (ROW_BYTES.arrow + ROW_BYTES.parquet) * (durationNs / 1e9);
  if (need <= host.diskFreeBytes) return [];
  return [`The disk of the logs has ${formatSize(host.diskFreeBytes)} free; at ${formatCount(Math.round(perSecond))} ` +
    `transfers/s the transfer log of one leg takes up to ${formatSize(need)}. When it is full the log ends and the run goes ` +
    'on; --transferLog none writes none.'];
}

/**
 * @param {Scenario} scenario
 * @param {Host} host
 * @param {number} workers
 * @returns {string[]} sentences
 */
export function warningsOf(scenario, host, workers) {
  const warnings = [...serverLimits(scenario, host), ...memoryLimits(scenario, host), ...diskLimits(scenario, host)];
  if (scenario.workers !== 'auto' && scenario.workers > workers) {
    warnings.push(`workers: ${scenario.workers} asked, ${workers} used: no more than connections.`);
  }
  if (!isLocal(scenario) && scenario.connections > host.ports * 0.9) {
    warnings.push(`${formatCount(scenario.connections)} connections use more than nine tenths of the ` +
      `${formatCount(host.ports)} local ports: connects may fail as client limit.`);
  }
  return warnings;
}
