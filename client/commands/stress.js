// `broadside stress`: scenario, plan, run folder, servers, legs, summary, report. The order of a run stands here.
// The one thing to know: whatever happens after the run folder is made, a summary is left in it.
import path from 'node:path';
import { setFlagsFromString } from 'node:v8';
import * as launcher from '../../servers/launcher/index.js';
import { exchangeOptions, leftBehind, protocolOf } from '../protocols/index.js';
import { fill } from '../run/prefill.js';
import { makePayload } from '../run/payload.js';
import { groupedTexts } from '../results/group-warnings.js';
import { describePlan } from '../console/plan-text.js';
import { describeEnvironment } from '../store/environment.js';
import { EnvironmentError } from '../errors.js';
import { scenarioOptions } from '../scenario/flags.js';
import { formatEndpoint } from '../results/endpoint.js';
import { churnsConnections, serverRecycles } from '../scenario/keys/lifetime.js';
import { LegRun } from '../run/leg.js';
import { createLogger } from '../store/event-log.js';
import { meet } from '../run/server-under-test.js';
import { plan as makePlan } from '../plan/plan.js';
import { kneeLine } from '../console/knee.js';
import { loadText } from '../console/load.js';
import { Progress } from '../console/progress.js';
import { createRunFolder, makeOutputFolder, runId } from '../store/run-folder.js';
import { Interrupts } from '../run/interrupts.js';
import { summariseRun } from '../results/summary.js';
import { legTable } from '../console/table.js';
import { formatDuration } from '../results/units.js';
import { reasonOf, warning } from '../results/warnings.js';
import { outputOptions } from './output-options.js';
import { prepare, warnUnavailable } from './preparation.js';

/** @typedef {import('../results/warnings.js').Warning} Warning */

export const command = 'stress';
export const describe = 'Run a scenario and write its report';

/** @type {Record<string, import('yargs').Options>} */
export const builder = {
  ...scenarioOptions(),
  ...outputOptions,
  json: { type: 'boolean', description: 'Print summary.json and nothing else', group: 'Output:' },
  quiet: { type: 'boolean', description: 'Print only the table of results at the end', group: 'Output:' },
  'dry-run': { type: 'boolean', description: 'Print the plan without starting anything', group: 'Output:' },
};

/** @type {import('./index.js').Command['examples']} */
export const examples = [
  ['--config smoke', 'a first run: 100 connections for 2 s'],
  ['--config 10k-1kb --servers go,epoll', 'other servers in a shipped scenario'],
  ['--target 127.0.0.1:7000 --connections 500', 'a server that is already running'],
  ["--command './mine --port {port}' --connections 500", 'a server that Broadside starts and stops'],
  ['--servers epoll --connections 200 --rate 5000/s', 'open loop: 5,000 requests per second'],
];

/**
 * The primary makes some megabytes a second of histograms and lines, and keeps none: a young generation that does not
 * grow is collected often, and memory stays level. Left to itself it goes up and down by tens of megabytes.
 */
const LEVEL_MEMORY = '--semi-space-growth-factor=1';

/** @param {any} argv */
export async function handler(argv) {
  setFlagsFromString(LEVEL_MEMORY);
  process.exitCode = await stress(argv);
  // an interrupted build or start of a server may still be under way; the guard ends what it has started
  if (process.exitCode >= 128) process.exit();
}

/**
 * @param {any} argv as yargs leaves it
 * @returns {Promise<number>} the exit code
 * @throws {import('../errors.js').BroadsideError} before the run has begun
 */
export async function stress(argv) {
  const prepared = await prepare(argv);
  const { scenario: asked, host, known, left } = prepared;
  const unavailable = warnUnavailable(prepared);
  const plan = makePlan(asked, host, known, [...unavailable, ...left]);
  // with --force the plan may have cut it down to what the client can do
  const scenario = { ...asked, connections: plan.connections, connectRate: plan.connectRate };
  if (argv['dry-run']) {
    const dry = argv.json ? JSON.stringify({ scenario, plan }, null, 2) : describePlan(scenario, plan, host);
    process.stdout.write(`${dry}\n`);
    return 0;
  }
  makeOutputFolder('report', argv.report); // before an hour is measured, not after
  const here = known.filter(({ available }) => available).map(({ name }) => name);
  const run = new StressRun({ argv, scenario, plan, host, here });
  return run.execute();
}

