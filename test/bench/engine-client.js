// The engine in a process of its own, configured like a worker of a leg; engine-command.js defines its options. A window
// lies between two intervals, whose counts are exact. CPU time is read when JavaScript receives them, so it is used as a
// rate over the time between those two readings.
//
//   node engine-client.js PORT '{"connections":100,"payloadBytes":1,"warmupSeconds":1,"windowSeconds":2}'
//   node engine-client.js PORT '{"connections":100,"payloadBytes":1,"turns":true}' < SCHEDULE
//
// Prints one line of JSON: the Figures of its window, or, where it takes turns with other clients (turns.js), a list with
// those of each block. cpuSeconds covers the process, and two of its threads are reported separately.

import { readFileSync } from 'node:fs';
import { Histogram, timesOf } from '../../client/measure/histogram.js';
import { clientPartOf } from '../../client/measure/timestamps.js';
import { prepareProtocol, protocolOf } from '../../client/protocols/index.js';
import { prefillServer } from '../../client/run/prefill.js';
import { makePayload } from '../../client/run/payload.js';
import { readTurns } from './turns.js';

/**
 * @typedef {import('../../client/engine/index.js').Interval} Interval
 * @typedef {{atNs: number, process: number, engine: number, writer: number}} Usage CPU in seconds
 * @typedef {object} Figures of the window
 * @property {string} io
 * @property {number} roundTrips
 * @property {number} loadedTrips those that ended while requests could begin
 * @property {number} connects connections that opened
 * @property {number} failures rejects and errors
 * @property {number} seconds for which requests could begin
 * @property {number} cpuSeconds
 * @property {number} engineCpuSeconds the engine's thread
 * @property {number} writerCpuSeconds the transfer log's
 * @property {number} [logRows]
 * @property {number} [p50Ns] response time; absent without transfers
 * @property {number} [p99Ns]
 * @property {Record<string, number>} [percentilesNs] of the response time, by percent
 * @property {ReturnType<typeof clientPartOf>} [clientPart] of percentiles of the response time, by kernel timestamps
 * @property {number} fromNs of the window, CLOCK_MONOTONIC
 * @property {number} toNs
 * @property {number} rssBytes at its end
 */

/** Of the response times. */
const PERCENTS = [50, 75, 90, 95, 99];
const CONNECTS_PER_SECOND = 10_000;
const SECOND_NS = 1e9;
/** How long opening may take in all; a full accept queue makes the kernel try again after seconds. */
const OPENING_NS = 20 * SECOND_NS;

const port = Number(process.argv[2]);
/** @type {import('./engine-command.js').Wish} */
const wish = JSON.parse(process.argv[3] ?? '{}');
const { connections, payloadBytes, io = 'epoll', workload = 'continuous', logFile } = wish;
const { createEngine, names } = /** @type {typeof import('../../client/engine/index.js')} */ (
  await import(wish.build ?? '../../client/engine/index.js')
);
const { sources = [], socket = {}, protocol = 'echo', protocolOptions = {}, pipeline = 1 } = wish;
const target = { address: '127.0.0.1', port };
const payload = makePayload(protocolOf(protocol).hasPayload?.(protocolOptions) === false ? 0 : payloadBytes, 1);
const filling = protocolOf(protocol).fill?.(protocolOptions, payload);
if (filling) await prefillServer(filling, target);
/** Connections that come and go: how many are open at a moment says nothing. */
const comeAndGo = workload === 'reconnect';
const rampNs = (connections / CONNECTS_PER_SECOND) * SECOND_NS;
const [warmupNs, windowNs] = [wish.warmupSeconds ?? 0, wish.windowSeconds ?? 0].map((seconds) => seconds * SECOND_NS);
const turns = wish.turns ? await readTurns() : null;

const startNs = turns === null ? process.hrtime.bigint() : BigInt(turns.startNs);
/** The lengths of the windows that are measured, one after another. */
const [blockNs, blocks] = turns === null ? [windowNs, 1] : [turns.blockNs, turns.blocks];
const engine = createEngine(
  {
    slots: { first: 0, stride: 1, count: connections },
    endpoints: sources.length > 0 ? sources.map((source) => ({ ...target, source })) : [target],
    io,
    socket,
    payload,
    ...prepareProtocol(protocol, protocolOptions, { payloadBytes: payload.length, payload, endpoint: target }),
    pipeline,
    timestamps: wish.timestamps ?? 'sample',
    rates: wish.rate === undefined ? [] : [{ atNs: 0, rate: wish.rate, line: false }],
    workload,
    pauseNs: 0,
    heartbeatNs: (wish.heartbeatSeconds ?? 0) * SECOND_NS,
    schedule: [
      { atNs: 0, slots: 0, line: false },
      { atNs: rampNs, slots: connections, line: true },
    ],
    steadyFromNs: Math.ceil(rampNs / SECOND_NS) * SECOND_NS, // a whole second, so that all intervals end on one
    steadyToNs: OPENING_NS + warmupNs + blocks * blockNs + SECOND_NS, // stopped before it comes to that
    ...(turns?.slices.length && {
      slices: Float64Array.from(turns.slices.flatMap(({ fromNs, loadedToNs, endNs }) => [fromNs, loadedToNs, endNs])),
    }),
    drainTimeoutNs: SECOND_NS,
    connectTimeoutNs: 10 * SECOND_NS,
    transferTimeoutNs: 30 * SECOND_NS,
    backoff: { baseNs: 1e8, factor: 2, capNs: 1e10 },
    seed: 1,
    log: logFile === undefined ? null : { path: logFile, reserveBytes: 2 ** 26 },
    t0Ns: startNs,
    intervalNs: SECOND_NS,
  },
  hear,
);

