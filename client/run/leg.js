// One leg: its server is opened, it is measured (leg-measurement.js), its transfer log is converted, and it is
// summarised, also where one of these fails.
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
 * @property {() => void} planChanges  writes plan.json again: the slices of a leg have changed
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
    /** Once it has been opened. @type {ServerUnderTest | null} */
    this.server = null;
    /** Once that has begun. @type {LegMeasurement | null} */
    this.measurement = null;
    /** Of its transfer log. @type {Pick<LegEnd, 'logRows' | 'logKind'>} */
    this.logged = run.place.listLog ? {} : { logRows: 0, logKind: run.scenario.transferLog };
    this.converting = new AbortController();
    /** Of a leg that cannot be measured. @type {LegSummary | null} */
    this.ended = null;
  }

  /** Starts the server; where that fails, execute() says so. */
  async open() {
    const { run, leg, log } = this;
    const warn = (/** @type {Warning} */ one) => this.warn(one);
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

  /** Of its server; none before it has been opened. */
  get endpoints() {
    return this.server?.instances.map(({ address, port }) => ({ host: address, port })) ?? [];
  }

  /** @param {LegRun} first  of the same server, whose start has failed: this one is not tried, and nothing is said */
  endLike(first) {
    const failure = first.ended?.failure;
    this.log.info('not started, as the first start of this server has failed');
    this.ended = this.summaryWhateverComes({ endedBy: 'server-start', failure });
  }

  /** @returns {LegSummary} of a leg that was interrupted first */
  neverStarted() {
    return this.summary({ endedBy: 'interrupted', failure: warning('interrupted-before-start') });
  }

  /** Ends a leg whose server was started, and that is not measured. @returns {Promise<LegSummary>} */
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
   * @param {LegGroup} [group] with legs that are measured side by side with this one
   * @returns {Promise<LegSummary>} its summary, also where it has failed: then of what was measured until then
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

  /** @param {ServerUnderTest} server @param {LegGroup} [group] @returns {Promise<Outcome>} with the server stopped */
  async measure(server, group) {
    const { run, leg, folder, log } = this;
    const warn = (/** @type {Warning} */ one, isOwn = true) => this.warn(one, isOwn);
    try {
      const measurement = new LegMeasurement(run, leg, server, { folder, log, warn, group });
      this.measurement = measurement;
      const outcome = await measurement.execute();
      const { endedBy, failure, warnings } = outcome;
      this.warnings.push(...warnings);
      for (const one of measurement.disturbances()) this.warn(one);
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
    for (const one of ended.warnings) this.warn(one);
  }

  /** What has not been converted stays as the engines wrote it. */
  leaveLog() {
    if (this.logged.logKind === 'parquet') this.logged.logKind = 'arrow';
  }

  /** @returns {LegSummary} as it has been shown */
  conclude() {
    const { run, leg } = this;
    const summary = this.summary();
    if (summary.endedBy === 'no-transfers' && summary.failure) run.display.legFails(leg, summary.failure);
    const timed = timedSamples(summary, this.series.samples());
    run.display.legEnds(summary, addHistograms(timed, 'responseTime'));
    return summary;
  }

  /** @param {Warning} one @param {boolean} [isOwn] whether it is to be kept here (the workers keep theirs) */
  warn(one, isOwn = true) {
    const { code, data, text } = one;
    if (isOwn) this.warnings.push(one);
    this.log.warn({ code, data }, text);
    this.run.display.legWarning(one, this.leg);
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
    return this.summaryWhateverComes({ endedBy, failure });
  }

  /**
   * @param {{ endedBy: EndedBy, failure?: Warning }} over
   * @returns {LegSummary} without figures where they cannot be computed: their samples remain
   */
  summaryWhateverComes(over) {
    try {
      return this.summary(over);
    } catch (error) {
      return this.summary({ failure: warning('leg-failed', reasonOf(error)), ...over }, new SampleSeries());
    }
  }

  /** What it has measured so far. */
  get series() {
    return this.measurement?.series ?? new SampleSeries();
  }

  /**
   * The summary of what is known now.
   * @param {{ endedBy?: EndedBy, failure?: Warning }} [over] for a leg that did not end by itself
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

  /** Ends the transfers, and then the leg, in order. */
  drain() {
    this.measurement?.workers.drain();
  }

  /** Ends the leg at once, for a process that exits now. @returns {LegSummary} */
  endNow() {
    this.converting.abort();
    this.measurement?.endNow();
    this.leaveLog();
    this.warnings.push(warning('ended-at-once'));
    return this.summaryWhateverComes({ endedBy: 'interrupted' });
  }

  /** Writes <leg>/summary.json, and the samples that could not be written before. @param {LegSummary} summary */
  write(summary) {
    this.measurement?.samples.settle();
    this.run.folder.writeJson(path.join(this.leg.id, 'summary.json'), summary);
  }
}
