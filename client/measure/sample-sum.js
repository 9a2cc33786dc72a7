// Several samples of one phase as one: counts and histograms are added, gauges are those of the last, shares are means
// over the time, and what the summary asks the most of is the most. Pure. The one thing to know: a sum of sums is the
// sum of all, so that a leg of any length can be kept as a few samples.

import { Histogram } from './histogram.js';
import { kernelSum } from './kernel-totals.js';
import { joinQuiet, quietsOf } from './quiet.js';
import { firstQuotes } from './quotes.js';
import { joinedRequests } from './requests.js';

/** @import { Histogram as HistogramLine, Sample } from '../../config/types.js' */

/**
 * @typedef {NonNullable<Sample['server']>} ServerUse
 *
 * A sample, or the sum of several: limitNs: for how long each side was the limit; quiets: times without a reply.
 * @typedef {Sample & { limitNs?: Partial<Record<Sample['limitedBy'], number>>, quiets?: [number, number][] }}
 *   SummedSample
 */

/** As many as a sample of one second has. */
const RANDOM_ROWS = 50;
const SLOWEST_ROWS = 5;

/**
 * @param {number | undefined} a
 * @param {number | undefined} b
 * @returns {number | undefined} undefined where neither is known
 */
const plus = (a, b) => (a === undefined ? b : b === undefined ? a : a + b);

/**
 * @param {number | undefined} a
 * @param {number | undefined} b
 * @returns {number | undefined} undefined where one is not known
 */
const plusKnown = (a, b) => (a === undefined || b === undefined ? undefined : a + b);

/** @param {number | undefined} a @param {number | undefined} b @returns {number | undefined} */
const most = (a, b) => (a === undefined ? b : b === undefined ? a : Math.max(a, b));

/**
 * @template {Record<string, number | undefined>} T
 * @param {T} a @param {T} b @returns {T} the sum of each
 */
function plusEach(a, b) {
  /** @type {Record<string, number | undefined>} */
  const sum = { ...a };
  for (const [name, value] of Object.entries(b)) sum[name] = plus(sum[name], value);
  return /** @type {T} */ (sum);
}

/**
 * @template {Record<string, number> | undefined} T
 * @param {T} a @param {T} b @returns {T} undefined where neither is there
 */
const plusEachOrNone = (a, b) => /** @type {T} */ (a && b ? plusEach(a, b) : (a ?? b));

/** @param {SummedSample} sample @returns {number} */
const spanOf = ({ fromNs, toNs }) => toNs - fromNs;

/**
 * Means of shares over the time, place by place; one that is missing in a part counts as 0 there.
 * @param {number[]} a @param {number} aNs @param {number[]} b @param {number} bNs @returns {number[]}
 */
function meanEach(a, aNs, b, bNs) {
  if (aNs + bNs === 0) return a.length >= b.length ? a : b;
  return Array.from({ length: Math.max(a.length, b.length) }, (_, i) => mean(a[i] ?? 0, aNs, b[i] ?? 0, bNs));
}

/** @param {number} a @param {number} aNs @param {number} b @param {number} bNs @returns {number} */
const mean = (a, aNs, b, bNs) => (aNs + bNs === 0 ? Math.max(a, b) : (a * aNs + b * bNs) / (aNs + bNs));

/**
 * @param {Sample['client']} a @param {number} aNs @param {Sample['client']} b @param {number} bNs
 * @returns {Sample['client']}
 */
function clientOf(a, aNs, b, bNs) {
  const keyOf = (/** @type {Sample['client']['engines'][number]} */ { worker, engine = 0 }) => `${worker} ${engine}`;
  const others = new Map(b.engines.map((one) => [keyOf(one), one]));
  const engines = a.engines.map((one) => {
    const other = others.get(keyOf(one));
    others.delete(keyOf(one));
    return engineOf(one, aNs, other ?? { ...one, cpu: 0, wait: 0 }, bNs);
  });
  for (const one of others.values()) engines.push(engineOf({ ...one, cpu: 0, wait: 0 }, aNs, one, bNs));
  return {
    cpuSeconds: a.cpuSeconds + b.cpuSeconds,
    engineCpuSeconds: a.engineCpuSeconds + b.engineCpuSeconds,
    waitSeconds: a.waitSeconds + b.waitSeconds,
    rssBytes: Math.max(a.rssBytes, b.rssBytes),
    workers: Math.max(a.workers, b.workers),
    busiestEngine: mean(a.busiestEngine, aNs, b.busiestEngine, bNs),
    engines,
  };
}