/** One run, from its folder to its report. */
class StressRun {
  /**
   * @param {{ argv: any, scenario: import('../scenario/scenario.js').Scenario, plan: import('../plan/plan.js').Plan,
   *   host: import('../machine/host.js').Host, here: string[] }} order  here: the servers that can be had
   */
  constructor({ argv, scenario, plan, host, here }) {
    this.argv = argv;
    this.scenario = scenario;
    this.plan = plan;
    this.host = host;
    this.here = here;
    this.t0 = { monotonicNs: process.hrtime.bigint(), epochMs: Date.now() };
    this.interrupts = new Interrupts();
    this.progress = new Progress(process.stdout, { quiet: Boolean(argv.quiet || argv.json) });
    this.folder = createRunFolder(argv.logs, runId(new Date(this.t0.epochMs), scenario.name));
    this.logger = createLogger(path.join(this.folder.folder, 'events.ndjson'), (error) =>
      this.failedWrite('events.ndjson', error),
    );
    this.folder.onFailure = (file, error) => this.failedWrite(file, error);
    /** @type {Warning[]} */
    this.warnings = [...plan.warnings];
    /** @type {number[] | undefined} */
    this.synRetryNs = undefined;
    /** @type {any[]} */
    this.summaries = [];
    /** @type {LegRun | null} */
    this.current = null;
    /** @type {(reason: 'interrupted') => void} */
    this.interrupt = () => {};
    this.interrupted = new Promise((resolve) => {
      this.interrupt = resolve;
    });
  }

  async execute() {
    this.interrupts
      .on('first', (signal) => this.end(signal))
      .on('second', () => this.endAtOnce())
      .listen();
    try {
      await this.begin();
      if (await this.build()) await this.runLegs();
      return await this.conclude();
    } catch (error) {
      this.folder.writeJson('summary.json', this.summary(warning('run-failed', reasonOf(error))));
      throw error;
    } finally {
      this.interrupts.close();
      this.progress.end();
      this.logger.close();
    }
  }

  /** Writes what is known before anything is measured. */
  async begin() {
    const { scenario, plan, host, t0, folder, progress, logger } = this;
    folder.writeJson('scenario.json', scenario);
    folder.writeJson('plan.json', plan);
    const environment = await describeEnvironment({ t0, host, argv: process.argv });
    this.synRetryNs = environment.tcp?.synRetryNs;
    folder.writeJson('environment.json', environment);
    if (folder.failed.size > 0) {
      throw new EnvironmentError(`cannot write into ${folder.folder}: see above; give another place with --logs DIR`);
    }
    logger.log.info({ run: folder.id, scenario: scenario.name }, 'run starts');
    progress.nameLegs(plan.legs.map(({ label }) => label));
    progress.tellOf({
      openLoop: scenario.rate !== null,
      kinds: protocolOf(scenario.protocol).kinds,
      spins: scenario.busyPollNs > 0,
    });
    const legs = plan.legs.length === 1 ? 'one leg' : `${plan.legs.length} legs`;
    progress.note(
      `${progress.style('bold', folder.id)}  ${legs}, up to ${formatDuration(plan.expected.seconds * 1e9)}`,
    );
    if (scenario.description) progress.note(scenario.description, 'dim');
    if (plan.legs.length > 1) progress.note(this.load(plan.legs.at(-1) ?? plan.legs[0]));
    const left = leftBehind(scenario);
    if (left !== null) {
      logger.log.info(left);
      progress.note(left);
    }
    for (const { code, data, text } of plan.warnings) logger.log.warn({ code, data }, text);
    for (const text of groupedTexts(plan.warnings)) progress.note(`! ${text}`, 'yellow');
  }

  /**
   * What the protocol wants to find, before it is measured.
   * @param {import('../run/server-under-test.js').Opponent} opponent
   * @returns {Promise<import('../run/server-under-test.js').Opponent>} the same; rejects with the server stopped
   */
  async fill(opponent) {
    const { protocol, protocolOptions, payloadBytes, seed } = this.scenario;
    const filling = protocolOf(protocol).fill?.(protocolOptions, makePayload(payloadBytes, seed));
    try {
      // a target that does not answer is measured as it is
      if (filling && !opponent.strange) await fill(filling, opponent, opponent.tls);
    } catch (error) {
      await opponent.stop();
      throw error;
    }
    return opponent;
  }

  /** @param {import('../plan/plan.js').Leg} leg @returns {string} what every leg is to bear */
  load({ workers }) {
    return loadText(this.scenario, this.plan, workers);
  }

