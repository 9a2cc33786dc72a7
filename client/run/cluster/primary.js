// The cluster's primary for one leg: starts the workers together, merges their reports, replaces those that die.
// A worker's death costs what it had in flight, never the leg; the primary counts it as lost.
import { EventEmitter } from 'node:events';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { assign, endsByItself, sharesOf } from './assignment.js';
import { DeadTarget } from './dead-target.js';
import { ExpectedArrivals } from './expected-arrivals.js';
import { LocalWorkers } from './forked-worker.js';
import { reserveFor } from './leg-log.js';
import { instanceOf } from '../../results/instances.js';
import { SampleMerge } from '../../results/sample-merge.js';
import { reasonOf, warning } from '../../results/warnings.js';
import { arrowName, splitsName } from '../../store/transfer-log/index.js';
import { WarmUp } from './warm-up.js';

const SECOND_NS = 1_000_000_000n;
/** A target is not lost before this, however short the timeouts are. */
const MIN_PATIENCE_NS = 5e9;
const MAX_RESTARTS = 5;
/** After this time a second is written without the workers that have not reported it; their share goes into a later one. */
const OVERDUE_SECONDS = 5;

/**
 * How long a worker may take to be ready, to end after the leg's end, and to be replaced for the first time.
 * @type {Readonly<{ readyMs: number, graceMs: number, restartMs: number }>}
 */
const DEFAULT_PATIENCE = Object.freeze({ readyMs: 20_000, graceMs: 5000, restartMs: 100 });
/** Connections closed in a second at the end of a leg, at least: both ends on a few cores that others use, too. */
const CLOSES_PER_SECOND = 5000;

/**
 * Where the workers of a leg are.
 * @typedef {object} WorkerSource
 * @property {(index: number, events: Events, shares: number[]) => WorkerHandle} make  one worker, not yet started; shares: of
 *   its engines
 * @property {bigint} startLeadNs  workers learn of the start this long before it
 * @property {number} noticeNs     and of a drain, or of a steady state that begins earlier, this long before it
 * @property {number} agents       hosts that have them, worker w host w mod agents; 0: they are on this one
 * @property {(worker: WorkerHandle) => boolean} tolerates  whether the leg is complete without a worker that cannot be replaced
 *
 * @typedef {import('./assignment.js').Settings} Settings
 * @typedef {import('./assignment.js').Leg} Leg
 * @typedef {{ endpoints: import('./assignment.js').Endpoint[], tls: import('../../engine/index.js').EngineTls | null }} Instance
 * @typedef {import('./messages.js').FromWorker} FromWorker
 * @typedef {import('./worker-handle.js').WorkerHandle} WorkerHandle
 * @typedef {import('./worker-handle.js').Events} Events
 * @typedef {import('./worker-handle.js').EngineState} EngineState
 * @typedef {import('../../results/sample-merge.js').LostWork} LostWork
 * @typedef {import('../../results/sample-merge.js').Merged} Merged
 * @typedef {import('../../results/summary.js').EndedBy} EndedBy
 * @typedef {import('../../results/warnings.js').Warning} Warning
 * @typedef {{ endedBy: EndedBy, failure?: Warning, startNs: number | null,
 *   files: import('../../store/transfer-log/index.js').ArrowFile[],
 *   warnings: Warning[] }} Outcome  startNs: relative to t0
 */

/** @param {LostWork[]} parts at least one @returns {LostWork} */
const addLost = (parts) =>
  parts.reduce((a, b) => ({
    open: a.open + b.open,
    abandoned: a.abandoned + b.abandoned,
    unfinished: a.unfinished + b.unfinished,
    unsent: a.unsent + b.unsent,
    rows: a.rows + b.rows,
  }));

