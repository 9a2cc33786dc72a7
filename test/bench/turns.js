// Clients under a schedule. Clients that take turns have their connections open to a server of their own all the time,
// and one is loaded at a time, for a slice; in each block every client has as many slices. What disturbs a shared
// machine lasts longer than a slice, so that it divides out in the ratio of two clients within a block.  A client reads
// its schedule from stdin, numbers apart by blanks, all times in ns: the start (CLOCK_MONOTONIC), and relative to it
// the beginning of the first block, the length of a block, and how many there are; then for each slice from when on
// requests may begin, until when they may, and until when replies are awaited. It prints a list with an object for each
// block, its Figures.

import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { sliceNs, slicesUntil } from '../../client/measure/slices.js';
import { measuredLengths } from '../../client/plan/slices.js';
import { startServer } from '../../servers/launcher/index.js';
import { measureAlone } from './alone.js';

/**
 * @import { Slice } from '../../client/measure/slices.js'
 * @import { Server } from '../../servers/launcher/start/start.js'
 * @import { Wish } from './engine-client.js'
 */

/**
 * @typedef {object} Figures of a client in a block
 * @property {number} roundTrips
 * @property {number} loadedTrips those that ended while requests could begin
 * @property {number} seconds for which they could
 * @property {number} cpuSeconds of the process, user and system
 * @property {number} [p50Ns] of the response time; only the engine measures it
 *
 * @typedef {{startNs: number, fromNs: number, blockNs: number, blocks: number, slices: Slice[]}} Schedule
 *
 * @typedef {object} Request
 * @property {string[][]} commands of the clients; {port} is that of their server
 * @property {number | null} cpu of all clients and servers; null: the kernel's choice
 * @property {number} connections of each
 * @property {number} payloadBytes
 * @property {number} blocks
 */

const ENGINE_CLIENT = fileURLToPath(new URL('engine-client.js', import.meta.url));
const SECOND_NS = 1e9;
/** Until all clients have been started, and how many connections a second they open at least, one after another. */
const START_NS = SECOND_NS;
const OPENED_PER_SECOND = 5000;
const WARMUP_NS = SECOND_NS;
/** Of a run that slices need not be shortened for. */
const LONG_NS = 60 * SECOND_NS;
/** What a round trip takes in a closed loop, about, and for each byte of the payload. */
const TRIP_NS = 5000;
const BYTE_NS = 0.4;
const GRACE_MS = 20_000;

/** @param {Request} request */
function timesOf({ commands, connections, payloadBytes }) {
  const replyNs = connections * (TRIP_NS + payloadBytes * BYTE_NS);
  const cycle = { cycleNs: replyNs, responseNs: replyNs };
  const [lengths] = measuredLengths([cycle], commands.length, LONG_NS);
  const openNs = Math.ceil((commands.length * connections) / OPENED_PER_SECOND) * SECOND_NS;
  const blockNs = Math.max(SECOND_NS, Math.round(sliceNs(lengths) * commands.length));
  return { openNs, blockNs, lengths, fromNs: openNs + Math.ceil(WARMUP_NS / blockNs) * blockNs };
}

/** @param {Request} request @param {AbortSignal} signal @returns {Promise<Figures[][]>} for each client its blocks */
export function measureTurns(request, signal) {
  const { fromNs, blockNs } = timesOf(request);
  const limitMs = (START_NS + fromNs + request.blocks * blockNs) / 1e6 + GRACE_MS;
  return measureAlone(import.meta.url, request, { limitMs, signal });
}

/**
 * As measureTurns, in this process.
 * @param {Request} request
 * @param {AbortSignal} signal
 * @returns {Promise<Figures[][]>}
 */
