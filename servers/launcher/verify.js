// One request and its reply, byte for byte: whether a server does what it is measured for.

import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { ServerError } from './errors.js';

/**
 * What to send, and what must come back, by protocol.
 * @type {Record<string, () => {request: Buffer, reply: Buffer}>}
 */
const EXCHANGES = {
  echo() {
    const request = randomBytes(64);
    return { request, reply: request };
  },
};

/**
 * @param {{host: string, port: number, protocol?: string, timeoutMs?: number}} options
 * @returns {Promise<void>} rejects with ServerError EEXCHANGE, which says what came instead
 */
export function verifyExchange({ host, port, protocol = 'echo', timeoutMs = 5000 }) {
  const where = `${host}:${port}`;
  const exchange = EXCHANGES[protocol];
  if (!exchange) return Promise.reject(new ServerError(`no protocol "${protocol}"`, { code: 'EOPTION' }));
  const { request, reply } = exchange();
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port });
    /** @type {(fault?: string, cause?: unknown) => void} */
    const finish = (fault, cause) => {
      clearTimeout(timer);
      socket.destroy();
      if (fault === undefined) resolve();
      else reject(new ServerError(fault, { code: 'EEXCHANGE', cause }));
    };
    const refuse = (/** @type {string} */ why) => finish(`${where} does not speak ${protocol}: ${why}`);
    const timer = setTimeout(() => refuse(`no whole reply within ${timeoutMs} ms (${got} bytes)`), timeoutMs);
    let got = 0;
    socket.on('connect', () => {
      // A port nobody listens on, inside the ephemeral range, can be connected to itself.
      if (socket.localPort === port && socket.localAddress === socket.remoteAddress) finish(`nothing listens on ${where}`);
      else socket.write(request);
    });
    socket.on('data', (bytes) => {
      const expected = reply.subarray(got, got + bytes.length);
      if (!expected.equals(bytes)) refuse(`the reply is wrong within bytes ${got} to ${got + bytes.length - 1}`);
      else if ((got += bytes.length) === reply.length) finish();
    });
    socket.on('end', () => refuse(`it closed the connection after ${got} of ${reply.length} bytes`));
    socket.on('error', (/** @type {NodeJS.ErrnoException} */ error) => {
      if (error.code === 'ECONNREFUSED') finish(`nothing listens on ${where} (${error.code})`, error);
      else refuse(error.message);
    });
  });
}
