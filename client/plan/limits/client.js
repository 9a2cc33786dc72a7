// What the client itself needs: descriptors, ports, files, memory, threads. Too little of one of these is refused
// before anything starts, because it would be measured as the server's fault. Pure.

import { parseCpus } from '../../results/cpu-list.js';
import { isLoopback } from '../../results/endpoint.js';
import { isLoopback4, versionOf } from '../sources.js';
import { formatCount, formatDuration, formatSize } from '../../results/units.js';
import { judge } from './limit.js';

/** @typedef {import('./index.js').Situation} Situation */
/** @typedef {import('./limit.js').Limit} Limit */

/** Descriptors of a worker that are not connections: Node's own, files, IPC, epoll. */
export const SPARE_DESCRIPTORS = 500;
/** Kernel memory of one socket, measured idle; two of them a connection when the server is on this machine. */
const SOCKET_BYTES = 5 * 1024;
/** A worker's own, measured, and what the engine keeps of a connection. */
const WORKER_BYTES = 45 * 1024 ** 2;
const CONNECTION_BYTES = 200;
/**
 * ... and what OpenSSL keeps of one, measured in the worker's memory with 1,000 that are secured at once: 24 KiB over
 * epoll, 46 over io_uring. 17 of them stay; the others are of the handshake, and go to the next one.
 */
export const TLS_CONNECTION_BYTES = 46 * 1024;
/** Times a worker holds its payload: once in JavaScript, twice end to end in the engine, to send from any offset. */
const PAYLOAD_COPIES = 3;
/** Threads of a worker (measured: 12, and the writer of its log), and of the primary with what it starts. */
const WORKER_THREADS = 13;
const OTHER_THREADS = 40;
const MAX_PORTS = 65_535 - 1024 + 1;
/** As good as that: widening it further is not worth the words. */
const WIDE_RANGE = 64_000;
/** Above this share of an address's ports, connects search the odd ones too: see sources.js. */
const SEARCHED_SHARE = 0.5;

/** @param {number} count @param {string} one @param {string} [many] */
const counted = (count, one, many = `${one}s`) => `${formatCount(count)} ${count === 1 ? one : many}`;

/** @param {Situation} situation @returns {Limit} */
function descriptors({ scenario: { connections }, host, workers }) {
  const needed = Math.ceil(connections / workers) + SPARE_DESCRIPTORS;
  const room = host.descriptors - SPARE_DESCRIPTORS;
  const enough = room > 0 ? `Give --workers ${Math.ceil(connections / room)} or auto, or raise` : 'Raise';
  const first =
    host.descriptorsMost !== null && needed > host.descriptorsMost ? `sysctl -w fs.nr_open=${needed}, then ` : '';
  return judge({
    code: 'worker-descriptors',
    name: 'descriptors of a worker',
    value: host.descriptors,
    needed,
    ceiling: 'client',
    what:
      `${counted(connections, 'connection')} in ${counted(workers, 'worker')} need ${formatCount(needed)} each, ` +
      `${SPARE_DESCRIPTORS} of them for other uses, and a process may have ${formatCount(host.descriptors)} descriptors.`,
    remedy: `${enough} the limit (${first}ulimit -Hn ${needed}).`,
  });
}

/** @param {Situation} situation @returns {string | null} null: nothing that `auto` has not taken already */
function moreSources({ scenario, host, sources, demand }) {
  if (isLoopback4(scenario)) {
    return scenario.sources === 'auto' ? null : '--sources auto takes as many of 127.0.0.0/8 as it needs';
  }
  const count = Math.ceil((demand.ports + host.portsTaken) / (host.ports * SEARCHED_SHARE));
  const own = host.addresses
    .filter(
      ({ address }) =>
        !isLoopback(address) &&
        !sources.includes(address) &&
        versionOf(address) === scenario.listen &&
        address !== host.towards,
    )
    .map(({ address }) => address);
  return own.length > 0
    ? `more --sources (this machine also has ${own.join(', ')})`
    : `more addresses of this machine, ${count} in all (ip address add), as --sources`;
}

/**
 * Connects a second that leave no more ports in TIME_WAIT than there are.
 * @param {Situation} situation
 */
function sustainableRate({ scenario, host, sources, demand }) {
  const left = host.ports * Math.max(1, sources.length) - host.portsTaken - scenario.connections;
  return Math.max(0, Math.floor(left / demand.heldSeconds));
}

