// Merges the workers' intervals into one sample a second, without a clock or a descriptor. A worker with several
// engines counts here as several workers, one for each of its shares (run/cluster/assignment.js). Nothing counted is
// ever lost, and nothing changes its phase. An interval that arrives after its second was handed out is added to the
// next sample of its phase; if that phase is over, it gets a sample of its own, without a time span. What a dead worker
// had in flight, and what was due of it until its replacement began, is added to the next sample. The sum over samples
// therefore equals the sum over intervals, in total and in each phase.

import { GAUGES, gaugeNames, histogramNames, pick } from './fields.js';
import { Histogram } from './histogram.js';
import { divisionsOf, emptyPartsOf } from './parts.js';
import { commonQuiet } from './quiet.js';
import { firstQuotes } from './quotes.js';
import { addRequests } from './requests.js';
import { addSpan } from './spans.js';

/**
 * @import { Interval, WorkerUsage } from '../run/cluster/messages.js'
 * @import { Recorded } from './histogram.js'
 * @import { MergedPart } from './part-figures.js'
 * @import { DividedOver, Division, Kind } from './parts.js'
 * @import { Quote } from './quotes.js'
 * @import { MergedRequest } from './requests.js'
 * @import { Span } from './spans.js'
 */

/**
 * @typedef {'ramp' | 'warmup' | 'steady' | 'drain'} Phase
 * @typedef {object} Merged
 * @property {number} second
 * @property {Phase} phase
 * @property {number} fromNs
 * @property {number} toNs
 * @property {Record<string, number>} counters
 * @property {Record<string, number>} gauges
 * @property {Record<string, Histogram>} histograms
 * @property {number[][]} random
 * @property {number[][]} slowest
 * @property {Reported[]} usages
 * @property {number} mergedIntervals
 * @property {[number, number] | null} quiet
 * @property {Quote[]} quotes
 * @property {boolean} last
 * @property {Histogram | null} perConnection
 * @property {number[]} tenths
 * @property {MergedRequest[]} requests  of a list, whose requests have figures of their own
 * @property {{ [K in Kind]?: MergedPart[] }} parts  that the load is divided over
 * @typedef {WorkerUsage & { share: number }} Reported  the usage of a share, which may appear in a sample twice
 * @typedef {{ worker: number, interval: Interval, usage: WorkerUsage | null, after?: number }} Part  after: it belongs
 *   into a sample with a greater key
 */
/** Gauges that outlive the worker: its slots were requested, and unanswered. */
const lasting = GAUGES.flatMap((row) => ('lasts' in row ? row.name : []));
const randomKept = 50;
const slowestKept = 5;

/** @param {{ second: number, phase: Phase }} interval @returns {number} a key that rises with time within one worker */
function keyOf({ second, phase }) {
  return second * PHASES.length + PHASES.indexOf(phase);
}

/**
 * The tally of one worker, its replacements included. toNs: up to where the arrivals due have been counted; due: their
 * number; drained: whether its intervals reach into the drain without a gap; opened: slots that its engine has opened;
 * openedBefore: the most slots that an earlier engine had opened.
 * @typedef {object} WorkerTally
 * @property {'live' | 'absent' | 'ended'} state
 * @property {number} key
 * @property {Interval | null} received
 * @property {boolean} hasDied
 * @property {Record<string, number>} gauges
 * @property {number} inLog
 * @property {number} ended
 * @property {Span[]} unlogged
 * @property {Recorded | null} perConnection
 * @property {number[]} tenths
 * @property {boolean} hadLast
 * @property {number} toNs
 * @property {number} due
 * @property {boolean} drained
 * @property {number} opened
 * @property {number} openedBefore
 * @typedef {{ open: number, abandoned: number, unfinished: number, unsent: number, rows: number }} LostWork  the work
 *   that a dead worker had in flight; rows: those counted in its intervals; no other rows of its log may be kept
 * @typedef {{ missed(worker: number, fromNs: number, toNs: number, counted: number): number }} ExpectedArrivals  of
 *   run/cluster/expected-arrivals.js
 */

