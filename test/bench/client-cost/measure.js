// One measurement of client-cost: which command each client is. The one thing to know: bare-client.c, net-client.js
// and the engine's process take their wishes differently and answer alike, with one line of JSON about the window.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { WARMUP_SECONDS, measureAgainstEpoll } from '../against-epoll.js';
import { BUILD, buildProgram, programOf } from '../build.js';
import { engineCommand } from '../engine-command.js';

const BARE_SOURCE = new URL('bare-client.c', import.meta.url);
const NET_CLIENT = fileURLToPath(new URL('net-client.js', import.meta.url));
const LOG_FILE = join(BUILD, 'transfers.arrows');

export async function prepare() {
  await buildProgram(BARE_SOURCE);
}

/**
 * @param {import('../rounds.js').Step<import('./cells.js').Cell, import('./cells.js').Client>} step
 * @param {number} windowSeconds
 * @param {AbortSignal} signal ends it at once; the promise rejects then
 * @returns {Promise<import('./result.js').Figures>}
 */
export async function measure({ cell, client }, windowSeconds, signal) {
  const { placement, connections, payloadBytes } = cell;
  /** @param {number} port */
  function command(port) {
    const numbers = [port, connections, payloadBytes, WARMUP_SECONDS, windowSeconds].map(String);
    if (client === 'bare') return [programOf(BARE_SOURCE), ...numbers];
    if (client === 'net') return [process.execPath, NET_CLIENT, ...numbers];
    const wish = { port, connections, payloadBytes, warmupSeconds: WARMUP_SECONDS, windowSeconds };
    return engineCommand({ ...wish, logFile: client === 'engine' ? LOG_FILE : undefined });
  }
  try {
    return await measureAgainstEpoll({ command, oneCore: placement === 'one-core', windowSeconds, signal });
  } finally {
    rmSync(LOG_FILE, { force: true });
  }
}
