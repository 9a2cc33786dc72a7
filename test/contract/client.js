// A client for tests of single echo servers: plain sockets, those of the conformance checks.

import { randomBytes } from 'node:crypto';
import { Connection } from '../../servers/conformance/connection.js';
import { echo, echoOf } from '../../servers/conformance/protocols/echo.js';

export { destroy } from '../../servers/conformance/connection.js';
export { within } from '../../servers/conformance/wait.js';

/** Connections that are opened at the same time. */
const BATCH = 250;

/** @typedef {Connection} Socket */

/** @param {{host: string, port: number}} server */
export const open = (server) => Connection.open(server, echo);

/**
 * @param {{host: string, port: number}} server
 * @param {number} count
 */
export async function openMany(server, count) {
  /** @type {Connection[]} */
  const connections = [];
  while (connections.length < count) {
    const batch = Math.min(BATCH, count - connections.length);
    connections.push(...(await Promise.all(Array.from({ length: batch }, () => open(server)))));
  }
  return connections;
}

/**
 * One request and its whole reply, which must be the same bytes.
 * @param {Connection} connection
 * @param {Buffer} [bytes]
 */
export const exchange = (connection, bytes = randomBytes(1024)) => connection.exchange(echoOf(bytes));
