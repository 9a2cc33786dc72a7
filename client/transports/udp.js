// Transport UDP: it carries protocol memcached only, one request per datagram.

import { weights } from '../protocols/memcached-keys.js';
import { familyOf } from '../words/endpoint.js';
import { ONLY_TCP, rulesOver, TLS_NEEDS_TCP } from './rules.js';

/**
 * @import { MemcachedOptions } from '../protocols/memcached.js'
 * @import { Scenario } from '../scenario/scenario.js'
 * @import { Kind } from './index.js'
 */

/** Maximum length of a datagram, as in memcached; IP would fragment longer ones. */
const DATAGRAM_BYTES = 1400;
const UDP_HEADER_BYTES = 8;
/** Bytes of a set besides key and value: header, flags and expiry; as text, "set ", " 0 0 " and two line ends. */
const BINARY_SET_BYTES = 32;
const TEXT_SET_BYTES = 13;

/** @param {Scenario} scenario with protocol memcached @returns {number} bytes of its largest set; 0 without sets */
function setBytes({ protocolOptions, payloadBytes: valueBytes }) {
  const options = /** @type {MemcachedOptions} */ (protocolOptions);
  if (weights(options)[1] === 0) return 0;
  const frame = options.format === 'binary' ? BINARY_SET_BYTES : TEXT_SET_BYTES + String(valueBytes).length;
  return UDP_HEADER_BYTES + frame + options.keyBytes + valueBytes;
}

/** @type {Kind['rules']} */
const rules = [
  {
    path: 'transport',
    code: 'udp-with-protocol',
    when: ({ transport, protocol }) => transport === 'udp' && protocol !== 'memcached' && { transport, protocol },
    why: ({ protocol }) =>
      `udp carries only protocol memcached, not ${protocol}; leave it out, or give protocol memcached`,
  },
  ...rulesOver(
    ({ transport, protocol }) => transport === 'udp' && protocol === 'memcached',
    [
      ['tls', 'udp-with-tls', ({ tls }) => tls !== null, TLS_NEEDS_TCP],
      [
        'transport',
        'udp-with-unix-socket',
        ({ listen, target }) => listen === 'unix' || (target !== undefined && familyOf(target.host) === 'unix'),
        'there are no unix sockets over UDP; give an address, or leave transport out',
      ],
      [
        'pipeline',
        'udp-with-pipeline',
        ({ pipeline }) => pipeline > 1,
        'over UDP a connection has one request in flight, because replies may overtake each other; leave it out',
      ],
      [
        'memcached.keysPerGet',
        'udp-with-keys-per-get',
        ({ protocolOptions }) => (protocolOptions.keysPerGet ?? 1) > 1,
        'over UDP memcached numbers the datagrams of each value separately, and a lost datagram would count as a miss; leave it out',
      ],
      [
        'memcached.ratio',
        'udp-request-too-large',
        (scenario) => setBytes(scenario) > DATAGRAM_BYTES,
        `a set does not fit into a datagram of ${DATAGRAM_BYTES} bytes; give smaller values, or gets only ("1:0")`,
      ],
      ['socket.nodelay', 'tcp-option-of-udp', ({ socket }) => !socket.nodelay, ONLY_TCP],
      ['socket.keepAlive', 'tcp-option-of-udp', ({ socket }) => socket.keepAliveNs !== null, ONLY_TCP],
      ['socket.linger', 'tcp-option-of-udp', ({ socket }) => socket.lingerNs !== null, ONLY_TCP],
    ],
  ),
];

/** @type {Kind} */
export const udp = {
  names: ['udp'],
  text: () => 'UDP',
  label: 'UDP',
  choice: 'udp besides tcp',
  verified: false,
  usesTcpMemory: true,
  rules,
};
