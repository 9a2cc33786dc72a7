// Puts a server under load: each connection sends again as soon as it is answered, until the connection ends.

import { together } from './protocols/index.js';
import { until } from './wait.js';

/** @import { Connection } from './connection.js' */

/** Sent at once on each connection, requests of 4 KiB: short requests would make the answers to a burst much work. */
const BURST = { requests: 4, bytes: 4 * 1024 };
/** Exchanges until it is under load: of 50 connections, two each. */
const ROUNDS = 100;

/**
 * @param {Connection[]} connections
 * @returns {Promise<void>} resolves when the server is under load
 */
export async function keepBusy(connections) {
  let rounds = 0;
  /** @type {unknown} */
  let firstError = null;
  const serve = async (/** @type {Connection} */ connection) => {
    const { requests, bytes } = BURST;
    const transfer = together(Array.from({ length: requests }, () => connection.protocol.transfer(bytes)));
    try {
      for (; ; rounds++) await connection.exchange(transfer);
    } catch (error) {
      firstError ??= error; // expected when the server ends; thrown below if it comes earlier
    }
  };
  for (const connection of connections) void serve(connection);
  await until(() => rounds > ROUNDS || firstError, 'load on the server');
  if (rounds <= ROUNDS) throw firstError;
}
