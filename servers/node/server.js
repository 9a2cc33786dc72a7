// What node and node-cluster share: a server for the protocol, listening, and the descriptor limit. Without free
// descriptors libuv silently accepts and closes connections; so the number of connections is limited to just below
// that, and Node itself closes further ones and reports it ('drop').

import { readdirSync, readFileSync, writeSync } from 'node:fs';
import { createServer } from 'node:net';
import { createHttpServer } from './http.js';
import { codecs } from './protocols/index.js';
import { createWebsocketServer } from './websocket.js';
import { performer } from './work.js';

/**
 * @import { AddressInfo, Server, Socket } from 'node:net'
 * @import { Options } from './options.js'
 * @import { Answer, Codec } from './protocols/index.js'
 * @import { Perform } from './work.js'
 */

/** Descriptors kept for a connection that is about to be closed, and for what Node opens briefly. */
const SPARE_DESCRIPTORS = 4;

/** @param {Options} options @returns {Server} */
function serverFor({ protocol, volleyStop, work }) {
  const perform = performer(work);
  if (protocol === 'http') return createHttpServer(perform);
  if (protocol === 'websocket') return createWebsocketServer(perform);
  const codec = codecs[protocol];
  // A high-water mark of one byte: a paused socket then reads one chunk ahead, not up to 16 KiB.
  const settings = { allowHalfOpen: true, noDelay: true, highWaterMark: 1 };
  return createServer(settings, (socket) => serveConnection(socket, codec({ volleyStop }), perform));
}

/** @returns {{limit: number, left: number}} descriptors; Node has raised its own limit to the hard one */
function descriptors() {
  const limits = readFileSync('/proc/self/limits', 'utf8');
  const limit = Number(/^Max open files +(\d+)/m.exec(limits)?.[1] ?? Infinity);
  return { limit, left: limit - readdirSync('/proc/self/fd').length };
}

/**
 * @param {Options} options
 * @param {(text: string) => void} say
 * @returns {Promise<AddressInfo>} where it listens; rejects if it cannot listen
 */
function listen(options, say) {
  const server = serverFor(options);
  const { host, port, backlog } = options;
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port, backlog }, () => {
      const { limit, left } = descriptors();
      server.maxConnections = Math.max(1, left - SPARE_DESCRIPTORS);
      server.once('drop', () =>
        say(`all ${limit} descriptors are in use; further connections are accepted and closed`),
      );
      server.off('error', reject);
      server.on(
        'error',
        once((error) => say(`${error.message}; the server continues`)),
      );
      resolve(/** @type {AddressInfo} */ (server.address()));
    });
  });
}

/** @param {(error: Error) => void} say @returns {(error: Error) => void} that only acts on the first call */
function once(say) {
  let said = false;
  return (error) => {
    if (!said) say(error);
    said = true;
  };
}

/** @typedef {{listening: {address: string, port: number}} | {failed: string}} Outcome */

/**
 * @param {Options} options
 * @param {(text: string) => void} say
 * @returns {Promise<Outcome>}
 */
export async function tryListen(options, say) {
  try {
    return { listening: await listen(options, say) };
  } catch (error) {
    return { failed: whyNot(options, error) };
  }
}

/** @param {Options} options @param {unknown} error @returns {string} */
function whyNot({ host, port }, error) {
  const { code, message } = /** @type {NodeJS.ErrnoException} */ (error);
  return `cannot listen on ${host} port ${port}: ${code === 'EADDRINUSE' ? 'Address already in use' : message}`;
}

/** @param {string} text for stderr, written synchronously, because the thread may be blocked afterwards */
export function say(text) {
  try {
    writeSync(2, `${text}\n`);
  } catch {
    // stderr is closed
  }
}

/** @param {Options} options @param {{port: number}} where @param {number[]} pids */
export function sayReady({ protocol, host }, { port }, pids) {
  process.stdout.write(`${JSON.stringify({ ready: true, protocol, host, port, pids })}\n`);
}

/**
 * Echo, volley or ace. Nothing is read while work or a write is pending, so a client that never reads costs one reply
 * and one chunk that Node has read ahead.
 * @param {Socket} socket half-open sockets allowed
 * @param {Codec} codec
 * @param {Perform | null} perform
 */
function serveConnection(socket, codec, perform) {
  let working = false;
  let ended = false;
  const gone = () => socket.destroyed;
  const goOn = () => void socket.resume();

  /** @param {Answer} answer */
  const send = ({ reply, then }) => {
    if (reply.length > 0) socket.write(reply);
    if (then === 'stop') process.exit(0);
    if (then === 'close') {
      socket.destroySoon();
    } else if (ended) {
      socket.end();
    } else if (socket.writableLength > 0) {
      socket.pause().once('drain', goOn);
    } else if (socket.isPaused()) {
      goOn();
    }
  };

  socket.on('data', (bytes) => {
    const answer = codec(bytes);
    if (perform === null || answer.requests === 0) return send(answer);
    working = true;
    socket.pause();
    perform(answer.requests, gone, () => {
      working = false;
      send(answer);
    });
  });
  socket.on('end', () => {
    ended = true;
    if (!working) socket.end();
  });
  socket.on('error', () => {}); // the socket closes itself; other connections are not affected
}
