// The order of a run: run folder, servers, legs, summary, report.
// Whatever happens after the run folder is made, a summary is left in it.
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { EnvironmentError } from '../errors.js';
import { exchangeOptions, leftBehind, protocolOf } from '../protocols/index.js';
import { junitOf } from '../results/junit.js';
import { isAnswered } from '../results/search/index.js';
import { compareRuns } from '../results/compare-runs/index.js';
import { comparedOf } from '../results/comparisons.js';
import { earlierSpread } from '../results/earlier-spread.js';
import { summariseRun } from '../results/summary.js';
import { readEarlierRuns } from '../store/earlier-runs.js';
import { settingsOf } from '../results/leg-settings.js';
import { reasonOf, warning } from '../results/warnings.js';
import { describeEnvironment } from '../store/environment.js';
import { createLogger } from '../store/event-log.js';
import { changedConditions, RESUMED_FILE, resumedZero } from '../store/resumable-run.js';
import { resumedWarning } from '../results/resumed.js';
import { createRunFolder, runId } from '../store/run-folder.js';
import { Interrupts } from './interrupts.js';
import { LegRun } from './leg.js';
import { payloadOf } from './payload.js';
import { prefillServer } from './prefill.js';
import { openServer } from './server-under-test.js';

/**
 * @typedef {import('../results/warnings.js').Warning} Warning
 * @typedef {import('./server-under-test.js').ServerUnderTest} ServerUnderTest
 *
 * @typedef {object} Order  what is to be run, and with what
 * @property {import('../scenario/scenario.js').Scenario} scenario
 * @property {import('../plan/plan.js').Plan} plan
 * @property {import('../machine/host.js').Host} host
 * @property {string[]} available  names of the servers that are available on this machine
 * @property {string} logs         folder of the runs
 * @property {import('./server-under-test.js').Launcher} launcher
 * @property {import('../console/run-display.js').RunDisplay} display
 * @property {boolean} [answered]  whether the targets have just answered an exchange
 * @property {{ run: import('../results/compare-runs/index.js').ComparedRun, tolerance: number | null } | null} [baseline]  an
 *   earlier run that the results are compared with
 * @property {import('../store/resumable-run.js').ResumableRun} [resumed]  the run to go on with
 * @property {(summaries: Record<string, any>[]) => import('../plan/plan.js').Leg | null} [nextLeg]  of a search, after those
 *   summaries; null: it has ended
 * @property {import('./agents/agent-group.js').AgentGroup} [agents]  that the workers are on; absent: this host
 * @property {(runFolder: string) => Promise<string>} buildPage  the report; resolves with its file
 */

/** Exit code of a complete run in which a condition of its user is not met. */
const VERDICT_FAILED = 99;

/** @param {import('../plan/plan.js').Plan} plan @returns {string[]} addresses that agents are to connect to */
const targetsOf = ({ legs }) => [
  ...new Set(
    legs.flatMap(({ server }) =>
      server.kind === 'target' ? (server.targets ?? [server]).map(({ host }) => host) : [],
    ),
  ),
];

/** One run, from its folder to its report. */
export class Run {
  /** @param {Order} order */
  constructor({
    scenario,
    plan,
    host,
    available,
    logs,
    launcher,
    display,
    answered = false,
    baseline = null,
    resumed,
    buildPage,
    nextLeg,
    agents,
  }) {
    this.agents = agents;
    this.nextLeg = nextLeg;
    this.scenario = scenario;
    this.plan = plan;
    this.host = host;
    this.available = available;
    this.launcher = launcher;
    this.display = display;
    this.answered = answered;
    this.baseline = baseline;
    /** @type {Record<string, any> | null} */
    this.environment = null;
    this.buildPage = buildPage;
    const now = { monotonicNs: process.hrtime.bigint(), epochMs: Date.now() };
    this.resumed = resumed;
    this.t0 = resumed === undefined ? now : resumedZero(resumed.environment.t0, now);
    this.interrupts = new Interrupts();
    this.folder = resumed?.folder ?? createRunFolder(logs, runId(new Date(this.t0.epochMs), scenario.name));
    this.logger = createLogger(path.join(this.folder.folder, 'events.ndjson'), (error) =>
      this.reportFailedWrite('events.ndjson', error),
    );
    this.folder.onFailure = (file, error) => this.reportFailedWrite(file, error);
    /** @type {Warning[]} */
    this.warnings = [...plan.warnings];
    /** @type {number[] | undefined} */
    this.synRetryNs = undefined;
    /** @type {import('../results/earlier-spread.js').EarlierSpread | undefined} */
    this.earlier = undefined;
    /** @type {any[]} */
    this.summaries = [...(resumed?.complete ?? [])];
    /** Of each time the run was resumed. @type {import('../store/resumable-run.js').Part[]} */
    this.parts = [...(resumed?.parts ?? [])];
    /** @type {LegRun | null} */
    this.current = null;
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
    try {
      await this.begin();
      if (await this.buildServers()) await this.runLegs();
      return await this.conclude();
    } catch (error) {
      this.folder.writeJson('summary.json', this.summary(warning('run-failed', reasonOf(error))));
      throw error;
    } finally {
      await this.agents?.end();
      this.interrupts.close();
      this.display.end();
      this.logger.close();
    }
  }