/** @type {readonly Phase[]} */
export const PHASES = Object.freeze(/** @type {Phase[]} */ (['ramp', 'warmup', 'steady', 'drain']));

/**
 * Numbers in one row of a sample's transfers as the engine reports them: key, startNs, responseNs, connection, status.
 */
const ROW_WIDTH = 5;

/** Collects intervals by (second, phase) and hands a sample out once every living worker has passed it. */
export class SampleMerge {
  /**
   * @param {number} workers
   * @param {ExpectedArrivals | null} [arrivals] the requests that are due of a worker without an engine
   * @param {DividedOver} [over]
   */
  constructor(workers, arrivals = null, over = {}) {
    this.divisions = divisionsOf(over);
    this.arrivals = arrivals;
    /** @type {WorkerTally[]} */
    this.tallies = Array.from({ length: workers }, () => ({
      state: 'live',
      key: -1,
      received: null,
      hasDied: false,
      gauges: {},
      inLog: 0,
      unlogged: [],
      ended: 0,
      perConnection: null,
      tenths: [],
      hadLast: false,
      toNs: 0,
      due: 0,
      drained: false,
      opened: 0,
      openedBefore: 0,
    }));
    /** @type {Map<number, Map<number, Part>>} */
    this.pending = new Map();
    /** @type {Part[]} */
    this.late = [];
    this.flushed = -1;
    /** Until when requests are known to be due. */
    this.dueToNs = 0;
    this.anyLost = false;
    /** @type {Merged | null} */
    this.previous = null;
  }

  /** A replacement begins: its intervals are waited for again. @param {number} worker */
  begin(worker) {
    this.tallies[worker].state = 'live';
  }

  /** @param {number} worker @param {Interval} given @param {WorkerUsage} usage */
  add(worker, given, usage) {
    const tally = this.tallies[worker];
    const interval = this.account(worker, given);
    const key = keyOf(interval);
    tally.state = 'live';
    tally.key = Math.max(tally.key, key);
    tally.received = interval;
    const { logRows = 0, transfers = 0, failed = 0, unfinished = 0 } = interval.counters;
    tally.inLog += logRows;
    tally.ended += transfers + failed + unfinished;
    if (transfers + failed + unfinished > logRows) addSpan(tally.unlogged, interval);
    if (interval.last) {
      tally.hadLast = true;
      tally.perConnection = interval.histograms.perConnection ?? null;
      tally.tenths = [...(interval.tenths ?? [])];
    }
    if (key <= this.flushed) {
      this.late.push({ worker, interval, usage });
      return;
    }
    let row = this.pending.get(key);
    if (!row) this.pending.set(key, (row = new Map()));
    const before = row.get(worker);
    if (before) this.late.push(before);
    row.set(worker, { worker, interval, usage });
  }

  /**
   * Counts the requests due between two engines of a worker, and the slots that more than one engine opened.
   * @param {number} worker
   * @param {Interval} interval
   * @returns {Interval} slots that an earlier engine had opened count as reopened
   */
  account(worker, interval) {
    const tally = this.tallies[worker];
    const { opened = 0, reopened = 0, due = 0 } = interval.counters;
    if (interval.phase === 'drain') tally.drained = interval.fromNs <= tally.toNs;
    else {
      this.dueToNs = Math.max(this.dueToNs, interval.toNs);
      this.late.push(...this.missed(worker, interval.fromNs));
      tally.toNs = Math.max(tally.toNs, interval.toNs);
    }
    tally.due += due;
    const known = Math.max(tally.opened, tally.openedBefore);
    tally.opened += opened - reopened;
    const again = opened - reopened - (Math.max(tally.opened, tally.openedBefore) - known);
    return again === 0 ? interval : { ...interval, counters: { ...interval.counters, reopened: reopened + again } };
  }

