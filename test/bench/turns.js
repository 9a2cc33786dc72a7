// Clients that take turns: each has its connections open to a server of its own all the time, and one is loaded at a time,
// for a slice; in each block every client has as many slices. What disturbs a shared machine lasts longer than a slice, so
// that it divides out in the ratio of two clients within a block.
//
// A client is told its turns on stdin, as numbers apart by blanks, all times in ns: the start (CLOCK_MONOTONIC), and
// relative to it the beginning of the first block, the length of a block, and how many there are; then for each slice from
// when on requests may begin, until when they may, and until when replies are awaited. It prints a list with an object
// for each block, its Figures.

import { execFile, spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { measuredLengths } from '../../client/plan/slices.js';
import { slicesUntil } from '../../client/measure/slices.js';
import { startServer } from '../../servers/launcher/index.js';
import { measureAlone } from './alone.js';

/**
 * @typedef {object} Figures of a client in a block
 * @property {number} roundTrips
 * @property {number} loadedTrips those that ended while requests could begin
 * @property {number} seconds for which they could
 * @property {number} cpuSeconds
 *
 * @typedef {{client?: number, server?: number}} Placement the CPU of each side; left out: the kernel's choice
 * @typedef {{name: string, command: string[], cpus?: Placement}} Client  {port} in the command is its server's
 *
 * @typedef {object} Request
 * @property {Client[]} clients
 * @property {number} connections of each
 * @property {number} payloadBytes
 * @property {number} blocks
 * @property {number} seed of the order of slices
 * @property {boolean} [atOnce] no turns: all clients are loaded all the time, with a load that leaves the cores idle
 *
 * @typedef {{startNs: number, fromNs: number, blockNs: number, blocks: number, slices: import('../../client/measure/slices.js').Slice[]}} Turns
 */

const run = promisify(execFile);
const SECOND_NS = 1e9;
/** Until all clients have been started, and how many connections a second they open at least, one after another. */
const START_NS = SECOND_NS;
const OPENED_PER_SECOND = 5000;
const WARMUP_NS = SECOND_NS;
/** What a round trip takes in a closed loop, about, and for each byte of the payload. */
const TRIP_NS = 5000;
const BYTE_NS = 0.4;
const GRACE_MS = 20_000;

/** @param {Request} request @returns {{ openNs: number, blockNs: number, lengths: { lengthNs: number, settleNs: number } }} */
function timesOf({ clients, connections, payloadBytes }) {
  const replyNs = connections * (TRIP_NS + payloadBytes * BYTE_NS);
  const lengths = measuredLengths(replyNs, clients.length, SECOND_NS);
  const openNs = Math.ceil((clients.length * connections) / OPENED_PER_SECOND) * SECOND_NS;
  return { openNs, blockNs: Math.max(SECOND_NS, Math.round(lengths.lengthNs * clients.length)), lengths };
}

/** @param {Request} request @returns {number} about how long it takes */
export function secondsOf(request) {
  const { openNs, blockNs } = timesOf(request);
  return (START_NS + openNs + WARMUP_NS + request.blocks * blockNs) / SECOND_NS + 1;
}

/** In a process of its own. @param {Request} request @param {AbortSignal} signal @returns {Promise<any[][]>} */
export function measureTurns(request, signal) {
  return measureAlone(new URL(import.meta.url), request, { limitMs: secondsOf(request) * 1000 + GRACE_MS, signal });
}

/**
 * @param {Request} request @param {AbortSignal} signal ends it at once; the promise rejects then
 * @returns {Promise<any[][]>} for each client its blocks, as it printed them
 */
export async function measure(request, signal) {
  const { clients, blocks, seed, atOnce = false } = request;
  const { openNs, blockNs, lengths } = timesOf(request);
  const fromNs = openNs + Math.ceil(WARMUP_NS / blockNs) * blockNs;
  /** @type {import('../../servers/launcher/start/start.js').Server[]} */
  const servers = [];
  const abort = new AbortController();
  try {
    for (const { cpus } of clients) servers.push(await startPlaced(cpus?.server));
    const startNs = Number(process.hrtime.bigint()) + START_NS;
    return await Promise.all(
      clients.map(({ command, cpus }, index) => {
        const where = { group: 1, index, of: clients.length, ...lengths, seed, fromNs: openNs };
        const slices = atOnce ? [] : slicesUntil(where, fromNs + blocks * blockNs);
        const words = command.map((word) => word.replaceAll('{port}', String(servers[index].port)));
        const placed = cpus?.client === undefined ? words : ['taskset', '-c', String(cpus.client), ...words];
        const turns = { startNs, fromNs, blockNs, blocks, slices };
        return blocksOf(placed, turns, AbortSignal.any([signal, abort.signal])).catch((error) => {
          abort.abort();
          throw error;
        });
      }),
    );
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
}

/** @param {number | undefined} cpu */
async function startPlaced(cpu) {
  const server = await startServer({ name: 'epoll', protocol: 'echo' });
  for (const pid of cpu === undefined ? [] : server.pids) {
    await run('taskset', ['-a', '-p', '-c', String(cpu), String(pid)]);
  }
  return server;
}

/** @param {string[]} words of a client @param {Turns} turns @param {AbortSignal} signal @returns {Promise<any[]>} */
async function blocksOf([command, ...words], { startNs, fromNs, blockNs, blocks, slices }, signal) {
  const child = spawn(command, words, { stdio: ['pipe', 'pipe', 'inherit'], signal });
  child.stdin.on('error', () => {}); // it has ended; its exit code says more
  const rows = [[startNs, fromNs, blockNs, blocks], ...slices.map((slice) => Object.values(slice))];
  child.stdin.end(rows.map((row) => row.join(' ')).join('\n'));
  const [printed, code] = await Promise.all([
    text(child.stdout),
    new Promise((resolve, reject) => child.on('error', reject).on('close', resolve)),
  ]);
  if (code !== 0) throw new Error(`${[command, ...words].join(' ')}: exit ${code}`);
  return JSON.parse(printed);
}

/** For a client. @returns {Promise<Turns>} as stdin has them */
export async function readTurns() {
  const numbers = (await text(process.stdin)).split(/\s+/).map(Number);
  const [startNs, fromNs, blockNs, blocks] = numbers;
  const slices = Array.from({ length: (numbers.length - 4) / 3 }, (_, i) => {
    const [beginNs, loadedToNs, endNs] = numbers.slice(4 + 3 * i, 7 + 3 * i);
    return { fromNs: beginNs, loadedToNs, endNs };
  });
  return { startNs, fromNs, blockNs, blocks, slices };
}
