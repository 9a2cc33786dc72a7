// One leg, from the first fork to its summary: takes the workers' samples, writes samples.ndjson and the transfer log.
// For the summary the samples are read back from their file, so that a long run needs no more memory than a short one.
import path from 'node:path';
import { readDescriptors } from '../machine/descriptors.js';
import { KernelMeter } from '../machine/kernel-counters.js';
import { ListenMeter } from '../machine/listen-queues.js';
import { backgroundLoadWarning } from '../results/background-load.js';
import { runBar } from '../console/bar.js';
import { engineTls } from '../scenario/keys/tls.js';
import { formatEndpoint } from '../results/endpoint.js';
import { filled, limitedBy } from '../results/limit-attribution.js';
import { LinesFile } from '../store/lines-file.js';
import { forceGc } from './force-gc.js';
import { LegWorkers } from './cluster/primary.js';
import { agentOf } from '../results/agents.js';
import { clientUse } from '../results/client-use.js';
import { toSample } from '../results/sample.js';
import { busyPollWarning } from '../results/busy-poll.js';
import { mergedIntervalsWarning } from '../results/merged-intervals.js';
import { ConfidenceRule } from '../results/checks/confidence.js';
import { StopRules } from '../results/conditions/stop-rules.js';
import { summariseLeg } from '../results/summary.js';
import { endTransferLog, shareOfLog } from '../store/transfer-log/index.js';
import { settingsOf } from '../results/leg-settings.js';
import { warning } from '../results/warnings.js';
import { MachineMeter, ProcessMeter, serverUse } from '../machine/usage.js';

const SAMPLES_PER_COLLECTION = 30;
/** Which agent has which part of a leg's transfer log. */
export const AGENT_LOGS_FILE = 'agent-logs.json';
/** For a wrapper of the workers to write its results and end. */
const WRAPPER_MS = 5000;
/** The kernel's counters are read this long before the start, as a timer may be late and must not miss the first connects. */
const KERNEL_LEAD_MS = 50;

/**
 * @typedef {import('../results/sample.js').Sample} Sample
 * @typedef {import('../results/sample-merge.js').Merged} Merged
 * @typedef {import('../results/warnings.js').Warning} Warning
 * @typedef {import('../machine/usage.js').ServerReading} ServerReading
 * @typedef {{ address: string, port: number, tls?: import('../scenario/keys/tls.js').TlsOptions | null,
 *   unverified?: boolean }} ServerInstance  tls: with its own authority, where it has one; unverified: it did not answer
 * @typedef {{ instances: ServerInstance[], pids: number[], read: () => ServerReading | null }} ServerUnderTest  pids: its
 *   processes, as far as they are known
 * @typedef {{ folder: import('../store/run-folder.js').RunFolder, log: import('../store/event-log.js').Logger,
 *   display: import('../console/run-display.js').RunDisplay, t0: import('../store/environment.js').Zero,
 *   settings: import('./cluster/assignment.js').Settings, stopOn: string[], legs: number, rounds: number, transferLog: 'parquet' | 'arrow' | 'none',
 *   synRetryNs?: number[], workerFile?: string, agents?: import('./agents/agent-group.js').AgentGroup }} Run  synRetryNs: of
 *   environment.json; agents: that the workers are on
 */

/**
 * Where the slots of one instance go: slot i to endpoint i mod length. Its slots are `instances` apart, and take each
 * source in turn.
 * @param {ServerInstance} instance
 * @param {string[]} sources
 * @param {number} instances
 * @returns {import('./cluster/assignment.js').Endpoint[]}
 */
export function endpointsOf({ address, port }, sources, instances) {
  if (sources.length === 0) return [{ address, port }];
  return sources.flatMap((source) => Array.from({ length: instances }, () => ({ address, port, source })));
}

/**
 * A sample that has no time span: late cuts of a phase that is over. The readings of machine and server belong to the
 * next sample.
 * @param {Merged} merged
 * @param {number} workers of the leg
 * @returns {Sample}
 */