/**
 * @param {Sample['client']['engines'][number]} a
 * @param {number} aNs
 * @param {Sample['client']['engines'][number]} b
 * @param {number} bNs
 * @returns {Sample['client']['engines'][number]}
 */
function engineOf(a, aNs, b, bNs) {
  return {
    worker: a.worker,
    ...(a.engine === undefined ? {} : { engine: a.engine }),
    cpu: mean(a.cpu, aNs, b.cpu, bNs),
    wait: mean(a.wait, aNs, b.wait, bNs),
  };
}

/**
 * @param {ServerUse | null} a @param {number} aNs @param {ServerUse | null} b @param {number} bNs
 * @returns {ServerUse | null}
 */
function serverOf(a, aNs, b, bNs) {
  if (a === null || b === null) return withoutSwitches(a ?? b, a === null ? aNs : bNs);
  const [cpuSeconds, waitSeconds] = [plusKnown(a.cpuSeconds, b.cpuSeconds), plusKnown(a.waitSeconds, b.waitSeconds)];
  const startRssBytes = a.startRssBytes ?? b.startRssBytes;
  const descriptors = fewestLeft(a.descriptors, b.descriptors);
  const busiestThread =
    a.busiestThread === undefined || b.busiestThread === undefined
      ? (a.busiestThread ?? b.busiestThread)
      : mean(a.busiestThread, aNs, b.busiestThread, bNs);
  const contextSwitches =
    a.contextSwitches && b.contextSwitches
      ? plusEach(a.contextSwitches, b.contextSwitches)
      : a.contextSwitches && bNs === 0
        ? a.contextSwitches
        : b.contextSwitches && aNs === 0
          ? b.contextSwitches
          : undefined;
  const processCpu = a.processCpu && b.processCpu ? meanEach(a.processCpu, aNs, b.processCpu, bNs) : undefined;
  return {
    ...(cpuSeconds === undefined ? {} : { cpuSeconds }),
    ...(waitSeconds === undefined ? {} : { waitSeconds }),
    rssBytes: Math.max(a.rssBytes, b.rssBytes),
    ...(startRssBytes === undefined ? {} : { startRssBytes }),
    threads: Math.max(a.threads, b.threads),
    processes: Math.max(a.processes, b.processes),
    ...(contextSwitches === undefined ? {} : { contextSwitches }),
    ...(busiestThread === undefined ? {} : { busiestThread }),
    ...(descriptors === undefined ? {} : { descriptors }),
    ...((processCpu ?? a.processCpu ?? b.processCpu) ? { processCpu: processCpu ?? a.processCpu ?? b.processCpu } : {}),
  };
}

/**
 * Of a span in a part of which nothing was read.
 * @param {ServerUse | null} use
 * @param {number} unreadNs
 * @returns {ServerUse | null}
 */
function withoutSwitches(use, unreadNs) {
  if (use === null || unreadNs === 0) return use;
  const { contextSwitches: _unknown, ...rest } = use;
  return rest;
}

/** @param {ServerUse['descriptors']} a @param {ServerUse['descriptors']} b @returns {ServerUse['descriptors']} */
function fewestLeft(a, b) {
  if (a === undefined || b === undefined) return a ?? b;
  const fewest = b.limit - b.used < a.limit - a.used ? b : a;
  return { ...fewest, full: Math.max(a.full, b.full) };
}

/** @param {Sample['listen']} a @param {Sample['listen']} b @returns {Sample['listen']} */
function fullestQueue(a, b) {
  if (a === undefined || b === undefined) return a ?? b;
  const fullest = b.queue / (b.backlog + 1) > a.queue / (a.backlog + 1) ? b : a;
  return { ...fullest, sockets: Math.max(a.sockets, b.sockets), drops: a.drops + b.drops };
}

/** Open and unanswered are states, memory a peak; all else of a part is counted. */
const PART_STATES = ['open', 'unanswered'];

