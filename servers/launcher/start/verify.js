// One request and its reply, byte for byte: whether a server does what it is measured for.

import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { ServerError } from '../errors.js';
import { EXCHANGES } from './exchanges.js';
import { faultText, quoted } from './exchange-errors.js';
import { formatPlace, isPath, pathOf } from './endpoint.js';

/** Of a server that hangs up on the first plain bytes. */
const MAY_SPEAK_TLS = 'it may speak TLS, and nothing else (--tls)';
/** A TLS record of type alert, of any version from SSL 3 on. @param {Uint8Array} bytes */
const isAlert = ([type, major]) => type === 0x15 && major === 3;

/**
 * @param {{host: string, port: number, protocol?: string, protocolOptions?: any, timeoutMs?: number,
 *   tls?: import('node:tls').ConnectionOptions | null}} options protocolOptions: the scenario's, for what it asks
 *   beyond what every server of ours answers; tls: null for plain
 * @returns {Promise<void>} rejects with ServerError EEXCHANGE, which says what came instead
 */
export function verifyExchange({ host, port, protocol = 'echo', protocolOptions, timeoutMs = 5000, tls = null }) {
  const where = formatPlace(host, port);
  if (!Object.hasOwn(EXCHANGES, protocol)) {
    return Promise.reject(new ServerError(`no protocol "${protocol}"`, { code: 'EOPTION' }));
  }
  const { request, judge, ends = '', quietMs } = EXCHANGES[protocol](protocolOptions);
  return new Promise((resolve, reject) => {
    const place = isPath(host) ? { path: pathOf(host) } : { host, port };
    const socket = tls === null ? connect(place) : connectTls({ ...place, ...tls });
    /** @type {(fault?: string, cause?: unknown) => void} */
    const finish = (fault, cause) => {
      clearTimeout(timer);
      clearTimeout(quiet);
      socket.destroy();
      if (fault === undefined) resolve();
      else reject(new ServerError(fault, { code: 'EEXCHANGE', cause }));
    };
    const speech = `${protocol}${tls === null ? '' : ' over TLS'}`;
    const refuse = (/** @type {string} */ why) =>
      finish(ends === '' ? `${where} does not speak ${speech}: ${why}` : `${where}: ${why}; ${ends}`);
    const came = () => `${got.length} bytes${got.length > 0 ? `: ${quoted(got)}` : ''}`;
    const timer = setTimeout(() => refuse(`no whole reply within ${timeoutMs} ms (${came()})`), timeoutMs);
    let quiet = timer;
    let got = Buffer.alloc(0);
    const look = (/** @type {boolean} */ ended) => {
      const verdict = judge(got, ended);
      if (verdict === 'whole') finish();
      else if (tls === null && isAlert(got)) refuse(`it sent an alert of TLS; ${MAY_SPEAK_TLS}`);
      else if (verdict !== 'more') refuse(verdict.wrong);
      else if (ended) refuse(`it closed the connection after ${came()}, before the reply was whole`);
      else if (quietMs !== undefined && got.length > 0) {
        clearTimeout(quiet);
        quiet = setTimeout(() => refuse(`no whole reply (${came()}), and nothing more for ${quietMs} ms`), quietMs);
      }
    };
    socket.on('connect', () => {
      // A port nobody listens on, inside the ephemeral range, can be connected to itself.
      if (!isPath(host) && socket.localPort === port && socket.localAddress === socket.remoteAddress)
        finish(`nothing listens on ${where}`);
      else if (tls === null) socket.write(request, () => look(false));
    });
    socket.on('secureConnect', () => socket.write(request, () => look(false)));
    socket.on('data', (bytes) => {
      got = Buffer.concat([got, bytes]);
      look(false);
    });
    socket.on('end', () => look(true));
    socket.on('error', (/** @type {NodeJS.ErrnoException} */ error) => {
      if (error.code === 'ECONNREFUSED' || (isPath(host) && error.code === 'ENOENT'))
        finish(`nothing listens on ${where} (${error.code})`, error);
      else
        refuse(
          `${faultText(error)}${tls === null && error.code === 'ECONNRESET' && got.length === 0 ? `; ${MAY_SPEAK_TLS}` : ''}`,
        );
    });
  });
}
