// Starts one command under the guard and turns the guard's reports into promises. The guard's stdin is the lifeline:
// only this process holds it, and when it closes the guard ends the whole process tree. Signals to this process's group
// (Ctrl+C in a shell, `timeout`, `kill -TERM -PGID`) do not reach the guard.

import { spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { constants } from 'node:os';
import { PassThrough } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { getSystemErrorMap } from 'node:util';
import { ServerError } from '../errors.js';
import { searchPath } from './find-program.js';
import { lineSplitter, tailOf } from './lines.js';
import { readAll } from './process-tree.js';
import { watchTree } from './usage.js';

/**
 * @import { Readable } from 'node:stream'
 * @import { ProcessFacts } from './process-tree.js'
 * @import { CpuClock, Usage } from './usage.js'
 */

/** The guard waits 2 s after SIGTERM and up to 5 s after SIGKILL; if it takes longer, it is stuck. */
const STOP_MS = 8000;
/** How long output is read after the guard has ended; processes left by a killed guard may keep the pipes open. */
const STREAMS_MS = 500;
/** Lines of stderr that errors show. */
const MAX_LINES = 20;

/**
 * @typedef {{code: number | null, signal: string | null, guardKilled?: true, left?: number, execErrno?: number}} Ending
 *   left: processes of the tree that remained when the command ended by itself, and that the guard then ended;
 *   execErrno: why the command could not be started
 * @typedef {(stream: 'stdout' | 'stderr', line: string) => void} OnLine
 */

/**
 * @typedef {object} Guarded
 * @property {number | undefined} pid of the guard; undefined: it could not be started
 * @property {() => Usage | null} usage of the tree, without the guard; null: it cannot be read
 * @property {Promise<number>} started the command's pid; rejects with ServerError EGUARD or ECPU
 * @property {Promise<Ending>} exited the command's ending, when its whole tree has ended; if the guard was killed, the
 *   guard's ending, when the remaining processes have been killed
 * @property {() => string[]} stderrTail
 * @property {() => Promise<Ending & {forced: boolean}>} stop ends the tree; forced: whether SIGKILL was needed
 */

/**
 * @param {string} guard path of the program
 * @param {string[]} command
 * @param {{cwd?: string, env?: Record<string, string>, cpus?: string | null, scratch?: string | null, cpuClock?:
 *   CpuClock, onLine: OnLine}} options env: added to the command's environment only; cpus: a list in the notation of
 *   taskset, for the command and its children; scratch: a folder that is removed after the end, even after a crash
 * @returns {Guarded}
 */
export function startGuarded(guard, command, { cwd, env = {}, cpus = null, scratch = null, cpuClock, onLine }) {
  const child = spawn(guard, [...guardOptions({ env, cpus, scratch }), ...command], {
    cwd,
    detached: true,
    env: { ...process.env, PATH: searchPath() },
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
  });
  // without a free descriptor spawn creates no streams; its 'error' event follows later
  const streams = child.stdio ?? Array.from({ length: 4 }, () => new PassThrough());
  const [stdin, stdout, stderr, reportStream] = /** @type {any[]} */ (streams);
  const watched = watchTree(child.pid ?? 0, { countRoot: false, cpuClock });
  const tail = tailOf(MAX_LINES);
  takeLines(stdout, (line) => onLine('stdout', line));
  takeLines(stderr, (line) => {
    tail.add(line);
    onLine('stderr', line);
  });
  stdin.on('error', () => {}); // the guard may end before its stdin is closed
  /** What the guard has reported, see guard.c. @type {Report} */
  const report = { pid: 0, exit: null, signal: null, forced: false, ended: false, left: 0 };
  /** @type {Promise<number>} */
  const started = new Promise((resolve, reject) => {
    takeLines(reportStream, (line) => {
      const { exit, ...fields } = JSON.parse(line);
      Object.assign(report, fields, exit === undefined ? {} : { exit, ended: true });
      if (report.pid > 0) resolve(report.pid);
    });
    child.on('error', (cause) => reject(guardError(guard, cause)));
    child.on('close', () => {
      const { cpusAvailable } = report;
      if (cpus !== null && cpusAvailable !== undefined) reject(cpuError(cpus, cpusAvailable));
      else reject(guardError(guard, new Error('the guard ended immediately')));
    });
  });
  started.catch(() => {}); // the caller handles the error when it awaits the promise
  /** @type {Promise<Ending>} */
  const ending = new Promise((resolve) => {
    child.on('error', () => resolve({ code: null, signal: null }));
    /** @type {Promise<unknown>} */
    let orphansKilled = Promise.resolve();
    child.on('close', (code, signal) => void orphansKilled.then(() => resolve(endingOf(report, code, signal))));
    child.on('exit', (_code, signal) => {
      if (signal !== null) orphansKilled = killOrphans(report.pid, watched.last());
      const timer = setTimeout(() => {
        // one more turn of the event loop, for data that arrived while this process was busy; 'close' follows
        setImmediate(() => [stdout, stderr, reportStream].forEach((stream) => stream.destroy()));
      }, STREAMS_MS);
      child.on('close', () => clearTimeout(timer));
    });
  });
  // the guard has removed the folder, unless it was killed or never ran
  const exited =
    scratch === null
      ? ending
      : ending.then((end) =>
          rm(scratch, { recursive: true, force: true }).then(
            () => end,
            () => end,
          ),
        );
  return {
    pid: child.pid,
    usage: watched.usage,
    started,
    exited,
    stderrTail: tail.lines,
    async stop() {
      stdin.end();
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
      const end = await exited;
      clearTimeout(timer);
      return { ...end, forced: report.forced };
    },
  };
}

/**
 * @typedef {{pid: number, exit: number | null, signal: number | null, forced: boolean, ended: boolean, left: number,
 *   execErrno?: number, cpusAvailable?: string | null}} Report
 */

/**
 * @param {{env: Record<string, string>, cpus: string | null, scratch: string | null}} options
 * @returns {string[]} options of guard.c, in the order that it requires
 */
function guardOptions({ env, cpus, scratch }) {
  return [
    ...(cpus === null ? [] : ['--cpus', cpus]),
    ...(scratch === null ? [] : ['--scratch', scratch]),
    ...Object.entries(env).flatMap(([name, value]) => ['--env', `${name}=${value}`]),
  ];
}

/**
 * @param {Report} report
 * @param {number | null} code exit status of the guard
 * @param {NodeJS.Signals | null} signal that ended the guard
 * @returns {Ending}
 */
function endingOf({ ended, exit, signal: number, left, execErrno }, code, signal) {
  if (!ended) return signal === null ? { code, signal } : { code, signal, guardKilled: true };
  return {
    code: exit,
    signal: signalName(number),
    ...(left > 0 && { left }),
    ...(execErrno !== undefined && { execErrno }),
  };
}

/**
 * @param {Readable} stream
 * @param {(line: string) => void} onLine
 */
function takeLines(stream, onLine) {
  const split = lineSplitter(onLine);
  stream
    .on('data', split)
    .on('end', () => split(null))
    .on('error', () => {});
}

/**
 * @param {string} guard
 * @param {Error} cause
 */
function guardError(guard, cause) {
  const { code: errno, message } = /** @type {NodeJS.ErrnoException} */ (cause);
  const isFull = errno === 'EMFILE' || errno === 'ENFILE';
  const why = isFull ? `out of file descriptors (${errno}); raise ulimit -n or use fewer workers` : message;
  return new ServerError(`cannot start ${guard}: ${why}`, { code: 'EGUARD', data: { errno: errno ?? null }, cause });
}

/**
 * @param {string} cpus
 * @param {string | null} available null: the list is malformed
 */
function cpuError(cpus, available) {
  const why = available === null ? 'expected a list such as 0, 0-1 or 1,3' : `available CPUs: ${available}`;
  return new ServerError(`cannot bind the server to CPUs ${cpus}: ${why}`, { code: 'ECPU', data: { cpus, available } });
}

/** @param {number} errno positive, such as 2 @returns {string} such as "no such file or directory" */
export const errnoText = (errno) => getSystemErrorMap().get(-errno)?.[1] ?? `error ${errno}`;

/**
 * @param {Ending} ending
 * @returns {string} explains that the command has become a daemon; empty for any other ending
 */
export function daemonText({ code, left = 0 }) {
  if (code !== 0 || left === 0) return '';
  const processes = left === 1 ? '1 process' : `${left} processes`;
  return `; it left ${processes} running, so it is a daemon: run it in the foreground, as with nginx -g 'daemon off;'`;
}

/** @param {number | null} number */
function signalName(number) {
  if (number === null) return null;
  return Object.entries(constants.signals).find(([, value]) => value === number)?.[0] ?? `SIG${number}`;
}

/** A process that outlives SIGKILL this long is stuck in the kernel. */
const KILL_MS = 5000;
const POLL_MS = 10;

/**
 * Kills the processes that remain after their guard was killed: the members of the session that the guard made, and
 * processes of the last reading that have left the session.
 * @param {number} session the pid of the server's first process; 0: unknown
 * @param {ProcessFacts[]} known the processes of the last reading
 * @returns {Promise<boolean>} whether processes remained
 */
async function killOrphans(session, known) {
  const knownKeys = new Set(known.map(keyOf));
  const remaining = () =>
    readAll().filter(
      (facts) =>
        facts.threads > 0 &&
        facts.pid !== process.pid &&
        (knownKeys.has(keyOf(facts)) || (session > 1 && facts.session === session)),
    );
  const deadline = performance.now() + KILL_MS;
  let members = remaining();
  const hadOrphans = members.length > 0;
  for (; members.length > 0 && performance.now() < deadline; members = remaining()) {
    members.forEach(({ pid }) => kill(pid)); // repeatedly, because they may fork before they are killed
    await wait(POLL_MS);
  }
  return hadOrphans;
}

/** @param {ProcessFacts} process @returns {string} identifies the process even if its pid is used again */
const keyOf = ({ pid, started }) => `${pid} ${started}`;

/** @param {number} pid */
function kill(pid) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // it has ended since it was listed
  }
}
