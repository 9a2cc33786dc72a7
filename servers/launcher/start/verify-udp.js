// Verifies one exchange over UDP, in memcached's frames: each datagram begins with the id of the request, its own number and
// how many the reply has. A datagram may be lost, so the request is repeated until the deadline.

import { createSocket } from 'node:dgram';
import { isIPv6 } from 'node:net';
import { ServerError } from '../errors.js';
import { formatEndpoint } from './endpoint.js';
import { EXCHANGES } from './exchanges.js';

const HEADER_BYTES = 8;
const REPEAT_MS = 250;
const ID = 1;

/** @param {Buffer} request @returns {Buffer} its only datagram */
function datagramOf(request) {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt16BE(ID, 0);
  header.writeUInt16BE(1, 4);
  return Buffer.concat([header, request]);
}

/**
 * @param {import('./verify.js').VerifyOptions} options
 * @returns {Promise<void>} rejects with ServerError EEXCHANGE, with `endpoint` and `reason` in its data: not-listening,
 *   timeout, or a code of exchange-errors.js or exchanges.js
 */
export function verifyDatagrams({ host, port, protocol = 'echo', protocolOptions, timeoutMs = 5000 }) {
  const endpoint = `UDP ${formatEndpoint(host, port)}`;
  const { request, judge } = EXCHANGES[protocol](protocolOptions);
  const datagram = datagramOf(request);
  const remedy = 'memcached listens on UDP with -U PORT, on the port of TCP';
  return new Promise((resolve, reject) => {
    const socket = createSocket(isIPv6(host) ? 'udp6' : 'udp4');
    let received = Buffer.alloc(0);
    let next = 0;
    const end = () => {
      clearTimeout(deadline);
      clearInterval(repeat);
      socket.close();
    };
    const fail = (/** @type {string} */ reason, /** @type {string} */ why, /** @type {unknown} */ cause) => {
      end();
      const data = { endpoint, reason, received: received.length, maybeTls: false };
      reject(new ServerError(`${endpoint}: ${why}`, { code: 'EEXCHANGE', data, cause }));
    };
    const deadline = setTimeout(
      () => fail('timeout', `no complete reply within ${timeoutMs} ms; ${remedy}`, undefined),
      timeoutMs,
    );
    const repeat = setInterval(() => socket.send(datagram), REPEAT_MS);
    socket.on('message', (bytes) => {
      const isNext = bytes.length > HEADER_BYTES && bytes.readUInt16BE(0) === ID && bytes.readUInt16BE(2) === next;
      if (!isNext) return;
      next += 1;
      received = Buffer.concat([received, bytes.subarray(HEADER_BYTES)]);
      const verdict = judge(received, false);
      if (verdict === 'complete') {
        end();
        resolve();
      } else if (verdict !== 'incomplete') fail(verdict.code, verdict.text, undefined);
    });
    socket.on('error', (error) => fail('not-listening', `nothing listens; ${remedy}`, error));
    socket.connect(port, host, () => socket.send(datagram));
  });
}