  /** @returns {Promise<boolean>} whether the run goes on */
  async build() {
    const names = [...new Set((this.scenario.servers ?? []).map(({ name }) => name))].filter((name) =>
      this.here.includes(name),
    );
    if (names.length === 0) return true;
    let told = false;
    const onLine = (/** @type {string} */ line) => {
      this.logger.log.debug({ source: 'build' }, line);
      if (!told) this.progress.note('building the servers that are not up to date', 'dim');
      told = true;
    };
    try {
      await Promise.race([launcher.build({ names, onLine }), this.interrupted]);
    } catch (error) {
      // a server that cannot be built fails its own leg, with the same message; the others run
      this.warn(warning('server-not-built', reasonOf(error)));
    }
    return !this.interrupts.interrupted;
  }

  async runLegs() {
    const { scenario, plan, folder, progress, t0, logger } = this;
    const context = {
      folder,
      progress,
      t0,
      log: logger.log,
      legs: plan.legs.length,
      transferLog: scenario.transferLog,
      settings: scenario,
      synRetryNs: this.synRetryNs,
    };
    for (const [index, leg] of plan.legs.entries()) {
      if (this.interrupts.interrupted) return;
      this.current = new LegRun(context, leg, index);
      const summary = await this.runLeg(this.current).catch((error) => this.broken(error));
      this.current.write(summary);
      this.summaries.push(summary);
      this.current = null;
    }
  }

  /** @param {LegRun} run @returns {Promise<any>} the leg's summary */
  async runLeg(run) {
    const { scenario, plan, progress } = this;
    const warn = (/** @type {Warning} */ one) => run.warn(one);
    let opponent;
    try {
      const met = meet(launcher, {
        leg: run.leg,
        listen: scenario.listen,
        protocol: scenario.protocol,
        protocolOptions: exchangeOptions(scenario.protocol, scenario.protocolOptions),
        tls: scenario.tls,
        log: run.log,
        warn,
      }).then((found) => this.fill(found));
      opponent = await Promise.race([met, this.interrupted]);
      if (opponent === 'interrupted') {
        void met.then(
          ({ stop }) => stop(),
          () => {},
        );
        return run.summary({ endedBy: 'interrupted', failure: warning('interrupted-before-start') });
      }
    } catch (error) {
      return this.failed(run, 'server-start', error);
    }
    const { address, port, stop } = opponent;
    const { serverModel } = run.leg;
    const told = [
      formatEndpoint({ host: address, port }),
      ...(plan.legs.length === 1 ? [this.load(run.leg)] : []),
      ...(serverModel ? [`${serverModel.language}: ${serverModel.model}`] : []),
    ];
    progress.heading(`\n${progress.style('bold', run.leg.id)}  ${told.join(' · ')}`);
    try {
      await run.measure(opponent);
    } finally {
      await stop().catch((/** @type {Error} */ error) =>
        warn(warning('server-not-stopped', { reason: error.message })),
      );
    }
    if (run.outcome?.failure) this.fault(run, run.outcome.failure.text);
    await run.endLog();
    /** @type {any} */
    const summary = run.summary();
    const knee = kneeLine(summary.ramp);
    if (knee) progress.note(`       ${knee}`);
    return summary;
  }

  /** Why a leg is missing or incomplete: where nothing is printed but the results, it goes to stderr.
   * @param {LegRun} run @param {string} text */
  fault({ leg }, text) {
    if (this.argv.quiet || this.argv.json) process.stderr.write(`broadside: ${leg.label}: ${text}\n`);
    else this.progress.note(`${leg.label}: ${text}`, 'red');
  }

  /** @param {LegRun} run @param {'server-start' | 'error'} endedBy @param {unknown} error @returns {any} its summary */
  failed(run, endedBy, error) {
    const failure = warning('leg-failed', reasonOf(error));
    run.log.error(
      { code: failure.code, data: failure.data, ...(endedBy === 'error' ? { err: error } : {}) },
      failure.text,
    );
    this.fault(run, failure.text);
    return run.summary({ endedBy, failure });
  }

  /** A leg that failed for a reason nobody foresaw: what was measured until then stays. @param {Error} error */
  broken(error) {
    const run = /** @type {LegRun} */ (this.current);
    run.workers?.kill();
    if (run.outcome === null && run.logKind === 'parquet') run.logKind = 'arrow';
    return this.failed(run, 'error', error);
  }

