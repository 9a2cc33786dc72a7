// Executes a run: run folder, servers, legs, summary, report.
// Once the run folder is made, a summary is left in it also if the run fails.
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { EnvironmentError } from '../errors.js';
import { caseOf } from '../judge/cases.js';
import { isSettled } from '../judge/comparisons.js';
import { storedPlan, storedScenario } from '../measure/settings.js';
import { leftBehind } from '../protocols/index.js';
import { adviceText, reasonOf, warning } from '../words/warnings.js';
import { describeEnvironment } from '../store/environment.js';
import { createLogger } from '../store/event-log.js';
import { createRunFolder, runId } from '../store/run-folder.js';
import { Interrupts } from './interrupts.js';
import { LegGroup } from './cluster/leg-group.js';
import { LegRun } from './leg.js';
import { commandOf, missingLegs } from './missing-legs.js';
import { RunResults } from './run-results.js';

/**
 * @import { LegSummary, RunSummary, Warning } from '../../config/types.js'
 * @import { Plan } from '../measure/settings.js'
 * @import { RunContext } from './leg.js'
 * @import { RunDisplay } from '../console/run-display.js'
 * @import { Host } from '../machine/host.js'
 * @import { Leg, Planning } from '../plan/plan.js'
 * @import { Scenario } from '../scenario/scenario.js'
 * @import { Environment } from '../store/environment.js'
 * @import { Place } from './place.js'
 * @import { Baseline, Report } from './run-results.js'
 */

/**
 * @typedef {object} Order  what to run, and with what
 * @property {Scenario} scenario
 * @property {Plan} plan
 * @property {Host} host
 * @property {string[]} available  names of the servers that are available on this machine
 * @property {string} logs         folder of the runs
 * @property {Place} place
 * @property {RunDisplay} display
 * @property {boolean} [answered]  whether the targets have just answered an exchange
 * @property {Baseline | null} [baseline]
 * @property {Planning['next']} next
 * @property {(runFolder: string) => Promise<string>} buildPage  the report; resolves with its file
 * @property {Explain | null} [explain]  once the results are known
 *
 * @typedef {(run: Run, context: RunContext) => Promise<RunSummary['explained']>} Explain
 * @typedef {(leg: LegRun, summary: LegSummary) => void} Keep  what becomes of a leg that has ended
 */

/** How often a run touches its folder to show that it is in progress; see run-list.js. */
const BEAT_MS = 10_000;

/**
 * @param {Leg[]} legs of the plan @param {number} index of a leg
 * @returns {Leg[]} that leg, and those after it that are measured side by side with it
 */
function sideBySide(legs, index) {
  const { slices } = legs[index];
  return slices === undefined ? [legs[index]] : legs.slice(index, index + slices.of);
}

/** One run, from its folder to its report. */
export class Run {
  /** @param {Order} order */
  constructor({ answered = false, baseline = null, explain = null, ...order }) {
    const { scenario, plan } = order;
    this.next = order.next;
    this.scenario = scenario;
    this.plan = plan;
    this.host = order.host;
    this.available = order.available;
    this.place = order.place;
    this.display = order.display;
    this.answered = answered;
    this.buildPage = order.buildPage;
    this.explain = explain;
    /** The file of the report; null until it is built. @type {string | null} */
    this.page = null;
    this.t0 = { monotonicNs: process.hrtime.bigint(), epochMs: Date.now() };
    this.interrupts = new Interrupts();
    this.folder = createRunFolder(order.logs, runId(new Date(this.t0.epochMs), scenario.name));
    this.logger = createLogger(path.join(this.folder.folder, 'events.ndjson'), (error) =>
      this.reportFailedWrite('events.ndjson', error),
    );
    this.folder.onFailure = (file, error) => this.reportFailedWrite(file, error);
    const { folder, t0, interrupts } = this;
    this.results = new RunResults({ folder, scenario, plan, t0, interrupts, baseline });
    /** The leg being measured; several, if they are measured side by side. @type {Map<LegRun, Keep>} */
    this.current = new Map();
    /** @type {(reason: 'interrupted') => void} */
    this.interrupt = () => {};
    this.interrupted = new Promise((resolve) => {
      this.interrupt = resolve;
    });
  }

