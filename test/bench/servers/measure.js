// One measurement: a fresh server, one client process with one thread, and the server's CPU time meanwhile. CPU time
// covers all threads of all processes of the server, and only the window: a rate between the first and the last reading
// in it.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServer } from '../../../servers/launcher/index.js';
import { measureAlone } from '../alone.js';
import { programOf } from '../build.js';
import { outputOf } from '../child.js';
import { readWrk } from '../churn/tools.js';
import { coresUsed } from './cores.js';

/**
 * @typedef {object} Request
 * @property {import('./entrants.js').Start} start
 * @property {'echo' | 'http'} protocol
 * @property {number} connections
 * @property {number} [payloadBytes] of echo
 * @property {number} seconds
 * @property {string | null} serverCpu
 * @property {string | null} clientCpu
 *
 * @typedef {{roundTrips: number, seconds: number, cpuSeconds: number}} Figures cpuSeconds: the server's
 * @typedef {{roundTrips: number, seconds: number, fromNs: number, toNs: number}} Window
 */

export const WARMUP_SECONDS = 1;
export const CLIENT_SOURCE = new URL('../bare-client.c', import.meta.url);
/** Starting and ending, in addition to warm-up and window: as measured, rounded up. */
const REST_SECONDS = 0.6;
const GRACE_MS = 30_000;
const READ_EVERY_MS = 200;
/** Of a window of wrk's, which has its connections opened in it. */
const WRK_OPENS_NS = 3e8;

/** @param {{protocol: 'echo' | 'http', seconds: number}} how @returns {number} about how long it takes */
export function secondsOf({ protocol, seconds }) {
  return (protocol === 'echo' ? WARMUP_SECONDS : 0) + seconds + REST_SECONDS;
}

/** @param {Request} request */
const limitOf = ({ seconds }) => (WARMUP_SECONDS + seconds) * 1000 + GRACE_MS;

/** In a process of its own. @param {Request} request @param {AbortSignal} signal @returns {Promise<Figures>} */
export function measureServer(request, signal) {
  return measureAlone(new URL(import.meta.url), request, { limitMs: limitOf(request), signal });
}

/** @param {Request} request @param {AbortSignal} signal @returns {Promise<Figures>} */
export async function measure(request, signal) {
  const { start, protocol, serverCpu } = request;
  const folder = mkdtempSync(join(tmpdir(), 'broadside-bench-'));
  const placed = 'command' in start ? { command: start.command.replaceAll('{folder}', folder) } : start;
  try {
    const server = await startServer({ ...placed, protocol, cpus: serverCpu });
    try {
      return await measureRunning(server, request, signal);
    } finally {
      await server.stop();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * @param {import('../../../servers/launcher/start/start.js').Server} server
 * @param {Request} request
 * @param {AbortSignal} signal
 * @returns {Promise<Figures>}
 */
async function measureRunning(server, request, signal) {
  /** @type {import('./cores.js').Reading[]} */
  const readings = [];
  const timer = setInterval(() => readings.push(readingOf(server)), READ_EVERY_MS);
  try {
    const client = request.protocol === 'http' ? underWrk : underBareClient;
    const { roundTrips, seconds, fromNs, toNs } = await client(server.port, request, signal);
    return { roundTrips, seconds, cpuSeconds: coresUsed(readings, fromNs, toNs) * seconds };
  } finally {
    clearInterval(timer);
  }
}

/** @param {import('../../../servers/launcher/start/start.js').Server} server @returns {import('./cores.js').Reading} */
function readingOf(server) {
  const { cpuSeconds, threadSeconds } = server.usage();
  const exact = threadSeconds && Object.values(threadSeconds).reduce((sum, seconds) => sum + seconds, 0);
  return { atNs: now(), cpuSeconds: exact ?? cpuSeconds };
}

/** @param {number} port @param {Request} request @param {AbortSignal} signal @returns {Promise<Window>} */
async function underBareClient(port, request, signal) {
  const { connections, payloadBytes, seconds } = request;
  const numbers = [port, connections, payloadBytes, WARMUP_SECONDS, seconds].map(String);
  const words = [...onto(request), programOf(CLIENT_SOURCE), ...numbers, 'sockperf'];
  return JSON.parse(await outputOf(words, { limitMs: limitOf(request), signal }));
}

/** @param {number} port @param {Request} request @param {AbortSignal} signal @returns {Promise<Window>} */
async function underWrk(port, request, signal) {
  const { connections, seconds } = request;
  const words = [...onto(request), 'wrk', '-t1', `-c${connections}`, `-d${seconds}s`, `http://127.0.0.1:${port}/`];
  const fromNs = now();
  const text = await outputOf(words, { limitMs: limitOf(request), signal });
  const { connections: roundTrips, failures, ...said } = readWrk(text);
  if (failures > 0) throw new Error(`wrk counts ${failures} failures:\n${text}`);
  return { roundTrips, seconds: said.seconds, fromNs: fromNs + WRK_OPENS_NS, toNs: fromNs + seconds * 1e9 };
}

/** @param {Request} request @returns {string[]} what to put before a client's command */
function onto({ clientCpu }) {
  return clientCpu === null ? [] : ['taskset', '-c', clientCpu];
}

/** @returns {number} CLOCK_MONOTONIC */
function now() {
  return Number(process.hrtime.bigint());
}
