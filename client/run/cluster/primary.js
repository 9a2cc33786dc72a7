// The cluster's primary for one leg: starts the workers together, merges their reports, replaces workers that die.
// When a worker dies, what it had in flight is counted as lost, and the leg continues.
import { EventEmitter } from 'node:events';
import { legsAtOnce } from '../../measure/slices.js';
import { reasonOf, warning } from '../../words/warnings.js';
import { assignWorker, endsByItself } from './assignment.js';
import { DeadTarget } from './dead-target.js';
import { EngineReports } from './engine-reports.js';
import { LocalWorkers } from './forked-worker.js';
import { LegClock } from './leg-clock.js';
import { LegOutcome } from './leg-outcome.js';
import { WarmUp } from './warm-up.js';
import { WorkerGroup } from './worker-group.js';
import { consequenceOf, lossWarning } from './worker-loss.js';

/**
 * @import { EndedBy, Slices, Warning } from '../../../config/types.js'
 * @import { Merged } from '../../measure/sample-merge.js'
 * @import { Instance, Leg, Settings } from './assignment.js'
 * @import { LegGroup } from './leg-group.js'
 * @import { Outcome } from './leg-outcome.js'
 * @import { FromWorker, Interval } from './messages.js'
 * @import { WorkerHandle, WorkerSource } from './worker-handle.js'
 */

/**
 * After this time a second is written without the workers that have not reported it; their reports go into a later
 * second.
 */
const OVERDUE_SECONDS = 5;

/** A target is not lost before this, however short the timeouts are. */
const MIN_TARGET_NS = 5e9;
/** Connections closed in a second at the end of a leg, at least: with client and server on a few busy cores. */
const CLOSES_PER_SECOND = 5000;

/**
 * How long a worker may take to be ready, to end after the leg's end, and to be replaced for the first time.
 * @typedef {{ readyMs: number, graceMs: number, restartMs: number }} Patience
 * @type {Readonly<Patience>}
 */
const DEFAULT_PATIENCE = Object.freeze({ readyMs: 20_000, graceMs: 5000, restartMs: 100 });

/**
 * @param {Patience} patience
 * @param {number} connections to close at the leg's end, of all legs side by side
 * @returns {number} how long the workers may take to close them, ms
 */
const graceOf = ({ graceMs }, connections) => graceMs + Math.floor(connections / CLOSES_PER_SECOND) * 1000;

/** @param {Patience} patience @param {number} generation of the worker that has died @returns {number} ms */
const restartDelay = ({ restartMs }, generation) => restartMs * 2 ** generation;

/** @param {Settings} settings @returns {number} ns after which a target is lost */
const targetPatience = ({ backoff, connectTimeoutNs }) => Math.max(MIN_TARGET_NS, backoff.capNs + connectTimeoutNs);

/**
 * One leg's workers. Emits 'start' (startNs), 'merged' (Merged), 'slices' (Slices), 'warning' (Warning), 'worker'
 * (event fields), 'end' (Outcome).
 */
export class LegWorkers extends EventEmitter {
  /**
   * @param {{ settings: Settings, leg: Leg, t0Ns: bigint,
   *   instances: Instance[], folder: string, logging: boolean,
   *   source?: WorkerSource, patience?: Partial<Patience>,
   *   group?: LegGroup }} options
   *   instances: of the server; the workers take them in turn; folder: of the leg, for the transfer logs; group: this
   *   leg and those measured side by side with it
   */
  constructor({ settings, leg, instances, t0Ns, folder, logging, source, patience, group }) {
    super();
    this.settings = settings;
    /** As planned, except for the times of a steady state that begins earlier. */
    this.leg = { ...leg };
    this.source = source ?? new LocalWorkers(leg);
    this.warmUp = new WarmUp(leg, this.source.noticeNs);
    this.deadTarget = new DeadTarget(targetPatience(settings));
    this.instances = instances;
    this.patience = { ...DEFAULT_PATIENCE, ...patience };
    this.clock = new LegClock(t0Ns);
    this.outcome = new LegOutcome((problem) => void this.emit('warning', problem));
    this.reports = new EngineReports({
      ...{ settings, leg: this.leg, folder, logging },
      ...{ instances: instances.length, hosts: this.source.hosts },
    });
    this.workers = new WorkerGroup(this.source, leg, {
      forked: ({ index, generation }, pid) =>
        void this.emit('worker', { worker: index, event: 'forked', pid, generation }),
      message: this.receive.bind(this),
      lost: this.handleLoss.bind(this),
    });
    this.endNs = leg.endNs;
    this.group = group;
    group?.join(this);
    /** @type {Promise<Outcome>} */
    this.done = new Promise((resolve) => void this.once('end', resolve));
    this.stopping = false;
    this.finished = false;
  }

