// Clients that send without ever reading. The one thing to know: that a server has stopped reading is seen from
// outside, in the kernel's queues; one that is only slow on a busy machine is waited for.

import { setTimeout as wait } from 'node:timers/promises';
import { queuesOf } from './queues.js';
import { isAsleep } from './tree.js';
import { until } from './wait.js';

/** This many looks without a change, so far apart, and how long that may take. */
const STILL_LOOKS = 6;
const LOOK_MS = 30;
const PATIENCE_MS = 40_000;
const BURST = 65_537;

/**
 * @typedef {object} Flood
 * @property {import('./protocols/index.js').Transfer} transfer that was sent again and again
 * @property {number} times
 * @property {number} sent bytes that were written
 * @property {number} accepted of these, what has left this process
 */

/**
 * Writes until nothing moves any more: of every connection, bytes wait in all four queues (both ways, on both sides),
 * none of them changes over STILL_LOOKS looks, and no thread of the server is running or ready to run. So it has
 * stopped reading although there is something to read.
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
  const ports = new Set(connections.map(({ localPort }) => localPort));
  let before = '';
  let still = 0;
  await until(
    async () => {
      await wait(LOOK_MS);
      const queues = queuesOf(server.port).filter((each) => ports.has(each.localPort) || ports.has(each.remotePort));
      const now = JSON.stringify([queues, floods.map(({ sent }) => sent)]);
      const full = queues.length === 2 * ports.size && queues.every(({ unsent, unread }) => unsent > 0 && unread > 0);
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