export async function measure(request, signal) {
  const { commands, cpu, blocks } = request;
  const { openNs, fromNs, blockNs, lengths } = timesOf(request);
  const untilNs = fromNs + blocks * blockNs;
  /** @type {Server[]} */
  const servers = [];
  const abort = new AbortController();
  try {
    const cpus = cpu === null ? null : String(cpu);
    while (servers.length < commands.length) servers.push(await startServer({ name: 'epoll', protocol: 'echo', cpus }));
    const startNs = nowNs() + START_NS;
    return await Promise.all(
      commands.map((command, index) => {
        const slices = slicesUntil(
          {
            ...{ group: 1, index, of: commands.length, starts: 1, seed: 1 },
            stages: [{ phase: 'steady', fromNs: openNs, lengths: [lengths] }],
          },
          untilNs,
        );
        const words = onCpu(cpu, withPort(command, servers[index].port));
        const schedule = { startNs, fromNs, blockNs, blocks, slices };
        return runClient(words, schedule, AbortSignal.any([signal, abort.signal])).catch((error) => {
          abort.abort();
          throw error;
        });
      }),
    );
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
}

/**
 * @param {string[]} words
 * @param {Schedule} schedule
 * @param {AbortSignal} signal
 * @returns {Promise<any[]>} its blocks
 */
async function runClient([command, ...words], { startNs, fromNs, blockNs, blocks, slices }, signal) {
  const child = spawn(command, words, { stdio: ['pipe', 'pipe', 'inherit'], signal });
  child.stdin.on('error', () => {}); // it has ended; its exit code says more
  const rows = [
    [startNs, fromNs, blockNs, blocks],
    ...slices.map(({ fromNs: beginNs, loadedToNs, endNs }) => [beginNs, loadedToNs, endNs]),
  ];
  child.stdin.end(rows.map((row) => row.join(' ')).join('\n'));
  const [printed, code] = await Promise.all([
    text(child.stdout),
    new Promise((resolve, reject) => child.on('error', reject).on('close', resolve)),
  ]);
  if (code !== 0) throw new Error(`${[command, ...words].join(' ')}: exit ${code}`);
  return JSON.parse(printed);
}

/** For a client. @returns {Promise<Schedule>} from stdin */
export async function readSchedule() {
  const numbers = (await text(process.stdin)).split(/\s+/).map(Number);
  const [startNs, fromNs, blockNs, blocks] = numbers;
  const slices = Array.from({ length: (numbers.length - 4) / 3 }, (_, i) => {
    const [beginNs, loadedToNs, endNs] = numbers.slice(4 + 3 * i, 7 + 3 * i);
    return { fromNs: beginNs, measuredFromNs: beginNs, loadedToNs, endNs };
  });
  return { startNs, fromNs, blockNs, blocks, slices };
}

/**
 * @param {Schedule} schedule
 * @param {number} block
 * @returns {Slice[]} that begin in that block; block -1: before the first
 */
export function slicesIn({ fromNs, blockNs, slices }, block) {
  const beginNs = fromNs + block * blockNs - 1;
  return slices.filter((slice) => slice.fromNs >= beginNs && slice.fromNs < beginNs + blockNs);
}

/** @param {Wish} wish @returns {string[]} the command of the engine as a client */
export const engineCommand = (wish) => [process.execPath, ENGINE_CLIENT, '{port}', JSON.stringify(wish)];

/** @param {string[]} command @param {number} port */
const withPort = (command, port) => command.map((word) => word.replaceAll('{port}', String(port)));

/** @param {number | null} cpu @param {string[]} command */
const onCpu = (cpu, command) => (cpu === null ? command : ['taskset', '-c', String(cpu), ...command]);

/** @returns {number} CLOCK_MONOTONIC */
export const nowNs = () => Number(process.hrtime.bigint());

/** @param {Pick<Figures, 'cpuSeconds' | 'roundTrips'>} figures @returns {number} CPU in us of each round trip */
export const cost = ({ cpuSeconds, roundTrips }) => (cpuSeconds / roundTrips) * 1e6;

/** @param {Pick<Figures, 'loadedTrips' | 'seconds'>} figures @returns {number} round trips */
export const perSecond = ({ loadedTrips, seconds }) => loadedTrips / seconds;
