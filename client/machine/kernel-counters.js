// Reads the kernel's TCP counters: what was dropped, retransmitted or refused below the sockets.
// Counters are of a whole network namespace, with all its programs; TCP memory is of the whole machine. STATE_COUNTERS
// are states and reported as they are, all others as differences.
import { readFileSync, readlinkSync } from 'node:fs';
import { STATE_COUNTERS } from '../measure/kernel-totals.js';

/** The counters that matter to stressed connections, by topic. */
const COUNTERS_BY_TOPIC = Object.freeze({
  openedAndEnded: [
    'TcpActiveOpens',
    'TcpPassiveOpens',
    'TcpAttemptFails',
    'TcpEstabResets',
    'TcpInErrs',
    'TcpOutRsts',
    'TcpExtEmbryonicRsts',
    'TcpExtTCPTimeWaitOverflow',
  ],
  segments: [
    'TcpInSegs',
    'TcpOutSegs',
    'TcpRetransSegs',
    'TcpExtTCPTimeouts',
    'TcpExtTCPSynRetrans',
    'TcpExtTCPLostRetransmit',
    'TcpExtTCPFastRetrans',
    'TcpExtTCPSlowStartRetrans',
    'TcpExtTCPRetransFail',
    'TcpExtTCPSpuriousRTOs',
  ],
  listening: [
    'TcpExtListenOverflows',
    'TcpExtListenDrops',
    'TcpExtTCPReqQFullDrop',
    'TcpExtTCPReqQFullDoCookies',
    'TcpExtSyncookiesSent',
  ],
  aborted: [
    'TcpExtTCPAbortOnData',
    'TcpExtTCPAbortOnClose',
    'TcpExtTCPAbortOnMemory',
    'TcpExtTCPAbortOnTimeout',
    'TcpExtTCPAbortOnLinger',
    'TcpExtTCPAbortFailed',
  ],
  memory: [
    'TcpExtTCPMemoryPressures',
    'TcpExtTCPMemoryPressuresChrono',
    'TcpExtPruneCalled',
    'TcpExtRcvPruned',
    'TcpExtOfoPruned',
    'TcpExtTCPRcvCollapsed',
    'TcpExtTCPRcvQDrop',
    'TcpExtTCPOFODrop',
    'TcpExtTCPBacklogDrop',
    'TcpExtTCPWqueueTooBig',
    'TcpExtPFMemallocDrop',
    'TcpExtTCPZeroWindowDrop',
  ],
});
export const KEPT_COUNTERS = Object.freeze(Object.values(COUNTERS_BY_TOPIC).flat());
/** Words of the TCP line of sockstat, and their names here. */
const SOCKSTAT_WORDS = Object.freeze({ mem: 'TcpMemPages', tw: 'TcpTimeWait', orphan: 'TcpOrphans' });

/**
 * @param {{ snmp: string, netstat: string, sockstat: string }} texts /proc/net/snmp, netstat and sockstat
 * @returns {Record<string, number>} every counter as group + name, and the states of sockstat
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
  for (const [word, name] of Object.entries(SOCKSTAT_WORDS)) {
    const at = words.indexOf(word);
    if (at >= 0) counters[name] = Number(words[at + 1]);
  }
  return counters;
}

/**
 * @param {Record<string, number>} before @param {Record<string, number>} after
 * @returns {Record<string, number>} deltas of the kept counters that both have, and the states of `after`
 */
export function kernelDelta(before, after) {
  /** @type {Record<string, number>} */
  const delta = {};
  for (const name of KEPT_COUNTERS) {
    if (name in before && name in after) delta[name] = after[name] - before[name];
  }
  for (const name of STATE_COUNTERS) if (name in after) delta[name] = after[name];
  return delta;
}

/**
 * @param {number | 'self'} [pid] of a process in the network namespace to read
 * @returns {Record<string, number>} the counters now; empty: the kernel has none, or the process has ended
 */
export function readKernel(pid = 'self') {
  const text = (/** @type {string} */ name) => readFileSync(`/proc/${pid}/net/${name}`, 'utf8');
  try {
    return parseKernel({ snmp: text('snmp'), netstat: text('netstat'), sockstat: text('sockstat') });
  } catch {
    return {};
  }
}

/** @param {number | 'self'} pid @returns {string | null} null: the process has ended, or may not be read */
export function namespaceOf(pid) {
  try {
    return readlinkSync(`/proc/${pid}/ns/net`);
  } catch {
    return null;
  }
}

/**
 * @param {number[]} pids of a server
 * @returns {{ pid: number, namespace: string | null }[]} processes in another network namespace; a process that may not
 *   be read counts as in this one
 */
export function processesAway(pids) {
  const here = namespaceOf('self');
  return pids
    .map((pid) => ({ pid, namespace: namespaceOf(pid) }))
    .filter(({ namespace }) => namespace !== null && namespace !== here);
}

/**
 * Measures this process's network namespace, and that of a server in another one, since the previous read().
 */
export class KernelMeter {
  /** @param {number[]} [serverPids] the server's processes */
  constructor(serverPids = []) {
    const away = processesAway(serverPids);
    /** Processes with the same counters: when the first has ended, the next is read. */
    this.away = away.filter(({ namespace }) => namespace === away[0].namespace).map(({ pid }) => pid);
    this.before = readKernel();
    this.beforeThere = this.readThere();
  }

  /** @returns {Record<string, number>} */
  readThere() {
    for (const pid of this.away) {
      const counters = readKernel(pid);
      if (Object.keys(counters).length > 0) return counters;
    }
    return {};
  }

  /**
   * @returns {{ kernel: Record<string, number>, serverKernel?: Record<string, number> }} serverKernel: absent: the
   *   server is in this namespace, or has ended
   */
  read() {
    const kernel = readKernel();
    const there = this.readThere();
    const serverKernel = kernelDelta(this.beforeThere, there);
    const read = {
      kernel: kernelDelta(this.before, kernel),
      ...(Object.keys(serverKernel).length > 0 ? { serverKernel } : {}),
    };
    this.before = kernel;
    this.beforeThere = there;
    return read;
  }
}
