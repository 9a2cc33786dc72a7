// The cluster's primary for one leg: forks workers, starts them together, merges their reports, replaces the dead.
// The one thing to know: a worker's death costs what it had in flight, never the leg; the primary books it as such.
import cluster from 'node:cluster';
import { EventEmitter } from 'node:events';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { assign, endsByItself } from './assignment.js';
import { DeadTarget } from './dead-target.js';
import { ExpectedArrivals } from './expected-arrivals.js';
import { prepareForks } from './fork-options.js';
import { reserveFor } from './leg-log.js';
import { SampleMerge } from '../../results/sample.js';
import { reasonOf, warning } from '../../results/warnings.js';
import { arrowName } from '../../store/transfer-log/index.js';
import { WarmUp } from './warm-up.js';

const leadNs = 200_000_000n;
const second = 1_000_000_000n;
const drainLeadNs = 50e6;
const mostRestarts = 5;
/** A second that a worker has not reported after this time is written without it, its share goes into a later one. */
const overdueSeconds = 5;
const stderrKept = 4000;

/** How long a worker may take to be ready, to end after the leg's end, and to be replaced for the first time. */
/** @type {Readonly<{ readyMs: number, graceMs: number, restartMs: number }>} */
const defaultPatience = Object.freeze({ readyMs: 20_000, graceMs: 5000, restartMs: 100 });
const defaultWorkerFile = fileURLToPath(new URL('./worker.js', import.meta.url));

/**
 * @typedef {import('./assignment.js').Settings} Settings
 * @typedef {import('./assignment.js').Leg} Leg
 * @typedef {import('./messages.js').ToWorker} ToWorker
 * @typedef {import('./messages.js').FromWorker} FromWorker
 * @typedef {import('../../results/sample.js').Merged} Merged
 * @typedef {import('../../results/summary.js').EndedBy} EndedBy
 * @typedef {import('../../results/warnings.js').Warning} Warning
 * @typedef {{ endedBy: EndedBy, failure?: Warning, startNs: number | null,
 *   files: import('../../store/transfer-log/index.js').ArrowFile[],
 *   warnings: Warning[] }} Outcome  startNs: relative to t0
 * @typedef {{ index: number, generation: number, restarts: number, child: import('node:cluster').Worker | null,
 *   state: 'starting' | 'ready' | 'running' | 'waiting' | 'ended' | 'given up', stderr: string,
 *   log: string | null, restart: NodeJS.Timeout | null }} Member
 */

/** One leg's workers. Emits 'start' (startNs), 'merged' (Merged), 'warning' (Warning), 'worker' (event fields). */
export class LegWorkers extends EventEmitter {
  /**
   * @param {{ settings: Settings, leg: Leg, endpoints: import('./assignment.js').Endpoint[], t0Ns: bigint,
   *   tls?: import('../../engine/index.js').EngineTls | null,
   *   folder: string, logging: boolean, workerFile?: string, patience?: Partial<typeof defaultPatience> }} options
   *   folder: the leg's, for the transfer logs
   */
  constructor({
    settings,
    leg,
    endpoints,
    tls = null,
    t0Ns,
    folder,
    logging,
    workerFile = defaultWorkerFile,
    patience,
  }) {
    super();
    this.settings = settings;
    /** As planned, but for the times of a steady state that begins earlier. */
    this.leg = { ...leg };
    this.warmUp = new WarmUp(leg);
    this.deadTarget = new DeadTarget(Math.max(settings.backoff.capNs, settings.connectTimeoutNs));
    this.endpoints = endpoints;
    this.tls = tls;
    /** @type {Set<string>} told by some worker */
    this.notices = new Set();
    this.t0Ns = t0Ns;
    this.folder = folder;
    this.logging = logging;
    this.workerFile = workerFile;
    this.patience = { ...defaultPatience, ...patience };
    this.merge = new SampleMerge(leg.workers, new ExpectedArrivals(this.leg, settings));
    /** @type {Member[]} */
    this.members = Array.from({ length: leg.workers }, (_, index) => ({
      index,
      generation: 0,
      restarts: 0,
      child: null,
      state: 'starting',
      stderr: '',
      log: null,
      restart: null,
    }));
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
    prepareForks(this.workerFile);
    const { readyMs } = this.patience;
    this.watch(readyMs, () =>
      this.fail(
        'workers',
        warning('workers-not-ready', {
          workers: this.members.filter(({ state }) => state !== 'ready').map(({ index }) => index),
          readyMs,
          payloadBytes: this.settings.payloadBytes,
        }),
      ),
    );
    for (const member of this.members) this.fork(member);
    return this.done;
  }

