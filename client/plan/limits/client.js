// The limits of the client: descriptors, ports, files, memory, threads. A run that exceeds one of them is refused
// before anything starts, because it would be measured as the server's fault.

import { TLS_CONNECTION_BYTES } from '../../measure/footprint.js';
import { isLoopback } from '../../words/endpoint.js';
import { descriptorsNeeded, ENGINE_SPARE_DESCRIPTORS, SPARE_DESCRIPTORS } from '../engines.js';
import { isLoopback4, versionOf } from '../sources.js';
import { judge } from './limit.js';

/**
 * @import { Data } from '../../errors.js'
 * @import { Limit } from '../../../config/types.js'
 * @import { Situation } from './index.js'
 */

/** Kernel memory of one socket, measured idle; two of them a connection when the server is on this machine. */
export const SOCKET_BYTES = 5 * 1024;
/** Measured memory of a worker with one engine, of each further engine, and of a connection in an engine. */
const WORKER_BYTES = 45 * 1024 ** 2;
const ENGINE_BYTES = 4 * 1024 ** 2;
const CONNECTION_BYTES = 200;
/** Times a worker holds its payload: once in JavaScript, twice end to end in each engine, to send from any offset. */
const WORKER_COPIES = 1;
const ENGINE_COPIES = 2;
/**
 * Threads of a worker (measured: 12, and the writer of its log), of another engine, and of the primary with what it
 * starts.
 */
const WORKER_THREADS = 13;
const ENGINE_THREADS = 3;
const OTHER_THREADS = 40;
const MAX_PORTS = 65_535 - 1024 + 1;
/** Nearly all ports: widening the range further is not worth advising. */
const WIDE_RANGE = 64_000;
/** Above this share of an address's ports, connects search the odd ones too: see sources.js. */
const SEARCHED_SHARE = 0.5;

/** @param {Situation} situation @returns {Limit} */
function descriptors({ scenario: { connections }, host, workers, engines }) {
  const needed = descriptorsNeeded(connections, workers, engines);
  const room = host.descriptors - SPARE_DESCRIPTORS;
  return judge('worker-descriptors', {
    available: host.descriptors,
    needed,
    side: 'client',
    data: {
      connections,
      workers,
      engines,
      spare: engines === 1 ? SPARE_DESCRIPTORS : ENGINE_SPARE_DESCRIPTORS,
      enoughWorkers: room > 0 ? Math.ceil(connections / room) : null,
      raisedBy: host.raisedBy,
      hardMost: host.descriptorsMost !== null && needed > host.descriptorsMost ? host.descriptorsMost : null,
    },
  });
}

/**
 * @param {Situation} situation
 * @returns {{auto: boolean, own: string[], count: number} | null} ways to more source addresses. auto: `--sources auto`
 *   takes them; own: other addresses of this machine; count: the number needed in all; null: `auto` has taken all
 */
function moreSources({ scenario, host, sources, demand }) {
  if (isLoopback4(scenario, host)) return scenario.sources === 'auto' ? null : { auto: true, own: [], count: 0 };
  const count = Math.ceil((demand.ports + host.portsTaken) / (host.ports * SEARCHED_SHARE));
  const unused = host.addresses
    .filter(
      ({ address }) =>
        !isLoopback(address) &&
        !sources.includes(address) &&
        versionOf(address) === scenario.listen &&
        address !== host.towards,
    )
    .map(({ address }) => address);
  return { auto: false, own: unused, count };
}

/**
 * The most connects a second that leave no more ports in TIME_WAIT than there are.
 * @param {Situation} situation
 */
function sustainableRate({ host, sources, demand }) {
  const left = host.ports * Math.max(1, sources.length) - host.portsTaken - demand.connections;
  return Math.max(0, Math.floor(left / demand.heldSeconds));
}