  /** @returns {Promise<number>} the exit code */
  async execute() {
    this.interrupts
      .on('first', (signal) => this.drain(signal))
      .on('second', () => this.stopImmediately())
      .listen();
    const beat = setInterval(() => this.folder.touch(), BEAT_MS).unref();
    try {
      const environment = await this.begin();
      if (await this.buildServers()) {
        const context = this.contextOf(environment);
        await this.runLegs(context);
        this.results.explained = await this.explain?.(this, context);
      }
      return await this.conclude();
    } catch (error) {
      this.folder.writeJson('summary.json', this.results.failed(warning('run-failed', reasonOf(error))));
      throw error;
    } finally {
      clearInterval(beat);
      await this.place.end().catch((/** @type {Error} */ error) => this.logger.log.warn({ err: error }, 'other hosts'));
      this.interrupts.close();
      this.display.end();
      this.logger.close();
    }
  }

  /** Writes the files that are known before anything is measured. @returns {Promise<Environment>} the environment */
  async begin() {
    const { scenario, plan, folder, place, display, logger, results } = this;
    const environment = await this.writeConditions();
    results.environment = environment;
    if (folder.failed.size > 0) {
      throw new EnvironmentError(`cannot write into ${folder.folder}: see above; give another place with --logs DIR`, {
        code: 'EFOLDER',
        data: { option: 'logs', folder: folder.folder, files: [...folder.failed] },
      });
    }
    await place.begin({ folder, plan });
    logger.log.info({ run: folder.id, scenario: scenario.name }, 'run starts');
    const left = leftBehind(scenario);
    if (left !== null) logger.log.info(left);
    for (const { code, data, text } of results.warnings) logger.log.warn({ code, data }, text);
    display.runBegins(folder.id, left);
    return environment;
  }

  /** Writes scenario, plan and environment. @returns {Promise<Environment>} the environment of this process */
  async writeConditions() {
    const { scenario, host, t0, folder, place } = this;
    folder.writeJson('scenario.json', storedScenario(scenario));
    this.writePlan();
    const described = await describeEnvironment({ t0, host, argv: process.argv });
    const environment = { ...described, ...(await place.describe()) };
    folder.writeJson('environment.json', environment);
    return environment;
  }

  writePlan() {
    this.folder.writeJson('plan.json', storedPlan(this.plan, this.scenario));
  }

  /** Builds the servers that need it. @returns {Promise<boolean>} whether the run continues */
  async buildServers() {
    const names = [...new Set((this.scenario.servers ?? []).map(({ name }) => name))].filter((name) =>
      this.available.includes(name),
    );
    if (names.length === 0) return true;
    let announced = false;
    const onLine = (/** @type {string} */ line) => {
      this.logger.log.debug({ source: 'build' }, line);
      if (!announced) this.display.building();
      announced = true;
    };
    try {
      await Promise.race([this.place.launcher.build({ names, onLine }), this.interrupted]);
    } catch (error) {
      // a server that cannot be built fails its leg with the same message; the other legs run
      this.warn(warning('server-not-built', reasonOf(error)));
    }
    return !this.interrupts.interrupted;
  }

  /** @param {Environment} environment @returns {RunContext} */
  contextOf({ tcp }) {
    const { scenario, folder, display, t0, place, interrupted, answered } = this;
    return {
      ...{ scenario, folder, display, t0, place, interrupted, answered, synRetryNs: tcp?.synRetryNs },
      log: this.logger.log,
      planChanges: () => this.writePlan(),
    };
  }

  /** @param {RunContext} context */
  async runLegs(context) {
    const { scenario, plan } = this;
    for (let index = 0; index < plan.legs.length || this.planNextLegs();) {
      const legs = sideBySide(plan.legs, index);
      const first = index;
      index += legs.length;
      if (first > 0 && scenario.legGapNs > 0) await this.waitBetweenLegs(scenario.legGapNs);
      if (this.interrupts.interrupted) return;
      await this.runSideBySide(
        legs.map((leg, i) => new LegRun(context, leg, first + i)),
        (leg, summary) => this.keep(leg, summary),
      );
    }
  }