  /** @param {Member} member */
  fork(member) {
    Object.assign(member, { child: null, state: 'starting', stderr: '', log: null, restart: null });
    /** @type {import('node:cluster').Worker} */
    let child;
    try {
      child = cluster.fork();
    } catch (error) {
      return this.lost(member, /** @type {Error} */ (error).message, false);
    }
    member.child = child;
    child.process.stderr?.on('data', (chunk) => {
      member.stderr = (member.stderr + chunk).slice(-stderrKept);
    });
    child.on('error', (error) => {
      // without a pid there is no process, and no 'exit' will come; of any other error the exit tells
      if (child.process.pid === undefined && member.child === child) {
        this.lost(member, error.message, false);
      }
    });
    child.on('message', (/** @type {FromWorker} */ message) => this.hear(member, message));
    child.on('exit', (code, signal) => {
      if (member.child === child) this.lost(member, signal ?? `exit code ${code}`);
    });
    const { pid } = child.process;
    if (pid !== undefined) {
      this.emit('worker', { worker: member.index, event: 'forked', pid, generation: member.generation });
    }
  }

  /** @param {Member} member @param {ToWorker} message */
  tell(member, message) {
    if (member.child?.isConnected()) member.child.send(message, undefined, () => {});
  }

  /** @param {Member} member @param {FromWorker} message */
  hear(member, message) {
    if (this.finished) return;
    if (message.type === 'hello') this.brief(member);
    else if (message.type === 'ready') this.ready(member);
    else if (message.type === 'interval') {
      this.merge.add(member.index, message.interval, message.usage);
      this.warm(message.interval);
      this.notice(message.interval.notice);
      this.flush();
    } else if (message.type === 'done') {
      this.closeLog(member, this.merge.parties[member.index].inLog, true);
      if (message.log?.error) this.warn(warning('log-stopped', { worker: member.index, reason: message.log.error }));
      this.merge.end(member.index);
      this.leave(member, 'ended');
    } else this.fail('error', warning('worker-failed', { worker: member.index, reason: message.message }));
  }

  /** The worker listens now: it gets its share of the leg. @param {Member} member */
  brief(member) {
    if (this.over) return this.tooLate(member);
    if (this.logging) member.log = path.join(this.folder, arrowName(member.index, member.generation));
    const log =
      member.log === null ? null : { path: member.log, reserveBytes: reserveFor(this.folder, this.leg.workers) };
    const { settings, leg, endpoints, tls, t0Ns } = this;
    this.tell(member, {
      type: 'leg',
      config: assign({ settings, leg, endpoints, tls, t0Ns, log, worker: member.index, generation: member.generation }),
    });
  }

  /** @param {Member} member */
  ready(member) {
    if (this.over) return this.tooLate(member);
    member.state = 'ready';
    if (this.startNs !== null) {
      this.merge.begin(member.index);
      this.begin(member, this.startNs);
      if (this.warmUp.steady) this.tell(member, { type: 'steady', ...this.warmUp.steady });
    } else if (this.members.every(({ state }) => state === 'ready')) this.start();
  }

  /** The drain has begun: nobody connects any more. */
  get over() {
    return this.startNs !== null && (this.stopping || this.sinceStart() >= this.leg.steadyToNs);
  }

  /** A replacement that would begin in the drain does not. @param {Member} member */
  tooLate(member) {
    if (!this.stopping) this.blame(warning('worker-replaced-late', { worker: member.index }));
    this.closeLog(member, 0, false);
    this.leave(member, 'given up');
  }

