// What the kernel and the disk will do to a run that asks much of them: announced, and run into. Not here, because it
// does not matter to what is measured: tcp_max_tw_buckets (beyond it a closed connection is forgotten at once, which
// frees its port) and tcp_max_orphans (bounds what is closing, after its last transfer). Pure.

import { formatCount, formatDuration, formatSize } from '../../results/units.js';
import { ROW_BYTES } from '../../results/transfer-log.js';
import { judge } from './limit.js';

/** @typedef {import('./index.js').Situation} Situation */
/** @typedef {import('./limit.js').Limit} Limit */

/** More than this of a payload is rarely inside the kernel at once: send and receive buffer of both ends. */
const BUFFERED_BYTES_AT_MOST = 4 * 1024 ** 2;
/** For the disk only: a fast server on a fast machine. */
const FAST_TRANSFERS_PER_SECOND = 200_000;
const FAST_BYTES_PER_SECOND = 2e9;

/** None where no payload is sent.
 * @param {Situation} situation
 * @returns {Limit[]}
 */
function tcpMemory({ scenario, host }) {
  const { connections, payloadBytes, workload, heartbeatNs, transferTimeoutNs } = scenario;
  const idle = workload === 'hold' && heartbeatNs === 0;
  const each = Math.min(Math.ceil(payloadBytes / host.pageBytes) * host.pageBytes, BUFFERED_BYTES_AT_MOST);
  const needed = idle ? 0 : connections * each;
  if (needed === 0) return [];
  return [
    judge({
      code: 'tcp-memory',
      name: 'TCP memory of the kernel',
      unit: 'bytes',
      value: host.tcpMemoryBytes,
      needed,
      ceiling: 'kernel',
      what:
        `up to ${formatSize(needed)} of payload are on the way at once, and the kernel is under TCP memory pressure from ` +
        `${formatSize(host.tcpMemoryBytes ?? 0)} on (net.ipv4.tcp_mem): expect retransmissions, and transfers of many ` +
        `seconds. transferTimeout is ${formatDuration(transferTimeoutNs)}.`,
      remedy:
        `With memory to spare, raise the three values of net.ipv4.tcp_mem (pages of ${host.pageBytes} B) above ` +
        `${formatCount(Math.ceil(needed / host.pageBytes))}.`,
    }),
  ];
}

/** @param {Situation} situation @returns {Limit[]} */
function conntrack({ scenario: { connections, listen }, host, demand, seconds }) {
  if (host.conntrack === null || listen === 'unix') return [];
  const { most, used, timeWaitSeconds } = host.conntrack;
  // empty although this machine is connected: no rule follows connections, and one that is closed costs nothing
  const closed = used === 0 ? 0 : Math.ceil(demand.perSecond * Math.min(timeWaitSeconds, seconds));
  return [
    judge({
      code: 'conntrack',
      name: 'connections a firewall follows',
      value: most,
      needed: used + connections + closed,
      ceiling: 'kernel',
      what:
        `${formatCount(used)} entries are in the table of connections (nf_conntrack), up to ` +
        `${formatCount(connections + closed)} come on top${closed === 0 ? '' : `, each for ${timeWaitSeconds} s after its end`}` +
        `, and it has room for ${formatCount(most)}. If a rule of the firewall follows them, packets of the rest are dropped: ` +
        'it shows as timeouts.',
      remedy: `Raise it: sysctl -w net.netfilter.nf_conntrack_max=${(used + connections + closed) * 2}.`,
    }),
  ];
}

/** @param {Situation} situation @returns {Limit[]} */
function disk({ scenario: { transferLog, payloadBytes }, host, rows, seconds, legs }) {
  if (transferLog === 'none' || host.diskFreeBytes === null) return [];
  const perSecond = Math.round(Math.min(FAST_TRANSFERS_PER_SECOND, FAST_BYTES_PER_SECOND / payloadBytes));
  const most = rows ?? perSecond * seconds;
  // the logs of all legs, and while one runs, its own before it is converted
  const needed = Math.ceil(most * (legs * ROW_BYTES[transferLog] + (transferLog === 'parquet' ? ROW_BYTES.arrow : 0)));
  const guess = rows === null ? `at ${formatCount(perSecond)} transfers/s ` : '';
  return [
    judge({
      code: 'disk-space',
      name: 'disk for the transfer log',
      unit: 'bytes',
      value: host.diskFreeBytes,
      needed,
      ceiling: 'kernel',
      what:
        `the disk of the logs has ${formatSize(host.diskFreeBytes)} free; ${guess}the transfer log takes up to ` +
        `${formatSize(needed)}. When the disk is full the log ends and the run goes on.`,
      remedy: '--transferLog none writes none; --logs DIR puts it elsewhere.',
    }),
  ];
}

/** @param {Situation} situation @returns {Limit[]} */
export function kernelLimits(situation) {
  const tcp = situation.scenario.listen === 'unix' ? [] : tcpMemory(situation);
  return [...tcp, ...conntrack(situation), ...disk(situation)];
}
