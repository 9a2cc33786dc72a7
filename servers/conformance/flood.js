// Floods a server from clients that never read. The kernel's queues show whether the server has stopped reading; a
// pause would not, as a slow server on a busy machine pauses too.

import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { queuesOf } from './queues.js';
import { isAsleep } from './tree.js';
import { until } from './wait.js';

/**
 * @import { Connection } from './connection.js'
 * @import { Transfer } from './protocols/index.js'
 */

/** A server is stuck after this many observations, LOOK_MS apart, without a change; PATIENCE_MS is the deadline. */
const STILL_LOOKS = 6;
const LOOK_MS = 30;
const PATIENCE_MS = 40_000;
const BURST = 65_537;
/** Small, so that usually room remains in the server's receive buffer. */
const STEP = 768 * 1024;

/**
 * @typedef {object} Flood
 * @property {Transfer} transfer that was sent repeatedly
 * @property {number} times
 * @property {number} sent bytes that were written
 * @property {number} accepted bytes that the kernel has accepted of those
 */

/**
 * Writes until nothing moves: in STILL_LOOKS observations the kernel accepts no byte on any connection, and no thread
 * of the server is running or runnable. The server has then stopped reading although there are bytes to read.
 * @param {{pid: number, port: number}} server
 * @param {Connection[]} connections that are not read from
 * @param {number} max bytes for each
 * @returns {Promise<Flood[]>}
 */
export async function floodUntilStuck(server, connections, max) {
  const floods = connections.map((connection) => {
    const transfer = connection.protocol.burst(BURST);
    const flood = { connection, transfer, times: 0, sent: 0, pump };
    function pump() {
      while (flood.sent < max) {
        flood.sent += transfer.request.length;
        flood.times++;
        if (!connection.send(transfer)) return;
      }
    }
    connection.socket.on('drain', pump);
    pump();
    return flood;
  });
  let before = '';
  let still = 0;
  await until(
    async () => {
      await wait(LOOK_MS);
      const now = floods.map(({ connection, sent }) => sent - connection.socket.writableLength).join();
      const full = connections.every(({ socket }) => socket.writableLength > 0);
      still = full && now === before && isAsleep(server) ? still + 1 : 0;
      before = now;
      return still === STILL_LOOKS || floods.some(({ sent }) => sent >= max) || connections.some(({ ended }) => ended);
    },
    'a standstill',
    PATIENCE_MS,
  );
  return floods.map(({ connection, pump, transfer, times, sent }) => {
    connection.socket.off('drain', pump);
    return { transfer, times, sent, accepted: sent - connection.socket.writableLength };
  });
}

/**
 * Writes only until the server cannot send its replies and has stopped reading, so that the next bytes usually still
 * reach the server's kernel: see `finHasArrived`.
 * @param {{pid: number, port: number}} server
 * @param {Connection} connection that is not read from
 * @param {number} max bytes
 * @param {number} [step] bytes sent between observations
 * @returns {Promise<{transfer: Transfer, times: number}>}
 */
export async function floodUntilBlocked(server, connection, max, step = STEP) {
  const { burst, bulk } = connection.protocol;
  const transfer = burst(Math.min(step, bulk));
  let times = 0;
  const isBlocked = () =>
    isAsleep(server) &&
    queuesOf(server.port).some(
      ({ remotePort, unsent, unread }) => remotePort === connection.localPort && unsent > 0 && unread > 0,
    );
  do {
    assert.ok(
      times * transfer.request.length < max,
      `the server read ${times * transfer.request.length} bytes although its replies were not read`,
    );
    connection.send(transfer);
    times++;
    await until(
      () => connection.ended || isBlocked() || (connection.socket.writableLength === 0 && isAsleep(server)),
      'the server has read, or stopped reading',
    );
    assert.ok(!connection.ended, `the server closed the connection (${connection.endedBy})`);
  } while (!isBlocked());
  return { transfer, times };
}
