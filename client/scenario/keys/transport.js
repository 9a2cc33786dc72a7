// Keys `transport` and `sctpStack`: what carries the bytes, and whose SCTP it is. Pure. The one thing to know: SCTP here
// is a stream of bytes in one association; what only TCP has (TLS, unix sockets, some options) is refused.

import { isSctp } from '../../results/transport.js';
import { mistake } from '../mistakes.js';

/** They are filled before a leg, over TCP. */
const FILLED = ['redis', 'memcached'];

/**
 * @param {import('../scenario.js').Scenario} scenario
 * @returns {[string, string, Record<string, any>, string][]} path, code, data, why
 */
function foundIn({ transport, sctpStack, tls, listen, io, protocol, socket }) {
  /** @type {[string, string, Record<string, any>, string][]} */
  const found = [];
  if (!isSctp(transport)) {
    if (sctpStack === 'auto') return found;
    const why = `${sctpStack}, but the transport is ${transport}; leave it out, or give transport "sctp"`;
    return [['sctpStack', 'stack-without-sctp', { sctpStack, transport }, why]];
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
 * @param {import('../mistakes.js').Where} where
 * @returns {import('../mistakes.js').Mistake[]}
 */
export const transportMistakes = (scenario, where) =>
  foundIn(scenario).map(([path, code, data, why]) => mistake(where, code, path, data, why));
