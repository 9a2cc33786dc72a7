// A server under load: connections that send again as soon as they are answered, for as long as they live.

import { until } from './wait.js';

const BURST = 16 * 1024;
const ROUNDS = 300;

/**
 * @param {import('./connection.js').Connection[]} connections
 * @returns {Promise<void>} when the server is under that load
 */
export async function keepBusy(connections) {
  let rounds = 0;
  /** @type {unknown} */
  let fault = null;
  const serve = async (/** @type {import('./connection.js').Connection} */ connection) => {
    const transfer = connection.protocol.burst(BURST);
    try {
      for (; ; rounds++) await connection.exchange(transfer);
    } catch (error) {
      fault ??= error; // their end, which is what they are for; before they are busy it is a fault
    }
  };
  for (const connection of connections) void serve(connection);
  await until(() => rounds > ROUNDS || fault, 'it is under load');
  if (rounds <= ROUNDS) throw fault;
}
