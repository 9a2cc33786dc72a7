// Clients that send without ever reading. The one thing to know: that a server has stopped reading is seen from
// outside, and not by a pause; one that is only slow on a busy machine is waited for.

import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { queuesOf } from './queues.js';
import { isAsleep } from './tree.js';
import { until } from './wait.js';

/** This many looks without a change, so far apart, and how long that may take. */
const STILL_LOOKS = 6;
const LOOK_MS = 30;
const PATIENCE_MS = 40_000;
const BURST = 65_537;
/** Small, so that what waits in the end leaves room on the server's side, mostly. */
const STEP = 768 * 1024;

/**
 * @typedef {object} Flood
 * @property {import('./protocols/index.js').Transfer} transfer that was sent again and again
 * @property {number} times
 * @property {number} sent bytes that were written
 * @property {number} accepted of these, what has left this process
 */

/**
 * Writes until nothing moves any more: the kernel takes no more bytes of any connection, over STILL_LOOKS looks, and
 * no thread of the server is running or ready to run. So it has stopped reading although there is something to read.
 * @param {{pid: number, port: number}} server
 * @param {import('./connection.js').Connection[]} connections that nobody reads from
 * @param {number} most bytes for each
 * @returns {Promise<Flood[]>}
 */
export async function floodUntilStuck(server, connections, most) {
  const floods = connections.map((connection) => {
    const transfer = connection.protocol.burst(BURST);
    const flood = { connection, transfer, times: 0, sent: 0, pump };
    function pump() {
      while (flood.sent < most) {
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
      return still === STILL_LOOKS || floods.some(({ sent }) => sent >= most) || connections.some(({ ended }) => ended);
    },
    'nothing moves any more',
    PATIENCE_MS,
  );
  return floods.map(({ connection, pump, transfer, times, sent }) => {
    connection.socket.off('drain', pump);
    return { transfer, times, sent, accepted: sent - connection.socket.writableLength };
  });
}

/**
 * Writes until the server's replies do not go any further, and it has stopped reading; no more than that, so that what
 * is sent next still reaches its side, mostly: see `endHasReached`.
 * @param {{pid: number, port: number}} server
 * @param {import('./connection.js').Connection} connection that nobody reads from
 * @param {number} most bytes
 * @param {number} [step] bytes that are sent before the next look
 * @returns {Promise<{transfer: import('./protocols/index.js').Transfer, times: number}>}
 */
export async function floodUntilBlocked(server, connection, most, step = STEP) {
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
      times * transfer.request.length < most,
      `it took ${times * transfer.request.length} bytes although nobody read its replies`,
    );
    connection.send(transfer);
    times++;
    await until(
      () => connection.ended || isBlocked() || (connection.socket.writableLength === 0 && isAsleep(server)),
      'it has read, or does so no more',
    );
    assert.ok(!connection.ended, `it closed the connection (${connection.endedBy})`);
  } while (!isBlocked());
  return { transfer, times };
}
