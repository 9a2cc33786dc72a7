// One leg, from its server's start to its summary: takes the workers' samples, writes samples.ndjson and the transfer
// log. For the summary the samples are kept in a bounded number (measure/sample-series.js): a long leg needs no more
// memory than one of half an hour.
import path from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { formatEndpoint } from '../words/endpoint.js';
import { timedSamples } from '../measure/leg-figures.js';
import { SampleSeries } from '../measure/sample-series.js';
import { addHistograms } from '../measure/sums.js';
import { summariseLeg } from '../judge/summary.js';
import { reasonOf, warning } from '../words/warnings.js';
import { engineTls } from '../scenario/keys/tls.js';
import { LinesFile } from '../store/lines-file.js';
import { endpointsOf } from './cluster/assignment.js';
import { LegWorkers } from './cluster/primary.js';
import { EarlyEnd } from './early-end.js';
import { legWarnings } from '../judge/disturbances.js';
import { LegMeter } from './leg-meter.js';
import { openLegServer } from './leg-server.js';
import { convertLog } from './leg-transfer-log.js';
import { ReadingQueue } from './reading-queue.js';

/**
 * @import { Logger } from 'pino'
 * @import { EndedBy, LegSummary, Sample, Slices, Warning } from '../../config/types.js'
 * @import { LegCourse } from '../console/run-course.js'
 * @import { RunDisplay } from '../console/run-display.js'
 * @import { LegEnd } from '../measure/leg-summary.js'
 * @import { Merged } from '../measure/sample-merge.js'
 * @import { Leg } from '../plan/plan.js'
 * @import { Scenario } from '../scenario/scenario.js'
 * @import { Zero } from '../store/environment.js'
 * @import { RunFolder } from '../store/run-folder.js'
 * @import { LegGroup } from './cluster/leg-group.js'
 * @import { Outcome } from './cluster/leg-outcome.js'
 * @import { WorkerSource } from './cluster/worker-handle.js'
 * @import { ClientReading } from './leg-meter.js'
 * @import { Place } from './place.js'
 * @import { ServerReading } from './server-meter.js'
 * @import { ServerUnderTest } from './server-under-test.js'
 */