function withoutReadings(merged, workers) {
  const client = clientUse(merged.usages, { cpuSeconds: 0, rssBytes: 0 }, workers);
  return toSample(merged, { client, server: null, busy: [], kernel: {}, limitedBy: 'none' });
}

/**
 * @param {number[] | undefined} before @param {number[] | undefined} now  CPU seconds of each instance
 * @returns {number[] | undefined} since then
 */
const secondsBetween = (before, now) => before && now?.map((seconds, i) => Math.max(0, seconds - before[i]));

/** One leg of a run. */
export class LegRun {
  /** @param {Run} run @param {import('../plan/plan.js').Leg} leg @param {number} index of the leg in the plan */
  constructor(run, leg, index) {
    this.run = run;
    this.leg = leg;
    this.settings = settingsOf(run.settings, leg);
    this.index = index;
    this.folder = run.folder.legFolder(leg.id);
    this.log = run.log.child({ leg: leg.id });
    /** @type {LinesFile<Sample>} */
    this.samples = new LinesFile(run.folder, path.join(leg.id, 'samples.ndjson'));
    /** @type {Warning[]} */
    this.warnings = [];
    /** @type {string[]} */
    this.targets = [];
    /** @type {import('./cluster/primary.js').Outcome | null} */
    this.outcome = null;
    this.stopRules = new StopRules(run.stopOn);
    /** @type {import('../results/summary.js').Stopped | undefined} */
    this.stopped = undefined;
    this.confidence = new ConfidenceRule(this.settings.untilConfident);
    this.logRows = 0;
    this.taken = 0;
    /** @type {string} */
    this.logKind = run.transferLog;
    this.phase = 'start';
    /** @type {import('../results/agents.js').AgentState[] | undefined} */
    this.agentStates = undefined;
    /** @type {LegWorkers | null} */
    this.workers = null;
    this.converting = new AbortController();
    this.machine = new MachineMeter();
    this.own = new ProcessMeter();
    this.kernel = new KernelMeter();
    this.listening = new ListenMeter([]);
    this.read = { at: process.hrtime.bigint(), server: /** @type {ServerReading | null} */ (null) };
  }

  /** Runs the workers against the server, to the end of the drain. @param {ServerUnderTest} server */
  async measure(server) {
    const {
      run: { t0, workerFile, transferLog, agents },
      settings,
      leg,
      folder,
    } = this;
    const { instances } = server;
    this.targets = instances.map(({ address, port }) => formatEndpoint({ host: address, port }));
    const workers = new LegWorkers({
      settings,
      leg,
      t0Ns: t0.monotonicNs,
      folder,
      workerFile,
      source: agents?.forLeg(leg.id),
      logging: transferLog !== 'none',
      instances: instances.map((one) => ({
        endpoints: endpointsOf(one, leg.sources, instances.length),
        tls: one.tls ? engineTls(one.tls, one.address) : null,
      })),
    });
    this.workers = workers;
    this.kernel = new KernelMeter(server.pids);
    // here the same port may belong to another program
    const elsewhere =
      agents !== undefined || this.kernel.away.length > 0 || !['tcp', undefined].includes(leg.transport);
    this.listening = new ListenMeter(elsewhere ? [] : instances);
    workers.on('warning', (/** @type {Warning} */ one) => this.warn(one, false));
    workers.on('worker', (event) => this.log.info(event, `worker ${event.worker} ${event.event}`));
    workers.on('start', (/** @type {bigint} */ startNs) => this.started(startNs, server));
    workers.on('merged', (/** @type {Merged} */ merged) => this.take(merged, server));
    const warn = (/** @type {Warning} */ one) => this.warn(one);
    agents?.on('warning', warn);
    const ticker = setInterval(() => this.tick(), 1000);
    try {
      this.outcome = this.outcomeOf(await workers.run());
      for (const { worker, stderr } of await workers.wrappersEnd(WRAPPER_MS)) {
        for (const line of stderr.trim().split('\n')) this.log.info({ source: 'worker', worker }, line);
      }
    } finally {
      clearInterval(ticker);
      agents?.off('warning', warn);
      this.run.display.workersEnd();
      this.own.close();
    }
    this.warnings.push(...this.outcome.warnings);
    this.agentStates = await agents?.endLeg();
    const samples = this.samples.read();
    for (const found of [mergedIntervalsWarning(samples), backgroundLoadWarning(samples), busyPollWarning(samples)]) {
      if (found !== null) this.warn(found);
    }
    const { transfers = null, lifetime } = settings;
    const mayEnd = transfers !== null || lifetime?.reopen === false;
    if (mayEnd && this.outcome.endedBy === 'done' && ['ramp', 'warmup'].includes(this.phase)) {
      const { warmupTransfers, steadyFromNs } = leg;
      this.warn(warning('no-steady-state', { transfers, phase: this.phase, warmupTransfers, steadyFromNs }));
    }
    this.log.info({ endedBy: this.outcome.endedBy, failure: this.outcome.failure }, 'leg ended');
  }

