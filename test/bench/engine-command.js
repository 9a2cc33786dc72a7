// How a bench asks engine-client.js for a measurement: the port, and one JSON object.

import { fileURLToPath } from 'node:url';

const ENGINE_CLIENT = fileURLToPath(new URL('engine-client.js', import.meta.url));

/**
 * @typedef {object} Wish
 * @property {number} connections
 * @property {number} payloadBytes
 * @property {number} warmupSeconds between all open and the window
 * @property {number} windowSeconds
 * @property {string} [io] epoll, if nothing else is said
 * @property {string} [workload] continuous, if nothing else is said
 * @property {number} [heartbeatSeconds] of workload hold
 * @property {string} [logFile] where every transfer is logged; left out: nowhere
 */

/**
 * @param {Wish} wish
 * @returns {string[]} the command, with {port} in it; it prints one line of JSON, the Figures of engine-client.js
 */
export function engineCommand(wish) {
  return [process.execPath, ENGINE_CLIENT, '{port}', JSON.stringify(wish)];
}
