// Verifies one exchange: sends one request and compares the reply byte by byte.

import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { ServerError } from '../errors.js';
import { formatEndpoint, isUnixSocket, pathOf } from './endpoint.js';
import { describeSocketError, quoted } from './exchange-errors.js';
import { EXCHANGES } from './exchanges.js';
import { protocolIn } from './signs.js';
import { verifyDatagrams } from './verify-udp.js';

/** What a server of any protocol that reads lines answers, if with an error. */
const PLAIN_REQUEST = 'GET / HTTP/1.0\r\n\r\n';
const TLS_HINT = 'the server may accept TLS only (--tls)';
/** @param {Uint8Array} bytes @returns {boolean} whether they begin with a TLS alert record, SSL 3 or later */
const isTlsAlert = ([type, major]) => type === 0x15 && major === 3;

/**
 * @typedef {{host: string, port: number, protocol?: string, protocolOptions?: any, timeoutMs?: number,
 *   tls?: import('node:tls').ConnectionOptions | null,
 *   transport?: import('../manifest/manifest.js').Transport}} VerifyOptions protocolOptions: see exchanges.js; tls: null
 *   for plain TCP; transport: udp for an exchange over TCP and one over UDP
 */

/** @param {VerifyOptions} options @returns {Promise<void>} rejects as verifyStream() and verifyDatagrams() */
export async function verifyExchange(options) {
  await verifyStream(options);
  if (options.transport === 'udp') await verifyDatagrams(options);
}

/**
 * What a server that does not answer a request of the expected protocol speaks, by its answer to a line of text.
 * @param {string} host @param {number} port @param {number} timeoutMs
 * @returns {Promise<string | undefined>} undefined where the answer does not tell
 */
export function protocolAt(host, port, timeoutMs) {
  return new Promise((resolve) => {
    const socket = connect(isUnixSocket(host) ? { path: pathOf(host) } : { host, port });
    const end = (/** @type {string | void} */ protocol) => (socket.destroy(), resolve(protocol || undefined));
    socket.setTimeout(timeoutMs, end);
    socket.on('connect', () => socket.write(PLAIN_REQUEST));
    socket.on('data', (bytes) => end(protocolIn(bytes)));
    socket.on('error', () => end());
    socket.on('end', () => end());
  });
}

/**
 * @param {VerifyOptions} options
 * @returns {Promise<void>} rejects with ServerError EEXCHANGE. Its data: `endpoint`, `reason` (not-listening, timeout,
 *   stalled, closed, tls-alert, or a code of exchange-errors.js or exchanges.js), `received` (number of bytes),
 *   `receivedStart` (the first of them, quoted; absent without any), `spoken` (the protocol that they are of, where they tell), `maybeTls` (plain bytes were refused the way servers refuse them that speak TLS only), and what belongs to the reason
 */
function verifyStream({ host, port, protocol = 'echo', protocolOptions, timeoutMs = 5000, tls = null }) {
  const endpoint = formatEndpoint(host, port);
  if (!Object.hasOwn(EXCHANGES, protocol)) {
    const data = { reason: 'protocol', protocol };
    return Promise.reject(new ServerError(`unknown protocol "${protocol}"`, { code: 'EOPTION', data }));
  }
  const { request, judge, replyEnd, quietMs } = EXCHANGES[protocol](protocolOptions);
  return new Promise((resolve, reject) => {
    const address = isUnixSocket(host) ? { path: pathOf(host) } : { host, port };
    const socket = tls === null ? connect(address) : connectTls({ ...address, ...tls });
    let received = Buffer.alloc(0);
    const close = () => {
      clearTimeout(deadline);
      clearTimeout(quiet);
      socket.destroy();
    };
    const succeed = () => {
      close();
      resolve();
    };
    const fail = (
      /** @type {string} */ text,
      /** @type {Record<string, unknown>} */ data,
      /** @type {unknown} */ cause,
    ) => {
      close();
      const spoken = protocolIn(received);
      const start = received.length === 0 ? {} : { receivedStart: quoted(received), ...(spoken && { spoken }) };
      const all = { endpoint, received: received.length, ...start, maybeTls: false, ...data };
      reject(new ServerError(text, { code: 'EEXCHANGE', data: all, cause }));
    };
    const failToListen = (/** @type {NodeJS.ErrnoException | undefined} */ error) => {
      const suffix = error === undefined ? '' : ` (${error.code})`;
      fail(`nothing listens on ${endpoint}${suffix}`, { reason: 'not-listening', errno: error?.code ?? null }, error);
    };
    const failExchange = (
      /** @type {import('../errors.js').Problem} */ { code: reason, data, text },
      { maybeTls = false, cause = /** @type {unknown} */ (undefined) } = {},
    ) => {
      const spoken = `${protocol}${tls === null ? '' : ' over TLS'}`;
      const why = `${text}${maybeTls ? `; ${TLS_HINT}` : ''}`;
      const message =
        replyEnd === undefined ? `${endpoint} does not speak ${spoken}: ${why}` : `${endpoint}: ${why}; ${replyEnd}`;
      fail(message, { reason, ...data, maybeTls }, cause);
    };
    const receivedText = () => `${received.length} bytes${received.length > 0 ? `: ${quoted(received)}` : ''}`;
    const deadline = setTimeout(() => {
      const text = `no complete reply within ${timeoutMs} ms (received ${receivedText()})`;
      failExchange({ code: 'timeout', data: { timeoutMs }, text });
    }, timeoutMs);
    let quiet = deadline;
    const check = (/** @type {boolean} */ ended) => {
      const verdict = judge(received, ended);
      if (verdict === 'complete') succeed();
      else if (tls === null && isTlsAlert(received)) {
        failExchange({ code: 'tls-alert', data: {}, text: 'it sent a TLS alert' }, { maybeTls: true });
      } else if (verdict !== 'incomplete') failExchange(verdict);
      else if (ended) {
        const text = `it closed the connection after ${receivedText()}, before the end of the reply`;
        failExchange({ code: 'closed', data: {}, text });
      } else if (quietMs !== undefined && received.length > 0) {
        clearTimeout(quiet);
        quiet = setTimeout(() => {
          const text = `no complete reply (received ${receivedText()}), and nothing more for ${quietMs} ms`;
          failExchange({ code: 'stalled', data: { quietMs }, text });
        }, quietMs);
      }
    };
    socket.on('connect', () => {
      // Without a listener, a port in the ephemeral range can be connected to itself.
      const isSelf = !isUnixSocket(host) && socket.localPort === port && socket.localAddress === socket.remoteAddress;
      if (isSelf) failToListen(undefined);
      else if (tls === null) socket.write(request, () => check(false));
    });
    socket.on('secureConnect', () => socket.write(request, () => check(false)));
    socket.on('data', (bytes) => {
      received = Buffer.concat([received, bytes]);
      check(false);
    });
    socket.on('end', () => check(true));
    socket.on('error', (/** @type {NodeJS.ErrnoException} */ error) => {
      if (error.code === 'ECONNREFUSED' || (isUnixSocket(host) && error.code === 'ENOENT')) return failToListen(error);
      const maybeTls = tls === null && error.code === 'ECONNRESET' && received.length === 0;
      return failExchange(describeSocketError(error), { maybeTls, cause: error });
    });
  });
}
