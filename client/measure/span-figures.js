// The figures of a span of a leg, such as its steady state: throughput, times, CPU. A transfer in flight at the end of
// the span counts with its time, answered or not.

import { counterNames, statusNames } from './fields.js';
import { Histogram, timesOf } from './histogram.js';
import { whileMeasured } from './slices.js';
import { addHistograms, addUp, codesOf, present, withTotal } from './sums.js';
import { timestampsOf } from './timestamps.js';

/**
 * @import { Causes, Figures, Sample } from '../../config/types.js'
 * @import { Load } from './ramp.js'
 */

/** @param {Sample[]} samples @returns {Causes | undefined} undefined if the protocol has none */
export function statusesOf(samples) {
  const sums = statusNames.map(
    (name) =>
      /** @type {[string, number]} */ ([name, samples.reduce((sum, { statuses }) => sum + (statuses?.[name] ?? 0), 0)]),
  );
  const seen = sums.filter(([, sum]) => sum > 0);
  return seen.length > 0 ? withTotal(Object.fromEntries(seen)) : undefined;
}

/**
 * The counts of the requests that a rate made due.
 * @param {Record<string, number>} counters @param {Load} load
 */
function scheduled({ due, late, unsent }, { rate }) {
  return rate === undefined || rate === null ? {} : { due, late, unsent };
}

/**
 * @param {Sample[]} samples of a span @param {number} due requests in them @param {Load} load
 * @returns {number | undefined} requests a second that the schedule called for; undefined if it called for none
 */
function duePerSecond(samples, due, { rate, rateProfile }) {
  if (typeof rate !== 'number' || due === 0) return undefined;
  if (!rateProfile) return rate;
  const ns = samples.reduce((sum, { slices, fromNs, toNs }) => sum + (slices?.turnNs ?? toNs - fromNs), 0);
  return (due * 1e9) / ns;
}

/**
 * @param {Sample[]} samples of a span @param {Load} load
 * @returns {number | undefined} requests in flight if each open connection always had as many as it may; undefined if
 *   connections pause or end
 */
function mostInFlight(samples, { workload, rate, pauseNs = 0, pipeline = 1, lifetime, connectionsProfile }) {
  const loops = workload === 'continuous' && (rate ?? null) === null && pauseNs === 0;
  if (!loops || lifetime || connectionsProfile) return undefined;
  return Math.max(...samples.map(({ gauges }) => gauges.open)) * pipeline;
}

/** Requests that were due in the warm-up and still wait. @param {Sample[]} samples @param {Sample[]} steady */
function waitingBefore(samples, steady) {
  return samples[samples.indexOf(steady[0]) - 1]?.gauges.waiting ?? 0;
}

/**
 * The figures of a span of the leg.
 * @param {Sample[]} samples of the leg @param {Sample[]} steady those of the span @param {Load} load
 * @param {Sample[]} timed those whose times count, including the drain, whose replies were in flight at the end of the
 *   span; without them a server that answers some requests very late would look fast
 * @returns {Figures | undefined}
 */
