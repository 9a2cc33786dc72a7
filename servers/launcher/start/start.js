// Starts a server, ours or anybody's command, through the guard, and hands it over ready. The one thing to know: the
// port is chosen before the start, so between choosing and binding another process may take it; then it tries again.

import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { guardProgram } from '../builder/build.js';
import { ServerError } from '../errors.js';
import { startGuarded } from '../process/guarded.js';
import { launchOf } from './launch.js';
import { ANY_PATH, formatPlace, isPath, pathOf } from './endpoint.js';
import { isFree, pickPort } from './ports.js';
import { parseReadyLine, waitReady } from './ready.js';

const PORT_TRIES = 5;
const PORT_TAKEN = /address (is )?already in use|EADDRINUSE/i;

/**
 * @typedef {object} Server
 * @property {string} name the server's name, or 'command'
 * @property {string} label for people: the name, or the command itself
 * @property {string} host
 * @property {number} port
 * @property {string} protocol
 * @property {string | null} authority file of the certificates by which its own is checked; null: it speaks no TLS that
 *   is known of
 * @property {number[]} pids as the server says, or the one that was started
 * @property {import('./ready.js').Ready} ready
 * @property {Promise<import('../process/guarded.js').Ending>} exited
 * @property {() => import('../process/usage.js').Usage} usage
 * @property {() => Promise<import('../process/guarded.js').Ending & {forced: boolean}>} stop
 */

/**
 * @typedef {object} StartOptions
 * @property {string} [name] of a server that discover() lists; or
 * @property {string} [command] a shell command, in which {port}, {host}, {path}, {protocol} and {scratch} are replaced
 * @property {string} [protocol]
 * @property {any} [protocolOptions] the scenario's, for the exchange that finds a command ready
 * @property {(authority: string | null) => import('node:tls').ConnectionOptions | null} [tls] of that exchange, once
 *   the server has written its authority, where it has one; null: plain
 * @property {Record<string, unknown>} [options] those of the manifest, such as backlog
 * @property {Record<string, string>} [env]
 * @property {string | null} [cpus] the CPUs it and all it starts may run on, as taskset writes them: "0", "0-1", "1,3"
 * @property {string} [host] an address, or `unix:/path`; only `unix:` is a path in a folder that goes with the server
 * @property {number} [port] otherwise one that is free
 * @property {string[]} [words] added to the command line as they are
 * @property {number} [readyTimeoutMs]
 * @property {import('../process/guarded.js').OnLine} [onLine] every line it writes, but the ready line
 * @property {string} [folder] where to look for servers, instead of servers/
 */

/**
 * @param {StartOptions} options
 * @returns {Promise<Server>} rejects with ServerError; nothing is left running then
 */
export async function startServer(options) {
  const guard = await guardProgram();
  const launch = await launchOf(options);
  const { port, host = '127.0.0.1' } = options;
  // Else one that is found ready by an exchange could be taken for the one that is there already.
  if (port !== undefined && !isPath(host) && !(await isFree(port, host))) {
    throw new ServerError(
      `the server ${launch.label} cannot listen on ${formatPlace(host, port)}: Address already in use, or not ` +
        'one of this machine',
      { code: 'EPORT' },
    );
  }
  for (let left = options.port === undefined ? PORT_TRIES : 1; ; left--) {
    const { server, error } = await tryStart(guard, launch, options);
    if (server) return server;
    const taken = error instanceof ServerError && error.code === 'EDIED' && PORT_TAKEN.test(error.message);
    if (!taken || left === 1) throw error;
  }
}

/**
 * How a server is talked to by whoever has no wishes of his own.
 * @param {string | null} authority
 * @returns {import('node:tls').ConnectionOptions | null}
 */
const ownTls = (authority) => (authority === null ? null : { ca: readFileSync(authority) });

/** @param {string} label of the server @returns {string} a new folder */
function makeScratch(label) {
  try {
    return mkdtempSync(join(tmpdir(), 'broadside-'));
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    throw new ServerError(
      `the server ${label} needs a folder in ${tmpdir()}, and none can be made there (${code}); set ` +
        'TMPDIR to a folder that exists and can be written to',
      { code: 'ETMPDIR', cause: error },
    );
  }
}

/**
 * @param {string} guard
 * @param {import('./launch.js').Launch} launch
 * @param {StartOptions} options
 * @returns {Promise<{server?: Server, error?: unknown}>}
 */
async function tryStart(guard, launch, options) {
  const { protocol = 'echo', host: asked = '127.0.0.1', env = {}, cpus = null, readyTimeoutMs = 10_000 } = options;
  const { onLine = () => {} } = options;
  const port = isPath(asked) ? 0 : (options.port ?? (await pickPort(asked)));
  const wanted = asked === ANY_PATH || [...launch.words, launch.authority].some((word) => word?.includes('{scratch}'));
  const scratch = wanted ? makeScratch(launch.label) : null;
  const host = asked === ANY_PATH ? asked + join(/** @type {string} */ (scratch), 'server.sock') : asked;
  const places = {
    port: String(port),
    host,
    protocol: launch.speaks,
    ...(scratch && { scratch }),
    ...(isPath(host) && { path: pathOf(host) }),
  };
  const placed = (/** @type {string} */ word) =>
    Object.entries(places).reduce((text, [key, value]) => text.replaceAll(`{${key}}`, () => value), word);
  const words = launch.words.map(placed);
  const authority = launch.authority === null ? null : placed(launch.authority);
  /** @type {(said: Record<string, any>) => void} */
  let tellReady = () => {};
  /** @type {Promise<Record<string, any>>} */
  const line = new Promise((resolve) => {
    tellReady = resolve;
  });
  let first = true;
  const guarded = startGuarded(guard, words, {
    cwd: launch.cwd,
    env,
    cpus,
    scratch,
    onLine(stream, text) {
      const said = stream === 'stdout' && first ? parseReadyLine(text) : null;
      first &&= stream !== 'stdout';
      if (said) tellReady(said);
      else onLine(stream, text);
    },
  });
  try {
    const { protocolOptions, tls = ownTls } = options;
    const expected = { host, port, protocol, protocolOptions, tls: () => tls(authority) };
    const { byExchange } = launch;
    const what = launch.name === 'command' ? `the command "${launch.label}"` : `the server ${launch.name}`;
    const ready = await waitReady({ guarded, what, line, byExchange, expected, timeoutMs: readyTimeoutMs });
    const { name, label } = launch;
    const { exited, stop, usage } = guarded;
    const { pids } = ready;
    return {
      server: {
        name,
        label,
        host: ready.host,
        port: ready.port,
        protocol,
        authority,
        pids,
        ready,
        exited,
        usage,
        stop,
      },
    };
  } catch (error) {
    await guarded.stop();
    return { error };
  }
}
