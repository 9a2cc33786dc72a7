// What each kind of work looks like from outside. Almost all bounds are lower bounds, which a busy machine cannot violate;
// the upper bounds are far from the expected values.

import assert from 'node:assert/strict';
import { cpuNsOf, threadsOf } from '../tree.js';

export const MIN_MS = 30;
/** Tolerance of this side's clock. */
const GRAIN_MS = 0.1;
const SAMPLE = 50;
/** SAMPLE times from 30 to 50 ms meet these bounds almost certainly, even if a busy machine delays some. */
const MEAN_MS = 35;
const MEDIAN_MS = 60;
const SHORTEST_MS = 39;
const QUARTILE_MS = 32;
const CROWD = 20;
/** Requests served one after another; a server that only waits is done much earlier. */
const BLOCKED = 12;
const ROUNDS = 3;
/** With fewer connections at once the comparison says nothing. */
const FEW = 8;

/**
 * @typedef {import('../check.js').Context} Context
 * @typedef {import('../check.js').Subject} Subject
 * @typedef {import('../check.js').RunningServer} RunningServer
 * @typedef {(context: Context, subject: Subject, args: string[]) => Promise<void>} Judge
 */

/** @type {Record<string, {description: string, judge: Judge}>} */
export const KINDS = {
  wait: { description: ', and other connections are served meanwhile', judge: judgeWait },
  block: { description: ', and the serving thread is blocked', judge: judgeBlock },
  spin: { description: ', and it uses that much CPU time', judge: judgeSpin },
};

/**
 * @param {import('../connection.js').Connection} connection
 * @returns {Promise<number>} ms that one exchange took, measured around it
 */
async function timed(connection) {
  const started = performance.now();
  await connection.exchange();
  const took = performance.now() - started;
  assert.ok(took >= MIN_MS - GRAIN_MS, `a reply arrived after ${took.toFixed(2)} ms, earlier than ${MIN_MS} ms`);
  return took;
}

/**
 * @param {import('../connection.js').Connection[]} connections
 * @param {number} requests per connection, one after another
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
 * @param {Subject} subject
 * @param {RunningServer} server started with work of kind wait
 */
export async function checkDistribution({ openMany }, { concurrency, measured }, server) {
  const count = Math.min(concurrency, 10);
  const connections = await openMany(server, count);
  let summary = '';
  for (let i = 0; i < ROUNDS; i++) {
    // a stall of the machine delays one round, a slow server all of them
    const { times } = await ask(connections, Math.ceil(SAMPLE / count));
    const mean = times.reduce((sum, each) => sum + each) / times.length;
    times.sort((a, b) => a - b);
    const [shortest, quartile, median] = [0, 1 / 4, 1 / 2].map((part) => times[Math.floor(part * times.length)]);
    summary =
      `of ${times.length} times the mean is ${mean.toFixed(1)} ms, the median ${median.toFixed(1)} ms, the ` +
      `lower quartile ${quartile.toFixed(1)} ms, the shortest ${shortest.toFixed(1)} ms`;
    assert.ok(quartile > QUARTILE_MS && mean > MEAN_MS, summary);
    if (!measured || (shortest < SHORTEST_MS && median < MEDIAN_MS)) return; // a sanitizer adds time
  }
  assert.fail(summary);
}

/** @type {Judge} */
async function judgeWait({ start, openMany }, { concurrency }, args) {
  const count = Math.min(concurrency, CROWD);
  const connections = await openMany(await start({ args }), count);
  const max = (count * MIN_MS) / 2;
  let best = Infinity;
  for (let i = 0; i < ROUNDS && best >= max; i++) best = Math.min(best, (await ask(connections, 1)).ms);
  if (count >= FEW)
    assert.ok(best < max, `${count} concurrent requests took ${best.toFixed(0)} ms; less than ${max} ms was expected`);
}

/** @type {Judge} */
async function judgeBlock({ start, openMany }, subject, args) {
  const { concurrency, has, words, exact } = subject;
  const option = ['threads', 'processes'].find(
    (key) => has(key) && (key === 'threads' || Number.isFinite(concurrency)),
  );
  const server = await start({ args: [...args, ...(option ? words(option, 2) : [])] });
  const before = threadsOf(server);
  const count = !Number.isFinite(concurrency) ? BLOCKED : option ? 2 : Math.min(concurrency, 2);
  const connections = await openMany(server, count);
  const { times, ms } = await askAsleep(server, connections);
  const grown = threadsOf(server) - before;
  if (grown >= count && count > 1) return; // a thread or process per connection: they block independently
  if (option === 'threads' && !exact) return; // a runtime may have additional threads
  const serving = option ? 2 : Math.max(1, server.pids.length - 1);
  const min = (times.length * MIN_MS) / serving;
  assert.ok(
    ms >= min,
    `${times.length} requests took ${ms.toFixed(0)} ms; ${serving} blocked threads or processes need at least ${min} ms`,
  );
}

/**
 * Asks BLOCKED requests. A thread that is blocked uses no CPU time; what a runtime does besides is not in every round.
 * @param {RunningServer} server @param {import('../connection.js').Connection[]} connections
 * @returns {ReturnType<typeof ask>} of the last round
 */
async function askAsleep(server, connections) {
  const max = (BLOCKED * MIN_MS) / 2;
  for (let round = 1; ; round++) {
    const before = cpuNsOf(server);
    const asked = await ask(connections, BLOCKED / connections.length);
    const usedMs = (cpuNsOf(server) - before) / 1e6;
    if (usedMs < max) return asked;
    assert.ok(
      round < ROUNDS,
      `${BLOCKED} blocked requests used ${usedMs.toFixed(0)} ms of CPU time; less than ${max} ms was expected`,
    );
  }
}

/** @type {Judge} */
async function judgeSpin({ start, openMany }, { concurrency }, args) {
  const server = await start({ args });
  const connections = await openMany(server, Math.min(concurrency, 4));
  const before = cpuNsOf(server);
  const { times } = await ask(connections, 8 / connections.length);
  const usedMs = (cpuNsOf(server) - before) / 1e6;
  const min = times.length * MIN_MS;
  assert.ok(
    usedMs >= min,
    `${times.length} requests used ${usedMs.toFixed(0)} ms of CPU time; at least ${min} ms was expected`,
  );
}
