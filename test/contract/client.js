// The client's side of the contract tests: plain sockets, and no mercy for wrong bytes.

import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { PATIENCE_MS } from './server-process.js';

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
 * Writes without reading until nothing moves any more.
 * @param {Socket} socket that nobody reads from
 * @param {number} most bytes
 * @returns {Promise<{sent: number, digest: string}>} sent: what was written; some of it may still wait in this process
 */
export async function floodUntilStuck(socket, most) {
  const hash = createHash('sha256');
  let sent = 0;
  while (sent < most) {
    const chunk = randomBytes(Math.min(65_537, most - sent));
    hash.update(chunk);
    sent += chunk.length;
    if (socket.write(chunk)) continue;
    const drained = await Promise.race([once(socket, 'drain').then(() => true), wait(400, false)]);
    if (!drained) break;
  }
  return { sent, digest: hash.digest('hex') };
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