  /** @param {Member} member @param {bigint} startNs */
  begin(member, startNs) {
    member.state = 'running';
    this.tell(member, { type: 'start', startNs });
  }

  /** The leg starts at a whole second of the run's clock, far enough ahead for every worker to hear of it. */
  start() {
    const now = process.hrtime.bigint() - this.t0Ns;
    const startNs = this.t0Ns + ((now + leadNs + second - 1n) / second) * second;
    this.startNs = startNs;
    for (const member of this.members) this.begin(member, startNs);
    this.emit('start', startNs);
    this.ticker = setInterval(() => this.flush(Math.floor(this.sinceStart() / 1e9) - overdueSeconds), 1000);
    this.watchEnd();
  }

  /** The steady state begins as soon as a warm-up by count is over. @param {import('./messages.js').Interval} interval */
  warm(interval) {
    const steady = this.stopping ? null : this.warmUp.hear(interval, this.sinceStart());
    if (steady === null) return;
    Object.assign(this.leg, { steadyFromNs: steady.fromNs, steadyToNs: steady.toNs });
    this.endNs = steady.toNs + this.leg.drainTimeoutNs;
    for (const member of this.members) this.tell(member, { type: 'steady', ...steady });
    this.watchEnd();
  }

  watchEnd() {
    const { graceMs } = this.patience;
    this.watch((this.endNs - this.sinceStart()) / 1e6 + graceMs, () => {
      const silent = this.members.filter(({ state }) => state !== 'ended' && state !== 'given up');
      for (const member of silent) {
        this.warn(warning('worker-silent', { worker: member.index, graceMs }));
        if (member.restart) this.giveUp(member);
        else member.child?.process.kill('SIGKILL');
      }
    });
  }

  /** @param {number} ms @param {() => void} bark */
  watch(ms, bark) {
    if (this.watchdog) clearTimeout(this.watchdog);
    this.watchdog = setTimeout(bark, Math.max(0, ms));
  }

  /** @returns {number} ns since the leg's start; negative before it */
  sinceStart() {
    return this.startNs === null ? -Infinity : Number(process.hrtime.bigint() - this.startNs);
  }

  /** @param {Member} member @param {string} how @param {boolean} [started] false: it could not be */
  lost(member, how, started = true) {
    if (this.finished || member.state === 'ended' || member.state === 'given up') return;
    const reportedNs = this.merge.parties[member.index].received?.toNs ?? null;
    const gone = this.merge.lose(member.index);
    this.closeLog(member, gone.rows, false);
    member.child = null;
    const stderr = member.stderr.trim().split('\n').slice(-3).join(' | ');
    this.emit('worker', { worker: member.index, event: 'lost', how, ...gone, stderr: stderr || undefined });
    // one that was killed because the leg ends before it has begun has taken nothing along
    if (!this.stopping || reportedNs !== null) {
      this.warn(
        warning('worker-lost', {
          worker: member.index,
          how,
          started,
          reported: reportedNs !== null,
          open: gone.open,
          unfinished: gone.unfinished,
          abandoned: gone.abandoned,
          repeats: endsByItself(this.settings),
          openLoop: Boolean(this.leg.rates),
          stderr,
        }),
      );
    }
    this.flush();
    if (this.stopping || this.over) {
      if ((reportedNs ?? 0) < this.leg.steadyToNs) {
        this.blame(warning('worker-lost-early', { worker: member.index, started }));
      }
      return this.leave(member, 'given up');
    }
    if (member.restarts >= mostRestarts) {
      const failure = warning('worker-lost-repeatedly', {
        worker: member.index,
        started,
        times: member.restarts + 1,
        how,
      });
      if (this.startNs === null) this.fail('workers', failure);
      else this.blame(failure);
      return this.leave(member, 'given up');
    }
    member.state = 'waiting';
    member.restart = setTimeout(
      () => {
        member.restart = null;
        if (this.over) return this.tooLate(member);
        member.restarts += 1;
        member.generation += 1;
        this.fork(member);
      },
      this.patience.restartMs * 2 ** member.restarts,
    );
  }

