// Reads the kernel's queues of single connections from /proc/net/tcp. They show from outside whether a server has read
// the bytes sent to it, so no check has to rely on pauses.

import { readFileSync } from 'node:fs';
import { until } from './wait.js';

/** @import { Connection } from './connection.js' */

/**
 * @typedef {object} Queues
 * @property {number} localPort
 * @property {number} remotePort
 * @property {number} state as in the kernel's tcp_states.h
 * @property {number} unsent bytes that the other side has not acknowledged
 * @property {number} unread bytes that the program has not read
 */

/**
 * @param {number} port of the server
 * @returns {Queues[]} both ends of its connections
 */
export function queuesOf(port) {
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  const linesOfPort = new RegExp(`^.*:${hex} .*$`, 'gm'); // there may be ten thousand other lines, in TIME_WAIT
  const queuesIn = (/** @type {string} */ path) =>
    (textOf(path).match(linesOfPort) ?? []).flatMap((line) => {
      const [, local, remote, state, queues] = line.trim().split(/\s+/);
      const [localPort, remotePort] = [local, remote].map((address) => Number.parseInt(address.split(':')[1], 16));
      if ((localPort !== port && remotePort !== port) || remotePort === 0) return [];
      const [unsent, unread] = queues.split(':').map((text) => Number.parseInt(text, 16));
      return [{ localPort, remotePort, state: Number.parseInt(state, 16), unsent, unread }];
    });
  const ipv4Queues = queuesIn('/proc/net/tcp');
  return ipv4Queues.length > 0 ? ipv4Queues : queuesIn('/proc/net/tcp6'); // each file lists all sockets of the machine
}

/** TCP_ESTABLISHED: no FIN has been received. */
const ESTABLISHED = 1;

/**
 * @param {number} port of the server
 * @param {Connection} connection that was shut down
 * @returns {boolean} whether the server's kernel has received the FIN; false while its receive buffer is full
 */
export const finHasArrived = (port, connection) =>
  !queuesOf(port).some(
    ({ localPort, remotePort, state }) =>
      localPort === port && remotePort === connection.localPort && state === ESTABLISHED,
  );

/** @param {string} path */
function textOf(path) {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return ''; // no IPv6 here
  }
}

/**
 * Waits until the server has read all bytes that have arrived on these connections, or has closed them. Unacknowledged
 * bytes are ignored, because an acknowledgement may be delayed by 40 ms.
 * @param {number} port of the server
 * @param {Connection[]} connections
 */
export async function untilRead(port, connections) {
  const ports = new Set(connections.map(({ localPort }) => localPort));
  await until(() => {
    if (connections.some(({ socket }) => socket.writableLength > 0 && !socket.destroyed)) return false;
    return queuesOf(port).every(({ remotePort, unread }) => !ports.has(remotePort) || unread === 0);
  }, 'the server to read what it was sent');
}