  /** Writes what is known before anything is measured. */
  async begin() {
    const { scenario, plan, host, t0, folder, display, logger } = this;
    if (this.resumed === undefined) {
      folder.writeJson('scenario.json', scenario);
      folder.writeJson('plan.json', plan);
    }
    const environment = await describeEnvironment({
      t0,
      host,
      argv: process.argv,
      stacks: new Set(plan.legs.map(({ stack }) => stack)),
    });
    this.environment = environment;
    this.synRetryNs = environment.tcp?.synRetryNs;
    folder.writeJson('environment.json', this.resume(environment));
    await this.readEarlier(environment);
    if (folder.failed.size > 0) {
      throw new EnvironmentError(`cannot write into ${folder.folder}: see above; give another place with --logs DIR`, {
        code: 'EFOLDER',
        data: { option: 'logs', folder: folder.folder, files: [...folder.failed] },
      });
    }
    await this.agents?.begin(folder.id, targetsOf(plan));
    logger.log.info({ run: folder.id, scenario: scenario.name }, 'run starts');
    const left = leftBehind(scenario);
    if (left !== null) logger.log.info(left);
    for (const { code, data, text } of this.warnings) logger.log.warn({ code, data }, text);
    display.runBegins(folder.id, left, this.parts.at(-1)?.legs.length);
  }

  /**
   * Of a resumed run: takes away what its end left, so that it is in progress again, and notes that it is resumed.
   * @param {Record<string, any>} environment of this process
   * @returns {Record<string, any>} what to write: the conditions of the run's start, with this process
   */
  resume(environment) {
    const { resumed, folder, plan } = this;
    if (resumed === undefined) return environment;
    const done = new Set(resumed.complete.map(({ id }) => id));
    const legs = plan.legs.map(({ id }) => id).filter((id) => !done.has(id));
    folder.remove(['summary.json', 'junit.xml', ...legs]);
    const changed = changedConditions(resumed.environment, environment);
    this.parts.push({ at: new Date().toISOString(), legs, changed });
    folder.writeJson(RESUMED_FILE, this.parts);
    this.warnings.push(...this.parts.map((part) => resumedWarning(part, plan.legs.length)));
    return { ...resumed.environment, pid: environment.pid, born: environment.born };
  }

