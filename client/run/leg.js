// Runs one leg: opens its server, measures it (leg-measurement.js), converts its transfer log, and summarises it, also
// if one of these steps fails.
import path from 'node:path';
import { summariseLeg } from '../judge/summary.js';
import { timedSamples } from '../measure/leg-figures.js';
import { SampleSeries } from '../measure/sample-series.js';
import { addHistograms } from '../measure/sums.js';
import { formatEndpoint } from '../words/endpoint.js';
import { reasonOf, warning } from '../words/warnings.js';
import { LegMeasurement } from './leg-measurement.js';
import { openLegServer } from './leg-server.js';
import { convertLog } from './leg-transfer-log.js';

/**
 * @import { Logger } from 'pino'
 * @import { EndedBy, LegSummary, Warning } from '../../config/types.js'
 * @import { RunDisplay } from '../console/run-display.js'
 * @import { LegEnd } from '../measure/leg-summary.js'
 * @import { Leg } from '../plan/plan.js'
 * @import { Scenario } from '../scenario/scenario.js'
 * @import { Zero } from '../store/environment.js'
 * @import { RunFolder } from '../store/run-folder.js'
 * @import { LegGroup } from './cluster/leg-group.js'
 * @import { Outcome } from './cluster/leg-outcome.js'
 * @import { Place } from './place.js'
 * @import { ServerUnderTest } from './server-under-test.js'
 */

/**
 * @typedef {object} RunContext  what all legs of a run share
 * @property {RunFolder} folder
 * @property {Logger} log
 * @property {RunDisplay} display
 * @property {Zero} t0
 * @property {Scenario} scenario
 * @property {Place} place
 * @property {Promise<unknown>} interrupted  resolves when the run is interrupted
 * @property {boolean} answered     whether the targets have just answered an exchange
 * @property {() => void} planChanges  writes plan.json again, after the slices of a leg have changed
 * @property {number[]} [synRetryNs]  of environment.json
 */

/** One leg of a run. */
export class LegRun {
  /** @param {RunContext} run @param {Leg} leg @param {number} index of the leg in the plan */
  constructor(run, leg, index) {
    this.run = run;
    this.leg = leg;
    this.index = index;
    this.folder = run.folder.legFolder(leg.id);
    this.log = run.log.child({ leg: leg.id });
    /** @type {Warning[]} */
    this.warnings = [];
    /** Null until it has been opened. @type {ServerUnderTest | null} */
    this.server = null;
    /** Null until it has begun. @type {LegMeasurement | null} */
    this.measurement = null;
    /** Rows and kind of the transfer log. @type {Pick<LegEnd, 'logRows' | 'logKind'>} */
    this.logged = run.place.listLog ? {} : { logRows: 0, logKind: run.scenario.transferLog };
    this.converting = new AbortController();
    /** The summary of a leg that cannot be measured. @type {LegSummary | null} */
    this.ended = null;
  }

  /** Starts the server; if that fails, execute() returns the leg's summary without measuring it. */
  async open() {
    const { run, leg, log } = this;
    const warn = (/** @type {Warning} */ problem) => this.warn(problem);
    const answered = run.answered && this.index === 0;
    try {
      this.server = await openLegServer(
        run.place.launcher,
        leg.settings,
        {
          ...{ leg, answered, log, warn },
          notice: (text) => run.display.awaits(text),
          sinceStart: () => this.measurement?.workers.clock.sinceStart() ?? -Infinity,
        },
        run.interrupted,
      );
    } catch (error) {
      this.ended = this.summariseFailure('server-start', error);
    }
    if (this.server !== null) run.display.legBegins(leg, this.endpoints);
  }

  /** Where the server listens; empty before it has been opened. */
  get endpoints() {
    return this.server?.instances.map(({ address, port }) => ({ host: address, port })) ?? [];
  }

  /**
   * Ends the leg without a start of its server, and without a message to the console.
   * @param {LegRun} first  of the same server, whose start has failed
   */
  endLike(first) {
    const failure = first.ended?.failure;
    this.log.info('not started, as the first start of this server has failed');
    this.ended = this.summariseSafely({ endedBy: 'server-start', failure });
  }

  /** @returns {LegSummary} of a leg that was interrupted before it started */
  neverStarted() {
    return this.summary({ endedBy: 'interrupted', failure: warning('interrupted-before-start') });
  }

  /** Ends a leg that is not measured although its server was started. @returns {Promise<LegSummary>} */
  async abandon() {
    await this.stopServer();
    return this.ended ?? this.neverStarted();
  }

  async stopServer() {
    await this.server
      ?.stop()
      .catch((/** @type {Error} */ error) => this.warn(warning('server-not-stopped', { reason: error.message })));
  }

  /**
   * Measures the server that was started.
   * @param {LegGroup} [group] this leg and those measured side by side with it
   * @returns {Promise<LegSummary>} of what was measured, also if the leg failed
   */
  async execute(group) {
    if (this.server === null) return this.ended ?? this.neverStarted();
    try {
      const outcome = await this.measure(this.server, group);
      if (outcome.failure) this.run.display.legFails(this.leg, outcome.failure);
      await this.endLog(outcome);
      return this.conclude();
    } catch (error) {
      this.measurement?.endNow();
      if (!this.measurement?.outcome) this.leaveLog();
      return this.summariseFailure('error', error);
    }
  }

