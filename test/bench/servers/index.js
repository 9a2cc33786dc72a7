// Our servers compared with sockperf, nginx, haproxy, tokio and Go: transfers per second, and server CPU time per
// transfer, under the same client. Servers that are not installed are left out. ../README.md explains the method.

import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { UsageError } from '../../../client/errors.js';
import { count } from '../../../client/words/format.js';
import { build, startServer } from '../../../servers/launcher/index.js';
import { measureAlone } from '../alone.js';
import { buildProgram, programOf } from '../build.js';
import { conditionsOf, cpusApart, inRounds, publish } from '../conduct.js';
import { MOST_CONNECTIONS, list, number, oneOf, size, whole } from '../options.js';
import { medianIn, ratio, spreadIn, spreadText, table } from '../tables.js';
import { cost, nowNs, onCpu, perSecond, runClient, windowOf } from '../turns.js';
import { CONTESTS, CONTEST_NAMES, SERVERS, entrantsHere } from './entrants.js';
import { usageOf } from '../../fixtures/known-usage.js';

/**
 * @import { Measured } from '../conduct.js'
 * @import { Figures as TurnsFigures } from '../turns.js'
 * @import { ContestName, Start } from './entrants.js'
 */

const NAME = 'servers';
const CLIENT_SOURCE = new URL('../bare-client.c', import.meta.url);
/**
 * Limit for a counterpart's transfers per second as a multiple of ours: rounds of the same server scatter by as much.
 */
const LIMIT = 1.05;
/** Of echo: a message of sockperf's has a header of 14 bytes; its server takes no more than this. */
const PAYLOAD = { least: 14, most: 65_507 };
const GRACE_MS = 30_000;
const READ_EVERY_MS = 200;
/** For the bare client to open connections, one after another; and of a window of wrk's, which opens its own in it. */
const OPEN_NS = 1e9;
const WRK_OPENS_NS = 3e8;

export const options = {
  connections: list('100', 'numbers of connections', whole(MOST_CONNECTIONS)),
  payload: {
    ...{ type: /** @type {const} */ ('string'), default: '64B', describe: 'payload of echo' },
    coerce(/** @type {string} */ word) {
      const bytes = size(word);
      if (bytes >= PAYLOAD.least && bytes <= PAYLOAD.most) return bytes;
      throw new UsageError(`--payload ${word}: sockperf takes messages of ${PAYLOAD.least} to ${PAYLOAD.most} bytes`);
    },
  },
  contests: list(CONTEST_NAMES.join(','), 'contests', oneOf(CONTEST_NAMES)),
  servers: list(SERVERS.join(','), 'servers', oneOf(SERVERS)),
  seconds: number(2, 'length of a window', 30),
  rounds: number(6, 'number of rounds'),
};

/**
 * @typedef {{contest: ContestName, connections: number}} Cell
 * @typedef {Pick<TurnsFigures, 'roundTrips' | 'loadedTrips' | 'seconds' | 'cpuSeconds'>} Figures  cpuSeconds: of
 *   all threads of all processes of the server
 * @typedef {Cell & {start: Start, payload: number, seconds: number}} Request
 * @typedef {Awaited<ReturnType<typeof startServer>>} Server
 */

/** @param {any} given @param {AbortSignal} signal @returns {Promise<boolean>} */
export async function run({ contests, servers, connections, payload, seconds, rounds, ...given }, signal) {
  const { entrants, notes } = await entrantsHere({ contests, servers }, availableParallelism());
  const here = (/** @type {Cell} */ cell) =>
    (entrants.get(cell.contest) ?? []).filter(({ most }) => most >= cell.connections);
  /** @type {Cell[]} */
  const cells = [...entrants.keys()].flatMap((contest) =>
    connections.map((/** @type {number} */ some) => ({ contest, connections: some })),
  );
  const how = `windows of ${seconds} s, echo of ${payload} B, a server of one thread and its client on a CPU each`;
  const conditions = await conditionsOf({ rounds, how, notes });
  await buildProgram(CLIENT_SOURCE);
  const ours = [...entrants.values()].flat().flatMap(({ start }) => ('name' in start ? [start.name] : []));
  await build({ names: [...new Set(ours)] });
  const limitMs = seconds * 1000 + GRACE_MS;
  const measured = await inRounds(
    {
      cells,
      clientsOf: (cell) => here(cell).map(({ name }) => name),
      measure(cell, name, stop) {
        const start = here(cell).find((one) => one.name === name)?.start;
        /** @type {Promise<Figures>} */
        const figures = measureAlone(import.meta.url, { ...cell, start, payload, seconds }, { limitMs, signal: stop });
        return figures;
      },
      lineOf: ({ contest, connections: some }, name, figures) =>
        `${contest} ${some} ${name}: ${cost(figures).toFixed(2)} us, ${perSecond(figures).toFixed(0)}/s`,
    },
    conditions,
    signal,
  );
  publish(NAME, { conditions, measured, tables: [tableOf(measured)] }, given);
  return measured.every((one) => pairsOf(one).every(({ spread }) => spread.median <= LIMIT));
}

/**
 * @param {Measured<Cell, Figures, string>} measured
 * @returns the transfers per second of each counterpart over those of each of ours, within a round
 */
