// Keys `transport` and `sctpStack`: what carries the bytes, and whose SCTP it is. Pure. The one thing to know: SCTP here
// is a stream of bytes in one association, and UDP is memcached's, a request in a datagram; what only TCP has (TLS, unix
// sockets, some options) is refused.

import { weights } from '../../protocols/memcached-keys.js';
import { familyOf } from '../../results/endpoint.js';
import { isSctp } from '../../results/transport.js';
import { mistake } from '../mistakes.js';

/** They are filled before a leg, over TCP. */
const FILLED = ['redis', 'memcached'];
/** As memcached sends them; a larger one would be fragmented by IP. */
const DATAGRAM_BYTES = 1400;
const UDP_HEADER_BYTES = 8;
/** Of a set: the header, flags and expiry; or "set ", " 0 0 " and two line ends. */
const BINARY_SET_BYTES = 32;
const TEXT_SET_BYTES = 13;

/**
 * @param {import('../scenario.js').Scenario} scenario
 * @returns {[string, string, Record<string, any>, string][]} path, code, data, why
 */
function foundIn(scenario) {
  const { transport, sctpStack, tls, listen, io, protocol, socket } = scenario;
  /** @type {[string, string, Record<string, any>, string][]} */
  const found = [];
  if (transport === 'udp') found.push(...foundOverUdp(scenario));
  if (!isSctp(transport)) {
    if (sctpStack === 'auto') return found;
    const why = `${sctpStack}, but the transport is ${transport}; leave it out, or give transport "sctp"`;
    return [...found, ['sctpStack', 'stack-without-sctp', { sctpStack, transport }, why]];
  }
  if (tls !== null) {
    found.push(['tls', 'sctp-with-tls', { transport }, 'TLS needs transport "tcp"; leave tls or transport out']);
  }
  if (listen === 'unix') {
    const why = `${transport} has no unix sockets; give an address, or leave transport out`;
    found.push(['transport', 'sctp-with-unix-socket', { transport }, why]);
  }
  if (io !== 'auto') {
    const why = `${io}, but over SCTP there is no choice: epoll with the kernel's stack, else usrsctp; leave it out`;
    found.push(['io', 'io-with-sctp', { io, transport }, why]);
  }
  if (FILLED.includes(protocol)) {
    const why = `protocol ${protocol} cannot be measured over ${transport}: its keys are stored over TCP before a leg`;
    found.push(['transport', 'sctp-with-protocol', { transport, protocol }, why]);
  }
  for (const key of /** @type {const} */ (['keepAliveNs', 'congestion'])) {
    if (socket[key] === null) continue;
    const name = key === 'keepAliveNs' ? 'keepAlive' : key;
    const why = `is an option of TCP, which ${transport} does not have; leave it out`;
    found.push([`socket.${name}`, 'tcp-option-of-sctp', { transport }, why]);
  }
  return found;
}

/**
 * @param {import('../scenario.js').Scenario} scenario
 * @returns {[string, string, Record<string, any>, string][]} path, code, data, why
 */
function foundOverUdp({ tls, listen, target, io, protocol, protocolOptions, pipeline, socket, lifetime, ...scenario }) {
  const data = { transport: 'udp' };
  if (protocol !== 'memcached') {
    const why = `udp carries protocol memcached only, not ${protocol}; leave it out, or give --protocol memcached`;
    return [['transport', 'udp-with-protocol', { ...data, protocol }, why]];
  }
  /** @type {[boolean, string, string, string][]} whether it holds, path, code, why */
  const rules = [
    [tls !== null, 'tls', 'udp-with-tls', 'TLS needs transport "tcp"; leave tls or transport out'],
    [
      listen === 'unix' || (target !== undefined && familyOf(target.host) === 'unix'),
      'transport',
      'udp-with-unix-socket',
      'udp has no unix sockets; give an address, or leave transport out',
    ],
    [io !== 'auto', 'io', 'io-with-udp', `${io}, but over UDP there is no choice: epoll; leave it out`],
    [
      pipeline > 1,
      'pipeline',
      'udp-with-pipeline',
      `${pipeline}, but over UDP a connection has one request in flight, because replies may overtake each other; ` +
        'leave it out',
    ],
    [
      protocolOptions.keysPerGet > 1,
      'memcached.keysPerGet',
      'udp-with-keys-per-get',
      `${protocolOptions.keysPerGet}, but over UDP memcached numbers the datagrams of each value by itself, so that one ` +
        'that is lost would count as a miss; leave it out',
    ],
    [
      setBytes(protocolOptions, scenario.payloadBytes) > DATAGRAM_BYTES,
      'memcached.ratio',
      'udp-request-too-large',
      `has sets, and a set of ${setBytes(protocolOptions, scenario.payloadBytes)} bytes does not fit into a datagram of ` +
        `${DATAGRAM_BYTES}; give smaller values, or gets only ("1:0")`,
    ],
    [
      !socket.nodelay || socket.keepAliveNs !== null || socket.congestion !== null || socket.lingerNs !== null,
      `socket.${!socket.nodelay ? 'nodelay' : socket.keepAliveNs !== null ? 'keepAlive' : socket.congestion !== null ? 'congestion' : 'linger'}`,
      'tcp-option-of-udp',
      'is an option of TCP, which UDP does not have; leave it out',
    ],
    [lifetime?.close === 'rst', 'lifetime.close', 'tcp-option-of-udp', 'rst, but UDP has no RST; leave it out'],
  ];
  return rules.filter(([holds]) => holds).map(([, path, code, why]) => [path, code, data, why]);
}

/** @param {any} options of memcached @param {number} valueBytes the most @returns {number} of its largest set; 0: it has none */
function setBytes(options, valueBytes) {
  if (weights(options)[1] === 0) return 0;
  const frame = options.format === 'binary' ? BINARY_SET_BYTES : TEXT_SET_BYTES + String(valueBytes).length;
  return UDP_HEADER_BYTES + frame + options.keyBytes + valueBytes;
}

/**
 * @param {import('../scenario.js').Scenario} scenario
 * @param {import('../mistakes.js').Where} where
 * @returns {import('../mistakes.js').Mistake[]}
 */
export const transportMistakes = (scenario, where) =>
  foundIn(scenario).map(([path, code, data, why]) => mistake(where, code, path, data, why));
