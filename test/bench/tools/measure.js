// One measurement: a fresh, prefilled server on the first CPU, and one client on the last. CPU time is that of the
// window for the engine, and that of the whole process, with all its requests, for the tools.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServer } from '../../../servers/launcher/index.js';
import { measureAlone } from '../alone.js';
import { outputOf } from '../child.js';
import { engineCommand } from '../engine-command.js';
import { timed } from '../timed.js';
import {
  memcaslapCommand,
  readMemcaslapSaid,
  wrkCommand,
  readWrkSaid,
  readRedisSaid,
  redisCommand,
} from './commands.js';
import { CONTESTS, KEYS } from './contests.js';

/**
 * @typedef {import('./contests.js').Cell} Cell
 * @typedef {{cell: Cell, client: string, seconds: number, io: import('../engine-command.js').Wish['io'],
 *   serverCpu: string | null, clientCpu: string | null}} Request
 * @typedef {{roundTrips: number, seconds: number, failures: number, cpuSeconds: number, io?: string}} Figures
 * @typedef {{port: number, request: Request, signal: AbortSignal}} Here
 */

const WARMUP_SECONDS = 1;
const GRACE_MS = 30_000;
/** Starting, filling and ending, rounded up. */
const REST_SECONDS = 2;
/** Of redis-benchmark's first run, which says how many requests its second can do in the time. */
const TRIAL = 100_000;
const FILL = { count: 30 * KEYS, pipeline: 64 };

/** @param {{seconds: number}} how @returns {number} about how long it takes */
export const secondsOf = ({ seconds }) => WARMUP_SECONDS + seconds + REST_SECONDS;

/** @param {Request} request */
const limitOf = ({ seconds }) => (WARMUP_SECONDS + seconds) * 1000 + GRACE_MS;

/** In a process of its own. @param {Request} request @param {AbortSignal} signal @returns {Promise<Figures>} */
export function measureTool(request, signal) {
  return measureAlone(new URL(import.meta.url), request, { limitMs: limitOf(request), signal });
}

/** @param {Request} request @param {AbortSignal} signal @returns {Promise<Figures>} */
export async function measure(request, signal) {
  const { cell, client, serverCpu } = request;
  const { tool, protocol, options } = CONTESTS[cell.contest];
  const folder = mkdtempSync(join(tmpdir(), 'broadside-bench-'));
  try {
    const protocolOptions = { ...options, prefill: false };
    const server = await startServer({ ...startOf(cell.contest, folder), protocol, protocolOptions, cpus: serverCpu });
    try {
      const here = { port: server.port, request, signal };
      const log = join(folder, 'transfers.arrows');
      const figures = await (client === tool ? measures[tool](here) : measureEngine(here, log));
      if (figures.failures > 0) throw new Error(`${client} counts ${figures.failures} failures`);
      return figures;
    } finally {
      await server.stop();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {import('./contests.js').ContestName} contest @param {string} folder its own */
function startOf(contest, folder) {
  const commands = {
    redis: `exec redis-server --bind {host} --port {port} --dir '${folder}' --save '' --appendonly no`,
    memcached: 'exec memcached -l {host} -p {port} -U 0 -t 1 -c 4096 -u nobody',
  };
  return contest === 'http' ? { name: 'epoll' } : { command: commands[contest] };
}

/** @type {Record<'wrk' | 'redis-benchmark' | 'memcaslap', (here: Here) => Promise<Figures>>} */
const measures = {
  wrk: (here) => timedTool(here, wrkCommand(loadOf(here)), readWrkSaid),
  memcaslap: (here) => timedTool(here, memcaslapCommand(loadOf(here)), readMemcaslapSaid),
  'redis-benchmark': async (here) => {
    const { request, signal } = here;
    const load = loadOf(here);
    const untimed = (/** @type {string[]} */ words) => outputOf(words, { limitMs: limitOf(request), signal });
    await untimed(redisCommand('set', { ...load, pipeline: FILL.pipeline }, FILL.count));
    const trial = readRedisSaid(await untimed([...onto(request), ...redisCommand('get', load, TRIAL)]), TRIAL);
    const count = Math.ceil((trial.roundTrips / trial.seconds) * load.seconds);
    return timedTool(here, redisCommand('get', load, count), (text) => readRedisSaid(text, count));
  },
};

/** @param {Here} here @returns {import('./commands.js').Load} */
function loadOf({ port, request: { cell, seconds } }) {
  const { connections, pipeline, payloadBytes } = cell;
  return { port, connections, pipeline, payloadBytes, seconds };
}

/**
 * @param {Here} here
 * @param {string[]} words
 * @param {(text: string) => import('./commands.js').Said} read
 */
function timedTool({ request, signal }, words, read) {
  return timed([...onto(request), ...words], read, { seconds: request.seconds, limitMs: limitOf(request), signal });
}

/** @param {Here} here @param {string} logFile @returns {Promise<Figures>} */
async function measureEngine({ port, request, signal }, logFile) {
  const {
    cell: { contest, connections, pipeline, payloadBytes },
    client,
    seconds,
    io,
  } = request;
  const { protocol, options } = CONTESTS[contest];
  const words = engineCommand({
    connections,
    payloadBytes,
    protocol,
    protocolOptions: options,
    pipeline,
    io,
    warmupSeconds: WARMUP_SECONDS,
    windowSeconds: seconds,
    ...(client === 'engine' ? { logFile } : {}),
  }).map((word) => (word === '{port}' ? String(port) : word));
  return JSON.parse(await outputOf([...onto(request), ...words], { limitMs: limitOf(request), signal }));
}

/** @param {Request} request @returns {string[]} what to put before a client's command */
function onto({ clientCpu }) {
  return clientCpu === null ? [] : ['taskset', '-c', clientCpu];
}