  /** The leg goes on, but is not complete any more. @param {Warning} failure */
  blame(failure) {
    if (this.endedBy !== null) return;
    this.endedBy = 'workers';
    this.failure = failure;
  }

  /** @param {Member} member */
  giveUp(member) {
    if (member.restart) clearTimeout(member.restart);
    member.restart = null;
    this.leave(member, 'given up');
  }

  /** Who had not opened it yet lacks no rows. @param {Member} member @param {number} rows @param {boolean} whole */
  closeLog(member, rows, whole) {
    if (member.log !== null && (rows > 0 || existsSync(member.log))) this.files.push({ path: member.log, rows, whole });
    member.log = null;
  }

  /** @param {Member} member @param {'ended' | 'given up'} state */
  leave(member, state) {
    member.state = state;
    if (member.child?.isConnected()) member.child.disconnect();
    if (this.members.every((one) => one.state === 'ended' || one.state === 'given up')) this.finish();
    else this.flush();
  }

  /** @param {number} [overdue] */
  flush(overdue) {
    for (const merged of this.merge.take(overdue)) this.hand(merged);
  }

  /** Who listens may fail, and then the leg does: thrown on, it would end the process. @param {Merged} merged */
  hand(merged) {
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

  /** Whether the leg goes on until a number of transfers has been answered, in its warm-up or in all. */
  get waitsForCount() {
    return !this.warmUp.reached || Boolean(this.settings.transfers);
  }

  finish() {
    if (this.finished) return;
    this.finished = true;
    if (this.watchdog) clearTimeout(this.watchdog);
    if (this.ticker) clearInterval(this.ticker);
    for (const merged of this.merge.finish()) this.hand(merged);
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
   * Ends the leg in good order before its time: no new transfers, then the drain.
   * @param {EndedBy} [endedBy]
   * @param {Warning} [failure]
   */
  drain(endedBy = 'interrupted', failure = undefined) {
    if (this.finished || this.stopping) return;
    if (endedBy === 'interrupted' || this.endedBy === null) Object.assign(this, { endedBy, failure });
    this.stopping = true;
    if (this.sinceStart() < 0) return this.kill();
    const atNs = Math.min(this.sinceStart() + drainLeadNs, this.leg.steadyToNs);
    this.endNs = Math.min(this.endNs, atNs + this.leg.drainTimeoutNs);
    for (const member of this.members) {
      if (member.restart) this.giveUp(member);
      else if (member.state === 'starting') this.tooLate(member);
      else this.tell(member, { type: 'drain', atNs });
    }
    if (!this.finished) this.watchEnd();
  }

  /** Something makes the leg impossible. @param {EndedBy} endedBy @param {Warning} failure */
  fail(endedBy, failure) {
    if (this.finished) return;
    this.endedBy ??= endedBy;
    this.failure ??= failure;
    this.kill();
  }

  /** At once: the workers are killed, what was merged stays. */
  kill() {
    this.endedBy ??= 'interrupted';
    this.stopping = true;
    for (const member of this.members) {
      if (member.restart) this.giveUp(member);
      else if (member.child) member.child.process.kill('SIGKILL');
    }
  }

  /** For a process that ends now: kills the workers and books, in this very call, what they had in flight. */
  endNow() {
    this.kill();
    this.endedBy = 'interrupted';
    for (const member of this.members) {
      if (this.finished || member.state === 'ended' || member.state === 'given up') continue;
      this.closeLog(member, this.merge.lose(member.index).rows, false);
      this.leave(member, 'given up');
    }
  }

  /** @returns {number[]} the workers that keep the next sample waiting */
  behind() {
    return this.members
      .filter(({ index, state }) => state === 'running' && this.merge.parties[index].key <= this.merge.flushed)
      .map(({ index }) => index);
  }

  /** The first of its kind in a worker; what others have told is not told again. @param {string | undefined} text */
  notice(text) {
    if (text === undefined || this.notices.has(text)) return;
    this.notices.add(text);
    this.warn(warning('tls-failed', { failure: text }));
  }

  /** @param {Warning} one */
  warn(one) {
    this.warnings.push(one);
    this.emit('warning', one);
  }
}
