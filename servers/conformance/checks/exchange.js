// Replies are correct with any fragmentation of the requests. These checks use the shared server.

import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { check } from '../check.js';
import { floodUntilBlocked } from '../flood.js';
import { vectorsOf } from '../protocols/index.js';
import { finHasArrived } from '../queues.js';
import { isAsleep } from '../tree.js';
import { forEachLimited, until } from '../wait.js';

/**
 * @import { Check, Context, Subject } from '../check.js'
 * @import { Connection } from '../connection.js'
 * @import { Vector } from '../protocols/index.js'
 * @import { RunningServer } from '../start.js'
 */

/** Vectors up to this many bytes are split at every byte. */
const SHORT = 128;
/** Connections at once, if the server serves as many. */
const AT_ONCE = 150;
/** Batches at most: a server that serves few connections at once is tested with fewer splits. */
const BATCHES = 150;
const MIB = 1024 * 1024;
const MAX_BYTES = 24 * MIB;
/**
 * Each step leaves a different number of bytes unread. With most steps there is room for the client's FIN behind them,
 * with the last step always.
 */
const STEPS = [768, 512, 640, 384, 256, 16].map((kib) => kib * 1024);

/**
 * @param {Subject} subject
 * @returns {Check[]}
 */
export function exchangeChecks({ protocol, concurrency, exact, has }) {
  const vectors = vectorsOf(protocol).filter(({ needs }) => needs === undefined || has(needs));
  const atOnce = Math.min(concurrency, AT_ONCE);
  const splits = vectors.flatMap(splitsOf);
  const part = Math.ceil(splits.length / (BATCHES * atOnce));
  const tried = splits.filter((_, i) => i % part === 0);
  return [
    check('vectors', 'answers the wire vectors correctly', async ({ shared, open }) => {
      const server = await shared();
      await forEachLimited(vectors, atOnce, async (vector) => {
        const connection = await open(server);
        for (const piece of vector.send) connection.write(Buffer.from(piece, 'hex'));
        if (!vector.closes) connection.shutdown();
        await judgeVector(connection, vector, exact, vector.name);
      });
    }),

    check(
      'split-vectors',
      `answers the wire vectors split at any byte${part === 1 ? '' : ` (1 of ${part} splits is tried)`}`,
      async ({ shared, openMany }) => {
        const server = await shared();
        for (let at = 0; at < tried.length; at += atOnce) {
          const batch = tried.slice(at, at + atOnce);
          const connections = await openMany(server, batch.length);
          connections.forEach((connection, i) => connection.write(batch[i].head));
          // a thread runs until it has read the bytes that have arrived
          const isSent = () => connections.every(({ socket }) => socket.writableLength === 0);
          await until(() => isSent() && isAsleep(server), 'the server to read');
          await Promise.all(
            batch.map(({ vector, head, tail }, i) => {
              connections[i].shutdown(tail);
              return judgeVector(connections[i], vector, exact, `${vector.name}, split after ${head.length} bytes`);
            }),
          );
        }
      },
    ),
  ];
}

/**
 * @param {Subject} subject
 * @returns {Check[]}
 */
export function sizeChecks({ protocol }) {
  const { sizes } = protocol;
  return [
    check(
      'sizes',
      `answers requests of ${sizes[0]} B to ${formatBytes(sizes[sizes.length - 1])} in fragments of any size`,
      async ({ shared, open }) => {
        const connection = await open(await shared());
        for (const size of sizes) {
          const transfer = protocol.transfer(size);
          const reply = connection.reply(transfer);
          if (!connection.greeted) connection.write(protocol.greeting);
          connection.greeted = true;
          const { request } = transfer;
          for (let at = 0, step = 1; at < request.length; at += step, step = Math.min(step * 3 + 1, 300_007)) {
            connection.write(request.subarray(at, at + step));
            if (at < 5000) await turn(); // sends small fragments in separate segments
          }
          await reply;
        }
      },
    ),

    check('pipelining', 'answers requests that were sent before the first reply was read', async ({ shared, open }) => {
      const connection = await open(await shared());
      const transfers = Array.from({ length: 500 }, (_, i) => protocol.transfer(i + 1));
      for (const transfer of transfers) connection.send(transfer);
      for (const transfer of transfers) await connection.reply(transfer);
    }),

    check('half-close', 'sends all replies to a half-closed client, then closes', async ({ shared, open }) => {
      const connection = await open(await shared());
      const transfer = protocol.burst(protocol.bulk);
      connection.send(transfer);
      connection.shutdown();
      await connection.reply(transfer);
      await assertClosed(connection);
    }),

    check(
      'half-close-blocked',
      'sends all replies to a half-closed client even if they could not be sent before the half-close',
      async ({ shared, open }) =>
        forEachPending(await shared(), open, async (connection, { transfer, times }) => {
          for (let i = 0; i < times; i++) await connection.reply(transfer);
          await assertClosed(connection);
        }),
    ),

    check(
      'reset-pending-replies',
      'continues after a client half-closes, then resets with replies pending',
      async ({ shared, open }) => {
        const server = await shared();
        // a reset after the FIN causes EPIPE and SIGPIPE; a reset before it causes ECONNRESET
        await forEachPending(server, open, async (connection) => {
          connection.reset();
          const next = await open(server);
          await next.exchange();
          next.destroy(); // an iterative server serves no other connection while this is open
        });
      },
    ),
  ];
}

/**
 * Half-closes connections whose replies the server cannot send, until a FIN has reached the server before the replies
 * were sent.
 * @param {RunningServer} server
 * @param {Context['open']} open
 * @param {(connection: Connection, sent: Awaited<ReturnType<typeof floodUntilBlocked>>) => Promise<void>} judge
 */
async function forEachPending(server, open, judge) {
  for (const step of STEPS) {
    const connection = await open(server);
    const sent = await floodUntilBlocked(server, connection, MAX_BYTES, step);
    connection.shutdown();
    await until(() => connection.socket.writableFinished && isAsleep(server), 'the FIN to be sent');
    const isInOrder = finHasArrived(server.port, connection);
    await judge(connection, sent);
    if (isInOrder) return;
  }
  assert.fail(`the FIN did not reach the server while it had replies to send, in ${STEPS.length} attempts`);
}

/** @param {Connection} connection whose replies have all been read */
async function assertClosed(connection) {
  assert.equal((await connection.readToEnd()).length, 0, 'bytes beyond the replies');
  assert.equal(connection.endedBy, 'FIN');
}

/**
 * @param {Connection} connection
 * @param {Vector} vector
 * @param {boolean} exact
 * @param {string} name
 */
async function judgeVector(connection, vector, exact, name) {
  const bytes = await connection.readToEnd();
  connection.protocol.judge(bytes, { ...vector, name }, exact);
  // if the server closes with unread bytes, a reset is acceptable; if the client has half-closed, it is not
  if (!vector.closes) assert.equal(connection.endedBy, 'FIN', `${name}: how the connection ended`);
  connection.destroy();
}

/** @param {number} bytes */
function formatBytes(bytes) {
  return bytes >= MIB ? `${bytes / MIB} MiB` : `${bytes / 1024} KiB`;
}

/** @param {Vector} vector */
function splitsOf(vector) {
  const bytes = Buffer.from(vector.send.join(''), 'hex');
  if (bytes.length > SHORT) return [];
  return Array.from({ length: Math.max(0, bytes.length - 1) }, (_, i) => ({
    vector,
    head: bytes.subarray(0, i + 1),
    tail: bytes.subarray(i + 1),
  }));
}