/** @param {Situation} situation @returns {string | null} one sentence */
function morePorts(situation) {
  const { scenario, host, demand } = situation;
  const { from, to } = host.portRange;
  if (host.ports === 0) {
    return `Free some of them: net.ipv4.ip_local_reserved_ports reserves all of ${from} to ${to}.`;
  }
  const closed = demand.ports > scenario.connections;
  const rate = sustainableRate(situation);
  const slower = !demand.assumed ? ['a lower --connectRate'] : rate > 0 ? [`--connectRate ${rate}/s`] : [];
  const source = moreSources(situation);
  const ways = [
    ...(closed ? slower : []),
    ...(source === null ? [] : [source]),
    ...(to - from + 1 >= WIDE_RANGE
      ? []
      : ['sysctl -w net.ipv4.ip_local_port_range="1024 65535" gives ' + `${formatCount(MAX_PORTS)} an address`]),
    ...((closed || host.portsTaken > 0) && host.timeWait.reuse !== 1 ? ['sysctl -w net.ipv4.tcp_tw_reuse=1'] : []),
  ];
  return ways.length === 0 ? null : `What helps: ${ways.join('; ')}.`;
}

/**
 * The ports there are. A rate of connects that is only assumed refuses nothing: it is said from which on they lack.
 * @param {Situation} situation
 * @returns {Limit}
 */
function ports(situation) {
  const { scenario, host, sources, demand } = situation;
  const { connections } = scenario;
  const { from, to } = host.portRange;
  const addresses = Math.max(1, sources.length);
  const all = host.ports * addresses;
  const value = Math.max(0, all - host.portsTaken);
  const waiting = demand.ports - connections;
  const guess = demand.assumed
    ? ` (at ${formatCount(demand.perSecond)} connects/s, a guess: no connectRate is given)`
    : '';
  const closed =
    waiting === 0 ? '' : ` and up to ${formatCount(waiting)} that were closed and are in TIME_WAIT${guess}`;
  const taken =
    host.portsTaken === 0
      ? ''
      : `, ${formatCount(host.portsTaken)} of them taken already, by others or in ` +
        'TIME_WAIT for a minute after another run';
  const one = connections === 1 && waiting === 0;
  const what =
    `${counted(connections, 'connection')}${closed} ${one ? 'needs a local port' : 'need as many local ports'} ` +
    `towards one target, and ${counted(addresses, 'source address', 'source addresses')} ` +
    `${addresses === 1 ? 'has' : 'have'} ${formatCount(all)} (net.ipv4.ip_local_port_range ${from} ${to})${taken}.`;
  const remedy = morePorts(situation);
  if (demand.assumed && connections <= value && value < demand.ports) {
    const rate = sustainableRate(situation);
    const when =
      rate === 0
        ? 'Few are left for connecting again'
        : `At more than about ${formatCount(rate)} connects/s they ` + 'run out';
    return {
      code: 'local-ports',
      name: 'local ports',
      servers: [],
      unit: 'count',
      value,
      needed: demand.ports,
      verdict: 'kernel',
      remedy,
      holds: null,
      what: `${what} ${when}: connects without a port show as rejects "local", the client's own limit.`,
    };
  }
  const limit = judge({
    code: 'local-ports',
    name: 'local ports',
    value,
    needed: demand.ports,
    ceiling: 'client',
    what,
    remedy,
  });
  if (limit.verdict !== 'ok' || demand.ports + host.portsTaken <= all * SEARCHED_SHARE) return limit;
  return {
    ...limit,
    verdict: 'kernel',
    remedy,
    what:
      `${what} Beyond half of an address's ports the kernel searches long ` +
      'for a free one at every connect, which costs the client CPU; and others on this machine take ports too.',
  };
}

/** @param {Situation} situation @returns {Limit} */
function openFiles({ scenario: { connections }, host, workers, local }) {
  const sockets = connections * (local ? 2 : 1);
  const needed = sockets + host.openFilesUsed + workers * 100;
  return judge({
    code: 'open-files',
    name: 'open files of the system',
    value: host.openFiles,
    needed,
    ceiling: 'client',
    what:
      `${counted(connections, 'connection')} are ${formatCount(sockets)} open files${local ? ', both ends counted' : ''}` +
      `, ${formatCount(host.openFilesUsed)} are open already, and the system allows ${formatCount(host.openFiles ?? 0)}.`,
    remedy: `Raise it: sysctl -w fs.file-max=${needed * 2}.`,
  });
}

