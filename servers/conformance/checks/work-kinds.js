// Judges each kind of work from outside. The bounds are lower bounds, which a busy machine cannot violate, or bounds of
// CPU time, which it does not lengthen; the only upper bound of a time is far from the expected value.

import assert from 'node:assert/strict';
import { threadTimes } from '../../launcher/process/process-tree.js';
import { cpuNsOf, processesOf, threadsOf } from '../tree.js';

/**
 * @import { Context, Subject } from '../check.js'
 * @import { Connection } from '../connection.js'
 * @import { RunningServer } from '../start.js'
 */

export const MIN_MS = 30;
/** Tolerance of this side's clock. */
const GRAIN_MS = 0.1;
const SAMPLE = 80;
/** Times of a sample in each quarter of the range, at least; by chance there are fewer once in six million samples. */
const MIN_OF_QUARTER = 3;
const CROWD = 20;
/** Requests served one after another; a server that only waits is done much earlier. */
const BLOCKED = 12;
const ROUNDS = 3;
/** With fewer connections at once the comparison is not conclusive. */
const FEW = 8;

/**
 * @typedef {(context: Context, subject: Subject, args: string[]) => Promise<void>} Judge
 */

/** @type {Record<string, {description: string, judge: Judge}>} */
export const KINDS = {
  wait: { description: ', and other connections are served meanwhile', judge: judgeWait },
  block: { description: ', and the serving thread is blocked', judge: judgeBlock },
  spin: { description: ', and it uses that much CPU time', judge: judgeSpin },
};

/**
 * @param {Connection} connection
 * @returns {Promise<number>} duration of one exchange, ms
 */
async function timedExchange(connection) {
  const started = performance.now();
  await connection.exchange();
  const took = performance.now() - started;
  assert.ok(took >= MIN_MS - GRAIN_MS, `a reply arrived after ${took.toFixed(2)} ms, earlier than ${MIN_MS} ms`);
  return took;
}

/**
 * @param {Connection[]} connections
 * @param {number} requests per connection, one after another
 * @returns {Promise<{times: number[], ms: number}>} ms: until the last reply
 */
async function ask(connections, requests) {
  const started = performance.now();
  const times = await Promise.all(
    connections.map(async (connection) => {
      const timesOfConnection = [];
      for (let i = 0; i < requests; i++) timesOfConnection.push(await timedExchange(connection));
      return timesOfConnection;
    }),
  );
  return { times: times.flat(), ms: performance.now() - started };
}

/** @param {RunningServer} server @returns {Map<number, number>} CPU time of each of its threads, ns */
const cpuByThread = (server) =>
  new Map(processesOf(server).flatMap((pid) => [...threadTimes(pid)].map(([tid, { cpuNs }]) => [tid, cpuNs])));

/**
 * Checks the distribution of the times of work. They are the CPU times of the serving thread, which a busy machine does
 * not lengthen.
 * @param {Context} context
 * @param {RunningServer} server started with work of kind spin
 * @param {{minMs: number, maxMs: number}} range
 */
export async function checkDistribution({ open }, server, { minMs, maxMs }) {
  const connection = await open(server);
  const quarters = [0, 0, 0, 0];
  let before = cpuByThread(server);
  for (let i = 0; i < SAMPLE; i++) {
    await connection.exchange();
    const now = cpuByThread(server);
    const ms = Math.max(0, ...[...now].map(([tid, ns]) => ns - (before.get(tid) ?? 0))) / 1e6;
    quarters[Math.max(0, Math.min(3, Math.floor((4 * (ms - minMs)) / (maxMs - minMs))))]++;
    before = now;
  }
  assert.ok(
    quarters.every((count) => count >= MIN_OF_QUARTER),
    `of ${SAMPLE} times from ${minMs} ms to ${maxMs} ms, ${quarters.join(', ')} were in the quarters of that range`,
  );
}

/** @type {Judge} */
async function judgeWait({ start, openMany }, { concurrency, has, words }, args) {
  const count = Math.min(concurrency, CROWD);
  const threads = has('threads') ? words('threads', count) : []; // a thread of a pool sleeps
  const connections = await openMany(await start({ args: [...args, ...threads] }), count);
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
 * Sends BLOCKED requests. A blocked thread uses no CPU time; other work of a runtime is not in every round.
 * @param {RunningServer} server @param {Connection[]} connections
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
