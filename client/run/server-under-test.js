// The server that a leg measures: one of Broadside's, a command, or a target that is already running; or several
// instances of it. The end of one during a leg is a result: it is reported once, with its last lines, and the leg
// continues.
import { setTimeout as wait } from 'node:timers/promises';
import { processCpuNs } from '../engine/index.js';
import { listeningProcesses } from '../machine/listening-processes.js';
import { mergeReadings } from '../machine/usage.js';
import { withoutKept } from '../protocols/kept-secrets.js';
import { LineLimit } from '../store/event-log.js';
import { formatEndpoint, LISTEN_HOSTS } from '../words/endpoint.js';
import { duration } from '../words/format.js';
import { reasonOf, warning } from '../words/warnings.js';
import { withAuthority } from '../scenario/keys/tls.js';
import { exchange, exchangeAsWanted } from './exchange.js';
import { withRemedy } from './target-check.js';
import { wrapperWords } from './wrapper.js';

/**
 * @import { Logger } from 'pino'
 * @import { Endpoint, PlannedServer, Warning } from '../../config/types.js'
 * @import { ServerReading } from '../machine/usage.js'
 * @import { Leg } from '../plan/plan.js'
 * @import { TlsOptions } from '../scenario/keys/tls.js'
 * @import { Scenario } from '../scenario/scenario.js'
 * @import { HostReading } from '../agents/server-messages.js'
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
 * @property {{ agent: string, how: string }} [agentLost]  what became of it is not known
 * @property {string} [stoppedBecause]  why its agent has stopped it by itself
 * @typedef {object} ServerMachine  the agent that has started the server
 * @property {string} agent
 * @property {(moments: bigint[]) => Promise<HostReading | null>} read  of that machine and the server, which is read at
 *   these moments too, for a later one; null where none comes in time
 * @property {(untilNs: bigint) => void} keepUntil  it keeps the server until then without this process
 * @typedef {{ host: string, port: number, pids: number[], authority: string | null,
 *   exited: Promise<ServerExit>, usage: () => ServerReading | null,
 *   stop: () => Promise<ServerExit>, machine?: ServerMachine }} Server  machine: of a server that was not started here
 * @typedef {object} Launcher
 * @property {(options: { names?: string[], onLine?: (line: string) => void }) => Promise<unknown>} build
 * @property {(options: any) => Promise<Server>} startServer
 * @property {(options: any, count: number) => Promise<Server[]>} startInstances
 * @property {(pid: number, cpuClock: typeof processCpuNs) => { usage: () => ServerReading | null }} [watchPid]  absent
 *   where servers are on another host
 * @typedef {{ address: string, port: number, tls?: TlsOptions | null, unverified?: boolean }} ServerInstance  tls: with
 *   its own authority, where it has one; unverified: it did not answer
 * @typedef {object} ServerUnderTest
 * @property {ServerInstance[]} instances
 * @property {number[]} pids  its processes on this host, as far as they are known, without what they have started
 * @property {() => ServerReading | null} read
 * @property {() => Promise<void>} stop
 * @property {ServerMachine} [machine]  absent where it was started here or is a target
 * @property {number} [startRssBytes]  resident before the load, where that is known
 */

/**
 * @typedef {object} Context
 * @property {Leg} leg
 * @property {Scenario} settings of the leg
 * @property {string} [host]  that it listens on, where that is not the loopback address
 * @property {boolean} [answered]  whether its targets have just answered an exchange
 * @property {boolean} [isHere]  whether its load comes from this host
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
  const { host = LISTEN_HOSTS[settings.listen], notice = () => {} } = context;
  const output = new ServerOutput(context);
  const what =
    server.kind === 'named'
      ? { name: server.name, options: server.options, env: server.env }
      : { command: server.command, cwd: server.folder };
  const { transport = 'tcp' } = leg;
  const options = {
    ...what,
    wrap: leg.wrap?.server === undefined ? [] : wrapperWords(leg.wrap.server),
    transport,
    protocol,
    host,
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
      pids: started.flatMap(({ pids }) => pids),
      ...(started[0].machine && { machine: started[0].machine }),
      stop,
      read: () => mergeReadings(watched.map((one) => one.read())),
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
    } catch (/** @type {any} */ error) {
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

/** @param {any} error of an exchange @returns {boolean} whether another one may succeed a moment later */
function mayPass({ code, data }) {
  if (code !== 'EEXCHANGE' || data.received > 0) return false;
  const { reason, tlsFailure } = data;
  return reason === 'handshake'
    ? ['closed', 'broken'].includes(tlsFailure?.cause)
    : ['refused', 'reset', 'closed', 'greeting'].includes(reason);
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
  const processes = pid === null ? processesOf(targets ?? [only], context) : [[pid]];
  const pids = [...new Set(processes.flat())];
  return { instances, pids, read: readerOf(launcher, processes), stop: async () => {} };
}

/**
 * @param {Endpoint[]} targets @param {Context} context
 * @returns {number[][]} the processes that listen at each, as far as they are found
 */
function processesOf(targets, { leg: { transport }, isHere, log }) {
  // from another host, or over another transport, the address may be that of another program
  if (!isHere || transport !== undefined) return [];
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
 * @returns {() => ServerReading | null} null where those of one target are not known
 */
function readerOf({ watchPid }, processes) {
  if (watchPid === undefined || processes.length === 0 || processes.some((pids) => pids.length === 0))
    return () => null;
  const pids = processes.flat();
  // processes that several targets share count once
  const groups = new Set(pids).size === pids.length ? processes : [[...new Set(pids)]];
  const watched = groups.map((own) => own.map((pid) => watchPid(pid, processCpuNs)));
  const merged = (/** @type {(ServerReading | null)[]} */ readings) =>
    mergeReadings(readings.map((reading) => ({ reading, hasEnded: false })));
  return () => merged(watched.map((own) => merged(own.map((one) => one.usage()))));
}

/** One process of the server, or one instance of several: what it uses, and its end. */
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
    /** @type {ServerReading | null} */
    this.last = null;
    void server.exited.then((ending) => {
      this.hasEnded = true;
      if (!this.stopping) this.reportEnd(ending, ending.lastLines ?? output.lastLinesOf(index));
    });
  }

  /** @param {ServerExit} ending @param {string[]} lastLines */
  reportEnd({ code, signal, guardKilled, left: leftBehind = 0, agentLost, stoppedBecause: why }, lastLines) {
    const { machine } = this.server;
    const atNs = this.sinceStart?.() ?? -1;
    const at = atNs >= 0 ? { atNs } : {};
    if (agentLost) this.warn(warning('server-agent-lost', { ...this.which, ...agentLost }));
    else if (why && machine) this.warn(warning('server-agent-stopped', { ...this.which, agent: machine.agent, why }));
    else if (guardKilled) this.warn(warning('guard-killed', { ...this.which, ...at, signal, lastLines }));
    else this.warn(warning('server-ended', { ...this.which, ...at, signal, exitCode: code, leftBehind, lastLines }));
  }

  /** @returns {{ reading: ServerReading | null, hasEnded: boolean }} reading: the last one, where it has ended */
  read() {
    if (this.hasEnded) return { reading: this.last, hasEnded: true };
    const reading = this.server.usage();
    this.last = reading ?? this.last;
    return { reading, hasEnded: false };
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