/** @param {Situation} situation @returns {number} bytes */
export function memoryNeeded({ scenario: { connections, payloadBytes, tls }, workers, local }) {
  return (
    workers * (WORKER_BYTES + payloadBytes * PAYLOAD_COPIES) +
    connections * (CONNECTION_BYTES + (tls ? TLS_CONNECTION_BYTES : 0) + SOCKET_BYTES * (local ? 2 : 1))
  );
}

/** @param {Situation} situation @returns {Limit} */
function memory(situation) {
  const {
    scenario: { connections, payloadBytes, tls },
    host,
    workers,
    local,
  } = situation;
  const needed = memoryNeeded(situation);
  const sockets = connections * SOCKET_BYTES * (local ? 2 : 1);
  return judge({
    code: 'client-memory',
    name: 'memory of client and sockets',
    unit: 'bytes',
    value: host.memoryAvailableBytes,
    needed,
    ceiling: 'client',
    what:
      `${counted(connections, 'connection')} in ${counted(workers, 'worker')} with a payload of ` +
      `${formatSize(payloadBytes)} need about ${formatSize(needed)} of memory, ${formatSize(sockets)} of it for sockets in ` +
      `the kernel${local ? ', both ends' : ''}${tls ? `, ${formatSize(connections * TLS_CONNECTION_BYTES)} for TLS` : ''}, ` +
      `and ${formatSize(host.memoryAvailableBytes)} are available.`,
    remedy: 'Give fewer connections, fewer workers or a smaller payload, or end other programs.',
  });
}

/** @param {Situation} situation @returns {Limit} */
function threads({ host, workers }) {
  const needed = workers * WORKER_THREADS + OTHER_THREADS;
  return judge({
    code: 'client-threads',
    name: 'threads of the client',
    value: host.threadsFree,
    needed,
    ceiling: 'client',
    what:
      `${counted(workers, 'worker')} and what goes with them take about ${needed} threads, and ` +
      `${formatCount(host.threadsFree ?? 0)} are left (kernel.pid_max, kernel.threads-max, pids.max, ulimit -u).`,
    remedy: 'Give fewer --workers, or raise that limit.',
  });
}

/** @param {Situation} situation @returns {Limit} */
function cores({ host, local }) {
  const needed = local ? 2 : 1;
  return judge({
    code: 'cores',
    name: 'cores',
    value: host.cores,
    needed,
    ceiling: 'kernel',
    what: 'client and server share one core and take turns on it: what is measured is the machine.',
  });
}

/** @param {Situation} situation @returns {Limit[]} */
function spinning({ scenario: { busyPollNs, pin }, host, workers, local }) {
  if (busyPollNs === 0) return [];
  const shared = local && pin.client === null;
  const cores = pin.client === null ? host.cores : (parseCpus(pin.client)?.length ?? host.cores);
  return [
    judge({
      code: 'busy-poll-cores',
      name: 'cores for busyPoll',
      value: cores,
      needed: workers + (shared ? 1 : 0),
      ceiling: 'kernel',
      what:
        `with busyPoll ${formatDuration(busyPollNs)} the engine of each worker uses up to a whole core while it waits: ` +
        `${counted(workers, 'worker')}${shared ? ' and the server' : ''} on ${counted(cores, 'core')}. They take turns, and ` +
        'that is in the times.',
      remedy: workers > 1 ? 'Give fewer --workers, or leave busyPoll out.' : 'Leave busyPoll out.',
    }),
  ];
}

/** What the kernel would cut without a word. @param {Situation} situation @returns {Limit[]} */
function buffers({ scenario: { socket }, host }) {
  return /** @type {const} */ (['send', 'receive']).flatMap((side) => {
    const needed = socket[`${side}BufferBytes`];
    const { most, sysctl } = host.buffers[side];
    if (needed === null) return [];
    return [
      judge({
        code: `socket-${side}-buffer`,
        name: `socket.${side}Buffer`,
        unit: 'bytes',
        value: most,
        needed,
        ceiling: 'client',
        what:
          `a ${side} buffer of ${formatSize(needed)} is asked for, and the kernel cuts all to ${formatSize(most ?? 0)} ` +
          `(${sysctl}).`,
        remedy: `Raise it: sysctl -w ${sysctl}=${needed}.`,
      }),
    ];
  });
}

/** @param {Situation} situation @returns {Limit[]} */
export function clientLimits(situation) {
  const byPort = situation.scenario.listen === 'unix' || situation.scenario.socket.sourcePort !== null ? [] : [ports];
  return [descriptors, ...byPort, openFiles, memory, threads, cores]
    .map((limit) => limit(situation))
    .concat(spinning(situation), buffers(situation));
}
