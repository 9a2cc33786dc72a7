// Puts a server under load: each connection sends again as soon as it is answered, until it ends.

import { until } from './wait.js';

const BURST = 16 * 1024;
const ROUNDS = 300;

/**
 * @param {import('./connection.js').Connection[]} connections
 * @returns {Promise<void>} when the server is under load
 */
export async function keepBusy(connections) {
  let rounds = 0;
  /** @type {unknown} */
  let firstError = null;
  const serve = async (/** @type {import('./connection.js').Connection} */ connection) => {
    const transfer = connection.protocol.burst(BURST);
    try {
      for (; ; rounds++) await connection.exchange(transfer);
    } catch (error) {
      firstError ??= error; // expected when the server ends; an error if it comes earlier
    }
  };
  for (const connection of connections) void serve(connection);
  await until(() => rounds > ROUNDS || firstError, 'load on the server');
  if (rounds <= ROUNDS) throw firstError;
}
