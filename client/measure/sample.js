// One line of samples.ndjson: the counts of all workers in one second, and the readings of the machine meanwhile.

import { COUNTERS, counterNames, errorCauses, gaugeNames, HISTOGRAMS, pick, rejectCauses } from './fields.js';
import { partSamples } from './parts.js';
import { toShownQuote } from './quotes.js';
import { requestSamples } from './requests.js';
import { RUN_SCHEMA } from './schema.js';

/**
 * @import { Sample } from '../../config/types.js'
 * @import { Merged } from './sample-merge.js'
 */

/**
 * @typedef {Sample['limitedBy']} Side
 * @typedef {NonNullable<Sample['server']>} ServerUse
 * @typedef {NonNullable<Sample['listen']>} ListenQueue
 * @typedef {Sample['client']} ClientUse
 */

/** The counter of replies of protocols without kinds of replies. */
const NO_KIND = 'statuses.none';

/**
 * @template {string} P
 * @param {P} part of the sample, and the prefix of its counters' names
 * @param {Record<string, number>} counters
 * @returns {{ [K in P]?: Record<string, number> }} those above 0, without replies of no kind
 */
function seenOf(part, counters) {
  const prefix = `${part}.`;
  const seen = Object.entries(counters).filter(([name, n]) => name.startsWith(prefix) && n > 0 && name !== NO_KIND);
  const entries = seen.map(([name, n]) => [name.slice(prefix.length), n]);
  return /** @type {{ [K in P]?: Record<string, number> }} */ (
    entries.length > 0 ? { [part]: Object.fromEntries(entries) } : {}
  );
}

/**
 * @param {'tcp' | 'slices'} part of the sample
 * @param {Record<string, number>} counters
 * @returns {Record<string, number>} the counters that belong to it
 */
const placedIn = (part, counters) =>
  Object.fromEntries(
    COUNTERS.flatMap((row) => {
      const [place, name] = ('at' in row && row.at?.split('.')) || [];
      return place === part ? [[name, counters[row.name] ?? 0]] : [];
    }),
  );

/** @param {Merged} merged @returns {Sample['histograms']} without optional ones that have no value */
function histogramsOf({ histograms, perConnection, tenths }) {
  const lines = HISTOGRAMS.flatMap((row) => {
    const line = histograms[row.name]?.toLine() ?? null;
    return line === null && 'isOptional' in row ? [] : [[row.name, line]];
  });
  const totals = perConnection?.toLine() ?? null;
  return { ...Object.fromEntries(lines), ...(totals && { perConnection: { ...totals, tenths } }) };
}

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
 *   readings in addition to the engines' counts; instanceCpu: CPU seconds of each instance of the server; turn: of a
 *   leg that takes turns with others; unloaded: of its server, while other legs had their turn
 * @returns {Sample}
 */
export function toSample(
  merged,
  { client, server, instanceCpu, busy, serverBusy, kernel, serverKernel, listen, turn, unloaded, limitedBy },
) {
  const { second, phase, fromNs, toNs, counters } = merged;
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
    ...seenOf('statuses', counters),
    ...seenOf('codes', counters),
    ...seenOf('timestampsLeftOut', counters),
    gauges: pick(merged.gauges, gaugeNames),
    histograms: histogramsOf(merged),
    tcp: /** @type {Sample['tcp']} */ (placedIn('tcp', counters)),
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
    ...partSamples(merged, { instanceCpu }),
    ...(merged.quiet === null ? {} : { quiet: merged.quiet }),
    ...(merged.quotes.length > 0 ? { quotes: merged.quotes.map(toShownQuote) } : {}),
    ...(turn && { slices: /** @type {Sample['slices']} */ ({ ...turn, ...placedIn('slices', counters) }) }),
    ...(unloaded && { unloaded }),
    ...(counters.gaugesBelowZero > 0 ? { gaugesBelowZero: counters.gaugesBelowZero } : {}),
    ...(merged.mergedIntervals > 0 ? { mergedIntervals: merged.mergedIntervals } : {}),
    limitedBy,
  };
}