  /** @param {bigint} startNs @param {ServerUnderTest} server */
  started(startNs, server) {
    const startedNs = Number(startNs - this.run.t0.monotonicNs);
    this.log.info({ startNs: startedNs }, 'leg starts');
    const lead = Number(startNs - process.hrtime.bigint()) / 1e6;
    setTimeout(
      () => {
        if (this.samples.count === 0) this.kernel.read();
      },
      Math.max(0, lead - KERNEL_LEAD_MS),
    ).unref();
    setTimeout(() => this.baseline(server), Math.max(0, lead)).unref();
    this.run.display.workersStart(lead, () => this.barState(), startedNs);
  }

  /** Takes the first readings: what was used before the start is not the leg's. @param {ServerUnderTest} server */
  baseline(server) {
    if (this.samples.count > 0) return;
    this.machine.read();
    this.own.read();
    this.read = { at: process.hrtime.bigint(), server: this.readServer(server) };
  }

  /** @param {ServerUnderTest} server @returns {ServerReading | null} */
  readServer(server) {
    try {
      return server.read();
    } catch {
      return null;
    }
  }

  /** @param {Merged} merged @param {ServerUnderTest} server */
  take(merged, server) {
    const sample =
      merged.toNs > merged.fromNs || merged.last
        ? this.measureSample(merged, server)
        : withoutReadings(merged, this.leg.workers);
    this.samples.add(sample);
    if (sample.phase !== this.phase && sample.toNs > sample.fromNs) {
      this.phase = sample.phase;
      this.log.info({ phase: sample.phase, atNs: sample.fromNs }, `phase ${sample.phase}`);
    }
    this.run.display.sample(this.leg, sample, { last: merged.last });
    this.followStopRules(sample);
    this.followConfidence(sample);
    this.taken += 1;
    if (this.taken % SAMPLES_PER_COLLECTION === 0) forceGc();
  }

  /**
   * Ends the leg when a condition of stopOn has held long enough. The sample of the last second comes when the drain has begun:
   * then the leg has ended already, and is only judged (outcomeOf).
   * @param {Sample} sample
   */
  followStopRules(sample) {
    if (this.stopped !== undefined || !this.workers || this.workers.stopping) return;
    const stopped = this.stopRules.observe(sample);
    if (stopped === null) return;
    this.stopped = stopped;
    this.warn(warning('stopped-on-condition', stopped));
    if (!this.workers.isOver) this.workers.drain('stop-on');
  }

  /**
   * @param {import('./cluster/primary.js').Outcome} outcome of the workers
   * @returns {import('./cluster/primary.js').Outcome} of the leg: one in whose last second a condition of stopOn was met is like
   *   one that was ended by it
   */
  outcomeOf(outcome) {
    const isMet = this.stopped !== undefined && ['plan', 'done'].includes(outcome.endedBy);
    return isMet ? { ...outcome, endedBy: 'stop-on' } : outcome;
  }

