// Transport SCTP: its rules for scenarios, what the machine needs for it, and its texts. A connection is an association
// that carries a stream of bytes.

import { ONLY_TCP, rulesOver, TLS_NEEDS_TCP } from '../rules.js';

/** @import { Kind } from '../index.js' */

/** @typedef {{ sctp: string | null }} Facts  sctp: why the kernel has no SCTP, an errno; null if it has SCTP */

/** Protocols whose servers are filled with data before a leg, over TCP. */
const FILLED = ['redis', 'memcached'];

/** @type {Record<string, string>} */
const STYLES = { sctp: 'SCTP one-to-one', 'sctp-seqpacket': 'SCTP one-to-many' };

/** @type {Kind['rules']} */
const rules = rulesOver(
  ({ transport }) => transport in STYLES,
  [
    ['tls', 'sctp-with-tls', ({ tls }) => tls !== null, TLS_NEEDS_TCP],
    [
      'transport',
      'sctp-with-unix-socket',
      ({ listen }) => listen === 'unix',
      'there are no unix sockets over SCTP; give an address, or leave transport out',
    ],
    [
      'transport',
      'sctp-with-protocol',
      ({ protocol }) => FILLED.includes(protocol) && { protocol },
      `the keys of ${FILLED.join(' and ')} are stored over TCP before a leg; leave it out`,
    ],
    ['socket.keepAlive', 'tcp-option-of-sctp', ({ socket }) => socket.keepAliveNs !== null, ONLY_TCP],
  ],
);

/** @type {Kind} */
export const sctp = {
  names: ['sctp', 'sctp-seqpacket'],
  text: (transport) => STYLES[transport],
  label: 'SCTP',
  choice: 'sctp (one-to-one), sctp-seqpacket (one-to-many)',
  addresses: 'with SCTP also several: A,B',
  verified: true,
  usesTcpMemory: false,
  rules,
  sysctls: ['net/sctp'],
  missing: (transport, { sctp: errno }) =>
    errno === null ? null : { code: 'sctp-unavailable', data: { transport, errno } },
  fact: ({ sctp: errno }) => ({
    name: 'SCTP',
    value: errno === null ? 'available' : `none (${errno})`,
    data: { errno },
  }),
  combined: (hosts) => ({ sctp: hosts.map((host) => host.sctp).find((errno) => errno !== null) ?? null }),
  limitTexts: {
    'sctp-unavailable': {
      name: 'transport',
      text: ({ transport, errno }) =>
        `transport: ${transport} needs SCTP, which the kernel of this machine does not have (${errno}).`,
      remedy: () =>
        'What helps: modprobe sctp (for a container: on its host). If there is no such module, use a kernel with SCTP.',
    },
  },
};