  /**
   * Starts the servers one by one, measures all of them at the same time, and keeps their summaries. A server whose
   * first start has failed is not started again.
   * @param {LegRun[]} legs @param {Keep} keep
   */
  async runSideBySide(legs, keep) {
    for (const leg of legs) {
      this.current.set(leg, keep);
      const first = /** @type {LegRun} */ (legs.find((legRun) => legRun.leg.case === leg.leg.case));
      if (first.ended !== null) leg.endLike(first);
      else await leg.open();
      if (this.interrupts.interrupted) break;
    }
    const opened = [...this.current.keys()];
    const isMeasured = opened.length === legs.length && (legs.length === 1 || !this.interrupts.interrupted);
    if (isMeasured && legs.length > 1) this.display.sideBySide(opened.map(({ leg }) => leg));
    const group =
      legs.length === 1 ? undefined : new LegGroup(legs[0].leg.settings.budget?.looksNs, () => this.isSettled(opened));
    await Promise.all(
      opened.map(async (leg) => {
        keep(leg, await (isMeasured ? leg.execute(group) : leg.abandon()));
        this.current.delete(leg);
      }),
    );
  }

  /** @param {LegRun[]} measured side by side @returns {boolean} whether enough is known to end them */
  isSettled(measured) {
    const summaries = measured.map((leg) => leg.summary({ endedBy: 'confident' }));
    const summary = this.results.summary(undefined, [...this.results.legs, ...summaries]);
    return isSettled(
      summary,
      summaries.map((leg) => caseOf(leg)),
    );
  }

  /** Keeps the summary of a leg that has ended. @param {LegRun} leg @param {LegSummary} summary the leg's */
  keep(leg, summary) {
    leg.write(summary);
    this.results.add(summary);
  }

  /** Plans the legs that follow from the results so far. @returns {boolean} whether there are any */
  planNextLegs() {
    const { plan, display, interrupts, results } = this;
    if (interrupts.interrupted) return false;
    const { legs, warnings } = this.next(results.summaries);
    for (const problem of warnings) this.warn(problem);
    if (legs.length === 0) return false;
    plan.legs.push(...legs);
    plan.cases.push(...new Set(legs.map((leg) => leg.case)));
    this.writePlan();
    display.legsPlanned();
    return true;
  }

  /** @param {number} ns @returns {Promise<void>} resolves earlier if the run is interrupted */
  async waitBetweenLegs(ns) {
    const over = new AbortController();
    await Promise.race([wait(ns / 1e6, null, over).catch(() => {}), this.interrupted]);
    over.abort();
  }

  /** Writes the run's summary and report, and shows the results. @returns {Promise<number>} the exit code */
  async conclude() {
    const { folder, display, logger, results } = this;
    /** @type {Report} */
    const report = (problem, error) => {
      const { code, data, text } = problem;
      if (error !== undefined) logger.log.error({ code, data, err: error }, text);
      display.problem(problem);
    };
    display.reportBegins();
    const { summary, page } = await results.conclude(this.buildPage, report, ({ complete, endedBy }) => {
      logger.log.info({ complete, endedBy }, 'run ended');
      return logger.isWhole();
    });
    this.page = page;
    const missing = this.missingLegs(summary);
    display.results(summary, { folder: folder.folder, page, missing, again: commandOf(process.argv) });
    return summary.exitCode;
  }

  /** @param {RunSummary} summary */
  missingLegs(summary) {
    return missingLegs(process.argv, this.scenario, this.plan, summary);
  }

  /** At the first signal: drains the legs; summary and report follow as usual. @param {string} signal */
  drain(signal) {
    this.logger.log.warn({ signal }, 'interrupted');
    this.display.draining(signal);
    this.interrupt('interrupted');
    for (const leg of this.current.keys()) leg.drain();
  }

  /** At the second signal: writes what is in memory and ends the process; the guard ends the server. */
  stopImmediately() {
    const { current, results } = this;
    for (const [leg, keep] of current) keep(leg, leg.endNow());
    const { exitCode } = this.interrupts;
    const summary = results.endedNow(exitCode);
    this.folder.writeJson('summary.json', summary);
    this.display.stopped(this.folder.id, this.folder.folder, this.missingLegs(summary));
    this.display.end();
    this.logger.close();
    process.exit(exitCode);
  }

  /** @param {Warning} problem */
  warn(problem) {
    const { code, data, text } = problem;
    this.results.warnings.push(problem);
    this.logger.log.warn({ code, data }, text);
    this.display.runWarning(adviceText(problem));
  }

  /** @param {string} file of the run folder @param {NodeJS.ErrnoException} error */
  reportFailedWrite(file, error) {
    const failed = warning('file-not-written', { file, reason: error.code === 'ENOSPC' ? error.code : error.message });
    this.results.warnings.push(failed);
    this.display.problem(failed);
  }
}