/** @param {Situation} situation @returns {Data} what would help if ports are too few */
function morePorts(situation) {
  const { host, demand } = situation;
  const { from, to } = host.portRange;
  if (host.ports === 0) return { reserved: true, slower: null, sources: null, widerPorts: null, reuse: false };
  const closed = demand.ports > demand.connections;
  const rate = demand.assumed ? sustainableRate(situation) : null;
  return {
    reserved: false,
    slower: closed && rate !== 0 ? { rate } : null,
    sources: moreSources(situation),
    widerPorts: to - from + 1 >= WIDE_RANGE ? null : MAX_PORTS,
    reuse: (closed || host.portsTaken > 0) && host.timeWait.reuse !== 1,
  };
}

/**
 * The local ports. A connect rate that is only assumed refuses nothing: the row says above which rate ports run out.
 * @param {Situation} situation
 * @returns {Limit}
 */
function ports(situation) {
  const { host, sources, demand } = situation;
  const { connections } = demand;
  const addresses = Math.max(1, sources.length);
  const total = host.ports * addresses;
  const available = Math.max(0, total - host.portsTaken);
  const onGuess = demand.assumed && connections <= available && available < demand.ports;
  const searched = demand.ports <= available && demand.ports + host.portsTaken > total * SEARCHED_SHARE;
  const inTimeWait = demand.ports - connections;
  return judge('local-ports', {
    available,
    needed: demand.ports,
    side: onGuess || searched ? 'kernel' : 'client',
    exceeded: searched || demand.ports > available,
    data: {
      connections,
      inTimeWait,
      guessedRate: inTimeWait > 0 && demand.assumed ? demand.perSecond : null,
      addresses,
      ports: total,
      range: host.portRange,
      taken: host.portsTaken,
      sustainableRate: onGuess ? sustainableRate(situation) : null,
      searched,
      ...morePorts(situation),
    },
  });
}

/** @param {Situation} situation @returns {Limit} */
function openFiles({ scenario: { connections }, host, workers, local }) {
  const sockets = connections * (local ? 2 : 1);
  return judge('open-files', {
    available: host.openFiles,
    needed: sockets + host.openFilesUsed + workers * 100,
    side: 'client',
    data: { connections, sockets, local, used: host.openFilesUsed },
  });
}

/** @param {Situation} situation @returns {number} bytes */
function memoryNeeded({ scenario: { connections, payloadBytes, tls }, workers, engines, local }) {
  const worker = WORKER_BYTES + (engines - 1) * ENGINE_BYTES;
  return (
    workers * (worker + payloadBytes * (WORKER_COPIES + engines * ENGINE_COPIES)) +
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
  return judge('client-memory', {
    unit: 'bytes',
    available: host.memoryAvailableBytes,
    needed: memoryNeeded(situation),
    side: 'client',
    data: {
      connections,
      workers,
      payloadBytes,
      local,
      socketBytes: connections * SOCKET_BYTES * (local ? 2 : 1),
      tlsBytes: tls ? connections * TLS_CONNECTION_BYTES : 0,
    },
  });
}

/** @param {Situation} situation @returns {Limit} */
function threads({ host, workers, engines }) {
  return judge('client-threads', {
    available: host.threadsFree,
    needed: workers * (WORKER_THREADS + (engines === 1 ? 0 : engines * ENGINE_THREADS)) + OTHER_THREADS,
    side: 'client',
    data: { workers, others: OTHER_THREADS },
  });
}

/** @param {Situation} situation @returns {Limit} */
function cores({ host, local }) {
  return judge('cores', {
    unit: 'cores',
    available: host.cores,
    needed: local ? 2 : 1,
    side: 'kernel',
    data: { quota: host.cpuQuota },
  });
}

/** @param {Situation} situation @returns {Limit[]} */
export function clientLimits(situation) {
  const { listen, socket } = situation.scenario;
  const portLimits = listen === 'unix' || socket.sourcePort !== null ? [] : [ports];
  return [descriptors, ...portLimits, openFiles, memory, threads, cores].map((limit) => limit(situation));
}
