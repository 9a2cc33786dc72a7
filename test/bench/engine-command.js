// The command line of engine-client.js: the port, and one JSON object. By default the engine uses the backend that a
// run with that load would use.

import { fileURLToPath } from 'node:url';
import { chooseBackend } from '../../client/plan/backend.js';

const ENGINE_CLIENT = fileURLToPath(new URL('engine-client.js', import.meta.url));

/**
 * @typedef {object} Wish
 * @property {number} connections
 * @property {number} payloadBytes
 * @property {number} [warmupSeconds] between all open and the window
 * @property {number} [windowSeconds]
 * @property {boolean} [turns] it takes turns with other clients (turns.js) instead of having one window
 * @property {string} [build] client/engine/index.js of another checkout; left out: of this one
 * @property {'auto' | 'epoll' | 'io_uring'} [io] auto, if nothing else is said: by the table that runs go by
 * @property {string[]} [sources] own addresses to connect from, in turn; left out or empty: the kernel's choice
 * @property {Partial<import('../../client/engine/socket.js').SocketOptions>} [socket] options of all connections
 * @property {string} [workload] continuous, if nothing else is said
 * @property {string} [protocol] echo, if nothing else is said
 * @property {any} [protocolOptions] as the scenario has them, whole; what they say is to be filled, is
 * @property {number} [rate] open loop: requests a second; left out: closed loop
 * @property {'sample' | 'off'} [timestamps] transfers split by kernel timestamps; a sample, if nothing else is said
 * @property {number} [pipeline] transfers of a connection in flight at once
 * @property {number} [heartbeatSeconds] of workload hold
 * @property {string} [logFile] where every transfer is logged; left out: nowhere
 */

/**
 * @param {Wish} wish
 * @returns {string[]} the command, with {port} in it; it prints one line of JSON, the Figures of engine-client.js
 */
export function engineCommand({ io = 'auto', workload = 'continuous', ...rest }) {
  const wish = { ...rest, workload, io: chooseBackend({ io }) };
  return [process.execPath, ENGINE_CLIENT, '{port}', JSON.stringify(wish)];
}
