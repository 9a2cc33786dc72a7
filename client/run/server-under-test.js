// Who a leg is measured against: a server of ours, a command, or one that runs already. The launcher is handed in.
// The one thing to know: a server's death is a result; it is said once, with its last lines, and the leg goes on.
import { LISTEN_HOSTS } from '../results/endpoint.js';
import { nodeTls, withAuthority } from '../scenario/keys/tls.js';
import { LineLimit } from '../store/event-log.js';
import { reasonOf, warning } from '../results/warnings.js';

const VERIFY_TIMEOUT_MS = 10_000;
const VERIFY_TARGET_TIMEOUT_MS = 2000;
const READY_TIMEOUT_MS = 15_000;
const MAX_LINES_KEPT = 8;
/** So many lines that a server says on stderr become warnings of the leg; it may write for each connection. */
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
 *   daemonText: (ending: ServerExit) => string, watchPid: (pid: number) => { usage: () => ServerReading } }} Launcher
 * @typedef {import('./leg.js').Opponent & { stop: () => Promise<void>, strange?: boolean }} Opponent
 */

/**
 * Starts (or finds) the server of a leg and exchanges one verified transfer with it.
 * @param {Launcher} launcher
 * @param {{ leg: import('../plan/plan.js').Leg, listen?: import('../results/endpoint.js').Family, protocol: string,
 *   protocolOptions?: any, tls?: import('../scenario/keys/tls.js').TlsOptions | null,
 *   log: import('../store/event-log.js').Logger,
 *   warn: (warning: import('../results/warnings.js').Warning) => void }} context
 * @returns {Promise<Opponent>} rejects with an error whose message a person can act on
 */
export async function meet(launcher, { leg, listen = 'ipv4', protocol, protocolOptions, tls = null, log, warn }) {
  const { server } = leg;
  if (server.kind === 'target') return meetTarget(launcher, { target: server, protocol, protocolOptions, tls, warn });
  const secure = (/** @type {string | null} */ authority) =>
    tls && nodeTls(withAuthority(tls, authority), LISTEN_HOSTS[listen]);
  /** @type {string[]} */
  const last = [];
  /** @type {Set<string>} */
  const told = new Set();
  const lines = new LineLimit((line) => log.info({ source: 'server' }, line));
  const onLine = (/** @type {string} */ stream, /** @type {string} */ line) => {
    lines.add(line);
    if (stream !== 'stderr') return;
    if (last.push(line) > MAX_LINES_KEPT) last.shift();
    // ours speak there only of what went wrong; what others mean by it nobody knows
    const ours = server.kind === 'named' && leg.serverModel?.language !== 'program';
    if (!ours || told.size >= MAX_LINES_WARNED || told.has(line)) return;
    told.add(line);
    warn(warning('server-output', { line }));
  };
  const what =
    server.kind === 'named'
      ? { name: server.name, options: server.options, env: server.env }
      : { command: server.command };
  const started = await launcher.startServer({
    ...what,
    cpus: leg.pin.server,
    protocol,
    protocolOptions,
    tls: secure,
    host: LISTEN_HOSTS[listen],
    readyTimeoutMs: READY_TIMEOUT_MS,
    onLine,
  });
  const flush = setInterval(() => lines.flush(), 5000).unref();
  let stopping = false;
  let gone = false;
  void started.exited.then((ending) => {
    const { code, signal, guardKilled } = ending;
    gone = true;
    if (stopping) return;
    const lastLines = [...last];
    warn(
      guardKilled
        ? warning('guard-killed', { signal, lastLines })
        : warning('server-ended', { signal, exitCode: code, forked: launcher.daemonText(ending), lastLines }),
    );
  });
  const stop = async () => {
    stopping = true;
    clearInterval(flush);
    const wasGone = gone;
    const end = await started.stop();
    lines.flush();
    if (end.forced && !wasGone) warn(warning('server-killed'));
  };
  try {
    const { host, port, authority } = started;
    await launcher.verifyExchange({
      host,
      port,
      protocol,
      protocolOptions,
      tls: secure(authority),
      timeoutMs: VERIFY_TIMEOUT_MS,
    });
  } catch (error) {
    await stop();
    throw error;
  }
  const { host: address, port, pids, authority } = started;
  return {
    address,
    port,
    pids,
    tls: tls && withAuthority(tls, authority),
    stop,
    read: () => (gone ? null : started.usage()),
  };
}

/**
 * A target is not ours: that it is down, or says something else, is a result like any other, so it is only said.
 * @param {Launcher} launcher
 * @param {{ target: { host: string, port: number, pid: number | null }, protocol: string,
 *   protocolOptions?: any, tls: import('../scenario/keys/tls.js').TlsOptions | null,
 *   warn: (warning: import('../results/warnings.js').Warning) => void }} context
 * @returns {Promise<Opponent>} strange: nobody was there, or it said something else
 */
async function meetTarget(launcher, { target: { host, port, pid }, protocol, protocolOptions, tls, warn }) {
  let strange = false;
  try {
    await launcher.verifyExchange({
      host,
      port,
      protocol,
      protocolOptions,
      tls: tls && nodeTls(tls, host),
      timeoutMs: VERIFY_TARGET_TIMEOUT_MS,
    });
  } catch (error) {
    strange = true;
    warn(warning('target-unverified', reasonOf(error)));
  }
  const watched = pid === null ? null : launcher.watchPid(pid);
  const pids = pid === null ? [] : [pid];
  return { address: host, port, pids, tls, strange, read: () => watched?.usage() ?? null, stop: async () => {} };
}
