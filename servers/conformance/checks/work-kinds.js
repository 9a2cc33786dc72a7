// What can be seen from outside of each kind of work. The one thing to know: all bounds but two are lower ones, which a
// busy machine cannot break; the upper ones are far from what is expected.

import assert from 'node:assert/strict';
import { cpuNsOf, threadsOf } from '../tree.js';

export const LEAST_MS = 30;
/** What the clock of this side may be off. */
const GRAIN_MS = 0.1;
const SAMPLE = 50;
/** What SAMPLE times from 30 to 50 ms show with all but certainty, also where a busy machine adds to some. */
const MEAN_MS = 35;
const MEDIAN_MS = 60;
const SHORTEST_MS = 39;
const QUARTILE_MS = 32;
const CROWD = 20;
/** Requests that stand behind each other: so many that a server that only waits is done long before. */
const BLOCKED = 12;
const ROUNDS = 3;
/** Less than this many connections at once prove nothing. */
const FEW = 8;

/**
 * @typedef {import('../check.js').Context} Context
 * @typedef {import('../check.js').About} About
 * @typedef {import('../check.js').RunningServer} RunningServer
 * @typedef {(context: Context, about: About, args: string[]) => Promise<void>} Judge
 */

/** @type {Record<string, {promise: string, judge: Judge}>} */
export const KINDS = {
  wait: { promise: ', and others are served meanwhile', judge: judgeWait },
  block: { promise: ', and the thread that serves stands still', judge: judgeBlock },
  spin: { promise: ', and it costs the CPU as much', judge: judgeSpin },
};

/**
 * @param {import('../connection.js').Connection} connection
 * @returns {Promise<number>} ms that one exchange took, measured around it
 */
async function timed(connection) {
  const started = performance.now();
  await connection.exchange();
  const took = performance.now() - started;
  assert.ok(took >= LEAST_MS - GRAIN_MS, `a reply came after ${took.toFixed(2)} ms, before its ${LEAST_MS}`);
  return took;
}

/**
 * @param {import('../connection.js').Connection[]} connections
 * @param {number} requests of each, one after another
 * @returns {Promise<{times: number[], ms: number}>} ms: until the last reply
 */
async function ask(connections, requests) {
  const started = performance.now();
  const times = await Promise.all(
    connections.map(async (connection) => {
      const own = [];
      for (let i = 0; i < requests; i++) own.push(await timed(connection));
      return own;
    }),
  );
  return { times: times.flat(), ms: performance.now() - started };
}

/**
 * @param {Context} context
 * @param {About} about
 * @param {RunningServer} server that waits
 */
export async function meanIsRight({ openMany }, { places, measured }, server) {
  const count = Math.min(places, 10);
  const connections = await openMany(server, count);
  let said = '';
  for (let i = 0; i < ROUNDS; i++) {
    // a neighbour's stall makes one round late, a server that is late all of them
    const { times } = await ask(connections, Math.ceil(SAMPLE / count));
    const mean = times.reduce((sum, each) => sum + each) / times.length;
    times.sort((a, b) => a - b);
    const [shortest, quartile, median] = [0, 1 / 4, 1 / 2].map((part) => times[Math.floor(part * times.length)]);
    said =
      `of ${times.length} times the mean is ${mean.toFixed(1)} ms, the median ${median.toFixed(1)} ms, the ` +
      `lower quartile ${quartile.toFixed(1)} ms, the shortest ${shortest.toFixed(1)} ms`;
    assert.ok(quartile > QUARTILE_MS && mean > MEAN_MS, said);
    if (!measured || (shortest < SHORTEST_MS && median < MEDIAN_MS)) return; // a sanitizer takes time of its own
  }
  assert.fail(said);
}

/** @type {Judge} */
async function judgeWait({ start, openMany }, { places }, args) {
  const count = Math.min(places, CROWD);
  const connections = await openMany(await start({ args }), count);
  const most = (count * LEAST_MS) / 2;
  let best = Infinity;
  for (let i = 0; i < ROUNDS && best >= most; i++) best = Math.min(best, (await ask(connections, 1)).ms);
  if (count >= FEW)
    assert.ok(best < most, `${count} connections at once took ${best.toFixed(0)} ms, not less than ${most}`);
}

/** @type {Judge} */
async function judgeBlock({ start, openMany }, about, args) {
  const { places, has, words, exact } = about;
  const option = ['threads', 'processes'].find((key) => has(key) && (key === 'threads' || Number.isFinite(places)));
  const server = await start({ args: [...args, ...(option ? words(option, 2) : [])] });
  const before = threadsOf(server);
  const count = !Number.isFinite(places) ? BLOCKED : option ? 2 : Math.min(places, 2);
  const { times, ms } = await ask(await openMany(server, count), BLOCKED / count);
  const grown = threadsOf(server) - before;
  if (grown >= count && count > 1) return; // a thread or process each: they stand still side by side
  if (option === 'threads' && !exact) return; // a runtime may have others beside those
  const serving = option ? 2 : Math.max(1, server.pids.length - 1);
  const least = (times.length * LEAST_MS) / serving;
  assert.ok(
    ms >= least,
    `${times.length} requests took ${ms.toFixed(0)} ms: ${serving} cannot do it in less than ${least}`,
  );
}

/** @type {Judge} */
async function judgeSpin({ start, openMany }, { places }, args) {
  const server = await start({ args });
  const connections = await openMany(server, Math.min(places, 4));
  const before = cpuNsOf(server);
  const { times } = await ask(connections, 8 / connections.length);
  const usedMs = (cpuNsOf(server) - before) / 1e6;
  const least = times.length * LEAST_MS;
  assert.ok(usedMs >= least, `${times.length} requests took it ${usedMs.toFixed(0)} ms of CPU, less than ${least}`);
}
