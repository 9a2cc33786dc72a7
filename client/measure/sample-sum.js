// Sums several samples of one phase into one, by a rule for each field: counts and histograms are added, gauges are
// those of the last sample, shares are means weighted by time, and peaks are the largest. Summing sums gives the sum of
// all samples, so that a leg of any length can be kept as a few of them.

import { Histogram } from './histogram.js';
import { kernelSum } from './kernel-totals.js';
import { forEachKind, KINDS } from './parts.js';
import { joinQuiet, quietsOf } from './quiet.js';
import { firstQuotes } from './quotes.js';
import { joinedRequests } from './requests.js';

/**
 * @import { Histogram as HistogramLine, Sample } from '../../config/types.js'
 * @import { PartSample } from './part-figures.js'
 */

/**
 * A sample, or the sum of several. limitNs: for how long each side was the limit; quiets: times without a reply.
 * @typedef {Sample & { limitNs?: Partial<Record<Sample['limitedBy'], number>>, quiets?: [number, number][] }}
 *   SummedSample
 */

/** As many rows as a sample of one second has. */
const RANDOM_ROWS = 50;
const SLOWEST_ROWS = 5;
/** What has histograms of its own in a sample. */
const LISTS = Object.freeze(/** @type {const} */ (['requests', ...KINDS.map(({ kind }) => kind)]));

/**
 * Joins the values of a field in two samples, a before b. undefined: the sample does not have the field.
 * @template T
 * @typedef {(a: T, b: T, of: Pair) => T} Rule
 */
/**
 * The rules of the fields of an object.
 * @template T
 * @typedef {{ [K in keyof T]-?: Rule<T[K]> }} Rows
 */
/**
 * @typedef {NonNullable<Sample['server']>} Server
 * @typedef {PartSample & { serverCpuSeconds?: number, cpuSeconds?: number, rssBytes?: number }} Part
 * @typedef {{ a: SummedSample, b: SummedSample, aNs: number, bNs: number }} Pair  aNs, bNs: how long they are
 */

/**
 * @template T
 * @param {Rule<T>} rule of two values that are there
 * @returns {<V extends T | undefined>(a: V, b: V, of: Pair) => V} the other value if one is absent
 */
const known = (rule) => (a, b, of) =>
  a === undefined ? b : b === undefined ? a : /** @type {typeof a} */ (rule(a, b, of));

/** @template T @param {T} _a @param {T} b */
const last = (_a, b) => b;
/** @template T @param {T} a @param {T} b */
const first = (a, b) => (a === undefined ? b : a);
const plus = known((/** @type {number} */ a, /** @type {number} */ b) => a + b);
const largest = known((/** @type {number} */ a, /** @type {number} */ b) => Math.max(a, b));
const smallest = known((/** @type {number} */ a, /** @type {number} */ b) => Math.min(a, b));
/** Unknown if one value is unknown. @type {Rule<number | undefined>} */
const plusOfBoth = (a, b) => (a === undefined || b === undefined ? undefined : a + b);

/** @param {number} a @param {number} b @param {Pick<Pair, 'aNs' | 'bNs'>} of @returns {number} over the time */
const meanOf = (a, b, { aNs, bNs }) => (aNs + bNs === 0 ? Math.max(a, b) : (a * aNs + b * bNs) / (aNs + bNs));
const mean = known(meanOf);

/** Place by place; a missing value counts as 0. */
const means = known((/** @type {number[]} */ a, /** @type {number[]} */ b, of) => {
  if (of.aNs + of.bNs === 0) return a.length >= b.length ? a : b;
  return Array.from({ length: Math.max(a.length, b.length) }, (_, i) => meanOf(a[i] ?? 0, b[i] ?? 0, of));
});

/** @param {Rule<number>} rule of each value of an object */
const each = (rule) =>
  known((/** @type {Record<string, number>} */ a, /** @type {Record<string, number>} */ b, of) => {
    const sum = { ...a };
    for (const [name, value] of Object.entries(b)) sum[name] = rule(sum[name], value, of);
    return sum;
  });

/** @template {object} T @param {Rows<T>} rows of an object */
const object = (rows) => known((/** @type {T} */ a, /** @type {T} */ b, of) => fieldsOf(rows, a, b, of));

/**
 * @template {object} T
 * @param {Rows<T>} rows @param {T} a @param {T} b @param {Pair} of @returns {T} fields with a row and a value
 */