  /** Writes the run's summary and report, and prints the end. @returns {Promise<number>} the exit code */
  async conclude() {
    const { folder, progress, argv, logger, plan } = this;
    const summary = this.summary();
    folder.writeJson('summary.json', summary);
    logger.log.info({ complete: summary.complete, endedBy: summary.endedBy }, 'run ended');
    const page = await this.report();
    if (argv.json) progress.say(JSON.stringify(summary, null, 2));
    else {
      const kind = churnsConnections(this.scenario) || this.serversRenew() ? 'reconnect' : plan.workload;
      if (summary.legs.length > 0) progress.say(`\n${legTable(summary.legs, progress.width, kind, progress.style)}\n`);
      if (summary.endedBy === 'interrupted') progress.say('interrupted: the figures are of the part that ran');
      progress.say(`logs    ${path.relative('', folder.folder) || '.'}`);
      if (page) progress.say(`report  ${path.relative('', page)}`);
    }
    if (this.interrupts.interrupted) return this.interrupts.exitCode;
    return this.isWhole() && summary.complete && page !== null ? 0 : 1;
  }

  /** @returns {boolean} whether in every leg the server closed connections as it had said, and each was opened again */
  serversRenew() {
    const { workload = 'continuous', connectionsProfile } = this.scenario;
    const ran = this.summaries.flatMap(({ connections }) => connections ?? []);
    return workload !== 'once' && !connectionsProfile && ran.length > 0 && ran.every(serverRecycles);
  }

  /** A run whose folder lacks something has not done what it was for. @returns {boolean} */
  isWhole() {
    const legs = this.summaries.filter(({ phases }) => phases).map(({ id }) => path.join(id, 'samples.ndjson'));
    const lacking = this.folder.lacking([
      'scenario.json',
      'plan.json',
      'environment.json',
      'summary.json',
      ...legs,
      ...this.summaries.map(({ id }) => path.join(id, 'summary.json')),
    ]);
    if (lacking.length > 0) {
      process.stderr.write(`broadside: ${this.folder.folder} is not whole: it lacks ${lacking.join(', ')}\n`);
    }
    return lacking.length === 0;
  }

  /** @param {Warning} [failure] what ended the run before its legs could */
  summary(failure) {
    const { folder, scenario, t0, plan, summaries, warnings } = this;
    return summariseRun(
      {
        run: folder.id,
        scenario: scenario.name,
        startedAt: new Date(t0.epochMs).toISOString(),
        endedAt: new Date().toISOString(),
        config: scenario,
        planned: plan.legs.length,
        interrupted: this.interrupts.interrupted,
        warnings,
        failure,
      },
      summaries,
    );
  }

  /** @returns {Promise<string | null>} the page, or null when it could not be made */
  async report() {
    try {
      const { buildReport } = await import('../../report/index.js');
      const { index } = await buildReport({
        runFolder: this.folder.folder,
        reportFolder: this.argv.report,
        index: true,
      });
      return index;
    } catch (error) {
      const { message } = /** @type {Error} */ (error);
      this.logger.log.error({ err: error }, 'no report');
      process.stderr.write(
        `broadside: the report could not be made: ${message}; try again: npm run report -- ${this.folder.id}\n`,
      );
      return null;
    }
  }

  /** The first signal: drain, then summary and report as usual. @param {string} signal */
  end(signal) {
    this.logger.log.warn({ signal }, 'interrupted');
    this.progress.note(`       ! ${signal} received: draining. Press Ctrl+C again to stop immediately.`, 'yellow');
    this.interrupt('interrupted');
    this.current?.workers?.drain();
  }

  /** The second signal: what is in memory is written now, and the process ends; the guard ends the server. */
  endAtOnce() {
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
    this.folder.writeJson('summary.json', this.summary());
    const { id, folder } = this.folder;
    if (!this.argv.json) {
      this.progress.say(
        `\nstopped immediately: the results up to this point are in ${path.relative('', folder)}; build their report with: npm run report -- ${id}`,
      );
    }
    this.progress.end();
    this.logger.close();
    process.exit(this.interrupts.exitCode);
  }

  /** @param {Warning} one */
  warn({ code, data, text }) {
    this.warnings.push({ code, data, text });
    this.logger.log.warn({ code, data }, text);
    this.progress.note(`! ${text}`, 'yellow');
  }

  /** @param {string} file @param {NodeJS.ErrnoException} error */
  failedWrite(file, error) {
    const failed = warning('file-not-written', { file, reason: error.code === 'ENOSPC' ? error.code : error.message });
    this.warnings.push(failed);
    process.stderr.write(`broadside: ${failed.text}\n`);
  }
}
