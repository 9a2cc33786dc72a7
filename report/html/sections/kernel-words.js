/**
 * The kernel's counters in words: what each counts, what it means here, and what would reduce it. In the order they are
 * listed. Meanings are those of the Linux source (net/ipv4/tcp*.c); a counter without words is shown by its name.
 */

/** @type {Record<string, [name: string, meaning: string, remedy?: string]>} */
export const KERNEL_WORDS = {
  TcpExtListenOverflows: [
    'accept queue full',
    'A connection did not fit into a server’s accept queue.',
    'A server that accepts faster, or a longer queue: its length is the backlog passed to listen(), at most net.core.somaxconn.',
  ],
  TcpExtListenDrops: [
    'SYNs dropped by a listener',
    'Usually because the accept queue was full. The client sends each again after 1 s or more.',
  ],
  TcpExtTCPReqQFullDrop: [
    'SYNs dropped, SYN queue full',
    'Too many half-open connections.',
    'A larger net.ipv4.tcp_max_syn_backlog.',
  ],
  TcpExtTCPReqQFullDoCookies: ['SYN queue full, cookie instead', 'The connection can open, with fewer TCP options.'],
  TcpExtSyncookiesSent: ['SYN cookies sent', 'A queue was full; with cookies, connections could still open.'],
  TcpExtTCPSynRetrans: [
    'SYNs sent again',
    'The previous SYN was not answered: it was dropped, or its answer was lost.',
  ],
  TcpAttemptFails: ['failed connects', 'Refused or reset before the connection was open.'],
  TcpRetransSegs: [
    'segments retransmitted',
    'Including SYNs. Loopback loses no packets: the receiver dropped the segment, or was too slow.',
  ],
  TcpExtTCPTimeouts: ['retransmission timeouts', 'No acknowledgement in time, for a SYN or for data.'],
  TcpExtTCPFastRetrans: ['fast retransmissions', 'Later segments were acknowledged, these were not.'],
  TcpExtTCPSlowStartRetrans: ['retransmissions in slow start', 'After a retransmission timeout.'],
  TcpExtTCPLostRetransmit: ['retransmissions that were lost', ''],
  TcpExtTCPRetransFail: ['retransmissions that failed', 'No memory, or no route.'],
  TcpExtTCPSpuriousRTOs: ['spurious timeouts', 'The acknowledgement was only late, as on a busy machine.'],
  TcpOutRsts: [
    'resets sent',
    'By either side. The client resets a connection after an error, or if a transfer is unfinished when the leg ends.',
  ],
  TcpEstabResets: ['open connections ended by a reset', 'Sent or received, by either side.'],
  TcpExtEmbryonicRsts: ['resets to connections not yet open', 'The client gave up before the handshake was complete.'],
  TcpExtTCPAbortOnData: [
    'closed by a reset, or while data was arriving',
    'The client does so after a timeout, and if a transfer is unfinished when the leg ends.',
  ],
  TcpExtTCPAbortOnClose: ['closed with data unread', 'The other side sees a reset.'],
  TcpExtTCPAbortOnMemory: [
    'closed for lack of memory',
    'The kernel dropped connections.',
    'A larger net.ipv4.tcp_mem or net.ipv4.tcp_max_orphans.',
  ],
  TcpExtTCPAbortOnTimeout: ['aborted after too many retransmissions', 'The other side no longer answered.'],
  TcpExtTCPAbortOnLinger: ['aborted while closing', 'The other side did not close in time.'],
  TcpExtTCPAbortFailed: ['resets that could not be sent', 'No memory for the segment.'],
  TcpExtTCPMemoryPressures: [
    'times TCP entered memory pressure',
    'Under pressure the kernel keeps buffers small.',
    'Fewer bytes in flight, or a larger net.ipv4.tcp_mem (its middle value).',
  ],
  TcpExtTCPMemoryPressuresChrono: ['time under memory pressure', ''],
  TcpExtPruneCalled: ['receive buffers over their limit', 'The kernel tried to make room.'],
  TcpExtTCPRcvCollapsed: ['segments merged to save memory', 'This costs CPU and loses nothing.'],
  TcpExtRcvPruned: [
    'receive buffers that stayed over their limit',
    'Data that arrived was dropped and is sent again.',
    'A receiver that reads faster.',
  ],
  TcpExtOfoPruned: ['out-of-order queues pruned', 'The dropped segments are sent again.'],
  TcpExtTCPRcvQDrop: [
    'segments dropped, receive queue full',
    'They are sent again.',
    'A receiver that reads faster, or a larger net.ipv4.tcp_rmem or net.ipv4.tcp_mem.',
  ],
  TcpExtTCPOFODrop: ['out-of-order segments dropped', 'They are sent again.'],
  TcpExtTCPBacklogDrop: ['segments dropped, socket busy', 'The process held the socket while more segments arrived.'],
  TcpExtTCPWqueueTooBig: ['send queues over their limit', 'A segment could not be split and was not sent.'],
  TcpExtPFMemallocDrop: ['segments dropped, memory reserve in use', 'The machine is out of memory.'],
  TcpExtTCPZeroWindowDrop: ['segments dropped, window closed', 'The receiver had announced that it had no room.'],
  TcpInErrs: ['invalid segments', 'There should be none on loopback.'],
  TcpExtTCPTimeWaitOverflow: [
    'TIME_WAIT over the limit',
    'Ports become free immediately.',
    'A larger net.ipv4.tcp_max_tw_buckets.',
  ],
};