/**
 * @template {{ responseTime: HistogramLine | null, rssBytes?: number }} T
 * @param {T[] | undefined} a @param {T[] | undefined} b @returns {T[] | undefined} without their histograms
 */
function partsOf(a, b) {
  if (a === undefined || b === undefined || a.length !== b.length) return undefined;
  return a.map((one, i) => {
    /** @type {Record<string, any>} */
    const sum = { ...one };
    for (const [name, value] of Object.entries(/** @type {Record<string, any>} */ (b[i]))) {
      if (name === 'responseTime') continue;
      sum[name] = PART_STATES.includes(name)
        ? value
        : name === 'rssBytes'
          ? most(sum[name], value)
          : plus(sum[name], value);
    }
    return /** @type {T} */ (sum);
  });
}

/**
 * Some rows of both, each in proportion to the transfers that it stands for.
 * @template Row
 * @param {Row[]} a @param {number} aCount @param {Row[]} b @param {number} bCount @returns {Row[]}
 */
function someRows(a, aCount, b, bCount) {
  if (a.length + b.length <= RANDOM_ROWS) return [...a, ...b];
  const share = aCount + bCount === 0 ? 0.5 : aCount / (aCount + bCount);
  const ofA = Math.min(a.length, Math.max(RANDOM_ROWS - b.length, Math.round(RANDOM_ROWS * share)));
  const evenly = (/** @type {Row[]} */ rows, /** @type {number} */ count) =>
    Array.from({ length: count }, (_, i) => rows[Math.floor((i * rows.length) / count)]);
  return [...evenly(a, ofA), ...evenly(b, RANDOM_ROWS - ofA)];
}

/**
 * @param {SummedSample} sample
 * @returns {Partial<Record<Sample['limitedBy'], number>>} for how long each side was the limit, ns
 */
export const limitTimesOf = (sample) => sample.limitNs ?? { [sample.limitedBy]: spanOf(sample) };

/** @param {Partial<Record<Sample['limitedBy'], number>>} times @returns {Sample['limitedBy']} */
const longestLimit = (times) =>
  /** @type {Sample['limitedBy']} */ (
    Object.entries(times).reduce((longest, one) => (one[1] > longest[1] ? one : longest))[0]
  );

/**
 * @param {SummedSample} a @param {SummedSample} b the next one of the same phase
 * @returns {SummedSample} both together, with the histograms of the first
 */
function joined(a, b) {
  const [aNs, bNs] = [spanOf(a), spanOf(b)];
  const limitNs = plusEach(limitTimesOf(a), limitTimesOf(b));
  const later = bNs > 0 || aNs === 0 ? b : a; // one without a span books what had been in flight at its end
  const peakOpen = [a, b].reduce((peak, { gauges }) => Math.max(peak, gauges.open, gauges.peakOpen ?? 0), 0);
  const listen = fullestQueue(a.listen, b.listen);
  const [statuses, codes, timestampsLeftOut] = [
    plusEachOrNone(a.statuses, b.statuses),
    plusEachOrNone(a.codes, b.codes),
    plusEachOrNone(a.timestampsLeftOut, b.timestampsLeftOut),
  ];
  const [instances, agents] = [partsOf(a.instances, b.instances), partsOf(a.agents, b.agents)];
  const requests = joinedRequests(a.requests, b.requests);
  const slices = plusEachOrNone(a.slices, b.slices);
  const unloaded = plusEachOrNone(a.unloaded, b.unloaded);
  const mergedIntervals = plus(a.mergedIntervals, b.mergedIntervals);
  const quotes = firstQuotes([...(a.quotes ?? []), ...(b.quotes ?? [])]);
  const serverKernel =
    a.serverKernel || b.serverKernel ? kernelSum([a.serverKernel ?? {}, b.serverKernel ?? {}]) : undefined;
  const serverMachine =
    a.serverMachine || b.serverMachine
      ? {
          busy: meanEach(
            a.serverMachine?.busy ?? [],
            a.serverMachine ? aNs : 0,
            b.serverMachine?.busy ?? [],
            b.serverMachine ? bNs : 0,
          ),
        }
      : undefined;
  const slowest = [...a.transfers.slowest, ...b.transfers.slowest].sort((one, other) => other[1] - one[1]);
  return {
    schema: b.schema,
    second: b.second,
    phase: b.phase,
    fromNs: Math.min(a.fromNs, b.fromNs),
    toNs: Math.max(a.toNs, b.toNs),
    counters: plusEach(a.counters, b.counters),
    rejects: plusEach(a.rejects, b.rejects),
    errors: plusEach(a.errors, b.errors),
    ...(statuses && { statuses }),
    ...(codes && { codes }),
    ...(timestampsLeftOut && { timestampsLeftOut }),
    gauges: { ...later.gauges, peakOpen },
    histograms: a.histograms,
    tcp: plusEach(a.tcp, b.tcp),
    transfers: {
      random: someRows(a.transfers.random, a.counters.transfers, b.transfers.random, b.counters.transfers),
      slowest: slowest.slice(0, SLOWEST_ROWS),
    },
    client: clientOf(a.client, aNs, b.client, bNs),
    server: serverOf(a.server, aNs, b.server, bNs),
    machine: { busy: meanEach(a.machine.busy, aNs, b.machine.busy, bNs) },
    ...(serverMachine && { serverMachine }),
    kernel: kernelSum([a.kernel, b.kernel]),
    ...(serverKernel && { serverKernel }),
    ...(listen && { listen }),
    ...(requests && { requests }),
    ...(instances && { instances }),
    ...(agents && { agents }),
    ...(slices && { slices }),
    ...(unloaded && { unloaded }),
    ...(mergedIntervals === undefined ? {} : { mergedIntervals }),
    ...(quotes.length > 0 ? { quotes } : {}),
    limitedBy: longestLimit(limitNs),
    limitNs,
    quiets: joinQuiet([...quietsOf(a), ...quietsOf(b)], later.toNs),
  };
}