  /**
   * Writes into the server what the protocol's requests are to find there.
   * @param {ServerUnderTest} server
   * @param {import('../plan/plan.js').Leg} leg
   * @returns {Promise<ServerUnderTest>} the same; rejects with the server stopped
   */
  async prefill(server, leg) {
    const { protocol, protocolOptions, payloadBytes, payloadFile, seed } = settingsOf(this.scenario, leg);
    const filling = protocolOf(protocol).fill?.(protocolOptions, payloadOf({ payloadBytes, seed, payloadFile }));
    try {
      // a target that does not answer is measured as it is
      const filled = filling ? server.instances.filter(({ unverified }) => !unverified) : [];
      for (const one of filled) await prefillServer(/** @type {any} */ (filling), one, one.tls);
    } catch (error) {
      await server.stop();
      throw error;
    }
    return server;
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
      await Promise.race([this.launcher.build({ names, onLine }), this.interrupted]);
    } catch (error) {
      // a server that cannot be built fails its own leg, with the same message; the others run
      this.warn(warning('server-not-built', reasonOf(error)));
    }
    return !this.interrupts.interrupted;
  }

  async runLegs() {
    const { scenario, plan, folder, display, t0, logger } = this;
    const context = {
      folder,
      display,
      t0,
      log: logger.log,
      legs: plan.search?.mostLegs ?? plan.legs.length,
      rounds: plan.rounds,
      transferLog: scenario.transferLog,
      settings: scenario,
      stopOn: scenario.stopOn,
      synRetryNs: this.synRetryNs,
      agents: this.agents,
    };
    const done = new Set(this.summaries.map(({ id }) => id));
    let begun = false;
    for (let index = 0; index < plan.legs.length || this.planNextLeg(); index += 1) {
      const leg = plan.legs[index];
      if (done.has(leg.id)) continue;
      if (begun && scenario.legGapNs > 0) await this.waitBetweenLegs(scenario.legGapNs);
      if (this.interrupts.interrupted) return;
      begun = true;
      this.current = new LegRun(context, leg, index);
      const summary = await this.runLeg(this.current).catch((error) => this.abandonLeg(error));
      this.current.write(summary);
      this.summaries.push(summary);
      this.current = null;
    }
  }

  /** Adds the next leg of a search to the plan, if there is one. @returns {boolean} */
  planNextLeg() {
    const { plan, folder, display } = this;
    const leg = this.interrupts.interrupted ? null : (this.nextLeg?.(this.summaries) ?? null);
    if (leg === null) return false;
    plan.legs.push(leg);
    plan.cases.push(/** @type {string} */ (leg.case));
    folder.writeJson('plan.json', plan);
    display.legsPlanned();
    return true;
  }

  /** @param {number} ns @returns {Promise<void>} earlier at an interrupt */
  async waitBetweenLegs(ns) {
    const over = new AbortController();
    await Promise.race([wait(ns / 1e6, null, over).catch(() => {}), this.interrupted]);
    over.abort();
  }

  /** @param {LegRun} run @returns {Promise<any>} the leg's summary */
  async runLeg(run) {
    const { display } = this;
    const scenario = settingsOf(this.scenario, run.leg);
    const warn = (/** @type {Warning} */ one) => run.warn(one);
    let server;
    try {
      const opened = openServer(this.launcher, {
        leg: run.leg,
        listen: scenario.listen,
        protocol: scenario.protocol,
        protocolOptions: exchangeOptions(scenario.protocol, scenario.protocolOptions),
        tls: scenario.tls,
        answered: this.answered && run.index === 0 && this.resumed === undefined,
        log: run.log,
        warn,
      }).then((found) => this.prefill(found, run.leg));
      server = await Promise.race([opened, this.interrupted]);
      if (server === 'interrupted') {
        void opened.then(
          ({ stop }) => stop(),
          () => {},
        );
        return run.summary({ endedBy: 'interrupted', failure: warning('interrupted-before-start') });
      }
    } catch (error) {
      return this.summariseFailure(run, 'server-start', error);
    }
    display.legBegins(
      run.leg,
      /** @type {ServerUnderTest} */ (server).instances.map(({ address, port }) => ({ host: address, port })),
    );
    try {
      await run.measure(server);
    } finally {
      await server
        .stop()
        .catch((/** @type {Error} */ error) => warn(warning('server-not-stopped', { reason: error.message })));
    }
    if (run.outcome?.failure) display.legFails(run.leg, run.outcome.failure);
    await run.endLog();
    /** @type {any} */
    const summary = run.summary();
    if (summary.endedBy === 'no-transfers') display.legFails(run.leg, summary.failure);
    display.legEnds(summary);
    return summary;
  }

  /**
   * @param {LegRun} run
   * @param {'server-start' | 'error'} endedBy
   * @param {unknown} error
   * @returns {any} the summary of a leg that has failed
   */
  summariseFailure(run, endedBy, error) {
    const failure = warning('leg-failed', reasonOf(error));
    run.log.error(
      { code: failure.code, data: failure.data, ...(endedBy === 'error' ? { err: error } : {}) },
      failure.text,
    );
    this.display.legFails(run.leg, failure);
    return run.summary({ endedBy, failure });
  }

  /** A leg that failed for an unexpected reason: what was measured until then is kept. @param {Error} error */
  abandonLeg(error) {
    const run = /** @type {LegRun} */ (this.current);
    run.workers?.endNow();
    if (run.outcome === null && run.logKind === 'parquet') run.logKind = 'arrow';
    return this.summariseFailure(run, 'error', error);
  }

  /** Writes the run's summary and report, and shows the results. @returns {Promise<number>} the exit code */
  async conclude() {
    const { folder, display, logger } = this;
    const results = this.compared(this.summary());
    let summary = { ...results, exitCode: this.exitCodeOf(results) };
    folder.writeJson('summary.json', summary);
    folder.writeText('junit.xml', junitOf(summary, this.plan.legs));
    logger.log.info({ complete: summary.complete, endedBy: summary.endedBy }, 'run ended');
    const page = this.hasMeasured() ? await this.report() : null;
    const exitCode = this.exitCodeOf(results, this.hasAllFiles() && page !== null);
    if (exitCode !== summary.exitCode) {
      summary = { ...results, exitCode };
      folder.writeJson('summary.json', summary);
    }
    display.results(summary, { folder: folder.folder, page });
    return exitCode;
  }

  /** @param {any} summary @param {boolean} [hasFiles] whether its files were written, and the page @returns {number} */
  exitCodeOf(summary, hasFiles = true) {
    if (this.interrupts.interrupted) return this.interrupts.exitCode;
    if (!hasFiles || !summary.complete) return 1;
    if (summary.search && !isAnswered(summary.search)) return 1;
    return summary.verdict?.passed === false || summary.baseline?.outcome === 'worse' ? VERDICT_FAILED : 0;
  }

  /** @param {any} summary @returns {any} with what changed since the baseline */
  compared(summary) {
    if (this.baseline === null) return summary;
    const { run, tolerance } = this.baseline;
    const own = { summary, scenario: this.scenario, environment: this.environment };
    const baseline = compareRuns(own, run, tolerance);
    return baseline === null ? summary : { ...summary, baseline };
  }

  /** @returns {boolean} false: no server could be started, so a page would be empty */
  hasMeasured() {
    const { summaries } = this;
    return summaries.length === 0 || summaries.some(({ endedBy }) => endedBy !== 'server-start');
  }

  /** @returns {boolean} whether every file is in the run folder; what is missing is reported */
  hasAllFiles() {
    const legs = this.summaries.filter(({ phases }) => phases).map(({ id }) => path.join(id, 'samples.ndjson'));
    const missing = this.folder.missing([
      'scenario.json',
      'plan.json',
      'environment.json',
      'summary.json',
      'junit.xml',
      ...legs,
      ...this.summaries.map(({ id }) => path.join(id, 'summary.json')),
    ]);
    if (missing.length > 0) {
      this.display.problem(warning('files-missing', { folder: this.folder.folder, files: missing }));
    }
    return missing.length === 0;
  }

  /**
   * How much measurements on this machine differ, for a run that measures each of several servers once.
   * @param {Record<string, any>} environment of this run
   */
  async readEarlier(environment) {
    const { plan, scenario, folder } = this;
    if (plan.rounds > 1 || plan.legs.length < 2) return;
    const loop = (scenario.rate ?? null) === null ? 'closed' : 'open';
    const [figure] = comparedOf({ workload: scenario.workload, loop });
    const runs = await readEarlierRuns(path.dirname(folder.folder), folder.id);
    this.earlier = earlierSpread(runs, environment, figure);
  }

  /** @param {Warning} [failure] what ended the run before its legs @returns {any} */
  summary(failure) {
    const { folder, scenario, t0, plan, warnings } = this;
    const place = new Map(plan.legs.map(({ id }, i) => [id, i]));
    const summaries = [...this.summaries].sort((a, b) => (place.get(a.id) ?? 0) - (place.get(b.id) ?? 0));
    return summariseRun(
      {
        run: folder.id,
        scenario: scenario.name,
        startedAt: new Date(t0.epochMs).toISOString(),
        endedAt: new Date().toISOString(),
        config: scenario,
        planned: plan.legs.length,
        cases: plan.cases,
        interrupted: this.interrupts.interrupted,
        warnings,
        resumed: this.parts,
        earlier: this.earlier,
        failure,
      },
      summaries,
    );
  }

  /** @returns {Promise<string | null>} the page, or null when it could not be made */
  async report() {
    try {
      return await this.buildPage(this.folder.folder);
    } catch (error) {
      const failure = warning('report-not-built', { run: this.folder.id, ...reasonOf(error) });
      this.logger.log.error({ code: failure.code, data: failure.data, err: error }, failure.text);
      this.display.problem(failure);
      return null;
    }
  }

  /** The first signal: drain, then summary and report as usual. @param {string} signal */
  drain(signal) {
    this.logger.log.warn({ signal }, 'interrupted');
    this.display.draining(signal);
    this.interrupt('interrupted');
    this.current?.workers?.drain();
  }

  /** The second signal: what is in memory is written, and the process ends; the guard ends the server. */
  stopImmediately() {
    const { current } = this;
    current?.converting.abort();
    current?.workers?.endNow();
    if (current) {
      if (current.logKind === 'parquet') current.logKind = 'arrow';
      current.warnings.push(warning('ended-at-once'));
      const summary = current.summary({ endedBy: 'interrupted' });
      current.write(summary);
      this.summaries.push(summary);
    }
    this.folder.writeJson('summary.json', { ...this.summary(), exitCode: this.interrupts.exitCode });
    this.display.stopped(this.folder.id, this.folder.folder);
    this.display.end();
    this.logger.close();
    process.exit(this.interrupts.exitCode);
  }

  /** @param {Warning} one */
  warn({ code, data, text }) {
    this.warnings.push({ code, data, text });
    this.logger.log.warn({ code, data }, text);
    this.display.runWarning(text);
  }

  /** @param {string} file of the run folder @param {NodeJS.ErrnoException} error */
  reportFailedWrite(file, error) {
    const failed = warning('file-not-written', { file, reason: error.code === 'ENOSPC' ? error.code : error.message });
    this.warnings.push(failed);
    this.display.problem(failed);
  }
}
