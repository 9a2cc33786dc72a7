// One measurement of client-cost: the commands of its clients, which take turns.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { BUILD, buildProgram, programOf } from '../build.js';
import { engineCommand } from '../engine-command.js';
import { measureTurns } from '../turns.js';

const BARE_SOURCE = new URL('../bare-client.c', import.meta.url);
const NET_CLIENT = fileURLToPath(new URL('net-client.js', import.meta.url));
const [LOG_FILE, OTHER_LOG_FILE] = ['transfers', 'other-transfers'].map((name) => join(BUILD, `${name}.arrows`));

export async function prepare() {
  await buildProgram(BARE_SOURCE);
}

/**
 * @param {import('./cells.js').Cell} cell
 * @param {{clients: readonly string[], io: import('../engine-command.js').Wish['io'], rounds: number, seed: number, other?: string}} how
 *   other: a checkout
 * @returns {import('../turns.js').Request}
 */
export function requestOf({ placement, connections, payloadBytes }, { clients, io, rounds, seed, other = '.' }) {
  const numbers = ['{port}', connections, payloadBytes].map(String);
  const wish = { io, connections, payloadBytes, turns: true };
  /** @type {Record<string, string[]>} */
  const commands = {
    bare: [programOf(BARE_SOURCE), ...numbers, 'turns'],
    net: [process.execPath, NET_CLIENT, ...numbers],
    engine: engineCommand({ ...wish, logFile: LOG_FILE }),
    'engine-no-log': engineCommand(wish),
    other: engineCommand({
      ...wish,
      logFile: OTHER_LOG_FILE,
      build: pathToFileURL(join(other, 'client/engine/index.js')).href,
    }),
  };
  const cpus = placement === 'one-core' ? { client: 0, server: 0 } : {};
  const those = clients.map((name) => ({ name, command: commands[name], cpus }));
  return { clients: those, connections, payloadBytes, blocks: rounds, seed };
}

/** @param {import('../turns.js').Request} request @param {AbortSignal} signal @returns {Promise<import('./result.js').Figures[][]>} */
export async function measure(request, signal) {
  try {
    return await measureTurns(request, signal);
  } finally {
    for (const file of [LOG_FILE, OTHER_LOG_FILE]) rmSync(file, { force: true });
  }
}
