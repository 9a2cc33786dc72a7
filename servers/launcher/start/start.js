// Starts a server or an arbitrary command under the guard and returns it when it is ready. The port is chosen before
// the start; if another process binds it first, another port is tried.

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { guardProgram } from '../builder/build.js';
import { ServerError } from '../errors.js';
import { startGuarded } from '../process/guarded.js';
import { ANY_PATH, formatEndpoint, hostsOf, isUnixSocket, pathOf } from './endpoint.js';
import { prepareLaunch, readyTransport } from './launch.js';
import { isFree, pickPort, pickPorts } from './ports.js';
import { parseReadyLine, waitReady } from './ready.js';

/**
 * @import { Transport } from '../manifest/manifest.js'
 * @import { Ending, OnLine } from '../process/guarded.js'
 * @import { CpuClock, Usage } from '../process/usage.js'
 * @import { Launch } from './launch.js'
 * @import { Ready } from './ready.js'
 */

const PORT_ATTEMPTS = 5;
/** Texts that programs print when bind() fails with EADDRINUSE; a command has no other way to report it. */
const PORT_TAKEN = /address (is )?already in use|EADDRINUSE/i;
const DEFAULT_HOST = '127.0.0.1';
/** After this wait the console says what the start waits for. */
const NOTICE_MS = 3000;

/**
 * @typedef {object} Server
 * @property {string} name the server's name, or 'command'
 * @property {string} label for people: the name, or the command itself
 * @property {string} host
 * @property {number} port
 * @property {string} protocol
 * @property {Transport} transport
 * @property {string | null} authority the file that its certificate is checked against; null: it is not known to speak
 *   TLS
 * @property {number[]} pids from its ready line, or of the process that was started
 * @property {Ready} ready
 * @property {Promise<Ending>} exited
 * @property {() => Usage | null} usage
 * @property {() => Promise<Ending & {forced: boolean}>} stop
 */

/**
 * @typedef {object} StartOptions
 * @property {string} [name] of a server that discover() lists; or
 * @property {string} [command] a shell command in which {port}, {host}, {path}, {protocol} and {scratch} are replaced
 * @property {string} [cwd] where the command is run; default: the folder of this process
 * @property {string} [protocol]
 * @property {Record<string, unknown>} [options] options of the manifest, such as backlog
 * @property {Record<string, string>} [env] added to the server's environment
 * @property {string | null} [cpus] the CPUs for the server and its children, in the notation of taskset: "0", "0-1",
 *   "1,3"
 * @property {string} [host] an address, or `unix:/path`; `unix:` alone is a path in a folder removed with the server;
 *   over SCTP also a list of addresses, separated by commas
 * @property {Transport} [transport] default: TCP
 * @property {number} [port] default: a free one
 * @property {string[]} [words] appended to the command line
 * @property {string[]} [wrap] a program and its arguments, to which the command line is appended
 * @property {number} [readyTimeoutMs]
 * @property {CpuClock} [cpuClock]
 * @property {(endpoint: string) => void} [onWaiting] called once if the server is not ready after some seconds
 * @property {OnLine} [onLine] called for each line of output except the ready line
 * @property {string} [folder] where to look for servers, instead of servers/
 */

/**
 * @typedef {Omit<StartOptions, 'port' | 'cpus' | 'onLine'> & {
 *   cpus?: (string | null)[],
 *   onLine?: (stream: 'stdout' | 'stderr', line: string, instance: number) => void}} InstanceOptions  cpus: of each
 *   instance; absent: all CPUs
 */

/**
 * @param {StartOptions} options
 * @returns {Promise<Server>} rejects with ServerError; then nothing is left running
 */
export async function startServer(options) {
  const guard = await guardProgram();
  const launch = await prepareLaunch(options);
  const { port, host = DEFAULT_HOST } = options;
  const transport = readyTransport(options);
  // Otherwise the process that holds the port could accept the connection in place of the new server.
  // Over SCTP no connection is tried, and Node cannot bind its ports.
  if (transport === 'tcp' && port !== undefined && !isUnixSocket(host) && !(await isFree(port, host))) {
    const endpoint = formatEndpoint(host, port);
    throw new ServerError(
      `server ${launch.label} cannot listen on ${endpoint}: the port is already in use, or the address is not one of ` +
        'this machine',
      { code: 'EPORT', data: { server: launch.name, endpoint } },
    );
  }
  for (let attempts = port === undefined ? PORT_ATTEMPTS : 1; ; attempts--) {
    const { server, error } = await tryStart(guard, launch, options);
    if (server) return server;
    if (!isPortTaken(error) || attempts === 1) throw error;
  }
}

/** @param {unknown} error */
function isPortTaken(error) {
  if (!(error instanceof ServerError) || error.code !== 'EDIED') return false;
  return /** @type {string[]} */ (error.data.stderr).some((line) => PORT_TAKEN.test(line));
}

/** @param {Launch} launch @returns {string} a new folder */
function makeScratch({ name, label }) {
  const folder = tmpdir();
  try {
    return mkdtempSync(join(folder, 'broadside-'));
  } catch (error) {
    const { code: errno } = /** @type {NodeJS.ErrnoException} */ (error);
    throw new ServerError(
      `server ${label} needs a temporary folder, and ${folder} cannot be written to (${errno}); set TMPDIR to a ` +
        'writable folder',
      { code: 'ETMPDIR', data: { server: name, folder, errno }, cause: error },
    );
  }
}

/** @param {string[]} wrap @returns {string} for messages */
const wrapText = (wrap) => (wrap.length === 0 ? '' : ` under "${wrap.join(' ')}"`);

