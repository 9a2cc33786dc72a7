// Keys, values, options and commands of earlier versions, and what to write instead, for scenario files and the command
// line.

/** @type {{ name: string, value?: RegExp, instead: string }[]} value: only these values are gone */
const REMOVED = [
  { name: 'busyPoll', instead: 'leave it out; the engine waits in the kernel' },
  { name: 'completion', instead: 'there is no completion script; --help all lists every option' },
  { name: 'find.from', instead: 'leave it out; a search begins at 1/32 of the greatest value' },
  {
    name: 'format',
    value: /^hgrm$/,
    instead: "give hlog, from which HdrHistogram's HistogramLogProcessor makes percentile distributions",
  },
  { name: 'format', value: /^intervals$/, instead: 'samples.ndjson of each leg has a line for each second' },
  {
    name: 'io',
    instead: 'leave it out; the engine waits with epoll, and sends through io_uring where the kernel has it',
  },
  { name: 'lifetime.close', instead: 'leave it out; a lifetime ends by FIN' },
  { name: 'lifetime.time', value: /^\d.*-/, instead: 'give one duration, such as 10s' },
  { name: 'resume', instead: 'measure the missing legs in a new run; an interrupted run names the command' },
  { name: 'sctpStack', instead: "leave it out; SCTP is the kernel's (modprobe sctp loads it)" },
  { name: 'socket.congestion', instead: 'set it for the machine (sysctl net.ipv4.tcp_congestion_control)' },
  { name: 'socket.receiveBuffer', instead: 'set it for the machine (sysctl net.ipv4.tcp_rmem)' },
  { name: 'socket.sendBuffer', instead: 'set it for the machine (sysctl net.ipv4.tcp_wmem)' },
  { name: 'socket.tos', instead: 'set it for the packets of the machine (nft, or iptables -j TOS)' },
  { name: 'timestamps', value: /^all$/, instead: 'write sample: one transfer in 64, or more where there are few' },
  { name: 'tls.ciphers', instead: 'choose them at the server' },
  { name: 'tls.maxVersion', instead: 'set it at the server; the client offers TLS 1.2 and 1.3' },
  { name: 'tls.minVersion', instead: 'set it at the server; the client offers TLS 1.2 and 1.3' },
  {
    name: 'transfer-logs',
    instead: 'leave it out; collect names the files, and converts them once they are in the folder of the leg',
  },
  { name: 'untilConfident', instead: 'write budget: it ends a comparison when its intervals are narrow enough' },
];

/**
 * @param {string} name of a key, an axis of a sweep, an option or a command, dotted
 * @param {unknown} [value]
 * @returns {string | undefined} what to do instead; undefined if it was not removed
 */
export function insteadOf(name, value) {
  const key = name.replace(/^sweep\./, '');
  return REMOVED.find(
    (removed) =>
      (key === removed.name || key.startsWith(`${removed.name}.`)) &&
      (removed.value === undefined || (typeof value === 'string' && removed.value.test(value))),
  )?.instead;
}
