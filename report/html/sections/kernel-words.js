/**
 * The kernel's counters in words: what each counts, what it means here, and what would change it. In the order they are
 * listed. Meanings are those of the Linux source (net/ipv4/tcp*.c); a counter without words is shown by its name.
 */

/** @type {Record<string, [name: string, meaning: string, change?: string]>} */
export const KERNEL_WORDS = {
  TcpExtListenOverflows: [
    'accept queue full',
    'A connection found no place in a server’s accept queue.',
    'A server that accepts faster, or a longer backlog (at most net.core.somaxconn).',
  ],
  TcpExtListenDrops: [
    'SYNs dropped by a listener',
    'For a full accept queue or any other reason; each costs its client a second or more until it asks again.',
  ],
  TcpExtTCPReqQFullDrop: [
    'SYNs dropped, SYN queue full',
    'Too many half-open connections.',
    'net.ipv4.tcp_max_syn_backlog',
  ],
  TcpExtTCPReqQFullDoCookies: ['SYN queue full, cookie instead', 'The connection can open, with fewer TCP options.'],
  TcpExtSyncookiesSent: ['SYN cookies sent', 'A queue was full; cookies kept the door open.'],
  TcpExtTCPSynRetrans: ['SYNs sent again', 'Nobody had answered the one before: a dropped SYN, or a lost answer.'],
  TcpAttemptFails: ['failed attempts to connect', 'Refused or reset before they were open.'],
  TcpRetransSegs: [
    'segments sent again',
    'SYNs among them. On loopback none is lost on the way: the receiver dropped it, or took too long.',
  ],
  TcpExtTCPTimeouts: ['retransmission timeouts', 'No acknowledgement came in time, for a SYN or for data.'],
  TcpExtTCPFastRetrans: ['segments sent again at once', 'Later ones were acknowledged, these were not.'],
  TcpExtTCPSlowStartRetrans: ['segments sent again in slow start', 'After a retransmission timeout.'],
  TcpExtTCPLostRetransmit: ['segments lost again when sent again', ''],
  TcpExtTCPRetransFail: ['segments that could not be sent again', 'No memory, or no way out of the machine.'],
  TcpExtTCPSpuriousRTOs: ['timeouts that were too early', 'The acknowledgement was only late: a crowded machine.'],
  TcpOutRsts: [
    'resets sent',
    'By either side; so the client ends a connection that failed it, and what the end of a leg cuts off.',
  ],
  TcpEstabResets: ['open connections ended by a reset', 'Sent or received, on either side.'],
  TcpExtEmbryonicRsts: ['resets to connections not yet open', 'The client had given up before the handshake was done.'],
  TcpExtTCPAbortOnData: [
    'closed by a reset on purpose, or with data still coming',
    'So does the client after a timeout, and with what the end of a leg cuts off.',
  ],
  TcpExtTCPAbortOnClose: ['closed with data unread', 'The other side sees a reset.'],
  TcpExtTCPAbortOnMemory: [
    'closed for want of memory',
    'The kernel let connections go.',
    'net.ipv4.tcp_mem, net.ipv4.tcp_max_orphans',
  ],
  TcpExtTCPAbortOnTimeout: ['given up after too many retransmissions', 'The other side had gone silent.'],
  TcpExtTCPAbortOnLinger: ['given up while closing', 'The other side did not close in time.'],
  TcpExtTCPAbortFailed: ['resets that could not be sent', 'No memory even for that.'],
  TcpExtTCPMemoryPressures: [
    'times TCP came under memory pressure',
    'From there on the kernel keeps buffers small.',
    'Fewer bytes in flight, or a larger net.ipv4.tcp_mem (its middle value).',
  ],
  TcpExtTCPMemoryPressuresChrono: ['time under memory pressure', ''],
  TcpExtPruneCalled: ['receive buffers over their size', 'The kernel tried to make room in them.'],
  TcpExtTCPRcvCollapsed: ['segments packed together to save memory', 'Costs CPU, loses nothing.'],
  TcpExtRcvPruned: [
    'receive buffers that stayed over their size',
    'What came then was dropped, and is sent again.',
    'A side that reads sooner.',
  ],
  TcpExtOfoPruned: ['out-of-order queues cut', 'What was dropped is sent again.'],
  TcpExtTCPRcvQDrop: [
    'segments dropped, receive queue full',
    'They are sent again.',
    'A side that reads sooner; net.ipv4.tcp_rmem, net.ipv4.tcp_mem',
  ],
  TcpExtTCPOFODrop: ['out-of-order segments dropped', 'They are sent again.'],
  TcpExtTCPBacklogDrop: ['segments dropped, socket busy', 'The process held the socket while more came in.'],
  TcpExtTCPWqueueTooBig: ['send queues over their size', 'A segment could not be split and was not sent.'],
  TcpExtPFMemallocDrop: ['segments dropped for the kernel’s last memory', 'The machine is out of memory.'],
  TcpExtTCPZeroWindowDrop: ['segments dropped, window closed', 'The receiver had said that it had no room.'],
  TcpInErrs: ['broken segments', 'On loopback there should be none.'],
  TcpExtTCPTimeWaitOverflow: [
    'TIME_WAIT beyond the limit',
    'Ports are free again at once.',
    'net.ipv4.tcp_max_tw_buckets',
  ],
};

/** In milliseconds, not a count. */
export const IN_MS = new Set(['TcpExtTCPMemoryPressuresChrono']);

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
