// Starts one server directly and looks at what it prints. The one thing to know: it gets a session of its own, and a
// leash: a shell that waits for the end of this process, however it ends, and then kills that session's group.

import { spawn } from 'node:child_process';
import { resolveAnnouncedHost } from '../launcher/start/hosts.js';
import { isFree, pickPort } from '../launcher/start/ports.js';
import { Connection } from './connection.js';
import { protocolNamed } from './protocols/index.js';
import { leftOf } from './tree.js';
import { until } from './wait.js';

/** From here on what was written before the end has been read; a process that was left behind may hold the pipes. */
const STREAMS_MS = 300;
const READY_MS = 20_000;
/** What outlives SIGKILL so long is stuck in the kernel. */
const KILL_MS = 10_000;
const LEASH = 'read -r _; kill -KILL "-$1"';

/**
 * @typedef {{code: number | null, signal: string | null}} Ending
 * @typedef {object} RunningServer
 * @property {string} host
 * @property {number} port
 * @property {number} pid the one that signals are for
 * @property {number[]} pids as it says; else the one that was started
 * @property {Record<string, any> | null} ready the ready line; null where an exchange told that it is ready
 * @property {() => string} stderr what it has written so far
 * @property {(signal?: NodeJS.Signals) => Promise<Ending>} end
 * @property {Promise<Ending>} exited
 * @property {() => Promise<void>} kill ends it and whatever it has left, by SIGKILL
 *
 * @typedef {object} StartOptions
 * @property {string[]} [args] added to its command
 * @property {number} [descriptors] its limit, soft and hard
 * @property {number | string} [port] instead of one that is free
 *
 * @typedef {(options?: StartOptions) => Promise<RunningServer>} Start
 *
 * @typedef {object} Program
 * @property {string[]} run program and arguments, in which {port}, {host} and {protocol} are replaced
 * @property {string} protocol
 * @property {'line' | 'exchange'} ready as in manifests
 * @property {string} [cwd]
 * @property {string} [host]
 * @property {Record<string, string>} [env] in addition
 */

/** What a server that ends instead of getting ready leaves. */
export class EndedEarly extends Error {
  /** @param {string} what @param {Ending & {stdout: string, stderr: string}} ending */
  constructor(what, ending) {
    const how = ending.signal ? `was ended by ${ending.signal}` : `ended with exit status ${ending.code}`;
    super(`${what} ${how} before it was ready: ${ending.stderr.trim() || 'it wrote nothing on stderr'}`);
    this.ending = ending;
  }
}

/**
 * @param {Program} program
 * @returns {Start} rejects with EndedEarly when the server ends instead
 */
export function starter({ run, protocol, ready: readyBy, cwd, host = '127.0.0.1', env = {} }) {
  return async ({ args = [], descriptors, port: wanted } = {}) => {
    const port = wanted ?? (readyBy === 'line' ? 0 : await pickPort(host));
    const places = { port: String(port), host, protocol };
    const words = [...run, ...args].map((word) =>
      Object.entries(places).reduce((text, [key, value]) => text.replaceAll(`{${key}}`, value), word),
    );
    const limited = descriptors ? ['/bin/sh', '-c', `ulimit -n ${descriptors}; exec "$@"`, 'sh', ...words] : words;
    // Whoever is there already would answer for it.
    const mayAnswer = readyBy === 'exchange' && (wanted === undefined || (await isFree(Number(port), host)));
    const child = startChild(limited, { cwd, env });
    const { pid, exited, stderr, kill } = child;
    try {
      const ready = await waitReady(
        child,
        words.join(' '),
        async () => mayAnswer && (await answers({ host, port: Number(port) }, protocol)),
      );
      const said = ready?.host ?? host;
      const taken = await resolveAnnouncedHost(said, host);
      if (taken === null) {
        throw new Error(`${words.join(' ')} said it listens on ${JSON.stringify(said)}, was told ${host}`);
      }
      const pids = Array.isArray(ready?.pids) && ready.pids.length > 0 ? ready.pids : [pid];
      return {
        pid: pids[0],
        pids,
        ready,
        exited,
        stderr,
        kill,
        host: taken,
        port: ready?.port ?? Number(port),
        end(signal = 'SIGTERM') {
          process.kill(pids[0], signal);
          return exited;
        },
      };
    } catch (error) {
      await kill();
      throw error;
    }
  };
}