/** Samples of one phase, in order, added up one after the other. */
export class SampleSum {
  /** @param {SummedSample} first */
  constructor(first) {
    this.sum = first;
    /** Those of a sum of several, by where they belong; null: of one sample. @type {Map<string, Histogram> | null} */
    this.times = null;
  }

  /** @param {SummedSample} sample the next one */
  add(sample) {
    if (this.times === null) {
      this.times = new Map();
      this.addTimes(this.sum);
    }
    this.addTimes(sample);
    const perConnection = sample.histograms.perConnection ?? this.sum.histograms.perConnection;
    this.sum = joined(this.sum, sample);
    if (perConnection) this.sum = { ...this.sum, histograms: { ...this.sum.histograms, perConnection } };
  }

  /** @param {SummedSample} sample */
  addTimes({ histograms, requests, instances, agents }) {
    for (const [name, line] of Object.entries(histograms)) if (name !== 'perConnection') this.addLine(name, line);
    requests?.forEach(({ responseTime }, i) => this.addLine(`requests ${i}`, responseTime));
    instances?.forEach(({ responseTime }, i) => this.addLine(`instances ${i}`, responseTime));
    agents?.forEach(({ responseTime }, i) => this.addLine(`agents ${i}`, responseTime));
  }

  /** @param {string} place @param {HistogramLine | null | undefined} line */
  addLine(place, line) {
    if (!line || this.times === null) return;
    const all = this.times.get(place) ?? new Histogram();
    this.times.set(place, all.addLine(line));
  }

  /** @returns {SummedSample} */
  result() {
    const { sum, times } = this;
    if (times === null) return sum;
    const lineOf = (/** @type {string} */ place) => times.get(place)?.toLine() ?? null;
    const { perConnection } = sum.histograms;
    const optional = [...times.keys()].filter((name) => !name.includes(' ')).map((name) => [name, lineOf(name)]);
    /** @type {Sample['histograms']} */
    const histograms = {
      ...{ responseTime: null, connectTime: null, recoveryTime: null, rtt: null },
      ...Object.fromEntries(optional),
      ...(perConnection && { perConnection }),
    };
    const withTimes = (/** @type {'requests' | 'instances' | 'agents'} */ kind) =>
      sum[kind] && { [kind]: sum[kind].map((part, i) => ({ ...part, responseTime: lineOf(`${kind} ${i}`) })) };
    return { ...sum, histograms, ...withTimes('requests'), ...withTimes('instances'), ...withTimes('agents') };
  }
}
