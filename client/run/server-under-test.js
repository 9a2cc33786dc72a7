// The server that a leg measures, or several instances of it: a server of Broadside, a command, or a target that is
// already running. If an instance ends during a leg, that is a result: it is reported once, with its last lines, and
// the leg continues.
import { setTimeout as wait } from 'node:timers/promises';
import { processCpuNs } from '../engine/index.js';
import { mergeReadings } from '../machine/usage.js';
import { withoutKept } from '../protocols/kept-secrets.js';
import { LineLimit } from '../store/event-log.js';
import { formatEndpoint, LISTEN_HOSTS } from '../words/endpoint.js';
import { duration } from '../words/format.js';
import { reasonOf, warning } from '../words/warnings.js';
import { withAuthority } from '../scenario/keys/tls.js';
import { causeOf, exchange, exchangeAsWanted } from './exchange.js';
import { ServerMeter } from './server-meter.js';
import { withRemedy } from './target-check.js';
import { wrapperWords } from './wrapper.js';

/**
 * @import { Logger } from 'pino'
 * @import { Endpoint, PlannedServer, Warning } from '../../config/types.js'
 * @import { InstanceOptions, StartOptions } from '../../servers/launcher/start/start.js'
 * @import { EnvironmentError } from '../errors.js'
 * @import { ServerReading as InstanceReading } from '../machine/usage.js'
 * @import { Leg } from '../plan/plan.js'
 * @import { TlsOptions } from '../scenario/keys/tls.js'
 * @import { Scenario } from '../scenario/scenario.js'
 * @import { Meter } from './server-meter.js'
 */

const EXCHANGE_NS = 10e9;
const FIRST_PAUSE_MS = 10;
const MAX_PAUSE_MS = 200;
const READY_TIMEOUT_MS = 15_000;
const FLUSH_MS = 5000;

/**
 * @typedef {object} ServerExit
 * @property {number | null} code
 * @property {string | null} signal
 * @property {boolean} [forced]
 * @property {true} [guardKilled]
 * @property {number} [left]
 * @property {string[]} [lastLines]  of its stderr, if the launcher keeps them
 * @property {(which: { instance?: number }) => Warning} [warning]  with the cause, if the server's host knows it
 * @typedef {{ host: string, port: number, pids: number[], authority: string | null,
 *   exited: Promise<ServerExit>, usage: () => InstanceReading | null,
 *   stop: () => Promise<ServerExit>, meter?: Meter }} Server  meter: of all instances; absent: they are on this host
 * @typedef {Required<Pick<StartOptions, 'protocol' | 'transport' | 'readyTimeoutMs'>>} OfLeg  options that every leg
 *   gives
 */

/**
 * @typedef {object} Launcher
 * @property {(options: { names?: string[], onLine?: (line: string) => void }) => Promise<unknown>} build
 * @property {(options: StartOptions & OfLeg) => Promise<Server>} startServer
 * @property {(options: InstanceOptions & OfLeg, count: number) => Promise<Server[]>} startInstances
 * @property {(pid: number, cpuClock: typeof processCpuNs) => { usage: () => InstanceReading | null }} [watchPid]
 *   absent if servers are on another host
 * @property {(targets: Endpoint[]) => number[][]} [listeningProcesses]  the processes of this host that listen at each;
 *   absent if the load comes from another host, where the address may belong to another program
 * @typedef {{ address: string, port: number, tls?: TlsOptions | null, unverified?: boolean }} ServerInstance  tls: with
 *   the instance's authority, if it has one; unverified: it did not answer
 * @typedef {object} ServerUnderTest
 * @property {ServerInstance[]} instances
 * @property {number[]} pids  its known processes on this host, without their children
 * @property {Meter} meter
 * @property {() => Promise<void>} stop
 * @property {number} [startRssBytes]  resident size before the load; absent: not known
 */

/**
 * @typedef {object} Context
 * @property {Leg} leg
 * @property {Scenario} settings of the leg
 * @property {boolean} [answered]  whether the targets have just answered an exchange
 * @property {Logger} log
 * @property {(warning: Warning) => void} warn
 * @property {(text: string) => void} [notice]  tells the user what is awaited
 * @property {() => number} [sinceStart]  ns since the leg began; below 0 before
 */

/**
 * Starts the server of a leg, or attaches to the target, and exchanges one verified transfer with it.
 * @param {Launcher} launcher
 * @param {Context} context
 * @returns {Promise<ServerUnderTest>} rejects with an error whose message a person can act on
 */
export async function openServer(launcher, context) {
  const { server } = context.leg;
  return server.kind === 'target' ? attachToTarget(launcher, server, context) : startServer(launcher, server, context);
}

/**
 * @param {Launcher} launcher
 * @param {Exclude<PlannedServer, { kind: 'target' }>} server
 * @param {Context} context
 * @returns {Promise<ServerUnderTest>}
 */