  /**
   * Counts as unsent the requests that were due of a worker while it had no engine.
   * @param {number} worker @param {number} untilNs @returns {Part[]}
   */
  missed(worker, untilNs) {
    const tally = this.tallies[worker];
    if (this.arrivals === null || untilNs <= tally.toNs) return [];
    const due = this.arrivals.missed(worker, tally.toNs, untilNs, tally.due);
    tally.toNs = untilNs;
    tally.due += due;
    return due === 0 ? [] : [booking(worker, { second: 0, phase: PHASES[0], toNs: untilNs }, { due, unsent: due })];
  }

  /** The worker has delivered its last interval and will send no more. @param {number} worker */
  end(worker) {
    this.tallies[worker].state = 'ended';
  }

  /**
   * The worker died. Its work in flight at its last interval is counted in the sample after that interval's.
   * @param {number} worker
   * @returns {LostWork}
   */
  lose(worker) {
    const tally = this.tallies[worker];
    const gauges = tally.received?.gauges ?? {};
    const lost = {
      open: gauges.open ?? 0,
      abandoned: gauges.connecting ?? 0,
      unfinished: gauges.inFlight ?? 0,
      unsent: gauges.waiting ?? 0,
      rows: tally.inLog,
    };
    if (tally.received) {
      const { abandoned, unfinished, unsent } = lost;
      this.late.push(booking(worker, tally.received, { abandoned, unfinished, unsent, lostWithWorker: lost.open }));
    }
    Object.assign(tally, {
      state: 'absent',
      received: null,
      hasDied: true,
      inLog: 0,
      unlogged: [],
      ended: 0,
      perConnection: null,
      tenths: [],
      hadLast: false,
      opened: 0,
      openedBefore: Math.max(tally.opened, tally.openedBefore),
    });
    this.anyLost = true;
    return lost;
  }

  /**
   * @param {number} [overdue] seconds up to this second are handed out even if a worker has not reported them
   * @returns {Merged[]} the samples that are complete now, in order
   */
  take(overdue = -1) {
    const keys = [...this.pending.keys()].sort((a, b) => a - b);
    const ready = keys.filter(
      (key) =>
        key < keyOf({ second: overdue + 1, phase: PHASES[0] }) ||
        this.tallies.every(({ state, key: at }) => state !== 'live' || at >= key),
    );
    return ready.flatMap((key) => [...this.flushLate(PHASES[key % PHASES.length]), this.flush(key)]);
  }

  /** Hands out all that is left, complete or not; call once, when no worker lives. @returns {Merged[]} */
  finish() {
    for (const tally of this.tallies) tally.state = tally.state === 'live' ? 'ended' : tally.state;
    const samples = this.take();
    this.tallies.forEach(({ drained }, worker) => {
      if (!drained) this.late.push(...this.missed(worker, this.dueToNs));
    });
    samples.push(...this.flushLate(null));
    if (this.late.length > 0) {
      const second = this.previous ? this.previous.second + 1 : this.late[0].interval.second;
      const phase = this.previous ? this.previous.phase : this.late[0].interval.phase;
      samples.push(this.flush(keyOf({ second, phase })));
    }
    return samples;
  }

  /**
   * Hands out the late intervals of phases that are over: one sample for each of those phases, without a time span.
   * @param {Phase | null} current  the phase of the next sample, which takes its own late intervals itself
   * @returns {Merged[]} in the order of the phases
   */
  flushLate(current) {
    return PHASES.flatMap((phase) => {
      const lateParts = this.late.filter(({ after, interval }) => after === undefined && interval.phase === phase);
      if (lateParts.length === 0 || phase === current) return [];
      this.late = this.late.filter((part) => !lateParts.includes(part));
      const { second, toNs } = lateParts.map(({ interval }) => interval).reduce((a, b) => (b.toNs > a.toNs ? b : a));
      const merged = mergeIntervals(lateParts, { second, phase, fromNs: toNs, toNs }, this);
      this.takeGauges(lateParts);
      this.fillGauges(merged);
      return [merged];
    });
  }

