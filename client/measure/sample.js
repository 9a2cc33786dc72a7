// One line of samples.ndjson: what all workers counted in one second, and what was read of the machine meanwhile. Pure.

import {
  counterNames,
  errorCauses,
  gaugeNames,
  leftOutCauses,
  pick,
  rejectCauses,
  splitNames,
  statusNames,
  tcpCounterNames,
} from './counters.js';
import { agentSamples } from './agents.js';
import { instanceSamples } from './instances.js';
import { toShownQuote } from './quotes.js';
import { requestSamples } from './requests.js';
import { RUN_SCHEMA } from './schema.js';

/**
 * @import { Histogram as HistogramLine, Sample } from '../../config/types.js'
 * @import { Merged } from './sample-merge.js'
 */

/**
 * @typedef {Sample['limitedBy']} Side
 * @typedef {NonNullable<Sample['server']>} ServerUse
 * @typedef {NonNullable<Sample['listen']>} ListenQueue
 * @typedef {Sample['client']} ClientUse
 */

/** @param {Record<string, number>} counters @returns {{ statuses?: Record<string, number> }} those that were seen */
function statusesOf(counters) {
  const seen = statusNames.filter((name) => counters[`statuses.${name}`] > 0);
  if (seen.length === 0) return {};
  return { statuses: Object.fromEntries(seen.map((name) => [name, counters[`statuses.${name}`]])) };
}

const OF_CODE = 'codes.';

/** @param {Record<string, number>} counters @returns {{ codes?: Record<string, number> }} those that were seen */
function codesOf(counters) {
  const seen = Object.entries(counters).filter(([name, n]) => name.startsWith(OF_CODE) && n > 0);
  if (seen.length === 0) return {};
  return { codes: Object.fromEntries(seen.map(([name, n]) => [name.slice(OF_CODE.length), n])) };
}

/**
 * @param {Record<string, number>} counters
 * @returns {{ timestampsLeftOut?: Record<string, number> }} those that were seen
 */
function leftOutOf(counters) {
  const seen = leftOutCauses.filter((cause) => counters[`timestampsLeftOut.${cause}`] > 0);
  if (seen.length === 0) return {};
  return {
    timestampsLeftOut: Object.fromEntries(seen.map((cause) => [cause, counters[`timestampsLeftOut.${cause}`]])),
  };
}

/**
 * @param {Merged['histograms']} histograms
 * @returns {Partial<Record<typeof splitNames[number], HistogramLine>>} those with values
 */
const splitsOf = (histograms) =>
  Object.fromEntries(
    splitNames.flatMap((name) => (histograms[name].count > 0 ? [[name, histograms[name].toLine()]] : [])),
  );

/**
 * @param {number[]} row of a worker
 * @returns {[startNs: number, responseNs: number, connection: number, status: number]}
 */
const withoutWorker = ([, startNs, responseNs, connection, status]) => [startNs, responseNs, connection, status];

/**
 * @param {Merged} merged
 * @param {{ client: ClientUse, server: ServerUse | null, instanceCpu?: (number | null)[], busy: number[], kernel:
 *   Record<string, number>, turn?: { turnNs: number, measuredNs: number }, unloaded?: { ns: number, cpuSeconds: number
 *   }, serverBusy?: number[], serverKernel?: Record<string, number>, listen?: ListenQueue, limitedBy: Side }} measured
 *   what was read in addition to the engines' counts; instanceCpu: CPU seconds of each instance of the server; turn: of
 *   a leg that takes turns with others; unloaded: of its server, while others had theirs
 * @returns {Sample}
 */
export function toSample(
  merged,
  { client, server, instanceCpu, busy, serverBusy, kernel, serverKernel, listen, turn, unloaded, limitedBy },
) {
  const { second, phase, fromNs, toNs, counters, histograms } = merged;
  /**
   * @template {string} K
   * @param {string} prefix @param {readonly K[]} names
   */
  const counted = (prefix, names) =>
    /** @type {Record<K, number>} */ (Object.fromEntries(names.map((name) => [name, counters[prefix + name] ?? 0])));
  const { cpuSeconds, engineCpuSeconds, waitSeconds, rssBytes, workers, busiestEngine, engines } = client;
  return {
    schema: RUN_SCHEMA,
    second,
    phase,
    fromNs,
    toNs,
    counters: counted('', counterNames),
    rejects: counted('rejects.', rejectCauses),
    errors: counted('errors.', errorCauses),
    ...statusesOf(counters),
    ...codesOf(counters),
    ...leftOutOf(counters),
    gauges: pick(merged.gauges, gaugeNames),
    histograms: {
      responseTime: histograms.responseTime.toLine(),
      ...(histograms.serviceTime.count > 0
        ? { serviceTime: /** @type {HistogramLine} */ (histograms.serviceTime.toLine()) }
        : {}),
      ...(histograms.sendGap.count > 0 ? { sendGap: /** @type {HistogramLine} */ (histograms.sendGap.toLine()) } : {}),
      connectTime: histograms.connectTime.toLine(),
      ...(histograms.handshakeTime.count > 0
        ? { handshakeTime: /** @type {HistogramLine} */ (histograms.handshakeTime.toLine()) }
        : {}),
      ...(histograms.resumptionTime.count > 0
        ? { resumptionTime: /** @type {HistogramLine} */ (histograms.resumptionTime.toLine()) }
        : {}),
      recoveryTime: histograms.recoveryTime.toLine(),
      ...(histograms.idleTime.count > 0
        ? { idleTime: /** @type {HistogramLine} */ (histograms.idleTime.toLine()) }
        : {}),
      rtt: histograms.rtt.toLine(),
      ...splitsOf(histograms),
      ...(merged.perConnection && merged.perConnection.count > 0
        ? { perConnection: { .../** @type {HistogramLine} */ (merged.perConnection.toLine()), tenths: merged.tenths } }
        : {}),
    },
    tcp: {
      sampled: counters[tcpCounterNames.sampled] ?? 0,
      retransmitted: counters[tcpCounterNames.retransmitted] ?? 0,
      retransmits: counters[tcpCounterNames.retransmits] ?? 0,
    },
    transfers: { random: merged.random.map(withoutWorker), slowest: merged.slowest.map(withoutWorker) },
    client: {
      cpuSeconds,
      engineCpuSeconds,
      waitSeconds,
      rssBytes,
      workers,
      busiestEngine,
      engines,
    },
    server,
    machine: { busy },
    ...(serverBusy ? { serverMachine: { busy: serverBusy } } : {}),
    kernel,
    ...(serverKernel ? { serverKernel } : {}),
    ...(listen ? { listen } : {}),
    ...requestSamples(merged.requests),
    ...instanceSamples(merged.instances, instanceCpu),
    ...agentSamples(merged),
    ...(merged.quiet === null ? {} : { quiet: merged.quiet }),
    ...(merged.quotes.length > 0 ? { quotes: merged.quotes.map(toShownQuote) } : {}),
    ...(turn && {
      slices: {
        ...turn,
        transfers: counters.measured ?? 0,
        late: counters.afterSlices ?? 0,
        closed: counters.closedInPause ?? 0,
      },
    }),
    ...(unloaded && { unloaded }),
    ...(counters.gaugesBelowZero > 0 ? { gaugesBelowZero: counters.gaugesBelowZero } : {}),
    ...(merged.mergedIntervals > 0 ? { mergedIntervals: merged.mergedIntervals } : {}),
    limitedBy,
  };
}