async function startServer(launcher, server, context) {
  const { leg, settings } = context;
  const { protocol, tls } = settings;
  const { notice = () => {} } = context;
  const output = new ServerOutput(context);
  const what =
    server.kind === 'named'
      ? { name: server.name, options: server.options, env: server.env }
      : { command: server.command, cwd: server.folder };
  const { transport = /** @type {const} */ ('tcp') } = leg;
  const options = {
    ...what,
    wrap: leg.wrap?.server === undefined ? [] : wrapperWords(leg.wrap.server),
    transport,
    protocol,
    host: LISTEN_HOSTS[settings.listen],
    readyTimeoutMs: READY_TIMEOUT_MS,
    onWaiting: (/** @type {string} */ endpoint) =>
      notice(`waiting for ${leg.label} to listen on ${endpoint}, at most ${duration(READY_TIMEOUT_MS * 1e6)}`),
    cpuClock: processCpuNs,
    onLine: (/** @type {string} */ stream, /** @type {string} */ line, instance = 0) =>
      output.add(stream, line, instance),
  };
  const { instances = 1, serverCpus } = leg;
  const cpus = serverCpus ?? Array.from({ length: instances }, () => leg.pin.server);
  const started =
    instances === 1
      ? [await launcher.startServer({ ...options, cpus: cpus[0] })]
      : await launcher.startInstances({ ...options, cpus }, instances);
  const flush = setInterval(() => output.flush(), FLUSH_MS).unref();
  const watched = started.map((instance, index) => new WatchedServer(instance, index, instances, context, output));
  const pids = started.flatMap((instance) => instance.pids);
  const meter = started[0].meter ?? new ServerMeter(started, { listening: listeningAt(started, leg), pids });
  const stop = async () => {
    clearInterval(flush);
    await Promise.all(watched.map((instance) => instance.stop()));
    output.flush();
  };
  try {
    const unverified = await Promise.all(
      started.map((instance, index) => exchangeWhenReady(instance, watched[index], context)),
    );
    return {
      instances: started.map(({ host, port, authority }, i) => ({
        ...{ address: host, port, unverified: unverified[i] },
        tls: tls && withAuthority(tls, authority),
      })),
      ...{ pids, meter, stop },
    };
  } catch (error) {
    await stop().catch(() => {}); // the first error is the cause
    throw error;
  }
}

/**
 * Makes one exchange. A server that is still starting may accept connections and send nothing: the exchange is then
 * tried again.
 * @param {Server} server @param {WatchedServer} watched @param {Context} context
 * @returns {Promise<boolean>} whether the server gives another answer, and is measured because of `force`; rejects with
 *   the reason why it cannot be measured, and what to do
 */
async function exchangeWhenReady({ host, port, authority }, watched, { leg, settings, warn }) {
  const tls = settings.tls && withAuthority(settings.tls, authority);
  const wanted = { settings, leg, server: { address: host, port }, tls };
  const deadlineMs = performance.now() + EXCHANGE_NS / 1e6;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)) {
    try {
      const leftNs = (deadlineMs - performance.now()) * 1e6;
      const check = settings.force ? exchange : exchangeAsWanted;
      await check({ ...wanted, timeoutNs: Math.max(leftNs, settings.transferTimeoutNs) });
      return false;
    } catch (caught) {
      const error = /** @type {EnvironmentError} */ (caught);
      if (settings.force && error.data?.received > 0) {
        warn(warning('target-unverified', reasonOf(error)));
        return true;
      }
      if (watched.hasEnded || !mayPass(error) || performance.now() + pauseMs > deadlineMs) {
        throw await withRemedy(error, wanted);
      }
      await wait(pauseMs);
    }
  }
}

/** @param {EnvironmentError} error of an exchange @returns {boolean} whether another one may succeed a moment later */
function mayPass({ code, data }) {
  if (code !== 'EEXCHANGE' || data.received > 0) return false;
  const { step, reason, tlsFailure } = data;
  return tlsFailure?.step === 'handshake'
    ? ['closed', 'broken'].includes(tlsFailure.cause)
    : causeOf({ step, reason })?.whileStarting === true;
}

/**
 * Attaches to targets, which the run has not started. A target that does not answer is a result, so it is only a
 * warning.
 * @param {Launcher} launcher
 * @param {Extract<PlannedServer, { kind: 'target' }>} server
 * @param {Context} context
 * @returns {Promise<ServerUnderTest>} unverified: the targets that did not answer as the protocol requires
 */
async function attachToTarget(launcher, { targets, pid, ...only }, context) {
  const { leg, settings, answered = false, warn } = context;
  const { tls } = settings;
  const instances = await Promise.all(
    (targets ?? [only]).map(async ({ host, port }, index) => {
      let unverified = false;
      if (answered) return { address: host, port, tls, unverified };
      try {
        await exchange({ settings, leg, server: { address: host, port }, tls });
      } catch (error) {
        unverified = true;
        warn(warning('target-unverified', { ...reasonOf(error), ...(targets && { instance: index }) }));
      }
      return { address: host, port, tls, unverified };
    }),
  );
  const processes = pid === null ? processesOf(launcher, targets ?? [only], context) : [[pid]];
  const pids = [...new Set(processes.flat())];
  const listening = launcher.listeningProcesses === undefined ? [] : listeningAt(targets ?? [only], leg);
  const meter = new ServerMeter(watchedProcesses(launcher, processes), { listening, pids });
  return { instances, pids, meter, stop: async () => {} };
}

