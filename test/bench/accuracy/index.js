// Accuracy of the response times: the engine's percentiles compared with those of a server that records its own delay
// of each request. It tests times, not speed: the load is at most a fifth of what the machine can do, as the delays
// would otherwise be those of a queue in front of both sides. ../README.md explains the method.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { count } from '../../../client/words/format.js';
import { startServer } from '../../../servers/launcher/index.js';
import { measureAlone } from '../alone.js';
import { buildProgram, programOf } from '../build.js';
import { conditionsOf, cpusApart, inRounds, publish } from '../conduct.js';
import { list, number, oneOf, whole } from '../options.js';
import { medianIn, ratio, spreadIn, spreadText, table } from '../tables.js';
import { engineCommand, onCpu, runClient, windowOf, withPort } from '../turns.js';

/**
 * @import { Figures as ClientFigures } from '../engine-client.js'
 * @import { Spread } from '../tables.js'
 */

const NAME = 'accuracy';
const SOURCE = new URL('delaying-server.c', import.meta.url);
const LOOPS = /** @type {const} */ (['closed', 'open']);
/** Of the server's delays, which are exponentially distributed. */
const MEAN_US = 20_000;
const PAYLOAD_BYTES = 64;
/** Open loop: requests per second of each connection, a quarter of what it could have answered. */
const RATE_PER_CONNECTION = 0.25 / (MEAN_US / 1e6);
const OPEN_NS = 1e9;
const GRACE_MS = 30_000;
/** The error that is allowed: a share of the delay, and the way there and back. */
const [SHARE, WAY_NS] = [0.01, 200_000];

export const options = {
  loops: list(LOOPS.join(','), 'loops', oneOf(LOOPS)),
  connections: list('1,10,100', 'numbers of connections', whole(100)),
  seconds: number(5, 'length of a window', 60),
  rounds: number(5, 'number of rounds'),
};

/**
 * @typedef {{ loop: (typeof LOOPS)[number], connections: number }} Cell
 * @typedef {{ transfers: number, delays: number, cpuShare: number, percents: string[], serverNs: number[], clientNs:
 *   number[] }} Figures delays: that the server recorded; cpuShare: of a core that the client used; the delays and the
 *   response times by percent
 */

/** @param {any} given @param {AbortSignal} signal @returns {Promise<boolean>} */
export async function run({ loops, connections, seconds, rounds, ...given }, signal) {
  /** @type {Cell[]} */
  const cells = loops.flatMap((/** @type {Cell['loop']} */ loop) =>
    connections.map((/** @type {number} */ some) => ({ loop, connections: some })),
  );
  const how = `windows of ${seconds} s, server and client on a CPU each`;
  const conditions = await conditionsOf({ rounds, how });
  await buildProgram(SOURCE, ['-lm']);
  const limitMs = seconds * 1000 + GRACE_MS;
  const measured = await inRounds(
    {
      cells,
      clientsOf: () => /** @type {const} */ (['engine']),
      measure: (cell, _, stop) =>
        /** @type {Promise<Figures>} */ (
          measureAlone(import.meta.url, { ...cell, seconds }, { limitMs, signal: stop })
        ),
      lineOf: ({ loop, connections: some }, _, { transfers, delays, serverNs, clientNs }) =>
        `${loop} ${some}: ${transfers} transfers, ${delays} delays, errors ` +
        `${clientNs.map((ns, i) => ((ns - serverNs[i]) / 1000).toFixed(0)).join(' ')} us`,
    },
    conditions,
    signal,
  );
  const rows = measured.map((one) => {
    const own = one.rounds.map(({ engine }) => engine);
    return { ...one, own, used: spreadIn(own, shareUsed) };
  });
  publish(NAME, { conditions, measured, tables: [tableOf(rows)] }, given);
  return rows.every(({ used }) => used.median <= 1);
}

/** @param {Figures} figures @returns {number} of what is allowed, by the worst percentile */
const shareUsed = ({ serverNs, clientNs }) =>
  Math.max(...serverNs.map((ns, i) => Math.abs(clientNs[i] - ns) / (SHARE * ns + WAY_NS)));

/** @param {{ cell: Cell, own: Figures[], used: Spread }[]} rows */
function tableOf(rows) {
  const { percents } = rows[0].own[0];
  const ms = (/** @type {number} */ ns, /** @type {number} */ digits) => (ns / 1e6).toFixed(digits);
  return table(
    ['loop', 'connections', 'transfers', 'client CPU', ...percents.map((one) => `p${one}`), 'error / (1 % + 200 us)'],
    rows.map(({ cell, own, used }) => [
      ...[cell.loop, count(cell.connections), count(Math.round(medianIn(own, ({ transfers }) => transfers)))],
      `${(medianIn(own, ({ cpuShare }) => cpuShare) * 100).toFixed(0)} %`,
      ...percents.map((_, i) => {
        const error = medianIn(own, ({ serverNs, clientNs }) => clientNs[i] - serverNs[i]);
        return `${ms(
          medianIn(own, ({ serverNs }) => serverNs[i]),
          2,
        )} + ${ms(error, 3)}`;
      }),
      spreadText(used, ratio, 1),
    ]),
    1,
  );
}

/**
 * In a process of its own.
 * @param {Cell & { seconds: number }} request
 * @param {AbortSignal} signal
 * @returns {Promise<Figures>}
 */
export async function measure({ loop, connections, seconds }, signal) {
  const folder = mkdtempSync(join(tmpdir(), 'broadside-bench-'));
  const cpus = cpusApart();
  try {
    const log = join(folder, 'delays');
    const command = `exec '${programOf(SOURCE)}' {port} ${PAYLOAD_BYTES} ${MEAN_US} '${log}'`;
    const server = await startServer({ command, cpus: cpus.server === undefined ? null : String(cpus.server) });
    const schedule = windowOf(OPEN_NS, seconds, false);
    /** @type {ClientFigures} */
    let figures;
    try {
      const rate = loop === 'open' ? connections * RATE_PER_CONNECTION : undefined;
      const words = withPort(engineCommand({ connections, payloadBytes: PAYLOAD_BYTES, rate }), server.port);
      [figures] = await runClient(onCpu(cpus.client, words), schedule, signal);
    } finally {
      await server.stop();
    }
    const { roundTrips, cpuSeconds, failures, percentilesNs } = figures;
    if (failures > 0) throw new Error(`the engine counts ${failures} rejects and errors`);
    const fromNs = schedule.startNs + schedule.fromNs;
    const delays = delaysIn(readFileSync(log), fromNs, fromNs + schedule.blockNs);
    const percents = Object.keys(percentilesNs);
    return {
      transfers: roundTrips,
      delays: delays.length,
      cpuShare: cpuSeconds / seconds,
      percents,
      serverNs: percents.map((one) => delays[Math.max(0, Math.ceil((Number(one) / 100) * delays.length) - 1)]), // nearest rank
      clientNs: Object.values(percentilesNs),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * @param {Buffer} log of the server: rows of two uint64, when a reply was sent (CLOCK_MONOTONIC) and after which delay,
 *   both ns
 * @param {number} fromNs @param {number} toNs
 * @returns {number[]} the delays of what was sent in that time, ascending
 */
function delaysIn(log, fromNs, toNs) {
  const rows = Array.from({ length: log.length / 16 }, (_, i) =>
    [0, 8].map((at) => Number(log.readBigUInt64LE(16 * i + at))),
  );
  return rows
    .flatMap(([sentNs, delayNs]) => (sentNs >= fromNs && sentNs < toNs ? [delayNs] : []))
    .sort((a, b) => a - b);
}