  /** Forks the workers; they start together once all are ready. @returns {Promise<Outcome>} */
  run() {
    // the workers of all legs side by side are forked at once
    const readyMs = this.patience.readyMs * legsAtOnce(this.leg);
    this.clock.setDeadline(readyMs, () => {
      const { payloadBytes } = this.settings;
      this.fail('workers', warning('workers-not-ready', { workers: this.workers.notReady, readyMs, payloadBytes }));
    });
    this.workers.fork();
    return this.done;
  }

  /** @param {WorkerHandle} worker @param {FromWorker} message */
  receive(worker, message) {
    if (this.finished) return;
    if (message.type === 'hello') this.assignShares(worker);
    else if (message.type === 'ready') this.handleReady(worker);
    else if (message.type === 'interval') this.takeInterval(worker, message);
    else if (message.type === 'done') {
      this.reports.end(worker, message);
      if (worker.running.length === 0) this.end(worker, 'ended');
      else this.flush();
    } else this.fail('error', warning('worker-failed', { worker: worker.index, reason: message.message }));
  }

  /** Sends a worker its shares of the leg. @param {WorkerHandle} worker */
  assignShares(worker) {
    if (this.isOver) return this.cancelReplacement(worker);
    const { settings, leg, instances, reports } = this;
    const logs = reports.logs.open(worker.running, worker.generation);
    const configs = assignWorker(worker, { settings, leg, instances, t0Ns: this.clock.t0Ns, logs });
    worker.send({ type: 'leg', configs });
  }

  /** @param {WorkerHandle} worker */
  handleReady(worker) {
    if (this.isOver) return this.cancelReplacement(worker);
    worker.transition('ready');
    if (this.clock.startNs === null) return this.startIfReady();
    this.reports.begin(worker);
    worker.start(this.clock.startNs);
    if (this.warmUp.steady) worker.send({ type: 'steady', ...this.warmUp.steady });
  }

  /** Starts the leg when no other worker can become ready. */
  startIfReady() {
    if (this.group) this.group.startIfReady();
    else if (this.workers.canStart) this.begin(this.clock.start(this.source.startLeadNs));
  }

  /** @param {bigint} startNs */
  begin(startNs) {
    this.clock.startNs = startNs;
    this.workers.start(startNs);
    this.emit('start', startNs);
    this.clock.tick(() => this.flush(Math.floor(this.clock.sinceStart() / 1e9) - OVERDUE_SECONDS));
    this.expectEnd();
  }

  /** @param {WorkerHandle} worker @param {Extract<FromWorker, { type: 'interval' }>} message */
  takeInterval(worker, message) {
    this.reports.add(worker, message);
    this.followWarmUp(message.interval);
    this.outcome.warnOfTlsFailure(message.interval.tlsFailure);
    this.flush();
  }