/**
 * @param {string} guard
 * @param {Launch} launch
 * @param {StartOptions} options
 * @returns {Promise<{server?: Server, error?: unknown}>}
 */
async function tryStart(guard, launch, options) {
  const { protocol = 'echo', wrap = [], onLine = () => {} } = options;
  const transport = readyTransport(options);
  const { name, label } = launch;
  const { host, port, scratch, words, authority } = await fillPlaceholders(launch, options);
  /** @type {(content: Record<string, any>) => void} */
  let onReadyLine = () => {};
  /** @type {Promise<Record<string, any>>} */
  const readyLine = new Promise((resolve) => {
    onReadyLine = resolve;
  });
  let isFirst = true;
  const guarded = startGuarded(guard, [...wrap, ...words], {
    cwd: launch.cwd,
    env: options.env,
    cpus: options.cpus,
    scratch,
    cpuClock: options.cpuClock,
    onLine(stream, text) {
      const content = stream === 'stdout' && isFirst ? parseReadyLine(text) : null;
      isFirst &&= stream !== 'stdout';
      if (content) onReadyLine(content);
      else onLine(stream, text);
    },
  });
  const notice = setTimeout(() => options.onWaiting?.(formatEndpoint(host, port)), NOTICE_MS);
  try {
    const ready = await waitReady({
      guarded,
      what: (name === 'command' ? `command "${label}"` : `server ${name}`) + wrapText(wrap),
      name,
      readyLine,
      byConnection: launch.byConnection,
      expected: { host, port, protocol, transport },
      timeoutMs: options.readyTimeoutMs ?? 10_000,
    });
    const { exited, stop, usage } = guarded;
    const address = { host: ready.host, port: ready.port };
    const { pids } = ready;
    return { server: { name, label, ...address, protocol, transport, authority, pids, ready, exited, usage, stop } };
  } catch (error) {
    await guarded.stop();
    return { error };
  } finally {
    clearTimeout(notice);
  }
}

/**
 * Chooses the port, makes the scratch folder if it is needed, and replaces the placeholders of the command line.
 * @param {Launch} launch
 * @param {StartOptions} options
 */
async function fillPlaceholders(launch, { host: requested = DEFAULT_HOST, port: requestedPort }) {
  const port = isUnixSocket(requested) ? 0 : (requestedPort ?? (await pickPort(hostsOf(requested)[0])));
  const needsScratch =
    requested === ANY_PATH || [...launch.words, launch.authority].some((word) => word?.includes('{scratch}'));
  const scratch = needsScratch ? makeScratch(launch) : null;
  const host = requested === ANY_PATH ? requested + join(/** @type {string} */ (scratch), 'server.sock') : requested;
  const values = {
    port: String(port),
    host,
    protocol: launch.speaks,
    ...(scratch && { scratch }),
    ...(isUnixSocket(host) && { path: pathOf(host) }),
  };
  const fill = (/** @type {string} */ word) =>
    Object.entries(values).reduce((text, [key, value]) => text.replaceAll(`{${key}}`, () => value), word);
  const authority = launch.authority === null ? null : fill(launch.authority);
  return { host, port, scratch, words: launch.words.map(fill), authority };
}

/**
 * Starts copies of one server, each under its own guard.
 * @param {InstanceOptions} options
 * @param {number} count
 * @returns {Promise<Server[]>} on consecutive ports, or each on its own unix socket; rejects with ServerError, whose
 *   data have the `instance` that did not start; then none is left running
 */
export async function startInstances(options, count) {
  const { host = DEFAULT_HOST } = options;
  for (let attempts = PORT_ATTEMPTS; ; attempts--) {
    const first = isUnixSocket(host) ? undefined : await pickPorts(host, count);
    const { servers, failed } = await startAll(options, count, first);
    if (failed.length === 0) return servers;
    await Promise.all(servers.map(({ stop }) => stop()));
    const failure = failed.find(({ error }) => !isTaken(error));
    if (failure === undefined && attempts > 1) continue;
    throw withInstance(failure ?? failed[0], count);
  }
}

/** @param {unknown} error @returns {boolean} whether another program has bound the port meanwhile */
const isTaken = (error) => isPortTaken(error) || (error instanceof ServerError && error.code === 'EPORT');

/**
 * @param {InstanceOptions} options
 * @param {number} count
 * @param {number | undefined} first  port of the first instance; undefined: on unix sockets
 * @returns {Promise<{servers: Server[], failed: {instance: number, error: unknown}[]}>}
 */
async function startAll({ cpus = [], onLine = () => {}, ...options }, count, first) {
  const started = await Promise.allSettled(
    Array.from({ length: count }, (_, instance) =>
      startServer({
        ...options,
        ...(first !== undefined && { port: first + instance }),
        cpus: cpus[instance] ?? null,
        onLine: (stream, line) => onLine(stream, line, instance),
      }),
    ),
  );
  return {
    servers: started.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : [])),
    failed: started.flatMap((start, instance) =>
      start.status === 'rejected' ? [{ instance, error: start.reason }] : [],
    ),
  };
}

/**
 * @param {{instance: number, error: unknown}} failed
 * @param {number} count
 * @returns {unknown} the error, with its instance
 */
function withInstance({ instance, error }, count) {
  if (!(error instanceof ServerError)) return error;
  const { code, data, message } = error;
  const text = `instance ${instance} (of 0 to ${count - 1}): ${message}`;
  return new ServerError(text, { code, data: { ...data, instance }, cause: error });
}
