// A plain client on Node's `net`, written without any tuning, for comparison: N connections, each sends the payload,
// reads as many bytes back and sends again, when it is the client's turn (../turns.js).
//
//   node net-client.js PORT CONNECTIONS PAYLOAD_BYTES < SCHEDULE

import { connect } from 'node:net';
import { setTimeout as after } from 'node:timers/promises';
import { nowNs, readSchedule, slicesIn } from '../turns.js';

/** @import { Socket } from 'node:net' */

/** Attempts in flight at once: more would only wait in the server's backlog. */
const ATTEMPTS = 500;

const [port = 0, connections = 0, payloadBytes = 0] = process.argv.slice(2).map(Number);
const payload = Buffer.alloc(payloadBytes);
/** Of CLOCK_MONOTONIC, ns: until when requests may begin. */
let loadedToNs = 0;
let [roundTrips, loadedTrips] = [0, 0];

/** @typedef {{ socket: Socket, unread: number }} Connection */

/** @param {Connection} connection */
function send(connection) {
  connection.unread = payloadBytes;
  connection.socket.write(payload);
}

/** @returns {Promise<Connection>} connected */
function open() {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    const connection = { socket, unread: 0 };
    socket.on('data', (chunk) => {
      connection.unread -= chunk.length;
      if (connection.unread > 0) return;
      roundTrips += 1;
      if (nowNs() >= loadedToNs) return;
      loadedTrips += 1;
      send(connection);
    });
    socket.on('error', reject);
    socket.on('error', giveUp);
    socket.on('end', () => giveUp(new Error('the server closed')));
    socket.on('connect', () => resolve(connection));
  });
}

/** @param {Error} error */
function giveUp(error) {
  console.error(`net-client: ${error.message}`);
  process.exit(1);
}

const schedule = await readSchedule();
const { startNs } = schedule;
/** @type {Connection[]} */
const opened = [];
while (opened.length < connections) {
  const wanted = Math.min(ATTEMPTS, connections - opened.length);
  opened.push(...(await Promise.all(Array.from({ length: wanted }, open))));
}

if (nowNs() > startNs + schedule.fromNs) giveUp(new Error('the connections were not open when the first block began'));

const usage = () => {
  const { user, system } = process.cpuUsage();
  return { roundTrips, loadedTrips, cpuSeconds: (user + system) / 1e6 };
};
const figures = [];
for (let block = -1; block < schedule.blocks; block += 1) {
  const before = usage();
  let seconds = 0;
  for (const slice of slicesIn(schedule, block)) {
    await after((startNs + slice.fromNs - nowNs()) / 1e6);
    loadedToNs = startNs + slice.loadedToNs;
    seconds += (slice.loadedToNs - slice.fromNs) / 1e9;
    for (const connection of opened) if (connection.unread === 0) send(connection);
    await after((startNs + slice.endNs - nowNs()) / 1e6);
  }
  const now = usage();
  if (block < 0) continue; // warm-up
  figures.push({
    roundTrips: now.roundTrips - before.roundTrips,
    loadedTrips: now.loadedTrips - before.loadedTrips,
    cpuSeconds: now.cpuSeconds - before.cpuSeconds,
    seconds,
  });
}
console.log(JSON.stringify(figures));
for (const { socket } of opened)
  socket
    .removeAllListeners()
    .on('error', () => {})
    .resetAndDestroy();