/** One leg's workers. Emits 'start' (startNs), 'merged' (Merged), 'warning' (Warning), 'worker' (event fields). */
export class LegWorkers extends EventEmitter {
  /**
   * @param {{ settings: Settings, leg: Leg, instances: Instance[], t0Ns: bigint,
   *   folder: string, logging: boolean, workerFile?: string, source?: WorkerSource,
   *   patience?: Partial<typeof DEFAULT_PATIENCE> }} options
   *   instances: of the server, which the workers take in turn; folder: the leg's, for the transfer logs
   */
  constructor({ settings, leg, instances, t0Ns, folder, logging, workerFile, source, patience }) {
    super();
    this.settings = settings;
    /** As planned, except for the times of a steady state that begins earlier. */
    this.leg = { ...leg };
    this.source = source ?? new LocalWorkers(leg, workerFile);
    this.warmUp = new WarmUp(leg, this.source.noticeNs);
    this.deadTarget = new DeadTarget(Math.max(MIN_PATIENCE_NS, settings.backoff.capNs + settings.connectTimeoutNs));
    this.instances = instances;
    /** Failures of TLS that have been reported, as JSON. @type {Set<string>} */
    this.tlsFailures = new Set();
    this.t0Ns = t0Ns;
    this.folder = folder;
    this.logging = logging;
    this.patience = { ...DEFAULT_PATIENCE, ...patience };
    const shares = sharesOf(leg);
    const hosts = { workers: leg.workers, agents: this.source.agents };
    this.merge = new SampleMerge(shares, new ExpectedArrivals(this.leg, settings), instances.length, hosts);
    /** @type {Events} */
    const events = {
      forked: (worker, pid) =>
        void this.emit('worker', { worker: worker.index, event: 'forked', pid, generation: worker.generation }),
      message: this.receive.bind(this),
      lost: this.handleLoss.bind(this),
    };
    this.workers = Array.from({ length: leg.workers }, (_, index) => {
      const own = Array.from({ length: shares / leg.workers }, (__, engine) => index + engine * leg.workers);
      return this.source.make(index, events, own);
    });
    /** @type {Outcome['files']} */
    this.files = [];
    /** @type {Warning[]} */
    this.warnings = [];
    /** @type {bigint | null} */
    this.startNs = null;
    /** @type {EndedBy | null} */
    this.endedBy = null;
    /** @type {Warning | undefined} */
    this.failure = undefined;
    this.endNs = leg.endNs;
    /** @type {NodeJS.Timeout | null} */
    this.watchdog = null;
    /** @type {NodeJS.Timeout | null} */
    this.ticker = null;
    /** @type {(outcome: Outcome) => void} */
    this.resolve = () => {};
    /** @type {Promise<Outcome>} */
    this.done = new Promise((resolve) => {
      this.resolve = resolve;
    });
    this.stopping = false;
    this.finished = false;
  }

  /** Forks the workers; they start together once all are ready. @returns {Promise<Outcome>} */
  run() {
    const { readyMs } = this.patience;
    this.setDeadline(readyMs, () =>
      this.fail(
        'workers',
        warning('workers-not-ready', {
          workers: this.workers.filter(({ state }) => state !== 'ready').map(({ index }) => index),
          readyMs,
          payloadBytes: this.settings.payloadBytes,
        }),
      ),
    );
    for (const worker of this.workers) worker.fork();
    return this.done;
  }

  /** @param {WorkerHandle} worker @param {FromWorker} message */
  receive(worker, message) {
    if (this.finished) return;
    if (message.type === 'hello') this.assignShares(worker);
    else if (message.type === 'ready') this.handleReady(worker);
    else if (message.type === 'interval') {
      this.merge.add(worker.engines[message.engine].share, message.interval, message.usage);
      this.followWarmUp(message.interval);
      this.warnOfTlsFailure(message.interval.tlsFailure);
      this.flush();
    } else if (message.type === 'done') {
      const engine = worker.engines[message.engine];
      this.closeLog(engine, this.merge.tallies[engine.share].inLog, true);
      if (message.log?.error) this.warn(warning('log-stopped', { worker: worker.index, reason: message.log.error }));
      this.merge.end(engine.share);
      engine.hasEnded = true;
      if (worker.running.length === 0) this.retire(worker, 'ended');
      else this.flush();
    } else this.fail('error', warning('worker-failed', { worker: worker.index, reason: message.message }));
  }

  /** Sends a worker that listens its shares of the leg. @param {WorkerHandle} worker */
  assignShares(worker) {
    if (this.isOver) return this.dropReplacement(worker);
    const { settings, leg, instances, t0Ns, folder } = this;
    const { generation, running } = worker;
    const { endpoints, tls } = instances[instanceOf(worker.index, instances.length)];
    const reserveBytes = this.logging ? reserveFor(folder, sharesOf(leg)) : 0;
    const isSplit = (settings.timestamps ?? 'off') !== 'off';
    const configs = running.map((engine) => {
      const { share } = engine;
      if (this.logging) {
        engine.log = path.join(folder, arrowName(share, generation));
        engine.splits = isSplit ? path.join(folder, splitsName(share, generation)) : null;
      }
      const log = engine.log === null ? null : { path: engine.log, splitsPath: engine.splits, reserveBytes };
      return assign({ settings, leg, endpoints, tls, t0Ns, log, share, generation });
    });
    worker.send({ type: 'leg', configs });
  }