function fieldsOf(rows, a, b, of) {
  const sum = /** @type {T} */ ({});
  for (const name in rows) {
    const value = rows[name](a[name], b[name], of);
    if (value !== undefined) sum[name] = value;
  }
  return sum;
}

/**
 * The engines of both samples, by worker and number; an engine that is missing in a sample has shares of 0 there.
 * @type {Rule<Sample['client']['engines']>}
 */
function engines(a, b, of) {
  /** @typedef {Sample['client']['engines'][number]} Engine */
  const keyOf = (/** @type {Engine} */ { worker, engine = 0 }) => `${worker} ${engine}`;
  const joined = (/** @type {Engine} */ mine, /** @type {Engine} */ theirs) => ({
    ...mine,
    cpu: meanOf(mine.cpu, theirs.cpu, of),
    wait: meanOf(mine.wait, theirs.wait, of),
  });
  const idle = (/** @type {Engine} */ busy) => ({ ...busy, cpu: 0, wait: 0 });
  const byKey = new Map(b.map((entry) => [keyOf(entry), entry]));
  const sums = a.map((entry) => {
    const match = byKey.get(keyOf(entry)) ?? idle(entry);
    byKey.delete(keyOf(entry));
    return joined(entry, match);
  });
  for (const entry of byKey.values()) sums.push(joined(idle(entry), entry));
  return sums;
}

/** Known only if it is known for the whole span. @type {Rule<Server['contextSwitches']>} */
function switches(a, b, of) {
  if (a && b) return each(plus)(a, b, of);
  return a && of.bNs === 0 ? a : b && of.aNs === 0 ? b : undefined;
}

/** The descriptors of the process that had the fewest left, at that time. */
/** @typedef {NonNullable<Server['descriptors']>} Descriptors */
const descriptors = known((/** @type {Descriptors} */ a, /** @type {Descriptors} */ b) => ({
  ...(b.limit - b.used < a.limit - a.used ? b : a),
  full: Math.max(a.full, b.full),
}));

/** The queue of the socket whose queue was fullest, at that time. */
/** @typedef {NonNullable<Sample['listen']>} Listen */
const listen = known((/** @type {Listen} */ a, /** @type {Listen} */ b) => ({
  ...(b.queue / (b.backlog + 1) > a.queue / (a.backlog + 1) ? b : a),
  sockets: Math.max(a.sockets, b.sockets),
  drops: a.drops + b.drops,
}));

/** @type {Rows<Server>} */
const SERVER = {
  ...{ cpuSeconds: plusOfBoth, waitSeconds: plusOfBoth, rssBytes: largest, startRssBytes: first },
  ...{ threads: largest, processes: largest, contextSwitches: switches },
  ...{ busiestThread: mean, descriptors, processCpu: means },
};

/** null: nothing was read. @type {Rule<Sample['server']>} */
function server(a, b, of) {
  if (a !== null && b !== null) return fieldsOf(SERVER, a, b, of);
  const [use, unreadNs] = a === null ? [b, of.aNs] : [a, of.bNs];
  if (use === null || unreadNs === 0) return use;
  const { contextSwitches: _unknown, ...readings } = use;
  return readings;
}

/** The rules of a part; its histogram is added apart. @type {Rows<Part>} */
const PART = {
  ...{
    opened: plus,
    lost: plus,
    transfers: plus,
    failed: plus,
    unfinished: plus,
    bytesSent: plus,
    bytesReceived: plus,
  },
  ...{ rejects: plus, errors: plus, open: last, unanswered: last, responseTime: first },
  ...{ serverCpuSeconds: plus, cpuSeconds: plus, rssBytes: largest },
};
/**
 * @template {Part} P
 * @param {P[] | undefined} a @param {P[] | undefined} b @param {Pair} of
 * @returns {P[] | undefined}
 */
const parts = (a, b, of) =>
  a === undefined || b === undefined || a.length !== b.length
    ? undefined
    : a.map((part, i) => /** @type {P} */ (fieldsOf(PART, part, b[i], of)));
const partRules = forEachKind(parts);

/** @template {Sample['serverKernel']} K @param {K} a @param {K} b */
const kernel = (a, b) => /** @type {K} */ (a || b ? kernelSum([a ?? {}, b ?? {}]) : undefined);

/** The sample whose gauges count: a sample without a span only books lost work. @type {(of: Pair) => SummedSample} */
const laterOf = ({ a, b, aNs, bNs }) => (bNs > 0 || aNs === 0 ? b : a);