  /** Moves the steady state forward when a warm-up by count is over. @param {Interval} interval */
  followWarmUp(interval) {
    const steady = this.stopping ? null : this.warmUp.observe(interval, this.clock.sinceStart());
    if (steady === null) return;
    Object.assign(this.leg, { steadyFromNs: steady.fromNs, steadyToNs: steady.toNs });
    this.endNs = steady.toNs + this.leg.drainTimeoutNs;
    this.workers.send({ type: 'steady', ...steady });
    this.expectEnd();
  }

  /** Changes the slices of a leg that has begun. @param {Slices} slices */
  changeSlices(slices) {
    this.leg.slices = slices;
    this.workers.send({ type: 'slices', slices });
    this.emit('slices', slices);
  }

  /** Emits the samples that are complete. @param {number} [overdue] last second that is emitted even if incomplete */
  flush(overdue) {
    for (const merged of this.reports.merge.take(overdue)) this.emitMerged(merged);
  }

  /** A listener that throws fails the leg; uncaught, its error would end the process. @param {Merged} merged */
  emitMerged(merged) {
    const problem = this.warmUp.shortWarning(merged.phase, this.leg.rampToNs);
    if (problem !== null) this.outcome.warn(problem);
    try {
      this.emit('merged', merged);
    } catch (error) {
      this.outcome.fail('error', warning('leg-failed', reasonOf(error)));
      if (!this.finished) this.kill();
      return;
    }
    if (this.waitsForCount && this.deadTarget.isDeadAfter(merged)) {
      this.drain('target-lost', warning('target-lost', { forNs: this.deadTarget.patienceNs }));
    }
  }

  /**
   * Counts what a dead worker had in flight as lost, and replaces the worker.
   * @param {WorkerHandle} worker @param {string} how @param {boolean} started  false: the worker could not be started
   */
  handleLoss(worker, how, started) {
    if (this.finished || worker.hasLeft) return;
    const reportedNs = this.reports.reportedNs(worker);
    const loss = { worker, how, started, reportedNs, lost: this.reports.countLost(worker), stderr: worker.stderrTail };
    const { lost, stderr } = loss;
    worker.transition('waiting');
    this.emit('worker', { worker: worker.index, event: 'lost', how, ...lost, stderr: stderr || undefined });
    // a worker that was killed before it began has lost nothing
    if (!this.stopping || reportedNs !== null) this.outcome.warn(lossWarning(loss, this.settings, this.leg));
    const wrapper = this.leg.wrap?.client;
    if (wrapper !== undefined && worker.pid === null && this.clock.startNs === null) {
      this.fail('workers', warning('client-wrap-failed', { wrapper, how, stderr }));
    }
    this.flush();
    const { isReplaced, failure, isFatal } = consequenceOf(loss, {
      hasStarted: this.clock.startNs !== null,
      isEnding: this.stopping || this.isOver,
      steadyToNs: this.leg.steadyToNs,
      isTolerated: this.source.tolerates(worker),
    });
    if (isReplaced) return this.replace(worker);
    if (failure !== undefined && isFatal) this.fail('workers', failure);
    else if (failure !== undefined) this.outcome.markIncomplete(failure);
    this.end(worker, 'lost');
    if (this.clock.startNs === null && !this.stopping) this.startIfReady();
  }

  /** @param {WorkerHandle} worker */
  replace(worker) {
    worker.replaceAfter(restartDelay(this.patience, worker.generation), () => {
      if (this.isOver) return this.cancelReplacement(worker);
      worker.generation += 1;
      worker.fork();
    });
  }

  /** Gives up a worker whose replacement would begin in the drain. @param {WorkerHandle} worker */
  cancelReplacement(worker) {
    if (!this.stopping) this.outcome.markIncomplete(warning('worker-replaced-late', { worker: worker.index }));
    this.reports.closeLogs(worker);
    this.end(worker, 'lost');
  }

  /**
   * A worker leaves the leg; the leg ends with the last worker.
   * @param {WorkerHandle} worker
   * @param {'ended' | 'lost'} state
   */
  end(worker, state) {
    worker.transition(state);
    if (this.workers.present.length === 0) this.finish();
    else this.flush();
  }