  /** @param {WorkerHandle} worker */
  handleReady(worker) {
    if (this.isOver) return this.dropReplacement(worker);
    worker.state = 'ready';
    if (this.startNs !== null) {
      for (const { share } of worker.running) this.merge.begin(share);
      this.startWorker(worker, this.startNs);
      if (this.warmUp.steady) worker.send({ type: 'steady', ...this.warmUp.steady });
    } else this.startIfReady();
  }

  /** Starts the workers when no other can become ready. */
  startIfReady() {
    const waiting = this.workers.filter(({ hasLeft }) => !hasLeft);
    if (waiting.length > 0 && waiting.every(({ state }) => state === 'ready')) this.startAll();
  }

  /** Whether the drain has begun, in which no connection is opened. */
  get isOver() {
    return this.startNs !== null && (this.stopping || this.sinceStart() >= this.leg.steadyToNs);
  }

  /** A replacement that would begin in the drain is dropped. @param {WorkerHandle} worker */
  dropReplacement(worker) {
    if (!this.stopping) this.markIncomplete(warning('worker-replaced-late', { worker: worker.index }));
    for (const engine of worker.engines) this.closeLog(engine, 0, false);
    this.retire(worker, 'given up');
  }

  /** @param {WorkerHandle} worker @param {bigint} startNs */
  startWorker(worker, startNs) {
    worker.state = 'running';
    worker.send({ type: 'start', startNs });
  }

  /** Starts the leg at a whole second of the run's clock, far enough ahead for every worker to learn of it. */
  startAll() {
    const now = process.hrtime.bigint() - this.t0Ns;
    const startNs = this.t0Ns + ((now + this.source.startLeadNs + SECOND_NS - 1n) / SECOND_NS) * SECOND_NS;
    this.startNs = startNs;
    for (const worker of this.workers) if (!worker.hasLeft) this.startWorker(worker, startNs);
    this.emit('start', startNs);
    this.ticker = setInterval(() => this.flush(Math.floor(this.sinceStart() / 1e9) - OVERDUE_SECONDS), 1000);
    this.expectEnd();
  }

  /** Moves the steady state forward when a warm-up by count is over. @param {import('./messages.js').Interval} interval */
  followWarmUp(interval) {
    const steady = this.stopping ? null : this.warmUp.observe(interval, this.sinceStart());
    if (steady === null) return;
    Object.assign(this.leg, { steadyFromNs: steady.fromNs, steadyToNs: steady.toNs });
    this.endNs = steady.toNs + this.leg.drainTimeoutNs;
    for (const worker of this.workers) worker.send({ type: 'steady', ...steady });
    this.expectEnd();
  }

  expectEnd() {
    const { connections = this.settings.connections } = this.leg;
    const graceMs = this.patience.graceMs + Math.floor(connections / CLOSES_PER_SECOND) * 1000;
    this.setDeadline((this.endNs - this.sinceStart()) / 1e6 + graceMs, () => {
      const silent = this.workers.filter(({ hasLeft }) => !hasLeft);
      for (const worker of silent) {
        this.warn(warning('worker-silent', { worker: worker.index, graceMs }));
        if (worker.restart) this.retire(worker, 'given up');
        else worker.kill();
      }
    });
  }

  /** Replaces the deadline before. @param {number} ms @param {() => void} onMissed */
  setDeadline(ms, onMissed) {
    if (this.watchdog) clearTimeout(this.watchdog);
    this.watchdog = setTimeout(onMissed, Math.max(0, ms));
  }

  /** @returns {number} ns since the leg's start; negative before it */
  sinceStart() {
    return this.startNs === null ? -Infinity : Number(process.hrtime.bigint() - this.startNs);
  }

