// Opens the connection to the NATS server. It reconnects for ever: its users decide by missing acknowledgements when
// to give up.
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { checkServerIdentity } from 'node:tls';
import { connect, credsAuthenticator, nkeyAuthenticator, tokenAuthenticator } from '@nats-io/transport-node';
import { jetstreamManager } from '@nats-io/jetstream';
import { EnvironmentError } from '../errors.js';
import { NatsBroker } from './broker.js';

/**
 * @import { TlsOptions } from '@nats-io/transport-node'
 * @import { ConnectionOptions } from 'node:tls'
 */

/**
 * How to log in; fields are null if unused.
 * @typedef {{ creds: string | null, nkey: string | null, token: string | null, ca: string | null,
 *   certificate: string | null, key: string | null }} Login  paths, except for token
 * @typedef {{ url: string, login: Login }} NatsServer
 */

/** A connection that misses PINGS_MISSED answers to pings is opened again. */
const PING_MS = 1000;
const PINGS_MISSED = 3;
const RECONNECT_MS = 200;
const TIMEOUT_MS = 5000;
/** A server without JetStream answers at once; JetStream on a busy machine may take long. */
const JETSTREAM_TIMEOUT_MS = 20_000;

/** @param {Login} login @param {URL} url may contain a name and a password */
function authenticationOf({ creds, nkey, token }, url) {
  if (creds !== null) return { authenticator: credsAuthenticator(readFileSync(creds)) };
  if (nkey !== null)
    return { authenticator: nkeyAuthenticator(new TextEncoder().encode(readFileSync(nkey, 'utf8').trim())) };
  if (token !== null) return { authenticator: tokenAuthenticator(token) };
  if (url.username === '') return {};
  return { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) };
}

/**
 * @param {Login} login @param {URL} url
 * @returns {{ tls?: TlsOptions & Pick<ConnectionOptions, 'checkServerIdentity'> }}
 */
function tlsOf({ ca, certificate, key }, url) {
  if (url.protocol !== 'tls:' && ca === null && certificate === null) return {};
  const address = url.hostname.replace(/^\[|\]$/g, '');
  return {
    tls: {
      ...(ca === null ? {} : { caFile: ca }),
      ...(certificate === null ? {} : { certFile: certificate }),
      ...(key === null ? {} : { keyFile: key }),
      // the NATS client would compare an address's certificate with `localhost`
      ...(isIP(address) === 0
        ? {}
        : { checkServerIdentity: (_, certificate) => checkServerIdentity(address, certificate) }),
    },
  };
}

/**
 * A server that does not accept the client's certificate closes the connection after the handshake; the NATS client
 * reports this as a timeout.
 * @param {string} message of the failure @param {boolean} isSecure whether the connection uses TLS
 */
const hintOf = (message, isSecure) =>
  isSecure && message === 'timeout'
    ? 'does it ask for a certificate that it knows (--nats-cert, --nats-key)?'
    : 'is nats-server running there, and may you log in?';

/**
 * @param {NatsServer} server @param {string} name of the connection in the server's list
 * @returns {Promise<NatsBroker>}
 * @throws {EnvironmentError} when it cannot be opened, or has no JetStream
 */
export async function openNats({ url: given, login }, name) {
  const url = new URL(given);
  const where = `${url.hostname}:${url.port || '4222'}`;
  if (url.password !== '') process.title = name; // hides the command line, which every user of this host can read
  const { tls } = tlsOf(login, url);
  let nc;
  try {
    nc = await connect({
      servers: where,
      name,
      ...authenticationOf(login, url),
      ...(tls === undefined ? {} : { tls }),
      maxReconnectAttempts: -1,
      reconnectTimeWait: RECONNECT_MS,
      reconnectJitter: RECONNECT_MS,
      pingInterval: PING_MS,
      maxPingOut: PINGS_MISSED,
      timeout: TIMEOUT_MS,
      ignoreAuthErrorAbort: true,
    });
  } catch (error) {
    const { message, code = null } = /** @type {NodeJS.ErrnoException} */ (error);
    throw new EnvironmentError(
      `--nats ${where}: no connection to the NATS server (${message}); ${hintOf(message, tls !== undefined)}`,
      { code: 'ENATS', data: { server: where, reason: message, errno: code }, cause: error },
    );
  }
  try {
    await jetstreamManager(nc, { timeout: JETSTREAM_TIMEOUT_MS }); // checks that the server has JetStream
    return new NatsBroker(nc, await jetstreamManager(nc, { timeout: TIMEOUT_MS, checkAPI: false }));
  } catch (error) {
    await nc.close();
    const { name: kind, message } = /** @type {Error} */ (error);
    const hint =
      kind === 'TimeoutError'
        ? `no answer in ${JETSTREAM_TIMEOUT_MS / 1000} s: is it overloaded, or may this user not publish to $JS.API.>?`
        : `${message}; start nats-server with -js`;
    throw new EnvironmentError(`--nats ${where}: its JetStream cannot be used (${hint})`, {
      code: 'ENOJETSTREAM',
      data: { server: where },
      cause: error,
    });
  }
}
