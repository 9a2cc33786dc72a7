/** The kernel's counters in words: what each means, and what would change it. In the order they are listed. */

/** @type {Record<string, [name: string, meaning: string]>} */
export const KERNEL_WORDS = {
  TcpExtListenOverflows: [
    'accept queue full',
    'A finished handshake found no place in the queue. A longer backlog (at most net.core.somaxconn) holds more; a ' +
      'server that accepts faster needs less.',
  ],
  TcpExtListenDrops: ['SYNs dropped by a listener', 'Each costs its client a second or more until it asks again.'],
  TcpExtTCPSynRetrans: ['SYNs sent again', 'By the client’s kernel: nobody answered the one before.'],
  TcpExtTCPReqQFullDrop: ['SYNs dropped, SYN queue full', 'net.ipv4.tcp_max_syn_backlog'],
  TcpExtTCPReqQFullDoCookies: ['SYN cookies sent', 'The SYN queue was full; cookies kept the door open.'],
  TcpAttemptFails: ['failed attempts to connect', 'Refused, reset or given up before they were open.'],
  TcpRetransSegs: [
    'segments sent again',
    'SYNs among them. On loopback nothing is lost: the receiver had no room, or took too long.',
  ],
  TcpExtTCPTimeouts: ['retransmission timeouts', 'An acknowledgement did not come in time.'],
  TcpOutRsts: ['resets sent', 'By either side; the client ends connections that failed it by a reset.'],
  TcpEstabResets: ['open connections ended by a reset', 'Of either side.'],
  TcpExtTCPAbortOnData: ['aborted with data unread', 'Closed while bytes waited to be read: the peer sees a reset.'],
  TcpExtTCPAbortOnClose: ['aborted at close', 'Closed with something unread, or with linger 0: a reset.'],
  TcpExtTCPAbortOnMemory: ['aborted for memory', 'net.ipv4.tcp_mem or tcp_max_orphans was reached.'],
  TcpExtTCPAbortOnTimeout: ['aborted after too many retransmissions', ''],
  TcpExtTCPAbortOnLinger: ['aborted while lingering', ''],
  TcpExtTCPAbortFailed: ['resets that could not be sent', 'No memory even for that.'],
  TcpExtTCPMemoryPressures: [
    'times TCP came under memory pressure',
    'net.ipv4.tcp_mem, its middle value: buffers shrink from there on.',
  ],
  TcpExtPruneCalled: ['receive queues pruned', 'Under memory pressure: bytes that had arrived were packed or dropped.'],
  TcpExtRcvPruned: ['segments dropped from receive queues', 'Sent again by their sender.'],
  TcpExtTCPRcvQDrop: ['segments dropped, receive queue full', 'Sent again by their sender.'],
  TcpExtTCPRcvCollapsed: ['segments collapsed to save memory', ''],
  TcpExtTCPBacklogDrop: ['segments dropped, socket busy', 'The process held the socket while more came in.'],
  TcpExtTCPZeroWindowDrop: ['segments dropped, window closed', 'The receiver had said that it had no room.'],
  TcpExtTCPTimeWaitOverflow: [
    'TIME_WAIT beyond the limit',
    'net.ipv4.tcp_max_tw_buckets: ports are free again at once.',
  ],
};

/** Ordinary traffic, and states: no reason for anything. */
const ORDINARY = [
  'TcpActiveOpens',
  'TcpPassiveOpens',
  'TcpInSegs',
  'TcpOutSegs',
  'TcpMemPages',
  'TcpTimeWait',
  'TcpOrphans',
];

/**
 * @param {Array<Record<string, number>>} readings one a leg
 * @returns {string[]} counters that moved in any of them: the known ones in their order, then those without words
 */
export function countersMoved(readings) {
  const moved = (/** @type {string} */ name) => readings.some((kernel) => (kernel[name] ?? 0) > 0);
  const known = Object.keys(KERNEL_WORDS);
  const others = [...new Set(readings.flatMap((kernel) => Object.keys(kernel)))].filter(
    (name) => !known.includes(name) && !ORDINARY.includes(name),
  );
  return [...known, ...others].filter(moved);
}