  /** Sets the deadline for the leg's end; workers that miss it are killed. */
  expectEnd() {
    const { connections = this.settings.connections } = this.leg;
    const graceMs = graceOf(this.patience, connections * legsAtOnce(this.leg));
    this.clock.setDeadline((this.endNs - this.clock.sinceStart()) / 1e6 + graceMs, () => {
      for (const worker of this.workers.present) {
        this.outcome.warn(warning('worker-silent', { worker: worker.index, graceMs }));
        this.killWorker(worker);
      }
    });
  }

  /**
   * Ends the leg early and in order: no new transfers, then the drain.
   * @param {EndedBy} [endedBy]
   * @param {Warning} [failure]
   */
  drain(endedBy = 'interrupted', failure = undefined) {
    if (this.finished || this.stopping) return;
    this.outcome.decide(endedBy, failure);
    this.stopping = true;
    if (this.clock.sinceStart() < 0) return this.kill();
    const atNs = Math.min(this.clock.sinceStart() + this.source.noticeNs, this.leg.steadyToNs);
    this.endNs = Math.min(this.endNs, atNs + this.leg.drainTimeoutNs);
    for (const worker of this.workers.all) {
      if (worker.restart) this.end(worker, 'lost');
      else if (worker.state === 'starting') this.cancelReplacement(worker);
      else worker.send({ type: 'drain', atNs });
    }
    if (!this.finished) this.expectEnd();
  }

  /** Kills the workers, because the leg cannot continue. @param {EndedBy} endedBy @param {Warning} failure */
  fail(endedBy, failure) {
    if (this.finished) return;
    this.outcome.fail(endedBy, failure);
    this.kill();
  }

  /** Kills the workers immediately; merged samples are kept. */
  kill() {
    this.outcome.endedBy ??= 'interrupted';
    this.stopping = true;
    this.workers.all.forEach((worker) => this.killWorker(worker));
  }

  /** A worker that waits for its replacement is lost at once. @param {WorkerHandle} worker */
  killWorker(worker) {
    if (worker.restart) this.end(worker, 'lost');
    else worker.kill();
  }

  /** Kills the workers and at once counts what they had in flight as lost, because the process exits. */
  endNow() {
    this.kill();
    this.outcome.endedBy = 'interrupted';
    for (const worker of this.workers.all) {
      if (this.finished || worker.hasLeft) continue;
      this.reports.countLost(worker);
      this.end(worker, 'lost');
    }
  }

  finish() {
    if (this.finished) return;
    this.finished = true;
    this.clock.stop();
    const { merge, logs } = this.reports;
    for (const merged of merge.finish()) this.emitMerged(merged);
    for (const incomplete of logs.incomplete.values()) this.outcome.warn(warning('log-incomplete', incomplete));
    const isEarly = endsByItself(this.settings) && (merge.previous?.toNs ?? 0) < this.leg.steadyToNs;
    const startNs = this.clock.startedNs;
    this.group?.leave(this);
    this.emit('end', this.outcome.settle({ isEarly, startNs, files: logs.files }));
  }

  /** Whether the drain has begun; no more connection is opened then. */
  get isOver() {
    return this.clock.startNs !== null && (this.stopping || this.clock.sinceStart() >= this.leg.steadyToNs);
  }

  /** Whether the warm-up or the leg now lasts until a number of transfers has been answered. */
  get waitsForCount() {
    const isWarmingUp = !this.warmUp.reached && this.clock.sinceStart() < this.leg.steadyFromNs;
    return isWarmingUp || Boolean(this.settings.transfers) || this.settings.lifetime?.reopen === false;
  }

  /** @returns {number[]} the workers whose report the next sample waits for */
  behind() {
    return this.workers.all.filter((worker) => this.reports.isBehind(worker)).map(({ index }) => index);
  }
}