  /**
   * Counts as lost what a dead worker had in flight, and replaces it.
   * @param {WorkerHandle} worker
   * @param {string} how
   * @param {boolean} started  false: it could not be started
   */
  handleLoss(worker, how, started) {
    if (this.finished || worker.hasLeft) return;
    const reportedNs = this.reportedBy(worker);
    const lost = this.loseEngines(worker);
    const stderr = worker.stderrTail;
    worker.forget();
    this.emit('worker', { worker: worker.index, event: 'lost', how, ...lost, stderr: stderr || undefined });
    // one that was killed because the leg ends before it began has lost nothing
    if (!this.stopping || reportedNs !== null) {
      this.warn(
        warning('worker-lost', {
          worker: worker.index,
          how,
          started,
          reported: reportedNs !== null,
          open: lost.open,
          unfinished: lost.unfinished,
          abandoned: lost.abandoned,
          repeats: endsByItself(this.settings),
          openLoop: Boolean(this.leg.rates),
          stderr,
        }),
      );
    }
    const wrapper = this.leg.wrap?.client;
    if (wrapper !== undefined && worker.pid === null && this.startNs === null) {
      this.fail('workers', warning('client-wrap-failed', { wrapper, how, stderr }));
    }
    this.flush();
    if (!worker.isReplaceable) return this.giveUp(worker, how);
    if (this.stopping || this.isOver) {
      if ((reportedNs ?? 0) < this.leg.steadyToNs) {
        this.markIncomplete(warning('worker-lost-early', { worker: worker.index, started }));
      }
      return this.retire(worker, 'given up');
    }
    if (worker.generation >= MAX_RESTARTS) {
      const failure = warning('worker-lost-repeatedly', {
        worker: worker.index,
        started,
        times: worker.generation + 1,
        how,
      });
      if (this.startNs === null) this.fail('workers', failure);
      else this.markIncomplete(failure);
      return this.retire(worker, 'given up');
    }
    worker.replaceAfter(this.patience.restartMs * 2 ** worker.generation, () => {
      if (this.isOver) return this.dropReplacement(worker);
      worker.generation += 1;
      worker.fork();
    });
  }

  /** @param {WorkerHandle} worker @returns {number | null} until when all its engines have reported; null: none has */
  reportedBy({ running }) {
    const ends = running.map(({ share }) => this.merge.tallies[share].received?.toNs ?? null);
    return ends.every((end) => end === null) ? null : Math.min(...ends.map((end) => end ?? 0));
  }

  /** Counts as lost what the engines of a dead worker had in flight, and closes their logs. @param {WorkerHandle} worker */
  loseEngines({ running }) {
    const lost = running.map((engine) => {
      const own = this.merge.lose(engine.share);
      this.closeLog(engine, own.rows, false);
      return own;
    });
    return addLost(lost);
  }

  /** A worker whose host is lost has no replacement. @param {WorkerHandle} worker @param {string} how */
  giveUp(worker, how) {
    if (!this.source.tolerates(worker)) {
      const failure = warning('agent-lost', { agent: worker.host, how, started: this.startNs !== null });
      if (this.startNs === null) this.fail('workers', failure);
      else this.markIncomplete(failure);
    }
    this.retire(worker, 'given up');
    if (this.startNs === null && !this.stopping) this.startIfReady();
  }

  /** The leg continues, but is not complete any more. @param {Warning} failure */
  markIncomplete(failure) {
    if (this.endedBy !== null) return;
    this.endedBy = 'workers';
    this.failure = failure;
  }

  /** Keeps an engine's transfer log, unless it had not been opened yet. @param {EngineState} engine @param {number} rows @param {boolean} whole */
  closeLog(engine, rows, whole) {
    const { log, splits } = engine;
    if (log !== null && (rows > 0 || existsSync(log))) {
      this.files.push({ path: log, ...(splits === null ? {} : { splits }), rows, whole });
    }
    engine.log = engine.splits = null;
  }

  /** @param {WorkerHandle} worker @param {'ended' | 'given up'} state */
  retire(worker, state) {
    worker.leave(state);
    if (this.workers.every(({ hasLeft }) => hasLeft)) this.finish();
    else this.flush();
  }

  /** Emits the samples that are complete. @param {number} [overdue] a second that is not waited for any longer */
  flush(overdue) {
    for (const merged of this.merge.take(overdue)) this.emitMerged(merged);
  }

  /** A listener that throws fails the leg; passed on, the error would end the process. @param {Merged} merged */
  emitMerged(merged) {
    const short = this.warmUp.fellShort(merged.phase, this.leg.rampToNs);
    if (short !== null) this.warn(short);
    try {
      this.emit('merged', merged);
    } catch (error) {
      this.endedBy ??= 'error';
      this.failure ??= warning('leg-failed', reasonOf(error));
      if (!this.finished) this.kill();
      return;
    }
    if (this.waitsForCount && this.deadTarget.isDeadAfter(merged)) {
      this.drain('target-lost', warning('target-lost', { forNs: this.deadTarget.patienceNs }));
    }
  }