function pairsOf({ cell, rounds }) {
  const { ours, theirs } = CONTESTS[cell.contest];
  const present = (/** @type {string[]} */ names) => names.filter((name) => rounds[0][name]);
  return present(ours).flatMap((mine) =>
    present(theirs).map((other) => ({
      ...{ mine, other },
      spread: spreadIn(rounds, (round) => perSecond(round[other]) / perSecond(round[mine])),
    })),
  );
}

/** @param {Measured<Cell, Figures, string>[]} measured */
function tableOf(measured) {
  const others = [...new Set(measured.flatMap((one) => pairsOf(one).map(({ other }) => other)))];
  return table(
    ['contest', 'server', 'connections', 'thousand/s', 'CPU us', 'cores', ...others.map((name) => `${name} / this`)],
    measured.flatMap((one) =>
      SERVERS.filter((name) => one.rounds[0][name]).map((name) => {
        const own = one.rounds.map((round) => round[name]);
        const pairs = pairsOf(one).filter(({ mine }) => mine === name);
        return [
          ...[one.cell.contest, name, count(one.cell.connections), (medianIn(own, perSecond) / 1000).toFixed(1)],
          medianIn(own, cost).toFixed(2),
          medianIn(own, ({ cpuSeconds, seconds }) => cpuSeconds / seconds).toFixed(2),
          ...others.map((other) => {
            const pair = pairs.find((some) => some.other === other);
            return pair ? spreadText(pair.spread, ratio, LIMIT) : '';
          }),
        ];
      }),
    ),
    2,
  );
}

/** In a process of its own. @param {Request} request @param {AbortSignal} signal @returns {Promise<Figures>} */
export async function measure({ contest, start, ...load }, signal) {
  const { protocol, threads } = CONTESTS[contest];
  const cpus = threads === 'one' ? cpusApart() : {};
  const folder = mkdtempSync(join(tmpdir(), 'broadside-bench-'));
  const placed = 'command' in start ? { command: start.command.replaceAll('{folder}', folder) } : start;
  try {
    const server = await startServer({
      ...placed,
      protocol,
      cpus: cpus.server === undefined ? null : String(cpus.server),
    });
    /** @type {{ atNs: number, cpuSeconds: number }[]} */
    const readings = [];
    const timer = setInterval(() => readings.push({ atNs: nowNs(), cpuSeconds: cpuSecondsOf(server) }), READ_EVERY_MS);
    try {
      const client = protocol === 'http' ? underWrk : underBareClient;
      const { fromNs, toNs, ...figures } = await client(server, { ...load, cpu: cpus.client }, signal);
      return { ...figures, cpuSeconds: coresUsed(readings, fromNs, toNs) * figures.seconds };
    } finally {
      clearInterval(timer);
      await server.stop();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @typedef {{connections: number, payload: number, seconds: number, cpu?: number}} Load */

/** @param {Server} server @param {Load} load @param {AbortSignal} signal */
async function underBareClient({ port }, { connections, payload, seconds, cpu }, signal) {
  const words = [programOf(CLIENT_SOURCE), ...[port, connections, payload].map(String), 'sockperf'];
  const schedule = windowOf(OPEN_NS, seconds, true);
  const fromNs = schedule.startNs + schedule.fromNs;
  const [{ roundTrips, loadedTrips }] = await runClient(onCpu(cpu, words), schedule, signal);
  return { roundTrips, loadedTrips, seconds, fromNs, toNs: fromNs + schedule.blockNs };
}

/** @param {Server} server @param {Load} load @param {AbortSignal} signal */
async function underWrk({ port }, { connections, seconds, cpu }, signal) {
  const words = ['wrk', '-t1', `-c${connections}`, `-d${seconds}s`, `http://127.0.0.1:${port}/`];
  const [program, ...rest] = onCpu(cpu, words);
  const fromNs = nowNs();
  const { stdout } = await promisify(execFile)(program, rest, { signal });
  const [, trips, took] = /(\d+) requests in ([\d.]+)s,/.exec(stdout) ?? [];
  if (trips === undefined || /Socket errors|Non-2xx/.test(stdout)) throw new Error(`wrk counts failures:\n${stdout}`);
  const roundTrips = Number(trips);
  const [beginNs, toNs] = [fromNs + WRK_OPENS_NS, fromNs + seconds * 1e9];
  return { roundTrips, loadedTrips: roundTrips, seconds: Number(took), fromNs: beginNs, toNs };
}

/** @param {Server} server */
function cpuSecondsOf(server) {
  const { cpuSeconds, threadSeconds } = usageOf(server);
  return threadSeconds ? Object.values(threadSeconds).reduce((sum, seconds) => sum + seconds, 0) : cpuSeconds;
}

/**
 * @param {{ atNs: number, cpuSeconds: number }[]} readings
 * @param {number} fromNs
 * @param {number} toNs
 * @returns {number} in that time
 */
function coresUsed(readings, fromNs, toNs) {
  const within = readings.filter(({ atNs }) => atNs >= fromNs && atNs <= toNs);
  const [first, last] = [within[0], within.at(-1)];
  if (!first || !last || last === first) throw new Error("the server's CPU was not read twice in the window");
  return ((last.cpuSeconds - first.cpuSeconds) / (last.atNs - first.atNs)) * 1e9;
}
