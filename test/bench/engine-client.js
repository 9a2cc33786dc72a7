// The engine in a process of its own, configured like a worker of a leg, under a schedule (turns.js). A block is a
// number of intervals, whose counts are exact; CPU time is read when JavaScript receives the last of them.
//
//   node engine-client.js PORT '{"connections":100,"payloadBytes":1}' < SCHEDULE

import { Histogram } from '../../client/measure/histogram.js';
import { prepareProtocol } from '../../client/protocols/index.js';
import { makePayload } from '../../client/run/payload.js';
import { readSchedule, slicesIn } from './turns.js';

/**
 * @import { Interval } from '../../client/engine/index.js'
 * @import { Figures } from './turns.js'
 */

/**
 * @typedef {object} Wish
 * @property {number} connections
 * @property {number} payloadBytes
 * @property {string} [build] client/engine/index.js of another checkout; left out: of this one
 * @property {string} [logFile] where every transfer is logged; left out: nowhere
 */

const CONNECTS_PER_SECOND = 10_000;
const SECOND_NS = 1e9;

const port = Number(process.argv[2]);
/** @type {Wish} */
const { connections, payloadBytes, build, logFile } = JSON.parse(process.argv[3] ?? '{}');
const { createEngine, names } = /** @type {typeof import('../../client/engine/index.js')} */ (
  await import(build ?? '../../client/engine/index.js')
);
const target = { address: '127.0.0.1', port };
const payload = makePayload(payloadBytes, 1);
const rampNs = (connections / CONNECTS_PER_SECOND) * SECOND_NS;
const schedule = await readSchedule();
const { fromNs, blockNs, blocks, slices } = schedule;
const startNs = BigInt(schedule.startNs);

const engine = createEngine(
  {
    slots: { first: 0, stride: 1, count: connections },
    endpoints: [target],
    payload,
    ...prepareProtocol('echo', {}, { payloadBytes, payload, endpoint: target }),
    timestamps: 'sample',
    rates: [],
    workload: 'continuous',
    pauseNs: 0,
    heartbeatNs: 0,
    schedule: [
      { atNs: 0, slots: 0, line: false },
      { atNs: rampNs, slots: connections, line: true },
    ],
    steadyFromNs: Math.ceil(rampNs / SECOND_NS) * SECOND_NS, // a whole second, so that all intervals end on one
    steadyToNs: fromNs + blocks * blockNs + SECOND_NS, // stopped before it comes to that
    slices: Float64Array.from(
      slices.flatMap((slice) => [slice.fromNs, slice.measuredFromNs, slice.loadedToNs, slice.endNs]),
    ),
    drainTimeoutNs: SECOND_NS,
    connectTimeoutNs: 10 * SECOND_NS,
    transferTimeoutNs: 30 * SECOND_NS,
    backoffBaseNs: 1e8,
    backoffFactor: 2,
    backoffCapNs: 1e10,
    seed: 1,
    log: logFile === undefined ? null : { path: logFile, reserveBytes: 2 ** 26 },
    t0Ns: startNs,
    intervalNs: SECOND_NS,
  },
  hear,
);

let cpuBefore = NaN;
/** Of the current block. @type {Interval[]} */
let heard = [];
/** @type {{ intervals: Interval[], cpuSeconds: number }[]} */
const done = [];

/** @param {Interval} interval */
function hear(interval) {
  if (done.length === blocks || interval.toNs < fromNs) return;
  const open = interval.gauges[names.gauges.indexOf('open')];
  if (open !== connections) giveUp(`${open} of ${connections} connections are open`);
  if (interval.fromNs >= fromNs)
    heard.push(interval); // looked at later, so as not to use CPU in the block
  else cpuBefore = cpuSeconds();
  if (interval.toNs < fromNs + (done.length + 1) * blockNs) return;
  const cpuNow = cpuSeconds();
  done.push({ intervals: heard, cpuSeconds: cpuNow - cpuBefore });
  [cpuBefore, heard] = [cpuNow, []];
  if (done.length === blocks) engine.stop();
}

function cpuSeconds() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** @param {(typeof done)[number]} block @param {number} index @returns {Figures} */
function figuresOf({ intervals, cpuSeconds: ownCpu }, index) {
  const sum = (/** @type {string} */ name) => {
    const place = names.counters.indexOf(name);
    return intervals.reduce((all, { counters }) => all + counters[place], 0);
  };
  const times = intervals.reduce((all, { histograms }) => all.add(histograms.responseTime), new Histogram());
  const [p50Ns] = times.percentiles([50]);
  const loadedNs = slicesIn(schedule, index).reduce((all, slice) => all + slice.loadedToNs - slice.fromNs, 0);
  return {
    roundTrips: sum('transfers'),
    loadedTrips: sum('measured'),
    seconds: loadedNs / SECOND_NS,
    cpuSeconds: ownCpu,
    p50Ns,
  };
}

/** @param {string} why @returns {never} */
function giveUp(why) {
  console.error(`engine-client: ${why}`);
  process.exit(1);
}

engine.start(startNs);
const { log } = await engine.done;
if (done.length < blocks) giveUp('the last block did not come to its end');
if (log?.error) giveUp(`the transfer log ended early: ${log.error}`);
console.log(JSON.stringify(done.map(figuresOf)));