  /** Whether the leg lasts until a number of transfers has been answered, in its warm-up or in all. */
  get waitsForCount() {
    const isWarmingUp = !this.warmUp.reached && this.sinceStart() < this.leg.steadyFromNs;
    return isWarmingUp || Boolean(this.settings.transfers) || this.settings.lifetime?.reopen === false;
  }

  finish() {
    if (this.finished) return;
    this.finished = true;
    if (this.watchdog) clearTimeout(this.watchdog);
    if (this.ticker) clearInterval(this.ticker);
    for (const merged of this.merge.finish()) this.emitMerged(merged);
    const early = endsByItself(this.settings) && (this.merge.previous?.toNs ?? 0) < this.leg.steadyToNs;
    this.resolve({
      endedBy: this.endedBy ?? (early ? 'done' : 'plan'),
      failure: this.failure,
      files: this.files,
      startNs: this.startNs === null ? null : Number(this.startNs - this.t0Ns),
      warnings: this.warnings,
    });
  }

  /**
   * Ends the leg early and in order: no new transfers, then the drain.
   * @param {EndedBy} [endedBy]
   * @param {Warning} [failure]
   */
  drain(endedBy = 'interrupted', failure = undefined) {
    if (this.finished || this.stopping) return;
    if (endedBy === 'interrupted' || this.endedBy === null) Object.assign(this, { endedBy, failure });
    this.stopping = true;
    if (this.sinceStart() < 0) return this.kill();
    const atNs = Math.min(this.sinceStart() + this.source.noticeNs, this.leg.steadyToNs);
    this.endNs = Math.min(this.endNs, atNs + this.leg.drainTimeoutNs);
    for (const worker of this.workers) {
      if (worker.restart) this.retire(worker, 'given up');
      else if (worker.state === 'starting') this.dropReplacement(worker);
      else worker.send({ type: 'drain', atNs });
    }
    if (!this.finished) this.expectEnd();
  }

  /** The leg has become impossible: kills the workers. @param {EndedBy} endedBy @param {Warning} failure */
  fail(endedBy, failure) {
    if (this.finished) return;
    this.endedBy ??= endedBy;
    this.failure ??= failure;
    this.kill();
  }

  /** Kills the workers immediately; what was merged is kept. */
  kill() {
    this.endedBy ??= 'interrupted';
    this.stopping = true;
    for (const worker of this.workers) {
      if (worker.restart) this.retire(worker, 'given up');
      else worker.kill();
    }
  }

  /**
   * For workers under wrappers, which may write what they measured when the worker has ended.
   * @param {number} ms to wait at most
   * @returns {Promise<{ worker: number, stderr: string }[]>} what they wrote
   */
  async wrappersEnd(ms) {
    if (this.leg.wrap?.client === undefined) return [];
    const deadline = new AbortController();
    const ended = Promise.all(this.workers.map((worker) => worker.ended));
    await Promise.race([ended, wait(ms, undefined, { signal: deadline.signal }).catch(() => {})]);
    deadline.abort();
    return this.workers.flatMap(({ index, stderr }) => (stderr.trim() === '' ? [] : [{ worker: index, stderr }]));
  }

  /** For a process that exits now: kills the workers and counts, before it returns, what they had in flight as lost. */
  endNow() {
    this.kill();
    this.endedBy = 'interrupted';
    for (const worker of this.workers) {
      if (this.finished || worker.hasLeft) continue;
      this.loseEngines(worker);
      this.retire(worker, 'given up');
    }
  }

  /** @returns {number[]} the workers whose report the next sample waits for */
  behind() {
    const isBehind = (/** @type {EngineState} */ { share }) => this.merge.tallies[share].key <= this.merge.flushed;
    return this.workers
      .filter(({ state, running }) => state === 'running' && running.some(isBehind))
      .map(({ index }) => index);
  }

  /**
   * Warns of each kind of failure once, although every worker reports its first.
   * @param {import('../../results/tls-failure.js').TlsFailure | undefined} failure
   */
  warnOfTlsFailure(failure) {
    const kind = JSON.stringify(failure);
    if (failure === undefined || this.tlsFailures.has(kind)) return;
    this.tlsFailures.add(kind);
    this.warn(warning('tls-failed', failure));
  }

  /** @param {Warning} one */
  warn(one) {
    this.warnings.push(one);
    this.emit('warning', one);
  }
}