  /** @param {Part[]} parts the gauges of each worker's latest interval become its own */
  takeGauges(parts) {
    const intervals = parts
      .filter(({ after }) => after === undefined)
      .sort((a, b) => keyOf(a.interval) - keyOf(b.interval));
    for (const { worker, interval } of intervals) this.tallies[worker].gauges = interval.gauges;
  }

  /** @param {Merged} merged gets the sums over all workers */
  fillGauges(merged) {
    for (const name of gaugeNames) {
      merged.gauges[name] = this.tallies.reduce((sum, { gauges }) => sum + (gauges[name] ?? 0), 0);
    }
    const withoutWorker = this.tallies.reduce((sum, { gauges }) => sum + (gauges.withoutWorker ?? 0), 0);
    if (withoutWorker > 0) merged.gauges.withoutWorker = withoutWorker;
    for (const [worker, { gauges }] of this.tallies.entries()) {
      for (const part of partsOf(merged, this.divisions, worker)) addTo(part.gauges, gauges);
    }
  }

  /** @param {number} key @returns {Merged} */
  flush(key) {
    const row = this.pending.get(key) ?? new Map();
    this.pending.delete(key);
    this.flushed = key;
    const reported = [...row.values()];
    const phase = PHASES[key % PHASES.length];
    const end = this.previous?.toNs ?? 0;
    const toNs = reported.length > 0 ? Math.max(...reported.map(({ interval }) => interval.toNs)) : end;
    const isDue = (/** @type {Part} */ { after, interval }) =>
      after === undefined ? interval.phase === phase : after < key;
    const parts = [...reported, ...this.late.filter(isDue)];
    this.late = this.late.filter((part) => !isDue(part));
    this.takeGauges(parts);
    this.tallies.forEach((tally, worker) => {
      const isReplaced = tally.hasDied && tally.received === null; // by a worker that has not reported yet
      const isGone = !row.has(worker) && (tally.state !== 'live' || isReplaced);
      if (isGone && tally.state === 'ended') tally.gauges = pick(tally.gauges, lasting);
      else if (isGone) {
        const { requested } = tally.gauges;
        tally.gauges = { requested, withoutWorker: requested };
      }
      if (tally.state === 'absent' && !tally.drained) {
        parts.push(...this.missed(worker, phase === 'drain' ? this.dueToNs : toNs));
      }
    });
    const merged = mergeIntervals(
      parts,
      {
        second: Math.floor(key / PHASES.length),
        phase,
        toNs,
        fromNs: reported.length > 0 ? Math.min(...reported.map(({ interval }) => interval.fromNs)) : end,
      },
      this,
    );
    this.fillGauges(merged);
    // a worker whose interval is missing may have had replies
    if (reported.length === this.tallies.length) merged.quiet = commonQuiet(reported.map(({ interval }) => interval));
    merged.last = this.pending.size === 0 && this.tallies.every(({ hadLast }) => hadLast);
    if (merged.last && !this.anyLost && this.tallies.every(({ perConnection }) => perConnection)) {
      merged.perConnection = new Histogram();
      for (const { perConnection, tenths } of this.tallies) {
        merged.perConnection.add(perConnection);
        tenths.forEach((n, i) => (merged.tenths[i] = (merged.tenths[i] ?? 0) + n));
      }
    }
    this.previous = merged;
    return merged;
  }
}

/**
 * Counts that no engine has reported, at one instant.
 * @param {number} worker
 * @param {{ second: number, phase: Phase, toNs: number }} at
 * @param {Record<string, number>} counters
 * @returns {Part}
 */
