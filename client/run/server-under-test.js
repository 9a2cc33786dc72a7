// The server that a leg measures: one of Broadside's, a command, or a target that is already running.
// The end of a server during a leg is a result: it is reported once, with its last lines, and the leg continues.
import { LISTEN_HOSTS } from '../results/endpoint.js';
import { nodeTls, withAuthority } from '../scenario/keys/tls.js';
import { LineLimit } from '../store/event-log.js';
import { reasonOf, warning } from '../results/warnings.js';

const VERIFY_TIMEOUT_MS = 10_000;
const VERIFY_TARGET_TIMEOUT_MS = 2000;
const READY_TIMEOUT_MS = 15_000;
const MAX_LINES_KEPT = 8;
const FLUSH_MS = 5000;
/** Of stderr, reported as warnings of the leg; a server may write one for each connection. */
const MAX_LINES_WARNED = 5;

/**
 * @typedef {import('../machine/usage.js').ServerReading} ServerReading
 * @typedef {{ code: number | null, signal: string | null, forced?: boolean,
 *   guardKilled?: true, left?: number }} ServerExit
 * @typedef {{ host: string, port: number, pids: number[], authority: string | null,
 *   exited: Promise<ServerExit>, usage: () => ServerReading,
 *   stop: () => Promise<ServerExit> }} Server
 * @typedef {{ discover: () => Promise<any[]>,
 *   build: (options: { names?: string[], onLine?: (line: string) => void }) => Promise<unknown>,
 *   startServer: (options: any) => Promise<Server>,
 *   verifyExchange: (options: { host: string, port: number, protocol: string, protocolOptions?: any,
 *   tls?: import('node:tls').ConnectionOptions | null, timeoutMs: number }) => Promise<unknown>,
 *   watchPid: (pid: number) => { usage: () => ServerReading } }} Launcher
 * @typedef {import('./leg.js').ServerUnderTest & { stop: () => Promise<void>, unverified?: boolean }} ServerUnderTest
 */

/**
 * @typedef {object} Context
 * @property {import('../plan/plan.js').Leg} leg
 * @property {import('../results/endpoint.js').Family} [listen]
 * @property {string} protocol
 * @property {any} [protocolOptions]
 * @property {import('../scenario/keys/tls.js').TlsOptions | null} [tls]
 * @property {import('../store/event-log.js').Logger} log
 * @property {(warning: import('../results/warnings.js').Warning) => void} warn
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
 * @param {Exclude<import('../plan/sizing.js').PlannedServer, { kind: 'target' }>} server
 * @param {Context} context
 * @returns {Promise<ServerUnderTest>}
 */
async function startServer(launcher, server, context) {
  const { leg, listen = 'ipv4', protocol, protocolOptions, tls = null, warn } = context;
  const tlsFor = (/** @type {string | null} */ authority) =>
    tls && nodeTls(withAuthority(tls, authority), LISTEN_HOSTS[listen]);
  const output = new ServerOutput(context);
  const what =
    server.kind === 'named'
      ? { name: server.name, options: server.options, env: server.env }
      : { command: server.command };
  const started = await launcher.startServer({
    ...what,
    cpus: leg.pin.server,
    protocol,
    protocolOptions,
    tls: tlsFor,
    host: LISTEN_HOSTS[listen],
    readyTimeoutMs: READY_TIMEOUT_MS,
    onLine: (/** @type {string} */ stream, /** @type {string} */ line) => output.add(stream, line),
  });
  const flush = setInterval(() => output.flush(), FLUSH_MS).unref();
  let stopping = false;
  let hasEnded = false;
  void started.exited.then((ending) => {
    hasEnded = true;
    if (stopping) return;
    const { code, signal, guardKilled, left: leftBehind = 0 } = ending;
    const lastLines = [...output.lastLines];
    warn(
      guardKilled
        ? warning('guard-killed', { signal, lastLines })
        : warning('server-ended', { signal, exitCode: code, leftBehind, lastLines }),
    );
  });
  const stop = async () => {
    const endedBefore = hasEnded;
    stopping = true;
    clearInterval(flush);
    const { forced } = await started.stop();
    output.flush();
    if (forced && !endedBefore) warn(warning('server-killed'));
  };
  const { host, port, pids, authority } = started;
  try {
    const timeoutMs = VERIFY_TIMEOUT_MS;
    await launcher.verifyExchange({ host, port, protocol, protocolOptions, tls: tlsFor(authority), timeoutMs });
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    address: host,
    port,
    pids,
    tls: tls && withAuthority(tls, authority),
    stop,
    read: () => (hasEnded ? null : started.usage()),
  };
}

/**
 * A target was not started here: when it is down or speaks another protocol, that is a result, so it is only a warning.
 * @param {Launcher} launcher
 * @param {{ host: string, port: number, pid: number | null }} target
 * @param {Context} context
 * @returns {Promise<ServerUnderTest>} unverified: it did not answer, or not as the protocol says
 */
async function attachToTarget(launcher, { host, port, pid }, { protocol, protocolOptions, tls = null, warn }) {
  let unverified = false;
  try {
    const timeoutMs = VERIFY_TARGET_TIMEOUT_MS;
    await launcher.verifyExchange({ host, port, protocol, protocolOptions, tls: tls && nodeTls(tls, host), timeoutMs });
  } catch (error) {
    unverified = true;
    warn(warning('target-unverified', reasonOf(error)));
  }
  const watched = pid === null ? null : launcher.watchPid(pid);
  const pids = pid === null ? [] : [pid];
  return { address: host, port, pids, tls, unverified, read: () => watched?.usage() ?? null, stop: async () => {} };
}

/** The lines that a server writes: logged up to a limit, and the first of stderr reported as warnings. */
class ServerOutput {
  /** @param {Context} context */
  constructor({ leg, log, warn }) {
    this.limit = new LineLimit((line) => log.info({ source: 'server' }, line));
    this.warn = warn;
    // Broadside's own servers write only errors to stderr; what other programs write there may mean anything.
    this.reports = leg.server.kind === 'named' && leg.serverModel?.language !== 'program';
    /** Of stderr. @type {string[]} */
    this.lastLines = [];
    /** @type {Set<string>} */
    this.reported = new Set();
  }

  /** @param {string} stream @param {string} line */
  add(stream, line) {
    this.limit.add(line);
    if (stream !== 'stderr') return;
    if (this.lastLines.push(line) > MAX_LINES_KEPT) this.lastLines.shift();
    if (!this.reports || this.reported.size >= MAX_LINES_WARNED || this.reported.has(line)) return;
    this.reported.add(line);
    this.warn(warning('server-output', { line }));
  }

  flush() {
    this.limit.flush();
  }
}