/** Where the next window begins, once all connections are open. @type {number | undefined} */
let fromNs = turns?.fromNs;
/** At that moment. @type {Usage | undefined} */
let before;
/** Of the window. @type {Interval[]} */
let intervals = [];
/** @type {{ fromNs: number, intervals: Interval[], cost: ReturnType<typeof compare> }[]} */
const windows = [];

/** @param {Interval} interval */
function hear(interval) {
  if (windows.length === blocks) return;
  const [open, requested] = [gauge(interval, 'open'), gauge(interval, 'requested')];
  if (fromNs === undefined) {
    if ((comeAndGo ? requested : open) === connections) fromNs = interval.toNs + warmupNs;
    else if (interval.toNs >= OPENING_NS)
      giveUp(`${open} of ${connections} connections open after ${interval.toNs / SECOND_NS} s`);
    return;
  }
  if (interval.toNs < fromNs) return;
  if (!comeAndGo && open !== connections) giveUp(`only ${open} of ${connections} connections are still open`);
  if (interval.toNs === fromNs) before = usage();
  if (interval.fromNs < fromNs) return;
  intervals.push(interval); // looked at later, so as not to use CPU in the window
  if (interval.toNs < fromNs + blockNs || !before) return;
  const after = usage();
  windows.push({ fromNs, intervals, cost: compare(before, after) });
  [before, intervals, fromNs] = [after, [], fromNs + blockNs];
  if (windows.length === blocks) engine.stop();
}

/** @param {Usage} from @param {Usage} to */
function compare(from, to) {
  const scale = turns === null ? blockNs / (to.atNs - from.atNs) : 1; // in turns it is no rate, but what the slices took
  return {
    cpuSeconds: (to.process - from.process) * scale,
    engineCpuSeconds: (to.engine - from.engine) * scale,
    writerCpuSeconds: (to.writer - from.writer) * scale,
    rssBytes: process.memoryUsage.rss(),
  };
}

/** @param {(typeof windows)[number]} window @returns {Figures} */
function figuresOf({ fromNs: beginNs, intervals: heard, cost }) {
  const sum = (/** @type {(name: string) => boolean} */ counts) => {
    const places = names.counters.flatMap((name, i) => (counts(name) ? [i] : []));
    return heard.reduce((all, { counters }) => places.reduce((some, i) => some + (counters[i] ?? NaN), all), 0);
  };
  const added = (/** @type {Exclude<keyof Interval['histograms'], 'perConnection'>} */ name) =>
    heard.reduce((all, { histograms }) => all.add(histograms[name]), new Histogram());
  const times = added('responseTime');
  const [response, withoutClient] = [timesOf(added('splitResponse')), timesOf(added('withoutClient'))];
  const networkAndServer = withoutClient ?? timesOf(added('networkAndServer')); // the same in closed loop
  const percentilesNs = Object.fromEntries(times.percentiles(PERCENTS).map((ns, i) => [PERCENTS[i], ns]));
  const own =
    turns?.slices.filter((slice) => slice.fromNs >= beginNs - 1 && slice.fromNs < beginNs + blockNs - 1) ?? [];
  const loadedNs = own.reduce((all, slice) => all + slice.loadedToNs - slice.fromNs, 0);
  return {
    io,
    fromNs: Number(startNs) + beginNs,
    toNs: Number(startNs) + beginNs + blockNs,
    roundTrips: sum((name) => name === 'transfers'),
    loadedTrips: sum((name) => name === (loadedNs > 0 ? 'inSlices' : 'transfers')),
    connects: sum((name) => name === 'opened'),
    failures: sum((name) => /^(rejects|errors)\./.test(name)),
    seconds: (loadedNs || blockNs) / SECOND_NS,
    ...cost,
    ...(logFile === undefined ? {} : { logRows: sum((name) => name === 'logRows') }),
    ...(response && networkAndServer ? { clientPart: clientPartOf(response, networkAndServer) } : {}),
    ...(times.count > 0 ? { p50Ns: percentilesNs[50], p99Ns: percentilesNs[99], percentilesNs } : {}),
  };
}

/** @returns {Usage} */
function usage() {
  const atNs = Number(process.hrtime.bigint() - startNs);
  const { user, system } = process.cpuUsage();
  const { engine: engineThread, writer } = engine.threads();
  return {
    atNs,
    process: (user + system) / 1e6,
    engine: ofThread(engineThread),
    writer: ofThread(writer),
  };
}

/** @param {number | null} thread @returns {number} CPU seconds so far; 0 where there is no such thread */
function ofThread(thread) {
  if (!thread) return 0;
  return Number(readFileSync(`/proc/self/task/${thread}/schedstat`, 'utf8').split(' ')[0]) / 1e9;
}

/** @param {Interval} interval @param {string} name */
function gauge(interval, name) {
  return interval.gauges[names.gauges.indexOf(name)] ?? NaN;
}

/** @param {string} why @returns {never} */
function giveUp(why) {
  console.error(`engine-client: ${why}`);
  process.exit(1);
}

engine.start(startNs);
const { log } = await engine.done;
if (windows.length < blocks) giveUp('the window did not come to its end');
if (log?.error) giveUp(`the transfer log ended early: ${log.error}`);
console.log(JSON.stringify(turns === null ? figuresOf(windows[0]) : windows.map(figuresOf)));