/** The load of another machine; time without a reading does not count. @type {Rule<Sample['serverMachine']>} */
const serverMachine = (a, b, { aNs, bNs, ...of }) =>
  a || b ? { busy: means(a?.busy ?? [], b?.busy ?? [], { ...of, aNs: a ? aNs : 0, bNs: b ? bNs : 0 }) } : undefined;

/** @type {Rule<Sample['transfers']>} */
const transfers = (a, b, of) => ({
  random: someRows(a.random, of.a.counters.transfers, b.random, of.b.counters.transfers),
  slowest: [...a.slowest, ...b.slowest].sort((row, next) => next[1] - row[1]).slice(0, SLOWEST_ROWS),
});

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
export const limitTimesOf = (sample) => sample.limitNs ?? { [sample.limitedBy]: sample.toNs - sample.fromNs };

/** @param {Pair} of */
const limitTimes = (of) => each(plus)(limitTimesOf(of.a), limitTimesOf(of.b), of);

/**
 * The rule of each field of a sample, except gaugesBelowZero, which is checked in each second (books.js), and quiet,
 * whose times are in quiets.
 * @type {Rows<Omit<SummedSample, 'gaugesBelowZero' | 'quiet'>>}
 */
const ROWS = {
  ...{ schema: last, second: last, phase: last, fromNs: smallest, toNs: largest },
  ...{ counters: each(plus), rejects: each(plus), errors: each(plus), statuses: each(plus), codes: each(plus) },
  ...{ timestampsLeftOut: each(plus), tcp: each(plus), slices: each(plus), unloaded: each(plus) },
  gauges: (a, b, of) => ({
    ...laterOf(of).gauges,
    peakOpen: Math.max(0, ...[a, b].flatMap(({ open, peakOpen = 0 }) => [open, peakOpen])),
  }),
  histograms: first,
  transfers,
  client: object({
    ...{ cpuSeconds: plus, engineCpuSeconds: plus, waitSeconds: plus, rssBytes: largest, workers: largest },
    ...{ busiestEngine: mean, engines },
  }),
  ...{ server, machine: object({ busy: means }), serverMachine, kernel, serverKernel: kernel, listen },
  ...{ requests: joinedRequests, mergedIntervals: plus },
  ...partRules,
  quotes: (a = [], b = []) => (a.length + b.length > 0 ? firstQuotes([...a, ...b]) : undefined),
  limitNs: (_a, _b, of) => limitTimes(of),
  limitedBy: (_a, _b, of) =>
    /** @type {[Sample['limitedBy'], number][]} */ (Object.entries(limitTimes(of))).reduce((longest, entry) =>
      entry[1] > longest[1] ? entry : longest,
    )[0],
  quiets: (_a, _b, of) => joinQuiet([...quietsOf(of.a), ...quietsOf(of.b)], laterOf(of).toNs),
};

/**
 * @param {SummedSample} a @param {SummedSample} b the next sample of the same phase
 * @returns {SummedSample} both together, with the histograms of the first
 */
function joined(a, b) {
  const of = { a, b, aNs: a.toNs - a.fromNs, bNs: b.toNs - b.fromNs };
  return fieldsOf(ROWS, a, b, of);
}

/** Samples of one phase, in order, added up one after the other. */
export class SampleSum {
  /** @param {SummedSample} first */
  constructor(first) {
    this.sum = first;
    /** The histograms of a sum of several, by place; null: a single sample. @type {Map<string, Histogram> | null} */
    this.times = null;
  }

  /** @param {SummedSample} sample the next sample */
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
  addTimes(sample) {
    for (const [name, line] of Object.entries(sample.histograms))
      if (name !== 'perConnection') this.addLine(name, line);
    for (const list of LISTS)
      sample[list]?.forEach(({ responseTime }, i) => this.addLine(`${list} ${i}`, responseTime));
  }

  /** @param {string} place @param {HistogramLine | null | undefined} line */
  addLine(place, line) {
    if (!line || this.times === null) return;
    const sum = this.times.get(place) ?? new Histogram();
    this.times.set(place, sum.addLine(line));
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
    const lists = LISTS.flatMap((list) =>
      sum[list] ? [[list, sum[list].map((part, i) => ({ ...part, responseTime: lineOf(`${list} ${i}`) }))]] : [],
    );
    return { ...sum, histograms, ...Object.fromEntries(lists) };
  }
}