export function spanFigures(
  samples,
  steady,
  load,
  timed = [...steady, ...samples.filter(({ phase }) => phase === 'drain')],
) {
  if (steady.length === 0) return undefined;
  const fromNs = steady[0].fromNs;
  const toNs = Math.max(...steady.map((sample) => sample.toNs));
  const counters = addUp(steady, 'counters', counterNames);
  const { transfers, failed, unfinished, bytesSent, bytesReceived } = counters;
  const loaded = whileMeasured(steady);
  const seconds = (steady.some(({ slices }) => slices) ? loaded.ns : toNs - fromNs) / 1e9;
  // the share of the transfers, and with them of the bytes, that counts for a rate
  const inRate = transfers > 0 ? loaded.transfers / transfers : 1;
  const draining = samples.filter((sample) => sample.phase === 'drain' && !steady.includes(sample));
  const drain = addUp(draining, 'counters', counterNames);
  // along a profile some slots are active longer than others
  const fairness = load.connectionsProfile ? undefined : samples.at(-1)?.histograms.perConnection;
  const client = { cpuSeconds: 0, engineCpuSeconds: 0, waitSeconds: 0 };
  for (const sample of steady) {
    client.cpuSeconds += sample.client.cpuSeconds;
    client.engineCpuSeconds += sample.client.engineCpuSeconds;
    client.waitSeconds += sample.client.waitSeconds;
  }
  const engines = enginesOf(steady);
  const measured = isMeasuredToEnd(steady) ? steady.flatMap(({ server }) => server?.cpuSeconds ?? []) : [];
  const processCpu = processCpuOf(steady);
  return {
    fromNs,
    toNs,
    transfers,
    // transfers that failed in the drain, or that it cut off, were in flight at the end of the steady state
    failed: failed + drain.failed,
    unfinished: unfinished + drain.unfinished,
    // requests of a lost worker that are booked in the drain were due before it
    ...scheduled(
      {
        ...counters,
        due: counters.due + drain.due + waitingBefore(samples, steady),
        unsent: counters.unsent + drain.unsent,
      },
      load,
    ),
    ...present('duePerSecond', duePerSecond(steady, counters.due, load)),
    ...present('mostInFlight', mostInFlight(steady, load)),
    ...present('statuses', statusesOf(steady)),
    ...present('codes', codesOf(steady)),
    opened: counters.opened,
    attempts: counters.attempts,
    perSecond: seconds > 0 ? loaded.transfers / seconds : 0,
    bytesPerSecond: seconds > 0 ? (bytesReceived * inRate) / seconds : 0,
    bytesSentPerSecond: seconds > 0 ? (bytesSent * inRate) / seconds : 0,
    ...present('responseTimeNs', timesOf(addHistograms(timed, 'responseTime'))),
    ...present('serviceTimeNs', timesOf(addHistograms(timed, 'serviceTime'))),
    ...present('timestamps', timestampsOf(timed)),
    ...present(
      'perConnection',
      fairness && { ...spread(Histogram.fromLine(fairness)), ...present('tenths', fairness.tenths) },
    ),
    client: { ...client, engines },
    ...(measured.length > 0
      ? { server: { cpuSeconds: measured.reduce((sum, n) => sum + n, 0), ...present('processCpu', processCpu) } }
      : {}),
  };
}

/**
 * Whether the readings of the server reach the end: its use after the last reading is unknown.
 * @param {Sample[]} samples @returns {boolean}
 */
const isMeasuredToEnd = (samples) =>
  samples.findLast(({ fromNs, toNs }) => toNs > fromNs)?.server?.cpuSeconds !== undefined;

/**
 * The share of a core of each engine thread, and of the time it waited for one, over the time it has reported.
 * @param {Sample[]} samples
 */
function enginesOf(samples) {
  /** @type {Map<string, { worker: number, engine?: number, ns: number, cpuNs: number, waitNs: number }>} */
  const sums = new Map();
  for (const { fromNs, toNs, client } of samples) {
    for (const { worker, engine, cpu, wait } of client.engines) {
      const key = `${worker} ${engine ?? 0}`;
      const sum = sums.get(key) ?? { ns: 0, cpuNs: 0, waitNs: 0 };
      const ns = toNs - fromNs;
      sums.set(key, {
        worker,
        ...(engine === undefined ? {} : { engine }),
        ns: sum.ns + ns,
        cpuNs: sum.cpuNs + cpu * ns,
        waitNs: sum.waitNs + wait * ns,
      });
    }
  }
  return [...sums.values()]
    .filter(({ ns }) => ns > 0)
    .sort((a, b) => a.worker - b.worker || (a.engine ?? 0) - (b.engine ?? 0))
    .map(({ worker, engine, ns, cpuNs, waitNs }) => ({
      worker,
      ...(engine === undefined ? {} : { engine }),
      cpu: cpuNs / ns,
      wait: waitNs / ns,
    }));
}

/**
 * @param {Sample[]} samples of a span
 * @returns {number[] | undefined} the mean share of a core of the server's busiest process, of the next, and so on;
 *   undefined if its processes are unknown
 */
function processCpuOf(samples) {
  const known = samples.filter(({ server }) => server?.processCpu?.length);
  const totalNs = known.reduce((sum, { fromNs, toNs }) => sum + toNs - fromNs, 0);
  if (totalNs === 0) return undefined;
  /** @type {number[]} */
  const means = [];
  for (const { fromNs, toNs, server } of known) {
    (server?.processCpu ?? []).forEach((share, i) => {
      means[i] = (means[i] ?? 0) + (share * (toNs - fromNs)) / totalNs;
    });
  }
  return means;
}

/** @param {Histogram} histogram transfers per slot */
function spread(histogram) {
  const [p1, p50] = histogram.percentiles([1, 50]);
  return { min: histogram.min, p1, p50, max: histogram.max };
}
