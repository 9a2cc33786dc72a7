// One measurement of client-cost: the command of each client. bare-client.c, net-client.js and the engine's process
// take different arguments but print the same line of JSON about the window.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { WARMUP_SECONDS, measureAgainstEpoll } from '../against-epoll.js';
import { BUILD, buildProgram, programOf } from '../build.js';
import { engineCommand } from '../engine-command.js';

const BARE_SOURCE = new URL('../bare-client.c', import.meta.url);
const NET_CLIENT = fileURLToPath(new URL('net-client.js', import.meta.url));
const LOG_FILE = join(BUILD, 'transfers.arrows');

export async function prepare() {
  await buildProgram(BARE_SOURCE);
}

/**
 * @param {import('../rounds.js').Step<import('./cells.js').Cell, import('./cells.js').Client>} step
 * @param {{windowSeconds: number, io: import('../engine-command.js').Wish['io']}} how
 * @param {AbortSignal} signal ends it at once; the promise rejects then
 * @returns {Promise<import('./result.js').Figures>}
 */
export async function measure({ cell, client }, { windowSeconds, io }, signal) {
  const { placement, connections, payloadBytes } = cell;
  const numbers = ['{port}', connections, payloadBytes, WARMUP_SECONDS, windowSeconds].map(String);
  const wish = { io, connections, payloadBytes, warmupSeconds: WARMUP_SECONDS, windowSeconds };
  const commands = {
    bare: [programOf(BARE_SOURCE), ...numbers],
    net: [process.execPath, NET_CLIENT, ...numbers],
    engine: engineCommand({ ...wish, logFile: LOG_FILE }),
    'engine-no-log': engineCommand(wish),
  };
  try {
    const cpus = placement === 'one-core' ? { client: 0, server: 0 } : {};
    const request = { command: commands[client], cpus, windowSeconds };
    return await measureAgainstEpoll(request, signal);
  } finally {
    rmSync(LOG_FILE, { force: true });
  }
}
