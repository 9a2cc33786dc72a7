// One measurement of connect, transfer, close: a fresh server and one client process with one thread. CPU time is that
// of the window for the engine, and that of the whole process for the other tools, which start within milliseconds. All
// transfer CHURN_BYTES each way, plus or minus the head of a request.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { startServer } from '../../../servers/launcher/index.js';
import { pickPort } from '../../../servers/launcher/start/ports.js';
import { measureAlone } from '../alone.js';
import { BUILD, buildProgram, programOf } from '../build.js';
import { outputOf } from '../child.js';
import { engineCommand } from '../engine-command.js';
import { legOf } from '../planned.js';
import { timed } from '../timed.js';
import { CRR_VARIABLE } from './clients.js';
import { abCommand, crrCommand, crrServerCommand, wrkCommand, readAb, readCrr, readWrk } from './tools.js';

/**
 * @typedef {import('./clients.js').Client} Client
 * @typedef {{connections: number}} Cell at a time
 * @typedef {import('./tools.js').Said & {cpuSeconds: number, answered?: number, io?: string}} Figures answered: the
 *   server's count; io: what the engine ran over
 * @typedef {import('../engine-command.js').Wish['io']} Io
 * @typedef {{client: Client, connections: number, seconds: number, io: Io}} Request
 */

/** Of a reply, and of the engine's requests: what the heads of the HTTP tools come to. */
const CHURN_BYTES = 128;
/** Clients that close before the server does. @type {Client[]} */
const CLOSING_FIRST = ['engine-first', 'engine-reset'];
const WARMUP_SECONDS = 1;
const GRACE_MS = 20_000;
const SOURCE = new URL('churn-server.c', import.meta.url);
const LOG_FILE = join(BUILD, 'transfers.arrows');

/** @param {Request} request */
const limitOf = ({ seconds }) => (WARMUP_SECONDS + seconds) * 1000 + GRACE_MS;

/** @param {Client} client @param {number} seconds @returns {number} about how long it takes */
export function secondsOf(client, seconds) {
  return seconds + (client.startsWith('engine') ? WARMUP_SECONDS + 1.5 : 1);
}

export async function prepare() {
  await buildProgram(SOURCE);
}

/** In a process of its own. @param {Request} request @param {AbortSignal} signal @returns {Promise<Figures>} */
export function measureChurn(request, signal) {
  return measureAlone(new URL(import.meta.url), request, { limitMs: limitOf(request), signal });
}

/** @param {Request} request @param {AbortSignal} signal @returns {Promise<Figures>} */
export async function measure(request, signal) {
  if (request.client === 'tcp_crr') return measureCrr(request, signal);
  const first = CLOSING_FIRST.includes(request.client) ? 'client' : 'server';
  const program = `'${programOf(SOURCE).replaceAll("'", "'\\''")}'`;
  const command = `exec ${program} {port} ${CHURN_BYTES} ${first}`;
  let last = '';
  const server = await startServer({ command, onLine: (stream, line) => stream === 'stdout' && (last = line) });
  /** @type {Figures | undefined} */
  let figures;
  try {
    const how = { ...request, port: server.port };
    const timing = { seconds: request.seconds, limitMs: limitOf(request), signal };
    if (request.client === 'ab') figures = await timed(abCommand(how), readAb, timing);
    else if (request.client === 'wrk') figures = await timed(wrkCommand(how), readWrk, timing);
    else figures = await measureEngine(how, signal);
  } finally {
    await server.stop();
    rmSync(LOG_FILE, { force: true });
  }
  return checked(figures, last);
}

/**
 * What a client says it did, the server must have seen.
 * @param {Figures} figures
 * @param {string} last line of the server
 */
function checked(figures, last) {
  const { http, echo } = JSON.parse(last);
  const answered = http + echo;
  if (answered >= figures.connections && figures.connections > 0) return { ...figures, answered };
  throw new Error(`the client counts ${figures.connections} connections, and the server answered ${answered}`);
}

/** @param {Request & {port: number}} request @param {AbortSignal} signal @returns {Promise<Figures>} */
async function measureEngine({ port, ...request }, signal) {
  const { client, connections, seconds, io } = request;
  const load = { connections, workload: 'reconnect' };
  // it keeps its ports in TIME_WAIT only where it closes first, by FIN
  const sources = client === 'engine-first' ? (await legOf({ servers: ['epoll'], ...load })).sources : [];
  const times = { warmupSeconds: WARMUP_SECONDS, windowSeconds: seconds };
  const socket = { resetOnClose: client === 'engine-reset' };
  const wish = { ...load, io, sources, socket, payloadBytes: CHURN_BYTES, ...times, logFile: LOG_FILE };
  const words = engineCommand(wish).map((word) => (word === '{port}' ? String(port) : word));
  /** @type {import('../engine-client.js').Figures} */
  const figures = JSON.parse(await outputOf(words, { limitMs: limitOf(request), signal }));
  const { roundTrips, cpuSeconds, failures } = figures;
  return { connections: roundTrips, seconds: figures.seconds, failures, cpuSeconds, io: figures.io };
}

/** Against its own server: it speaks a protocol of its own. @param {Request} request @param {AbortSignal} signal */
async function measureCrr(request, signal) {
  const program = process.env[CRR_VARIABLE] ?? '';
  const [port, controlPort] = [await pickPort('127.0.0.1'), await pickPort('127.0.0.1')];
  const how = { ...request, port, controlPort, bytes: CHURN_BYTES };
  const over = new AbortController();
  const stop = AbortSignal.any([signal, over.signal]);
  const server = outputOf(crrServerCommand(program, how), { limitMs: limitOf(request), signal: stop });
  const client = timed(crrCommand(program, how), readCrr, {
    seconds: request.seconds,
    limitMs: limitOf(request),
    signal: stop,
  });
  try {
    return await Promise.race([client, server.then(() => client)]); // a server that fails ends the measurement
  } finally {
    over.abort();
    await Promise.allSettled([client, server]);
  }
}
