// The kernel's TCP counters: what was dropped, retransmitted or refused below the sockets.
// The one thing to know: counters are of the whole network namespace; all but the absolute ones are given as deltas.
import { readFileSync } from 'node:fs';

/** The counters that say something about a stressed server; the absolute ones are states, not counts. */
export const kept = Object.freeze(['TcpActiveOpens', 'TcpPassiveOpens', 'TcpAttemptFails', 'TcpEstabResets',
  'TcpInSegs', 'TcpOutSegs', 'TcpRetransSegs', 'TcpOutRsts', 'TcpExtListenOverflows', 'TcpExtListenDrops',
  'TcpExtTCPTimeouts', 'TcpExtTCPSynRetrans', 'TcpExtTCPMemoryPressures', 'TcpExtPruneCalled', 'TcpExtRcvPruned',
  'TcpExtTCPRcvCollapsed', 'TcpExtTCPRcvQDrop', 'TcpExtTCPBacklogDrop', 'TcpExtTCPAbortOnMemory',
  'TcpExtTCPReqQFullDrop', 'TcpExtTCPReqQFullDoCookies', 'TcpExtTCPTimeWaitOverflow', 'TcpExtTCPZeroWindowDrop']);
export const absolute = Object.freeze(['TcpMemPages', 'TcpTimeWait']);

/**
 * @param {{ snmp: string, netstat: string, sockstat: string }} texts /proc/net/snmp, netstat and sockstat
 * @returns {Record<string, number>} every counter as group + name, and the absolute ones
 */
export function parseKernel({ snmp, netstat, sockstat }) {
  /** @type {Record<string, number>} */
  const counters = {};
  for (const text of [snmp, netstat]) {
    const lines = text.trim().split('\n');
    for (let i = 0; i + 1 < lines.length; i += 2) {
      const names = lines[i].split(/\s+/);
      const values = lines[i + 1].split(/\s+/);
      const group = names[0].replace(':', '');
      for (let j = 1; j < names.length; j += 1) counters[group + names[j]] = Number(values[j]);
    }
  }
  const words = (/^TCP:(.*)$/m.exec(sockstat)?.[1] ?? '').trim().split(/\s+/);
  for (let i = 0; i + 1 < words.length; i += 2) {
    if (words[i] === 'mem') counters.TcpMemPages = Number(words[i + 1]);
    if (words[i] === 'tw') counters.TcpTimeWait = Number(words[i + 1]);
  }
  return counters;
}

/**
 * @param {Record<string, number>} before @param {Record<string, number>} after
 * @returns {Record<string, number>} deltas of the kept counters that both have, and the absolute ones of `after`
 */
export function kernelDelta(before, after) {
  /** @type {Record<string, number>} */
  const delta = {};
  for (const name of kept) {
    if (name in before && name in after) delta[name] = after[name] - before[name];
  }
  for (const name of absolute) if (name in after) delta[name] = after[name];
  return delta;
}

/**
 * Adds up the samples' kernel counters: deltas are summed, of the absolute ones the highest is kept.
 * @param {Record<string, number>[]} deltas
 * @returns {Record<string, number>}
 */
export function kernelSum(deltas) {
  /** @type {Record<string, number>} */
  const sum = {};
  for (const delta of deltas) {
    for (const [name, value] of Object.entries(delta)) {
      sum[name] = absolute.includes(name) ? Math.max(sum[name] ?? 0, value) : (sum[name] ?? 0) + value;
    }
  }
  return sum;
}

/** @returns {Record<string, number>} the counters now; empty where the kernel does not tell */
export function readKernel() {
  try {
    return parseKernel({ snmp: readFileSync('/proc/net/snmp', 'utf8'),
      netstat: readFileSync('/proc/net/netstat', 'utf8'),
      sockstat: readFileSync('/proc/net/sockstat', 'utf8') });
  } catch {
    return {};
  }
}