/**
 * What makes counters move, each with its counters: one event moves several of them, and the first that moved says
 * most.
 * @type {ReadonlyArray<{ cause: string, name: string, counters: string[] }>}
 */
const CAUSES = [
  {
    cause: 'queue',
    name: 'Full accept or SYN queue',
    counters: [
      'TcpExtListenDrops',
      'TcpExtListenOverflows',
      'TcpExtTCPReqQFullDrop',
      'TcpExtTCPReqQFullDoCookies',
      'TcpExtSyncookiesSent',
      'TcpExtTCPSynRetrans',
    ],
  },
  {
    cause: 'retransmissions',
    name: 'Segments sent again',
    counters: [
      'TcpRetransSegs',
      'TcpExtTCPTimeouts',
      'TcpExtTCPFastRetrans',
      'TcpExtTCPSlowStartRetrans',
      'TcpExtTCPLostRetransmit',
      'TcpExtTCPRetransFail',
      'TcpExtTCPSpuriousRTOs',
    ],
  },
  {
    cause: 'resets',
    name: 'Resets and failed connects',
    counters: [
      'TcpOutRsts',
      'TcpAttemptFails',
      'TcpEstabResets',
      'TcpExtEmbryonicRsts',
      'TcpExtTCPAbortOnData',
      'TcpExtTCPAbortOnClose',
      'TcpExtTCPAbortOnTimeout',
      'TcpExtTCPAbortOnLinger',
      'TcpExtTCPAbortFailed',
    ],
  },
  {
    cause: 'memory',
    name: 'Memory and full buffers',
    counters: [
      'TcpExtTCPAbortOnMemory',
      'TcpExtTCPMemoryPressures',
      'TcpExtTCPMemoryPressuresChrono',
      'TcpExtPFMemallocDrop',
      'TcpExtTCPRcvQDrop',
      'TcpExtRcvPruned',
      'TcpExtPruneCalled',
      'TcpExtOfoPruned',
      'TcpExtTCPOFODrop',
      'TcpExtTCPBacklogDrop',
      'TcpExtTCPZeroWindowDrop',
      'TcpExtTCPWqueueTooBig',
      'TcpExtTCPRcvCollapsed',
    ],
  },
];

/**
 * @param {string[]} moved counters, as countersMoved gives them
 * @returns {Array<{ cause: string, name: string, counters: string[] }>} those that moved of each cause, the one that
 *   says most first; what has no cause last
 */
export function causesMoved(moved) {
  const grouped = CAUSES.map((one) => ({ ...one, counters: one.counters.filter((name) => moved.includes(name)) }));
  const known = grouped.flatMap(({ counters }) => counters);
  const others = moved.filter((name) => !known.includes(name));
  return [...grouped, { cause: 'other', name: 'Other', counters: others }].filter(
    ({ counters }) => counters.length > 0,
  );
}

/** In milliseconds, not a count. */
export const IN_MS = new Set(['TcpExtTCPMemoryPressuresChrono']);

/** Ordinary traffic and states, which explain nothing. */
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