  /**
   * Measures the server and stops it.
   * @param {ServerUnderTest} server @param {LegGroup} [group] @returns {Promise<Outcome>}
   */
  async measure(server, group) {
    const { run, leg, folder, log } = this;
    const warn = (/** @type {Warning} */ problem, isOwn = true) => this.warn(problem, isOwn);
    try {
      const measurement = new LegMeasurement(run, leg, server, { folder, log, warn, group });
      this.measurement = measurement;
      const outcome = await measurement.execute();
      const { endedBy, failure, warnings } = outcome;
      this.warnings.push(...warnings);
      for (const disturbance of measurement.disturbances()) this.warn(disturbance);
      log.info({ endedBy, failure }, 'leg ended');
      return outcome;
    } finally {
      await this.stopServer();
    }
  }

  /** Converts the leg's transfer log to the form the scenario asks for. @param {Outcome} outcome */
  async endLog({ files, startNs }) {
    const { leg, folder, run } = this;
    const kind = run.scenario.transferLog;
    if (kind === 'none') return;
    const log = { leg, runFolder: run.folder, folder, files };
    if (run.place.listLog) {
      if (files.length > 0) run.place.listLog(log);
      return;
    }
    if (files.length === 0) {
      this.logged.logKind = 'none';
      return;
    }
    const shown = run.display.transferLog(leg);
    const { signal } = this.converting;
    const onProgress = (/** @type {number} */ share) => shown.written(share);
    const ended = await convertLog({ ...log, kind, t0: run.t0, startNs: startNs ?? 0, signal, onProgress });
    shown.end(ended.kind === kind);
    this.logged = { logRows: ended.rows, logKind: ended.kind };
    for (const problem of ended.warnings) this.warn(problem);
  }

  /** Leaves a log that has not been converted as the engines wrote it. */
  leaveLog() {
    if (this.logged.logKind === 'parquet') this.logged.logKind = 'arrow';
  }

  /** Shows the leg's results. @returns {LegSummary} */
  conclude() {
    const { run, leg } = this;
    const summary = this.summary();
    if (summary.endedBy === 'no-transfers' && summary.failure) run.display.legFails(leg, summary.failure);
    const timed = timedSamples(summary, this.series.samples());
    run.display.legEnds(summary, addHistograms(timed, 'responseTime'));
    return summary;
  }

  /** @param {Warning} problem @param {boolean} [isOwn] whether the leg keeps it; false: the workers' outcome has it */
  warn(problem, isOwn = true) {
    const { code, data, text } = problem;
    if (isOwn) this.warnings.push(problem);
    this.log.warn({ code, data }, text);
    this.run.display.legWarning(problem, this.leg);
  }

  /**
   * @param {'server-start' | 'error'} endedBy
   * @param {unknown} error
   * @returns {LegSummary} of a leg that has failed
   */
  summariseFailure(endedBy, error) {
    const failure = warning('leg-failed', reasonOf(error));
    const { code, data, text } = failure;
    this.log.error({ code, data, ...(endedBy === 'error' ? { err: error } : {}) }, text);
    this.run.display.legFails(this.leg, failure);
    return this.summariseSafely({ endedBy, failure });
  }

  /**
   * @param {{ endedBy: EndedBy, failure?: Warning }} ending
   * @returns {LegSummary} without figures if they cannot be computed; the leg's samples remain
   */
  summariseSafely(ending) {
    try {
      return this.summary(ending);
    } catch (error) {
      return this.summary({ failure: warning('leg-failed', reasonOf(error)), ...ending }, new SampleSeries());
    }
  }

  /** The samples so far. */
  get series() {
    return this.measurement?.series ?? new SampleSeries();
  }

  /**
   * Summarises the leg as far as it has been measured.
   * @param {{ endedBy?: EndedBy, failure?: Warning }} [ending] of a leg that did not end by itself
   * @param {SampleSeries} [series]
   * @returns {LegSummary}
   */
  summary({ endedBy, failure } = {}, series = this.series) {
    const { leg, logged, warnings, run } = this;
    const { server } = leg;
    const end = this.measurement?.end ?? {};
    return summariseLeg(
      leg,
      series,
      {
        ...{ ...end, ...logged, warnings, synRetryNs: run.synRetryNs },
        endedBy: endedBy ?? end.endedBy ?? 'error',
        failure: failure ?? end.failure,
        targets: this.endpoints.map(formatEndpoint),
        server: server.kind === 'named' ? server.name : server.kind === 'command' ? server.command : leg.label,
      },
      leg.settings,
    );
  }

  /** Ends the transfers in order, and then the leg. */
  drain() {
    this.measurement?.workers.drain();
  }

  /** Ends the leg at once, because the process exits. @returns {LegSummary} */
  endNow() {
    this.converting.abort();
    this.measurement?.endNow();
    this.leaveLog();
    this.warnings.push(warning('ended-at-once'));
    return this.summariseSafely({ endedBy: 'interrupted' });
  }

  /** Writes <leg>/summary.json, and samples that could not be written before. @param {LegSummary} summary */
  write(summary) {
    this.measurement?.samples.settle();
    this.run.folder.writeJson(path.join(this.leg.id, 'summary.json'), summary);
  }
}
