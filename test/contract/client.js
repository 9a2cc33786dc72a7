// The client's side of the contract tests: plain sockets, and no mercy for wrong bytes.

import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { isAsleep, PATIENCE_MS, until } from './server-process.js';

/** How a flood is found to be stuck: this many looks without a change, so far apart; and how long that may take. */
const STILL_LOOKS = 10;
const LOOK_MS = 30;
const FLOOD_PATIENCE_MS = 40_000;

/** @typedef {import('node:net').Socket} Socket */

/**
 * @param {{host: string, port: number}} server
 * @returns {Promise<Socket>} connected; not reading until somebody listens for data
 */
export async function open({ host, port }) {
  const socket = connect({ host, port, noDelay: true, allowHalfOpen: true });
  await within(once(socket, 'connect'), 'a connection');
  socket.on('error', () => {}); // resets are part of the game; who minds looks at what was read
  return socket;
}

/**
 * @param {{host: string, port: number}} server
 * @param {number} count
 */
export async function openMany(server, count) {
  /** @type {Socket[]} */
  const sockets = [];
  while (sockets.length < count) {
    const batch = Math.min(250, count - sockets.length);
    sockets.push(...(await Promise.all(Array.from({ length: batch }, () => open(server)))));
  }
  return sockets;
}

/**
 * One request and its whole reply, which must be the same bytes.
 * @param {Socket} socket
 * @param {Buffer} [bytes]
 */
export async function exchange(socket, bytes = randomBytes(1024)) {
  const reply = read(socket, bytes.length);
  socket.write(bytes);
  assert.ok((await reply).equals(bytes), `the reply to ${bytes.length} bytes is not what was sent`);
}

/**
 * Has every socket send back what it gets, for as long as it lives.
 * @param {Socket[]} sockets
 * @returns {Promise<void>} when the server is under that load
 */
export async function keepBusy(sockets) {
  let replies = 0;
  for (const socket of sockets) {
    socket.on('data', (bytes) => {
      replies++;
      socket.write(bytes);
    });
    socket.write(randomBytes(16 * 1024));
  }
  await until(() => replies > 500, 'it is under load');
}

/**
 * @param {Socket} socket
 * @param {number} count
 * @returns {Promise<Buffer>}
 */
export function read(socket, count, patienceMs = PATIENCE_MS) {
  /** @type {Buffer[]} */
  const parts = [];
  let got = 0;
  return within(
    new Promise((resolve, reject) => {
      const finish = (/** @type {Error | null} */ error) => {
        socket.off('data', onData).off('end', onEnd).off('close', onEnd).pause();
        if (error) reject(error);
        else resolve(Buffer.concat(parts));
      };
      const onData = (/** @type {Buffer} */ bytes) => {
        parts.push(bytes);
        got += bytes.length;
        if (got >= count) finish(null);
      };
      const onEnd = () => finish(new Error(`closed after ${got} of ${count} bytes`));
      socket.on('data', onData).on('end', onEnd).on('close', onEnd).resume();
    }),
    `a reply of ${count} bytes`,
    patienceMs,
  );
}

/**
 * @param {Socket} socket
 * @returns {Promise<Buffer>} everything up to the end
 */
export async function readToEnd(socket) {
  /** @type {Buffer[]} */
  const parts = [];
  socket.on('data', (bytes) => parts.push(bytes));
  await within(once(socket, 'end'), 'the end of the stream');
  return Buffer.concat(parts);
}

/**
 * Writes without reading until nothing moves any more, which is seen from outside and not by a pause: of every
 * connection, bytes wait in all four queues (both ways, on both sides), none of them changes over STILL_LOOKS looks,
 * and no thread of the server is running or ready to run. So the server has stopped reading although there is something
 * to read; one that is only slow on a busy machine is waited for.
 * @param {{pid: number, port: number}} server
 * @param {Socket[]} sockets that nobody reads from
 * @param {number} most bytes for each
 * @returns {Promise<{sent: number, accepted: number, digest: string}[]>} sent: what was written; accepted: of it, what
 *   has left this process
 */
export async function floodUntilStuck({ pid, port }, sockets, most) {
  const floods = sockets.map((socket) => {
    const flood = { socket, sent: 0, hash: createHash('sha256'), pump };
    function pump() {
      while (flood.sent < most) {
        const chunk = randomBytes(Math.min(65_537, most - flood.sent));
        flood.hash.update(chunk);
        flood.sent += chunk.length;
        if (!socket.write(chunk)) return;
      }
    }
    socket.on('drain', pump);
    pump();
    return flood;
  });
  const ports = sockets.map(({ localPort }) => Number(localPort));
  let before = '';
  let still = 0;
  await until(
    async () => {
      await wait(LOOK_MS);
      const queues = queuesOf(port, ports);
      const now = JSON.stringify([queues, floods.map(({ sent }) => sent)]);
      const full = queues.length === 2 * ports.length && queues.flat().every((bytes) => bytes > 0);
      still = full && now === before && isAsleep(pid) ? still + 1 : 0;
      before = now;
      return still === STILL_LOOKS || floods.some(({ sent }) => sent >= most);
    },
    'nothing moves any more',
    FLOOD_PATIENCE_MS,
  );
  return floods.map(({ socket, pump, hash, sent }) => {
    socket.off('drain', pump);
    return { sent, accepted: sent - socket.writableLength, digest: hash.digest('hex') };
  });
}

/**
 * @param {number} port of the server
 * @param {number[]} clientPorts
 * @returns {[number, number][]} of both ends of these connections: bytes not yet acknowledged, bytes not yet read
 */
function queuesOf(port, clientPorts) {
  const wanted = new Set(clientPorts.flatMap((each) => [`${port} ${each}`, `${each} ${port}`]));
  const portIn = (/** @type {string} */ address) => Number.parseInt(address.split(':')[1], 16);
  return readFileSync('/proc/net/tcp', 'utf8').trim().split('\n').slice(1).flatMap((line) => {
    const [, local, remote, , queues] = line.trim().split(/\s+/);
    if (!wanted.has(`${portIn(local)} ${portIn(remote)}`)) return [];
    const [unsent, unread] = queues.split(':').map((text) => Number.parseInt(text, 16));
    return [/** @type {[number, number]} */ ([unsent, unread])];
  });
}

/**
 * Closes by RST.
 * @param {Socket[]} sockets
 */
export function reset(sockets) {
  for (const socket of sockets) socket.resetAndDestroy();
}

/** @param {Socket[]} sockets */
export function destroy(sockets) {
  for (const socket of sockets) socket.destroy();
}

/**
 * @template T
 * @param {Promise<T>} promise
 * @param {string} what
 * @returns {Promise<T>}
 */
export async function within(promise, what, patienceMs = PATIENCE_MS) {
  const over = new AbortController();
  const late = wait(patienceMs, undefined, { signal: over.signal }).then(() => {
    throw new Error(`not within ${patienceMs} ms: ${what}`);
  });
  late.catch(() => {});
  try {
    return await Promise.race([promise, late]);
  } finally {
    over.abort();
  }
}