/**
 * @param {ReturnType<typeof startChild>} child
 * @param {string} what
 * @param {() => Promise<boolean>} answered whether it may be found ready by an exchange, and is
 * @returns {Promise<Record<string, any> | null>} the ready line, if there is one
 */
async function waitReady({ stdout, stderr, exited, ended }, what, answered) {
  let byExchange = false;
  await until(
    async () => {
      if (readyLine(stdout()) || ended()) return true;
      byExchange = await answered();
      return byExchange;
    },
    () => `${what} is ready; ${stderr().trim() || 'it wrote nothing on stderr'}`,
    READY_MS,
  );
  const ready = readyLine(stdout());
  if (!ready && !byExchange) throw new EndedEarly(what, { ...(await exited), stdout: stdout(), stderr: stderr() });
  return ready;
}

/**
 * @param {string} stdout
 * @returns {Record<string, any> | null}
 */
function readyLine(stdout) {
  const end = stdout.indexOf('\n');
  if (end < 0) return null;
  try {
    const said = JSON.parse(stdout.slice(0, end));
    return said?.ready === true && Number.isInteger(said.port) ? said : null;
  } catch {
    return null;
  }
}

/**
 * @param {{host: string, port: number}} place
 * @param {string} name of the protocol
 */
async function answers(place, name) {
  /** @type {Connection | undefined} */
  let connection;
  try {
    connection = await Connection.open(place, protocolNamed(name));
    if (connection.isToItself()) return false;
    await connection.exchange(undefined, 1000);
    return true;
  } catch {
    return false;
  } finally {
    connection?.reset();
  }
}

/**
 * @param {string[]} command
 * @param {{cwd?: string, env: Record<string, string>}} options
 */
function startChild([program, ...words], { cwd, env }) {
  const child = spawn(program, words, {
    cwd,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text) => (stderr += text));
  const { pid } = child;
  if (pid === undefined) {
    const exited = new Promise((resolve) =>
      child.on('error', (error) => {
        stderr = error.message;
        resolve({ code: 127, signal: null });
      }),
    );
    return { pid: 0, exited, stdout: () => '', stderr: () => stderr, ended: () => true, kill: async () => {} };
  }
  const leash = spawn('/bin/sh', ['-c', LEASH, 'sh', String(pid)], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  leash.stdin.on('error', () => {});
  leash.unref(); // it waits for the end of this process, and not the other way round
  /** @type {import('node:net').Socket} */ (leash.stdin).unref();
  let ended = false;
  /** @type {Promise<Ending>} */
  const exited = new Promise((resolve) => {
    child.on('exit', (code, signal) => {
      ended = true;
      const finish = () => {
        clearTimeout(late);
        child.stdout.destroy();
        child.stderr.destroy();
        resolve({ code, signal });
      };
      const late = setTimeout(finish, STREAMS_MS);
      child.once('close', finish);
    });
  });
  const kill = async () => {
    await until(() => killSession(pid) === 0, `the end of process ${pid} and all it has left`, KILL_MS);
    await exited;
    leash.kill('SIGKILL');
  };
  return { pid, exited, stdout: () => stdout, stderr: () => stderr, ended: () => ended, kill };
}

/**
 * @param {number} leader of the session
 * @returns {number} how many of its processes were still alive
 */
function killSession(leader) {
  const alive = leftOf({ pid: leader });
  for (const pid of alive) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // it has ended meanwhile
    }
  }
  return alive.length;
}
