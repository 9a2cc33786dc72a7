// The engine in one process of its own, configured as a worker of a leg is, with the transfer log on or off.
// The one thing to know: the window lies between two cuts, whose counts are exact; the CPU is read when JavaScript
// hears of them, so it is taken as a rate over the time between those two readings.
//
//   node engine-client.js PORT CONNECTIONS PAYLOAD_BYTES WARMUP_SECONDS WINDOW_SECONDS [LOG_FILE]
//
// Prints one line of JSON; cpuSeconds is the process, engineCpuSeconds and writerCpuSeconds are two of its threads.

import { readFileSync } from 'node:fs';
import { createEngine, names } from '../../client/engine/index.js';
import { makePayload } from '../../client/run/payload.js';

/** @typedef {{atNs: number, process: number, engine: number, writer: number}} Usage CPU in seconds */

const CONNECTS_PER_SECOND = 10_000;
const SECOND_NS = 1e9;
/** How long opening may take in all; a full backlog makes the kernel try again after seconds. */
const OPENING_NS = 20 * SECOND_NS;

const [port = 0, connections = 0, payloadBytes = 0, warmupSeconds = 0, windowSeconds = 0] = process.argv
  .slice(2, 7)
  .map(Number);
const logFile = process.argv[7];
const rampNs = (connections / CONNECTS_PER_SECOND) * SECOND_NS;
const [warmupNs, windowNs] = [warmupSeconds * SECOND_NS, windowSeconds * SECOND_NS];

const startNs = process.hrtime.bigint();
const engine = createEngine(
  {
    slots: { first: 0, stride: 1, count: connections },
    endpoints: [{ address: '127.0.0.1', port }],
    protocol: 'echo',
    payload: makePayload(payloadBytes, 1),
    workload: 'continuous',
    pauseNs: 0,
    heartbeatNs: 0,
    schedule: [
      { atNs: 0, slots: 0, line: false },
      { atNs: rampNs, slots: connections, line: true },
    ],
    steadyFromNs: Math.ceil(rampNs / SECOND_NS) * SECOND_NS, // a whole second, so that all cuts end on one
    steadyToNs: OPENING_NS + warmupNs + windowNs + SECOND_NS, // stopped before it comes to that
    drainTimeoutNs: SECOND_NS,
    connectTimeoutNs: 10 * SECOND_NS,
    transferTimeoutNs: 30 * SECOND_NS,
    backoff: { baseNs: 1e8, factor: 2, capNs: 1e10 },
    seed: 1,
    log: logFile === undefined ? null : { path: logFile, reserveBytes: 2 ** 26 },
    t0Ns: startNs,
    cutEveryNs: SECOND_NS,
  },
  hear,
);

/** Where the window begins, once all connections are open. @type {number | undefined} */
let fromNs;
/** @type {Usage | undefined} */
let first;
let roundTrips = 0;
let logRows = 0;
/** @type {object | undefined} */
let figures;

/** @param {import('../../client/engine/index.js').Cut} cut */
function hear(cut) {
  if (figures) return;
  const open = gauge(cut, 'open');
  if (fromNs === undefined) {
    if (open === connections) fromNs = cut.toNs + warmupNs;
    else if (cut.toNs >= OPENING_NS) giveUp(`${open} of ${connections} connections open after ${cut.toNs / SECOND_NS} s`);
    return;
  }
  if (open !== connections) giveUp(`only ${open} of ${connections} connections are still open`);
  if (cut.toNs === fromNs) first = usage();
  if (cut.fromNs < fromNs) return;
  roundTrips += counter(cut, 'transfers');
  logRows += counter(cut, 'logRows');
  if (cut.toNs !== fromNs + windowNs || !first) return;
  figures = compare(first, usage());
  engine.stop();
}

/** @param {Usage} from @param {Usage} to */
function compare(from, to) {
  const scale = windowNs / (to.atNs - from.atNs);
  return {
    roundTrips,
    seconds: windowSeconds,
    cpuSeconds: (to.process - from.process) * scale,
    engineCpuSeconds: (to.engine - from.engine) * scale,
    writerCpuSeconds: (to.writer - from.writer) * scale,
    ...(logFile === undefined ? {} : { logRows }),
  };
}

/** @returns {Usage} */
function usage() {
  const atNs = Number(process.hrtime.bigint() - startNs);
  const { user, system } = process.cpuUsage();
  const { engine: engineThread, writer } = engine.threads();
  return { atNs, process: (user + system) / 1e6, engine: ofThread(engineThread), writer: ofThread(writer) };
}

/** @param {number | null} thread @returns {number} CPU seconds so far; 0 where there is no such thread */
function ofThread(thread) {
  if (!thread) return 0;
  return Number(readFileSync(`/proc/self/task/${thread}/schedstat`, 'utf8').split(' ')[0]) / 1e9;
}

/** @param {import('../../client/engine/index.js').Cut} cut @param {string} name */
function counter(cut, name) {
  return cut.counters[names.counters.indexOf(name)] ?? NaN;
}

/** @param {import('../../client/engine/index.js').Cut} cut @param {string} name */
function gauge(cut, name) {
  return cut.gauges[names.gauges.indexOf(name)] ?? NaN;
}

/** @param {string} why @returns {never} */
function giveUp(why) {
  console.error(`engine-client: ${why}`);
  process.exit(1);
}

engine.start(startNs);
const { log } = await engine.done;
if (!figures) giveUp('the window did not come to its end');
if (log?.error) giveUp(`the transfer log ended early: ${log.error}`);
console.log(JSON.stringify(figures));
