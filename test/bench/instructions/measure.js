// One measurement of the bench instructions: a fresh server, and five runs of a client: two under valgrind, two under
// strace, one undisturbed.

import { readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { startServer } from '../../../servers/launcher/index.js';
import { findProgram } from '../../../servers/launcher/process/find-program.js';
import { EnvironmentError } from '../../../client/errors.js';
import { measureAlone } from '../alone.js';
import { BUILD, buildProgram, programOf } from '../build.js';
import { outputOf } from '../child.js';
import { transfersOf } from './cells.js';
import { perTransfer, readCalls, readInstructions } from './result.js';

/**
 * @typedef {import('./cells.js').Cell} Cell
 * @typedef {import('./cells.js').Client} Client
 * @typedef {import('./result.js').Figures} Figures
 */

const BARE_SOURCE = new URL('../bare-client.c', import.meta.url);
const ENGINE_SOURCE = new URL('engine-loop.c', import.meta.url);
const CORE = fileURLToPath(new URL('../../../client/engine/core', import.meta.url));
/** Parts that the bench does not use, and whose libraries it need not have. */
const LEFT_OUT = /\/(usrsctp\w*|tls\w*)\.c$/;
const LOG_FILE = join(BUILD, 'transfers.arrows');
const TOOL_FILE = join(BUILD, 'instructions.out');
const LIMIT_MS = 120_000;

/** @throws {EnvironmentError} where a tool is missing */
export async function prepare() {
  for (const tool of ['valgrind', 'strace']) {
    if (findProgram(tool)) continue;
    throw new EnvironmentError(`${tool} is not installed (apt-get install ${tool})`, { code: 'ENOPROGRAM' });
  }
  const files = /** @type {string[]} */ (readdirSync(CORE, { recursive: true }))
    .filter((file) => file.endsWith('.c') && !LEFT_OUT.test(`/${file}`))
    .map((file) => join(CORE, file));
  await buildProgram(BARE_SOURCE);
  await buildProgram(ENGINE_SOURCE, ['-DHAVE_LIBURING', ...files, '-luring', '-lpthread', '-lm']);
}

/** In a process of its own. @param {{cell: Cell, client: Client}} step @param {AbortSignal} signal @returns {Promise<Figures>} */
export function measureTransfers({ cell, client }, signal) {
  return measureAlone(new URL(import.meta.url), { cell, client }, { limitMs: 5 * LIMIT_MS, signal });
}

/** @param {{cell: Cell, client: Client}} request @param {AbortSignal} signal @returns {Promise<Figures>} */
export async function measure({ cell, client }, signal) {
  const server = await startServer({ name: 'epoll', protocol: 'echo' });
  const how = { limitMs: LIMIT_MS, signal };
  const transfers = transfersOf(cell);
  /** @param {string[]} tool @param {number} count */
  const run = (tool, count) => outputOf([...tool, ...commandOf(client, cell, server.port, count)], how);
  /** @param {string[]} tool @param {(text: string) => number} read */
  const twice = async (tool, read) => {
    const totals = [];
    for (const count of transfers) {
      await run(tool, count);
      totals.push(read(readFileSync(TOOL_FILE, 'utf8')));
    }
    return perTransfer(transfers, /** @type {[number, number]} */ (totals));
  };
  try {
    const callgrind = ['valgrind', '--tool=callgrind', `--callgrind-out-file=${TOOL_FILE}`];
    const instructions = await twice(callgrind, readInstructions);
    const calls = await twice(['strace', '-f', '-c', '-o', TOOL_FILE], readCalls);
    const said = JSON.parse(await run([], transfers[1]));
    return { instructions, calls, wakeUps: said.voluntarySwitches / said.transfers };
  } finally {
    await server.stop();
    for (const file of [LOG_FILE, TOOL_FILE]) rmSync(file, { force: true });
  }
}

/** @param {Client} client @param {Cell} cell @param {number} port @param {number} transfers @returns {string[]} */
function commandOf(client, { workload, connections, payloadBytes }, port, transfers) {
  const numbers = [port, connections, payloadBytes].map(String);
  if (client === 'bare') return [programOf(BARE_SOURCE), ...numbers, 'transfers', String(transfers)];
  return [programOf(ENGINE_SOURCE), ...numbers, String(transfers), client, workload, LOG_FILE];
}