/**
 * @param {Endpoint[]} endpoints @param {Pick<Leg, 'transport'>} leg
 * @returns {{ address: string, port: number }[]} sockets whose accept queues are read; none over another transport than
 *   TCP, where the same port may belong to another program
 */
const listeningAt = (endpoints, { transport }) =>
  transport === undefined ? endpoints.map(({ host, port }) => ({ address: host, port })) : [];

/**
 * @param {Launcher} launcher @param {Endpoint[]} targets @param {Context} context
 * @returns {number[][]} the processes that listen at each target, as far as they are found
 */
function processesOf({ listeningProcesses }, targets, { leg: { transport }, log }) {
  // over another transport than TCP the address may belong to another program
  if (listeningProcesses === undefined || transport !== undefined) return [];
  const processes = listeningProcesses(targets);
  for (const [i, pids] of processes.entries())
    log.info(
      { target: formatEndpoint(targets[i]), pids },
      pids.length > 0 ? 'processes that listen' : 'no process found',
    );
  return processes;
}

/**
 * @param {Launcher} launcher @param {number[][]} processes of each target; their children are included
 * @returns {{ usage: () => InstanceReading | null }[]} of each target; empty if the processes of a target are not known
 */
function watchedProcesses({ watchPid }, processes) {
  if (watchPid === undefined || processes.some((pids) => pids.length === 0)) return [];
  const pids = processes.flat();
  // processes that several targets share count once
  const groups = new Set(pids).size === pids.length ? processes : [[...new Set(pids)]];
  const watchedGroups = groups.map((group) => group.map((pid) => watchPid(pid, processCpuNs)));
  return watchedGroups.map((group) => ({
    usage: () => mergeReadings(group.map((watched) => ({ reading: watched.usage(), hasEnded: false }))),
  }));
}

/** Watches one instance of the server, and reports its end. */
class WatchedServer {
  /**
   * @param {Server} server @param {number} index @param {number} instances
   * @param {Context} context @param {ServerOutput} output
   */
  constructor(server, index, instances, { warn, sinceStart }, output) {
    this.server = server;
    this.warn = warn;
    this.sinceStart = sinceStart;
    /** The part of a warning that tells the instance; empty if there is only one. */
    this.which = instances > 1 ? { instance: index } : {};
    this.stopping = false;
    this.hasEnded = false;
    void server.exited.then((ending) => {
      this.hasEnded = true;
      if (!this.stopping) this.reportEnd(ending, ending.lastLines ?? output.lastLinesOf(index));
    });
  }

  /** @param {ServerExit} ending @param {string[]} lastLines */
  reportEnd({ code, signal, guardKilled, left: leftBehind = 0, warning: known }, lastLines) {
    const atNs = this.sinceStart?.() ?? -1;
    const at = atNs >= 0 ? { atNs } : {};
    if (known) this.warn(known(this.which));
    else if (guardKilled) this.warn(warning('guard-killed', { ...this.which, ...at, signal, lastLines }));
    else this.warn(warning('server-ended', { ...this.which, ...at, signal, exitCode: code, leftBehind, lastLines }));
  }

  async stop() {
    const endedBefore = this.hasEnded;
    this.stopping = true;
    const { forced } = await this.server.stop();
    if (forced && !endedBefore) this.warn(warning('server-killed', this.which));
  }
}

const MAX_LINES_KEPT = 8;
/** Lines of stderr that become warnings of the leg; a server may write one for each connection. */
const MAX_LINES_WARNED = 5;

/**
 * Takes what the server writes: logs its lines up to a limit, and reports the first lines of stderr as warnings.
 */
class ServerOutput {
  /** @param {Context} context */
  constructor({ leg, log, warn }) {
    this.limit = new LineLimit((line) => log.info({ source: 'server' }, line));
    this.warn = warn;
    // Broadside's servers write only errors to stderr; other programs and wrappers may write anything there
    this.reports =
      leg.server.kind === 'named' && leg.serverModel?.language !== 'program' && leg.wrap?.server === undefined;
    /** The last lines of each instance's stderr. @type {Map<number, string[]>} */
    this.lastLines = new Map();
    /** @type {Set<string>} */
    this.reported = new Set();
  }

  /** @param {number} instance @returns {string[]} the last lines of its stderr */
  lastLinesOf(instance) {
    return [...(this.lastLines.get(instance) ?? [])];
  }

  /** @param {string} stream @param {string} line @param {number} instance */
  add(stream, line, instance) {
    this.limit.add(line);
    if (stream !== 'stderr') return;
    this.lastLines.set(instance, [...this.lastLinesOf(instance), line].slice(-MAX_LINES_KEPT));
    if (!this.reports || this.reported.size >= MAX_LINES_WARNED || this.reported.has(line)) return;
    this.reported.add(line);
    this.warn(warning('server-output', { line: withoutKept(line) }));
  }

  flush() {
    this.limit.flush();
  }
}
