// What a simulated worker reports each second, in the shape in which an engine does. Pure. A few different seconds are made
// beforehand, so that making one costs the simulation next to nothing.

import { splitNames } from '../../../client/measure/counters.js';
import { Histogram, rangeOf } from '../../../client/measure/histogram.js';
import { normal, uniform } from '../../fixtures/random-numbers.js';

/** Response times: log-normal, and one in SLOW_EVERY is slower by SLOW_FACTOR. */
const MEDIAN_NS = 2e6;
const SIGMA = 0.5;
const SLOW_EVERY = 200;
const SLOW_FACTOR = 8;
/** What an engine samples each second: round-trip times, transfers split by kernel timestamps, random and slowest rows. */
const RTT_SAMPLES = 64;
const RTT_NS = 150e3;
const SPLIT_EVERY = 64;
const RANDOM_ROWS = 50;
const SLOWEST_ROWS = 5;
/** The four parts that every split has in closed loop. */
const SPLITS = splitNames.slice(0, 4);
const SECONDS_MADE = 8;
const PAYLOAD_BYTES = 64;
const HISTOGRAMS = [
  'responseTime',
  'serviceTime',
  'sendGap',
  'connectTime',
  'handshakeTime',
  'resumptionTime',
  'recoveryTime',
  'rtt',
  ...splitNames,
];

/**
 * @typedef {import('../../../client/run/cluster/messages.js').Interval} Interval
 * @typedef {import('../../../client/measure/histogram.js').Recorded} Recorded
 * @typedef {Pick<Interval, 'second' | 'phase' | 'fromNs' | 'toNs' | 'last'>} When
 * @typedef {(when: When, connections: number) => Interval} MakeInterval
 */

/** @param {number} count @param {() => number} draw @returns {Recorded | null} as the engine reports it: by bucket */
function recordedOf(count, draw) {
  if (count === 0) return null;
  const histogram = new Histogram();
  for (let i = 0; i < count; i += 1) histogram.record(Math.max(1, Math.round(draw())));
  const sorted = histogram.sorted();
  const { min, max, sum } = histogram;
  return {
    values: Float64Array.from(sorted, ([index]) => rangeOf(index).low),
    counts: Float64Array.from(sorted, ([, times]) => times),
    min,
    max,
    sum,
  };
}

/**
 * @param {object} of
 * @param {{ counters: readonly string[], gauges: readonly string[] }} of.names that an engine reports
 * @param {number} of.transfers a second of one worker; 0: its connections are idle
 * @param {number} of.seed
 * @returns {MakeInterval}
 */
export function intervalMaker({ names, transfers, seed }) {
  const random = uniform(seed);
  const gaussian = normal(random);
  const logNormal = (/** @type {number} */ median) => median * Math.exp(SIGMA * gaussian());
  const responseNs = () => logNormal(MEDIAN_NS) * (random() * SLOW_EVERY < 1 ? SLOW_FACTOR : 1);
  const rowsOf = (/** @type {number} */ count) =>
    Float64Array.from({ length: transfers === 0 ? 0 : 5 * count }, () => Math.floor(random() * 2 ** 32));
  const seconds = Array.from({ length: SECONDS_MADE }, () => ({
    histograms: {
      ...Object.fromEntries(HISTOGRAMS.map((name) => [name, null])),
      responseTime: recordedOf(transfers, responseNs),
      rtt: recordedOf(RTT_SAMPLES, () => logNormal(RTT_NS)),
      ...Object.fromEntries(SPLITS.map((name) => [name, recordedOf(Math.floor(transfers / SPLIT_EVERY), responseNs)])),
    },
    random: rowsOf(RANDOM_ROWS),
    slowest: rowsOf(SLOWEST_ROWS),
  }));
  const valuesOf = (/** @type {readonly string[]} */ all, /** @type {Record<string, number>} */ values) =>
    Object.fromEntries(all.map((name) => [name, values[name] ?? 0]));
  return (when, connections) => {
    const made = seconds[when.second % seconds.length];
    const isFirst = when.second === 1;
    const done = when.last ? 0 : transfers;
    const counters = {
      attempts: isFirst ? connections : 0,
      opened: isFirst ? connections : 0,
      transfers: done,
      bytesSent: done * PAYLOAD_BYTES,
      bytesReceived: done * PAYLOAD_BYTES,
    };
    const open = when.last ? 0 : connections;
    const gauges = { requested: connections, open, answered: open, peakOpen: connections };
    return {
      ...when,
      counters: valuesOf(names.counters, counters),
      gauges: valuesOf(names.gauges, gauges),
      histograms: when.last ? { perConnection: recordedOf(connections, () => 1) } : made.histograms,
      random: when.last ? new Float64Array(0) : made.random,
      slowest: when.last ? new Float64Array(0) : made.slowest,
    };
  };
}