  /** Ends the leg when its percentiles are known as well as untilConfident asks for. @param {Sample} sample */
  followConfidence(sample) {
    if (!this.workers || this.workers.isOver || !this.confidence.observe(sample)) return;
    this.log.info({ atNs: sample.toNs }, 'the intervals of untilConfident are reached');
    this.workers.drain('confident');
  }

  /**
   * @param {Merged} merged
   * @param {ServerUnderTest} target
   * @returns {Sample} with what client, server, machine and kernel used since the reading before
   */
  measureSample(merged, target) {
    const before = this.read;
    const now = { at: process.hrtime.bigint(), server: this.readServer(target) };
    this.read = { ...now, server: now.server ?? before.server };
    const wall = Number(now.at - before.at) / 1e9;
    const client = clientUse(merged.usages, this.own.read(), this.leg.workers);
    const server = now.server ? this.useOf(before.server ?? now.server, now.server, wall) : null;
    const listen = this.listening.read();
    if (before.server && now.server) this.watchProcesses(before.server, now.server);
    const isHere = this.run.agents === undefined; // what agents use is in their intervals
    const busy = isHere ? this.machine.read() : [];
    return toSample(merged, {
      client,
      server,
      instanceCpu: secondsBetween(before.server?.instanceSeconds, now.server?.instanceSeconds),
      busy,
      ...(isHere ? this.kernel.read() : { kernel: {} }),
      ...(listen === null ? {} : { listen }),
      limitedBy: this.limitOf({ busy, client, server, wall }),
    });
  }

  /**
   * @param {ServerReading} before @param {ServerReading} now @param {number} wallSeconds
   * @returns {import('../machine/usage.js').ServerUse}
   */
  useOf(before, now, wallSeconds) {
    const descriptors = readDescriptors(Object.keys(now.processSeconds ?? {}).map(Number));
    return { ...serverUse(before, now, wallSeconds), ...(descriptors === null ? {} : { descriptors }) };
  }

  /**
   * Warns when a server of several processes has lost some of them. @param {ServerReading} before @param {ServerReading} now
   */
  watchProcesses(before, now) {
    const { server } = this.leg;
    const several = server.kind === 'named' && Number(server.options.processes) > 1;
    if (several && now.living === before.living && now.processes > 0 && now.processes < before.processes) {
      this.warn(warning('server-processes-lost', { before: before.processes, now: now.processes }));
    }
  }

  /**
   * @param {{ busy: number[], client: ReturnType<typeof clientUse>, wall: number,
   *   server: import('../machine/usage.js').ServerUse | null }} second
   */
  limitOf({ busy, client, server, wall }) {
    const { pin } = this.leg;
    const engines = filled(client.engineCpuSeconds - (client.idlePollSeconds ?? 0), wall, pin.client);
    const idlePoll = client.engines.reduce((sum, one) => sum + (one.idlePoll ?? 0), 0);
    const servers = filled(server?.cpuSeconds ?? 0, wall, pin.server);
    return limitedBy({
      busy,
      client: { busiest: Math.max(client.busiestEngine, engines), wait: client.busiestWait, idlePoll },
      server: server && {
        busiest: Math.max(server.busiestThread ?? 0, servers),
        wait: wall > 0 ? (server.waitSeconds ?? 0) / wall : 0,
        ...(wall > 0 ? { cpu: server.cpuSeconds / wall } : {}),
      },
    });
  }

  /** @returns {number} ns from t0 to the leg's start; 0 before it */
  get startNs() {
    const startNs = this.workers?.startNs;
    return startNs ? Number(startNs - this.run.t0.monotonicNs) : 0;
  }

  /** Once a second: lets the display say that no samples come. */
  tick() {
    if (!this.workers || this.workers.startNs === null) return;
    const nowNs = Number(process.hrtime.bigint() - this.workers.startNs);
    this.run.display.tick(nowNs, this.workers.behind());
  }