const SAMPLES_PER_COLLECTION = 30;
/** For a wrapper of the workers to write its results and end. */
const WRAPPER_MS = 5000;

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
    this.settings = leg.settings;
    this.index = index;
    this.folder = run.folder.legFolder(leg.id);
    this.log = run.log.child({ leg: leg.id });
    /** @type {LinesFile<Sample>} */
    this.samples = new LinesFile(run.folder, path.join(leg.id, 'samples.ndjson'));
    this.series = new SampleSeries();
    /** @type {Warning[]} */
    this.warnings = [];
    /** @type {string[]} */
    this.targets = [];
    /** @type {Outcome | null} */
    this.outcome = null;
    const { stopOn } = run.scenario;
    this.earlyEnd = new EarlyEnd(stopOn, (one) => this.warn(one));
    this.logRows = 0;
    /** @type {'parquet' | 'arrow' | 'none'} */
    this.logKind = run.scenario.transferLog;
    this.phase = 'start';
    /** What its summary has of other hosts. @type {Partial<LegEnd>} */
    this.elsewhere = {};
    /** @type {LegWorkers | null} */
    this.workers = null;
    /** With the legs that are measured side by side with this one. @type {LegGroup | undefined} */
    this.group = undefined;
    /** @type {ReadingQueue<{ merged: Merged, read: ClientReading | null }, ServerReading> | null} */
    this.waiting = null;
    this.converting = new AbortController();
    /** @type {ServerUnderTest | null} */
    this.server = null;
    /** Of a leg that cannot be measured. @type {LegSummary | null} */
    this.ended = null;
  }

  /**
   * Measures the server that was started.
   * @param {LegGroup} [group] with legs that are measured side by side with this one
   * @returns {Promise<LegSummary>} its summary, also where it has failed: then of what was measured until then
   */
  async execute(group) {
    if (this.server === null) return this.ended ?? this.neverStarted();
    try {
      return await this.runToEnd(this.server, group);
    } catch (error) {
      this.workers?.endNow();
      this.waiting?.flush();
      // what has not been converted stays as the engines wrote it
      if (this.outcome === null && this.logKind === 'parquet') this.logKind = 'arrow';
      return this.summariseFailure('error', error);
    }
  }

  /** Starts the server; where that fails, execute() says so. */
  async open() {
    const { run, leg, log, settings } = this;
    const warn = (/** @type {Warning} */ one) => this.warn(one);
    const answered = run.answered && this.index === 0;
    try {
      this.server = await openLegServer(
        run.place.launcher,
        settings,
        {
          ...{ leg, answered, log, warn },
          notice: (text) => run.display.awaits(text),
          sinceStart: () => this.workers?.clock.sinceStart() ?? -Infinity,
        },
        run.interrupted,
      );
    } catch (error) {
      this.ended = this.summariseFailure('server-start', error);
    }
    if (this.server === null) return;
    const endpoints = this.server.instances.map(({ address, port }) => ({ host: address, port }));
    this.targets = endpoints.map(formatEndpoint);
    run.display.legBegins(leg, endpoints);
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
   * @param {ServerUnderTest} server @param {LegGroup} [group]
   * @returns {Promise<LegSummary>} the summary
   */
  async runToEnd(server, group) {
    const { run, leg } = this;
    try {
      await this.measure(server, group);
    } finally {
      await this.stopServer();
    }
    if (this.outcome?.failure) run.display.legFails(leg, this.outcome.failure);
    await this.endLog();
    const summary = this.summary();
    if (summary.endedBy === 'no-transfers' && summary.failure) run.display.legFails(leg, summary.failure);
    const timed = timedSamples(summary, this.series.samples());
    run.display.legEnds(summary, addHistograms(timed, 'responseTime'));
    return summary;
  }

  /**
   * Runs the workers against the server, to the end of the drain.
   * @param {ServerUnderTest} server @param {LegGroup} [group]
   */
  async measure(server, group) {
    const { run, settings, leg } = this;
    const warn = (/** @type {Warning} */ one) => this.warn(one);
    const source = run.place.workersFor(leg, {
      warn,
      markIncomplete: (one) => this.workers?.outcome.markIncomplete(one),
    });
    const workers = this.makeWorkers(source, server, group);
    this.workers = workers;
    this.group = group;
    const meter = new LegMeter(leg, server, { client: source.meter(server.pids), warn });
    workers.on('warning', (/** @type {Warning} */ one) => this.warn(one, false));
    workers.on('slices', (/** @type {Slices} */ slices) => {
      leg.slices = slices;
      run.planChanges();
      meter.changeSlices(slices);
      run.display.slicesChange(leg);
    });
    workers.on('worker', (event) => this.log.info(event, `worker ${event.worker} ${event.event}`));
    workers.on('start', (/** @type {bigint} */ startNs) => this.started(startNs, meter));
    /** @type {NonNullable<LegRun['waiting']>} */
    const waiting = new ReadingQueue(
      ({ merged, read }, reading) => this.take(meter.sampleOf(merged, read, reading), workers),
      () => workers.kill(),
    );
    this.waiting = waiting;
    workers.on('merged', (/** @type {Merged} */ merged) => {
      const reading = meter.readServer(merged);
      waiting.add({ merged, read: meter.readClient(merged) }, reading);
    });
    const ticker = setInterval(() => this.tick(workers), 1000);
    try {
      const ended = await workers.run();
      await waiting.settled();
      this.outcome = this.earlyEnd.outcomeOf(ended);
      for (const { worker, stderr } of await workers.workers.wrappersEnd(WRAPPER_MS)) {
        for (const line of stderr.trim().split('\n')) this.log.info({ source: 'worker', worker }, line);
      }
    } finally {
      clearInterval(ticker);
      run.display.workersEnd(leg);
      meter.close();
      this.elsewhere = await run.place.legEnded(leg);
    }
    const { endedBy, failure, warnings } = this.outcome;
    this.warnings.push(...warnings);
    legWarnings(this.series.samples(), { settings, leg, endedBy, phase: this.phase }).forEach(warn);
    this.log.info({ endedBy, failure }, 'leg ended');
  }

  /**
   * @param {WorkerSource} source @param {ServerUnderTest} server @param {LegGroup} [group]
   * @returns {LegWorkers} not started yet
   */
  makeWorkers(source, { instances }, group) {
    const { run, settings, leg, folder } = this;
    return new LegWorkers({
      ...{ settings, leg, folder, group, source },
      t0Ns: run.t0.monotonicNs,
      logging: run.scenario.transferLog !== 'none',
      instances: instances.map((one) => ({
        endpoints: endpointsOf(one, leg.sources, instances.length),
        tls: one.tls ? engineTls(one.tls, one.address) : null,
      })),
    });
  }

  /** @param {bigint} startNs @param {LegMeter} meter */
  started(startNs, meter) {
    const startedNs = Number(startNs - this.run.t0.monotonicNs);
    this.log.info({ startNs: startedNs, targets: this.targets }, 'leg starts');
    meter.begin(startNs);
    const lead = Number(startNs - process.hrtime.bigint()) / 1e6;
    this.run.display.workersStart(this.leg, lead, () => this.course());
  }

  /** @param {Sample} sample @param {LegWorkers} workers */
  take(sample, workers) {
    this.samples.add(sample);
    this.series.add(sample);
    if (sample.phase !== this.phase && sample.toNs > sample.fromNs) {
      this.phase = sample.phase;
      this.log.info({ phase: sample.phase, atNs: sample.fromNs }, `phase ${sample.phase}`);
    }
    this.run.display.sample(this.leg, sample);
    this.group?.observe(workers, sample);
    this.earlyEnd.follow(sample, workers);
    if (this.samples.count % SAMPLES_PER_COLLECTION === 0) forceGc();
  }

  /**
   * Once a second, of legs side by side the first: lets the display say that no samples come.
   * @param {LegWorkers} workers
   */
  tick(workers) {
    const isFirst = (this.leg.slices?.index ?? 0) === 0;
    if (isFirst && workers.clock.startNs !== null) this.run.display.tick(workers.clock.sinceStart(), workers.behind());
  }

  /** @returns {LegCourse} how far it is */
  course() {
    const { leg, workers } = this;
    return {
      phases: workers?.leg ?? leg,
      atNs: workers?.clock.sinceStart() ?? -Infinity,
      drainEndsNs: workers?.isOver ? workers.endNs : null,
    };
  }

  /** Converts the leg's transfer log to the form the scenario asks for; never throws. */
  async endLog() {
    const { outcome, leg, folder, run } = this;
    const kind = run.scenario.transferLog;
    if (kind === 'none' || !outcome) return;
    if (outcome.files.length === 0) {
      this.logKind = 'none';
      return;
    }
    const log = { leg, runFolder: run.folder, folder, files: outcome.files };
    if (run.place.listLog) return run.place.listLog(log);
    const shown = run.display.transferLog(leg);
    const { signal } = this.converting;
    const onProgress = (/** @type {number} */ share) => shown.written(share);
    const ended = await convertLog({ ...log, kind, t0: run.t0, startNs: outcome.startNs ?? 0, signal, onProgress });
    shown.end(ended.kind === kind);
    this.logRows = ended.rows;
    this.logKind = ended.kind;
    for (const one of ended.warnings) this.warn(one);
  }

  /** @param {Warning} one @param {boolean} [own] whether it is to be kept here (the workers keep theirs) */
  warn(one, own = true) {
    const { code, data, text } = one;
    if (own) this.warnings.push(one);
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

  /**
   * The summary of what is known now.
   * @param {{ endedBy?: EndedBy, failure?: Warning }} [over] for a leg that did not end by itself
   * @param {SampleSeries} [series]
   * @returns {LegSummary}
   */
  summary({ endedBy, failure } = {}, series = this.series) {
    const { server } = this.leg;
    return summariseLeg(
      this.leg,
      series,
      {
        endedBy: endedBy ?? this.outcome?.endedBy ?? 'error',
        failure: failure ?? this.outcome?.failure,
        stopped: this.outcome?.endedBy === 'stop-on' ? this.earlyEnd.stopped : undefined,
        startNs: this.outcome?.startNs ?? this.workers?.clock.startedNs ?? undefined,
        targets: this.targets,
        server: server.kind === 'named' ? server.name : server.kind === 'command' ? server.command : this.leg.label,
        ...(this.run.place.listLog ? {} : { logRows: this.logRows, logKind: this.logKind }),
        ...this.elsewhere,
        warnings: this.warnings,
        synRetryNs: this.run.synRetryNs,
      },
      this.settings,
    );
  }

  /** Ends the leg at once, for a process that exits now. @returns {LegSummary} */
  endNow() {
    this.converting.abort();
    this.workers?.endNow();
    this.waiting?.flush();
    if (this.logKind === 'parquet') this.logKind = 'arrow';
    this.warnings.push(warning('ended-at-once'));
    return this.summaryWhateverComes({ endedBy: 'interrupted' });
  }

  /** Writes <leg>/summary.json, and the samples that could not be written before. @param {LegSummary} summary */
  write(summary) {
    this.samples.settle();
    this.run.folder.writeJson(path.join(this.leg.id, 'summary.json'), summary);
  }
}

/** @type {(() => void) | null} */
let collector = null;

/**
 * Collects this process's garbage now. V8 would let the little garbage of each second grow for minutes: measured with
 * 2,000 connections, the client's memory rose by 15 MB a minute without this and by 3 with it. A run reports the memory
 * that the client needs, and the soak test finds leaks by its slope, so both need it level.
 */
function forceGc() {
  if (collector === null) {
    setFlagsFromString('--expose-gc');
    collector = /** @type {() => void} */ (runInNewContext('gc'));
  }
  collector();
}
