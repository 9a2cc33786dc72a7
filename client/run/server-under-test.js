// The server that a leg measures: one of Broadside's, a command, or a target that is already running; or several
// instances of it. The end of one during a leg is a result: it is reported once, with its last lines, and the leg
// continues.
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
 * @property {string[]} [lastLines]  of its stderr, where the launcher keeps them
 * @property {(which: { instance?: number }) => Warning} [warning]  that says why, where its host knows more
 * @typedef {{ host: string, port: number, pids: number[], authority: string | null,
 *   exited: Promise<ServerExit>, usage: () => InstanceReading | null,
 *   stop: () => Promise<ServerExit>, meter?: Meter }} Server  meter: of all instances, where they are not on this host
 * @typedef {Required<Pick<StartOptions, 'protocol' | 'transport' | 'readyTimeoutMs'>>} OfLeg  every leg gives them
 */

/**
 * @typedef {object} Launcher
 * @property {(options: { names?: string[], onLine?: (line: string) => void }) => Promise<unknown>} build
 * @property {(options: StartOptions & OfLeg) => Promise<Server>} startServer
 * @property {(options: InstanceOptions & OfLeg, count: number) => Promise<Server[]>} startInstances
 * @property {(pid: number, cpuClock: typeof processCpuNs) => { usage: () => InstanceReading | null }} [watchPid]
 *   absent where servers are on another host
 * @property {(targets: Endpoint[]) => number[][]} [listeningProcesses]  the processes of this host that listen at each;
 *   absent where the load comes from another one, on which the address may be that of another program
 * @typedef {{ address: string, port: number, tls?: TlsOptions | null, unverified?: boolean }} ServerInstance  tls: with
 *   its own authority, where it has one; unverified: it did not answer
 * @typedef {object} ServerUnderTest
 * @property {ServerInstance[]} instances
 * @property {number[]} pids  its processes on this host, as far as they are known, without what they have started
 * @property {Meter} meter
 * @property {() => Promise<void>} stop
 * @property {number} [startRssBytes]  resident before the load, where that is known
 */

/**
 * @typedef {object} Context
 * @property {Leg} leg
 * @property {Scenario} settings of the leg
 * @property {boolean} [answered]  whether its targets have just answered an exchange
 * @property {Logger} log
 * @property {(warning: Warning) => void} warn
 * @property {(text: string) => void} [notice]  says what is awaited
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
  const watched = started.map((one, index) => new WatchedServer(one, index, instances, context, output));
  const pids = started.flatMap((one) => one.pids);
  const meter = started[0].meter ?? new ServerMeter(started, { listening: listeningAt(started, leg), pids });
  const stop = async () => {
    clearInterval(flush);
    await Promise.all(watched.map((one) => one.stop()));
    output.flush();
  };
  try {
    const unverified = await Promise.all(started.map((one, index) => untilExchanged(one, watched[index], context)));
    return {
      instances: started.map(({ host, port, authority }, i) => ({
        ...{ address: host, port, unverified: unverified[i] },
        tls: tls && withAuthority(tls, authority),
      })),
      ...{ pids, meter, stop },
    };
  } catch (error) {
    await stop().catch(() => {}); // the first error says why
    throw error;
  }
}

/**
 * One exchange, tried again while the server accepts connections and says nothing, as one does that is still starting.
 * @param {Server} server @param {WatchedServer} watched @param {Context} context
 * @returns {Promise<boolean>} whether it answers otherwise, and is measured all the same; rejects with why it cannot be
 *   measured, and what to do
 */
async function untilExchanged({ host, port, authority }, watched, { leg, settings, warn }) {
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
 * Targets were not started here: when one goes down during a run, that is a result, so it is only a warning.
 * @param {Launcher} launcher
 * @param {Extract<PlannedServer, { kind: 'target' }>} server
 * @param {Context} context
 * @returns {Promise<ServerUnderTest>} unverified: those that did not answer, or not as the protocol says
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
 * @returns {{ address: string, port: number }[]} sockets whose accept queues are known; over another transport the same
 *   port may belong to another program
 */
const listeningAt = (endpoints, { transport }) =>
  transport === undefined ? endpoints.map(({ host, port }) => ({ address: host, port })) : [];

/**
 * @param {Launcher} launcher @param {Endpoint[]} targets @param {Context} context
 * @returns {number[][]} the processes that listen at each, as far as they are found
 */
function processesOf({ listeningProcesses }, targets, { leg: { transport }, log }) {
  // over another transport the address may be that of another program
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
 * @param {Launcher} launcher @param {number[][]} processes of each target, with all that they start
 * @returns {{ usage: () => InstanceReading | null }[]} of each target; none where those of one are not known
 */
function watchedProcesses({ watchPid }, processes) {
  if (watchPid === undefined || processes.some((pids) => pids.length === 0)) return [];
  const pids = processes.flat();
  // processes that several targets share count once
  const groups = new Set(pids).size === pids.length ? processes : [[...new Set(pids)]];
  const watched = groups.map((own) => own.map((pid) => watchPid(pid, processCpuNs)));
  return watched.map((own) => ({
    usage: () => mergeReadings(own.map((one) => ({ reading: one.usage(), hasEnded: false }))),
  }));
}

/** One process of the server, or one instance of several: its end. */
class WatchedServer {
  /**
   * @param {Server} server @param {number} index @param {number} instances
   * @param {Context} context @param {ServerOutput} output
   */
  constructor(server, index, instances, { warn, sinceStart }, output) {
    this.server = server;
    this.warn = warn;
    this.sinceStart = sinceStart;
    /** What of a warning says which instance it is about. */
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
/** Of stderr, reported as warnings of the leg; a server may write one for each connection. */
const MAX_LINES_WARNED = 5;

/**
 * What the server writes: its lines are logged up to a limit, and the first ones of stderr are reported as warnings.
 */
class ServerOutput {
  /** @param {Context} context */
  constructor({ leg, log, warn }) {
    this.limit = new LineLimit((line) => log.info({ source: 'server' }, line));
    this.warn = warn;
    // Broadside's own servers write only errors to stderr; what other programs and wrappers write there may mean
    // anything.
    this.reports =
      leg.server.kind === 'named' && leg.serverModel?.language !== 'program' && leg.wrap?.server === undefined;
    /** Of the stderr of each instance. @type {Map<number, string[]>} */
    this.lastLines = new Map();
    /** @type {Set<string>} */
    this.reported = new Set();
  }

  /** @param {number} instance @returns {string[]} of its stderr */
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
