// That replies are right, whatever the pieces that requests come in. All of this is asked of the shared server.

import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { check } from '../check.js';
import { floodUntilBlocked } from '../flood.js';
import { vectorsOf } from '../protocols/index.js';
import { endHasReached } from '../queues.js';
import { isAsleep } from '../tree.js';
import { inTurns, until } from '../wait.js';

/** Vectors up to so many bytes are split at every one of them. */
const SHORT = 128;
/** Connections at once where the server serves as many. */
const AT_ONCE = 150;
/** So often: a server that serves few at once is tried at fewer splits. */
const BATCHES = 150;
const MIB = 1024 * 1024;
const MOST = 24 * MIB;
/** With each of these another amount waits in the end: with one of them the client's end finds room behind it. */
const STEPS = [768, 512, 640, 384, 256].map((kib) => kib * 1024);

/**
 * @param {import('../check.js').About} about
 * @returns {import('../check.js').Check[]}
 */
export function exchangeChecks({ protocol, places, exact }) {
  const vectors = vectorsOf(protocol);
  const atOnce = Math.min(places, AT_ONCE);
  const splits = vectors.flatMap(splitsOf);
  const part = Math.ceil(splits.length / (BATCHES * atOnce));
  const tried = splits.filter((_, i) => i % part === 0);
  return [
    check('speaks the protocol as the golden vectors have it', async ({ shared, open }) => {
      const server = await shared();
      await inTurns(vectors, atOnce, async (vector) => {
        const connection = await open(server);
        for (const piece of vector.send) connection.write(Buffer.from(piece, 'hex'));
        if (!vector.closes) connection.shutdown();
        await judge(connection, vector, exact, vector.name);
      });
    }),

    check(
      `does so when they are split at any byte${part === 1 ? '' : ` (one split in ${part} is tried)`}`,
      async ({ shared, openMany }) => {
        const server = await shared();
        for (let at = 0; at < tried.length; at += atOnce) {
          const batch = tried.slice(at, at + atOnce);
          const connections = await openMany(server, batch.length);
          connections.forEach((connection, i) => connection.write(batch[i].head));
          // A thread that bytes have reached runs until it has read them.
          const isSent = () => connections.every(({ socket }) => socket.writableLength === 0);
          await until(() => isSent() && isAsleep(server), 'it has read');
          await Promise.all(
            batch.map(({ vector, head, tail }, i) => {
              connections[i].shutdown(tail);
              return judge(connections[i], vector, exact, `${vector.name}, split after ${head.length} bytes`);
            }),
          );
        }
      },
    ),
  ];
}

/**
 * @param {import('../check.js').About} about
 * @returns {import('../check.js').Check[]}
 */
export function sizeChecks({ protocol }) {
  const { sizes } = protocol;
  return [
    check(
      `answers requests of ${sizes[0]} B to ${written(sizes[sizes.length - 1])}, whatever the fragments`,
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
            if (at < 5000) await turn(); // lets the small ones leave singly
          }
          await reply;
        }
      },
    ),

    check('answers requests that were sent before the first reply was read', async ({ shared, open }) => {
      const connection = await open(await shared());
      const transfers = Array.from({ length: 500 }, (_, i) => protocol.transfer(i + 1));
      for (const transfer of transfers) connection.send(transfer);
      for (const transfer of transfers) await connection.reply(transfer);
    }),

    check('gives a half-closed client all its replies, then the end', async ({ shared, open }) => {
      const connection = await open(await shared());
      const transfer = protocol.burst(protocol.bulk);
      connection.send(transfer);
      connection.shutdown();
      await connection.reply(transfer);
      await endsWell(connection);
    }),

    check('does so although it could not send them when the client shut down', async ({ shared, open }) => {
      const server = await shared();
      const connection = await open(server);
      const { transfer, times } = await floodUntilBlocked(server, connection, MOST);
      connection.shutdown();
      await until(() => connection.socket.writableFinished, 'the end is sent');
      await until(() => isAsleep(server), 'it has seen the end, if it looks');
      for (let i = 0; i < times; i++) await connection.reply(transfer);
      await endsWell(connection);
    }),

    check('goes on after a client that shuts down, and resets while replies to it wait', async ({ shared, open }) => {
      const server = await shared();
      // The reset that comes after the end breaks the pipe (EPIPE, SIGPIPE); one before it is ECONNRESET.
      for (const step of STEPS) {
        const connection = await open(server);
        await floodUntilBlocked(server, connection, MOST, step);
        connection.shutdown();
        await until(() => connection.socket.writableFinished && isAsleep(server), 'the end is sent');
        const inOrder = endHasReached(server.port, connection);
        connection.reset();
        const next = await open(server);
        await next.exchange();
        if (inOrder) break;
        next.destroy(); // a server of one place serves nobody else while this one stays
      }
    }),
  ];
}

/** @param {import('../connection.js').Connection} connection whose replies have all been read */
async function endsWell(connection) {
  assert.equal((await connection.readToEnd()).length, 0, 'bytes beyond the replies');
  assert.equal(connection.endedBy, 'FIN');
}

/**
 * @param {import('../connection.js').Connection} connection
 * @param {import('../protocols/index.js').Vector} vector
 * @param {boolean} exact
 * @param {string} name
 */
async function judge(connection, vector, exact, name) {
  const bytes = await connection.readToEnd();
  connection.protocol.judge(bytes, { ...vector, name }, exact);
  // What it does not care to read may end the connection by a reset; but not one that the client ended.
  if (!vector.closes) assert.equal(connection.endedBy, 'FIN', `${name}: the end`);
  connection.destroy();
}

/** @param {number} bytes */
function written(bytes) {
  return bytes >= MIB ? `${bytes / MIB} MiB` : `${bytes / 1024} KiB`;
}

/** @param {import('../protocols/index.js').Vector} vector */
function splitsOf(vector) {
  const all = Buffer.from(vector.send.join(''), 'hex');
  if (all.length > SHORT) return [];
  return Array.from({ length: Math.max(0, all.length - 1) }, (_, i) => ({
    vector,
    head: all.subarray(0, i + 1),
    tail: all.subarray(i + 1),
  }));
}
