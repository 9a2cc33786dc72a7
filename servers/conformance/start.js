// Starts one server directly, without the launcher, and reads its output. The server gets its own session and a
// watchdog: a shell that waits until this process has ended, even by SIGKILL, and then kills the session's process
// group.

import { spawn } from 'node:child_process';
import { resolveAnnouncedHost } from '../launcher/start/hosts.js';
import { isFree, pickPort } from '../launcher/start/ports.js';
import { Connection } from './connection.js';
import { protocolNamed } from './protocols/index.js';
import { remainingProcesses } from './tree.js';
import { until } from './wait.js';

/** @import { Socket } from 'node:net' */

/** How long output is read after the end; a process that was left behind may keep the pipes open. */
const STREAMS_MS = 300;
const READY_MS = 20_000;
/** A process that outlives SIGKILL this long is stuck in the kernel. */
const KILL_MS = 10_000;
const WATCHDOG = 'read -r _; kill -KILL "-$1"';

/**
 * @typedef {{code: number | null, signal: string | null}} Ending
 * @typedef {object} RunningServer
 * @property {string} host
 * @property {number} port
 * @property {number} pid the process to send signals to
 * @property {number[]} pids from the ready line, or the process that was started
 * @property {Record<string, any> | null} ready the ready line; null: an exchange has shown that it is ready
 * @property {() => string} stderr all output to stderr so far
 * @property {(signal?: NodeJS.Signals) => Promise<Ending>} end
 * @property {Promise<Ending>} exited
 * @property {() => Promise<void>} kill kills the server and everything that it has started, with SIGKILL
 *
 * @typedef {object} StartOptions
 * @property {string[]} [args] appended to its command
 * @property {number} [descriptors] soft and hard limit of descriptors
 * @property {number | string} [port] default: a free one
 *
 * @typedef {(options?: StartOptions) => Promise<RunningServer>} Start
 *
 * @typedef {object} Program
 * @property {string[]} run program and arguments, in which {port}, {host} and {protocol} are replaced
 * @property {string} protocol
 * @property {'line' | 'connection'} ready as in the manifest
 * @property {string} [cwd]
 * @property {string} [host]
 * @property {Record<string, string>} [env] added to the environment
 * @property {number} [signalAgainMs] how often `end` repeats its signal until the server has ended; default: never
 */

/** A server ended before it was ready. */
export class EndedEarly extends Error {
  /** @param {string} what @param {Ending & {stdout: string, stderr: string}} ending */
  constructor(what, ending) {
    const how = ending.signal ? `was ended by ${ending.signal}` : `ended with exit status ${ending.code}`;
    super(`${what} ${how} before it was ready: ${ending.stderr.trim() || 'its stderr is empty'}`);
    this.code = 'ended-early';
    this.ending = ending;
  }
}

/**
 * @param {Program} program
 * @returns {Start} rejects with EndedEarly if the server ends before it is ready
 */
export function starter({ run, protocol, ready: readyBy, cwd, host = '127.0.0.1', env = {}, signalAgainMs }) {
  return async ({ args = [], descriptors, port: requestedPort } = {}) => {
    const port = requestedPort ?? (readyBy === 'line' ? 0 : await pickPort(host));
    const values = { port: String(port), host, protocol };
    const words = [...run, ...args].map((word) =>
      Object.entries(values).reduce((text, [key, value]) => text.replaceAll(`{${key}}`, value), word),
    );
    const limited = descriptors ? ['/bin/sh', '-c', `ulimit -n ${descriptors}; exec "$@"`, 'sh', ...words] : words;
    // if the port is not free, the process that holds it could answer
    const mayAnswer = readyBy === 'connection' && (requestedPort === undefined || (await isFree(Number(port), host)));
    const child = startChild(limited, { cwd, env });
    const { pid, exited, stderr, kill } = child;
    try {
      const ready = await waitReady(
        child,
        words.join(' '),
        async () => mayAnswer && (await answers({ host, port: Number(port) }, protocol)),
      );
      const announced = ready?.host ?? host;
      const accepted = await resolveAnnouncedHost(announced, host);
      if (accepted === null) {
        throw new Error(
          `the ready line of ${words.join(' ')} names the host ${JSON.stringify(announced)}; expected ${host}`,
        );
      }
      const pids = Array.isArray(ready?.pids) && ready.pids.length > 0 ? ready.pids : [pid];
      return {
        pid: pids[0],
        pids,
        ready,
        exited,
        stderr,
        kill,
        host: accepted,
        port: ready?.port ?? Number(port),
        end(signal = 'SIGTERM') {
          process.kill(pids[0], signal);
          if (signalAgainMs !== undefined) signalUntilEnded(child, pids[0], signal, signalAgainMs);
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
 * @param {number} pid
 * @param {NodeJS.Signals} signal
 * @param {number} everyMs
 */
function signalUntilEnded({ ended, exited }, pid, signal, everyMs) {
  const timer = setInterval(() => {
    if (!ended()) process.kill(pid, signal);
  }, everyMs);
  void exited.finally(() => clearInterval(timer));
}

/**
 * @param {ReturnType<typeof startChild>} child
 * @param {string} what
 * @param {() => Promise<boolean>} answered whether an exchange has succeeded; false if none may be tried
 * @returns {Promise<Record<string, any> | null>} the ready line; null: an exchange was answered
 */
async function waitReady({ stdout, stderr, exited, ended }, what, answered) {
  let byExchange = false;
  await until(
    async () => {
      if (readyLine(stdout()) || ended()) return true;
      byExchange = await answered();
      return byExchange;
    },
    () => `${what} to be ready; ${stderr().trim() || 'its stderr is empty'}`,
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
    const content = JSON.parse(stdout.slice(0, end));
    return content?.ready === true && Number.isInteger(content.port) ? content : null;
  } catch {
    return null;
  }
}

/**
 * @param {{host: string, port: number}} endpoint
 * @param {string} name of the protocol
 */
async function answers(endpoint, name) {
  /** @type {Connection | undefined} */
  let connection;
  try {
    connection = await Connection.open(endpoint, protocolNamed(name));
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
  const watchdog = spawn('/bin/sh', ['-c', WATCHDOG, 'sh', String(pid)], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  watchdog.stdin.on('error', () => {});
  watchdog.unref(); // it must not keep this process alive
  /** @type {Socket} */ (watchdog.stdin).unref();
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
      // on a busy machine the timer may be due before this process has read the pipes: it reads them first
      const late = setTimeout(() => setImmediate(finish), STREAMS_MS);
      child.once('close', finish);
    });
  });
  const kill = async () => {
    await until(() => killSession(pid) === 0, `the end of process ${pid} and its children`, KILL_MS);
    await exited;
    watchdog.kill('SIGKILL');
    watchdog.stdin.destroy();
  };
  return { pid, exited, stdout: () => stdout, stderr: () => stderr, ended: () => ended, kill };
}

/**
 * @param {number} leader of the session
 * @returns {number} how many processes of the session were alive
 */
function killSession(leader) {
  const alive = remainingProcesses({ pid: leader });
  for (const pid of alive) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // it has ended since it was listed
    }
  }
  return alive.length;
}