  /** @returns {import('../console/bar.js').BarState} how far the run is */
  barState() {
    const { leg, index, workers } = this;
    return runBar({
      ...{ label: leg.label, index, legs: this.run.legs, rounds: this.run.rounds, phases: workers?.leg ?? leg },
      atNs: workers?.sinceStart() ?? -Infinity,
      drainEndsNs: workers?.isOver ? workers.endNs : null,
    });
  }

  /** Converts the leg's transfer log to the form the scenario asks for; never throws. */
  async endLog() {
    const {
      outcome,
      run: { transferLog, display, folder, t0 },
    } = this;
    if (transferLog === 'none' || !outcome || outcome.files.length === 0) return;
    if (this.leg.agents !== undefined) return this.listAgentLogs(this.leg.agents, outcome.files);
    const expected = Math.max(
      1,
      outcome.files.reduce((sum, { rows }) => sum + rows, 0),
    );
    const shown = display.transferLog(this.leg);
    const { rows, kind, warnings } = await endTransferLog({
      kind: transferLog,
      folder: this.folder,
      files: outcome.files,
      signal: this.converting.signal,
      metadata: {
        'broadside.run': folder.id,
        'broadside.leg': this.leg.id,
        'broadside.t0.monotonicNs': String(t0.monotonicNs),
        'broadside.t0.epochMs': String(t0.epochMs),
        'broadside.t0.iso': new Date(t0.epochMs).toISOString(),
        'broadside.start': 'ns since t0',
        'broadside.response': 'ns',
        'broadside.status': '0 ok, 1 timeout, 2 reset, 3 closed, 4 corrupt, 5 protocol, 6 unfinished, 7 other',
      },
      onRows: (done) => shown.written(done / expected),
    });
    shown.end(kind === transferLog);
    this.logRows = rows;
    this.logKind = kind;
    for (const one of warnings) this.warn(one);
  }

  /** Notes which agent has which part of the transfer log. @param {string[]} agents @param {import('../store/transfer-log/index.js').ArrowFile[]} files */
  listAgentLogs(agents, files) {
    const parts = files.map(({ path: file, splits, rows, whole }) => ({
      agent: agents[agentOf(shareOfLog(file) % this.leg.workers, agents.length)],
      file: path.basename(file),
      ...(splits === undefined ? {} : { splits: path.basename(splits) }),
      rows,
      whole,
    }));
    this.run.folder.writeJson(path.join(this.leg.id, AGENT_LOGS_FILE), parts);
  }

  /** @param {Warning} one @param {boolean} [own] whether it is to be kept here (the workers keep theirs) */
  warn({ code, data, text }, own = true) {
    if (own) this.warnings.push({ code, data, text });
    this.log.warn({ code, data }, text);
    this.run.display.legWarning(text);
  }

  /**
   * The summary of what is known now.
   * @param {{ endedBy?: import('../results/summary.js').EndedBy, failure?: Warning }} [over] for a leg that did not end
   *   by itself
   */
  summary({ endedBy, failure } = {}) {
    const { server } = this.leg;
    return summariseLeg(
      this.leg,
      this.samples.read(),
      {
        endedBy: endedBy ?? this.outcome?.endedBy ?? 'error',
        failure: failure ?? this.outcome?.failure,
        stopped: this.outcome?.endedBy === 'stop-on' ? this.stopped : undefined,
        startNs: this.outcome?.startNs ?? (this.workers?.startNs ? this.startNs : undefined),
        targets: this.targets,
        server: server.kind === 'named' ? server.name : server.kind === 'command' ? server.command : this.leg.label,
        ...(this.run.agents === undefined ? { logRows: this.logRows, logKind: this.logKind } : {}),
        agents: this.agentStates,
        warnings: this.warnings,
        synRetryNs: this.run.synRetryNs,
      },
      this.settings,
    );
  }

  /** Writes <leg>/summary.json, and the samples that could not be written before. @param {unknown} summary */
  write(summary) {
    this.samples.settle();
    this.run.folder.writeJson(path.join(this.leg.id, 'summary.json'), summary);
  }
}
