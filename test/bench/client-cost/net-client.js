// A plain client on Node's `net`, written without any tuning, for comparison: N connections, each sends the payload,
// reads as many bytes back and sends again.
//
//   node net-client.js PORT CONNECTIONS PAYLOAD_BYTES WARMUP_SECONDS WINDOW_SECONDS
//
// Prints one line of JSON about the window, which begins WARMUP_SECONDS after all connections are open.

import { connect } from 'node:net';
import { setTimeout as after } from 'node:timers/promises';

/** Attempts in flight at once: more would only wait in the server's backlog. */
const ATTEMPTS = 500;

const [port = 0, connections = 0, payloadBytes = 0, warmupSeconds = 0, windowSeconds = 0] = process.argv
  .slice(2)
  .map(Number);
const payload = Buffer.alloc(payloadBytes);
let roundTrips = 0;

/** @returns {Promise<import('node:net').Socket>} connected */
function open() {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    let unread = payloadBytes;
    socket.on('data', (chunk) => {
      unread -= chunk.length;
      if (unread > 0) return;
      roundTrips += 1;
      unread = payloadBytes;
      socket.write(payload);
    });
    socket.on('error', reject);
    socket.on('error', giveUp);
    socket.on('end', () => giveUp(new Error('the server closed')));
    socket.on('connect', () => resolve(socket));
  });
}

/** @param {Error} error */
function giveUp(error) {
  console.error(`net-client: ${error.message}`);
  process.exit(1);
}

/** @type {import('node:net').Socket[]} */
const sockets = [];
while (sockets.length < connections) {
  const wanted = Math.min(ATTEMPTS, connections - sockets.length);
  sockets.push(...(await Promise.all(Array.from({ length: wanted }, open))));
}
for (const socket of sockets) socket.write(payload);

await after(warmupSeconds * 1000);
const [from, cpu, trips] = [process.hrtime.bigint(), process.cpuUsage(), roundTrips];
await after(windowSeconds * 1000);
const [to, { user, system }, done] = [process.hrtime.bigint(), process.cpuUsage(cpu), roundTrips];

const seconds = Number(to - from) / 1e9;
console.log(JSON.stringify({ roundTrips: done - trips, seconds, cpuSeconds: (user + system) / 1e6 }));
for (const socket of sockets)
  socket
    .removeAllListeners()
    .on('error', () => {})
    .resetAndDestroy();
