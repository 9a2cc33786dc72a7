// The limits of the kernel and the disk: exceeding them is announced, and the run continues. tcp_max_tw_buckets is left
// out: beyond it a closed connection is forgotten at once, which frees its port and changes no result.

import { ROW_BYTES } from '../../measure/transfer-log.js';
import { kindOf } from '../../transports/index.js';
import { judge } from './limit.js';

/**
 * @import { Limit } from '../../../config/types.js'
 * @import { Situation } from './index.js'
 */

/** The kernel rarely holds more of a payload than this at once: send and receive buffer of both ends. */
const BUFFERED_BYTES_AT_MOST = 4 * 1024 ** 2;
/** A heartbeat is answered within this time, so that only some are in flight at once. */
const HEARTBEAT_ANSWERED_NS = 1e9;
/** For the disk only: a fast server on a fast machine. */
const FAST_TRANSFERS_PER_SECOND = 200_000;
const FAST_BYTES_PER_SECOND = 2e9;

/**
 * The limit of TCP memory; none if no payload is sent.
 * @param {Situation} situation
 * @returns {Limit[]}
 */
function tcpMemory({ scenario, host }) {
  const { connections, payloadBytes, workload, heartbeatNs, transferTimeoutNs } = scenario;
  const idle = workload === 'hold' && heartbeatNs === 0;
  const each = Math.min(Math.ceil(payloadBytes / host.pageBytes) * host.pageBytes, BUFFERED_BYTES_AT_MOST);
  const beating = workload === 'hold' && !idle ? Math.min(1, HEARTBEAT_ANSWERED_NS / heartbeatNs) : 1;
  const needed = idle ? 0 : Math.ceil(connections * beating) * each;
  if (needed === 0) return [];
  return [
    judge('tcp-memory', {
      unit: 'bytes',
      available: host.tcpMemoryBytes,
      needed,
      side: 'kernel',
      data: { transferTimeoutNs, pageBytes: host.pageBytes, pages: Math.ceil(needed / host.pageBytes) },
    }),
  ];
}

/** @param {Situation} situation @returns {Limit[]} */
function conntrack({ scenario, host, demand, seconds }) {
  const { connections, listen } = scenario;
  if (host.conntrack === null || listen === 'unix') return [];
  const { most: room, used, timeWaitSeconds } = host.conntrack;
  // empty although this machine has connections: no rule tracks them, and a closed connection takes no entry
  const closed = used === 0 ? 0 : Math.ceil(demand.perSecond * Math.min(timeWaitSeconds, seconds));
  const added = connections + closed;
  return [
    judge('conntrack', {
      available: room,
      needed: used + added,
      side: 'kernel',
      data: { used, added, timeWaitSeconds: closed === 0 ? null : timeWaitSeconds },
    }),
  ];
}

/**
 * The connections that close when all end at once: the client's ends then have no descriptor.
 * @param {Situation} situation @returns {Limit[]}
 */
function orphans({ scenario, host }) {
  if (host.orphans === null || scenario.socket.lingerNs === 0) return [];
  return [judge('tcp-orphans', { available: host.orphans, needed: scenario.connections, side: 'kernel' })];
}

/** @param {Situation} situation @returns {Limit[]} */
function disk({ scenario: { transferLog, payloadBytes, payloadMinBytes }, host, rows, seconds, legs }) {
  if (transferLog === 'none' || host.diskFreeBytes === null) return [];
  const meanBytes = (payloadBytes + (payloadMinBytes ?? payloadBytes)) / 2;
  const perSecond = Math.round(Math.min(FAST_TRANSFERS_PER_SECOND, FAST_BYTES_PER_SECOND / meanBytes));
  const transfers = rows ?? perSecond * seconds;
  // the logs of all legs, and that of the running leg before it is converted
  const converted = transferLog === 'parquet' ? ROW_BYTES.arrow : 0;
  const needed = Math.ceil(transfers * (legs * ROW_BYTES[transferLog] + converted));
  return [
    judge('disk-space', {
      unit: 'bytes',
      available: host.diskFreeBytes,
      needed,
      side: 'kernel',
      data: { guessedRate: rows === null ? perSecond : null },
    }),
  ];
}

/** @param {Situation} situation @returns {Limit[]} */
export function kernelLimits(situation) {
  const { listen, transport } = situation.scenario;
  const kind = kindOf(transport);
  const isUnix = listen === 'unix';
  return [
    ...(isUnix || kind?.usesTcpMemory === false ? [] : tcpMemory(situation)),
    ...(isUnix || kind !== undefined ? [] : orphans(situation)),
    ...conntrack(situation),
    ...disk(situation),
  ];
}