function booking(worker, { second, phase, toNs }, counters) {
  const nothing = new Float64Array(0);
  return {
    worker,
    usage: null,
    after: keyOf({ second, phase }),
    interval: {
      second,
      phase,
      fromNs: toNs,
      toNs,
      last: false,
      gauges: {},
      histograms: {},
      counters,
      random: nothing,
      slowest: nothing,
    },
  };
}

/**
 * @param {Part[]} parts
 * @param {{ second: number, phase: Phase, fromNs: number, toNs: number }} when
 * @param {{ divisions: (Division & { kind: Kind })[] }} over
 * @returns {Merged}
 */
function mergeIntervals(parts, when, { divisions }) {
  /** @type {Merged} */
  const merged = {
    ...when,
    counters: {},
    gauges: {},
    histograms: Object.fromEntries(histogramNames.map((name) => [name, new Histogram()])),
    random: [],
    slowest: [],
    usages: [],
    mergedIntervals: 0,
    quiet: null,
    quotes: firstQuotes(parts.flatMap(({ interval }) => interval.quotes ?? [])),
    last: false,
    perConnection: null,
    tenths: [],
    requests: [],
    parts: emptyPartsOf(divisions),
  };
  const random = new BestRows(randomKept, (key) => key);
  const slowest = new BestRows(slowestKept, (_key, _startNs, responseNs) => -responseNs);
  for (const { worker, interval, usage } of parts) {
    addTo(merged.counters, interval.counters);
    const reported = usage && { ...usage, share: worker };
    for (const part of partsOf(merged, divisions, worker)) {
      addTo(part.counters, interval.counters);
      part.responseTime.add(interval.histograms.responseTime);
      if (reported) part.usages.push(reported);
    }
    for (const [name, histogram] of Object.entries(merged.histograms)) histogram.add(interval.histograms[name]);
    addRequests(merged.requests, interval.requests);
    random.add(interval.random);
    slowest.add(interval.slowest);
    if (reported) merged.usages.push(reported);
    if (interval.merged) merged.mergedIntervals += 1;
  }
  return Object.assign(merged, { random: random.finish(), slowest: slowest.finish() });
}

/**
 * @param {Merged} merged @param {(Division & { kind: Kind })[]} divisions @param {number} worker
 * @returns {MergedPart[]} that it belongs to
 */
const partsOf = ({ parts }, divisions, worker) =>
  divisions.flatMap(({ kind, partOf }) => parts[kind]?.[partOf(worker)] ?? []);

/** @param {Record<string, number>} sums @param {Record<string, number>} counts */
function addTo(sums, counts) {
  for (const name of Object.keys(counts)) sums[name] = (sums[name] ?? 0) + counts[name];
}

/** Keeps the rows with the lowest ranks; of equal rows, the first. */
class BestRows {
  /** @param {number} kept @param {(key: number, startNs: number, responseNs: number) => number} rank of a row */
  constructor(kept, rank) {
    this.kept = kept;
    this.rank = rank;
    /** @type {{ rank: number, row: number[] }[]} */
    this.rows = [];
    /** The highest rank that is kept. */
    this.highestRank = Infinity;
  }

  /** @param {Float64Array} flat */
  add(flat) {
    for (let i = 0; i + ROW_WIDTH <= flat.length; i += ROW_WIDTH) {
      const rank = this.rank(flat[i], flat[i + 1], flat[i + 2]);
      if (rank < this.highestRank) this.rows.push({ rank, row: Array.from(flat.subarray(i, i + ROW_WIDTH)) });
    }
    if (this.rows.length > 2 * this.kept) this.cut();
  }

  cut() {
    this.rows = this.rows.sort((a, b) => a.rank - b.rank).slice(0, this.kept);
    if (this.rows.length === this.kept) this.highestRank = this.rows[this.kept - 1].rank;
  }

  /** @returns {number[][]} by their ranks */
  finish() {
    this.cut();
    return this.rows.map(({ row }) => row);
  }
}
