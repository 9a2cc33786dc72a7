// Starts one command through the guard and turns what the guard reports into promises. The one thing to know: the
// guard's stdin is the leash. It is held by this process alone, and when it closes the whole tree is ended; signals to
// this process's group (a shell's Ctrl+C, `timeout`, `kill -TERM -PGID`) do not reach the guard.

import { spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { constants } from 'node:os';
import { PassThrough } from 'node:stream';
import { ServerError } from '../errors.js';
import { lineSplitter, tailOf } from './lines.js';
import { endOrphans } from './orphans.js';
import { searchPath } from './find-program.js';
import { watchTree } from './usage.js';

/** The guard needs 1 s of grace and at most 5 s of killing; one that takes longer is stuck. */
const STOP_MS = 8000;
/** What was written before the end is read by then; what a guard that was killed has left may hold the pipes open. */
const STREAMS_MS = 500;

/**
 * @typedef {{code: number | null, signal: string | null, guardKilled?: true, left?: number}} Ending
 *   left: processes of the tree that were there when the command ended by itself, and were ended then
 * @typedef {(stream: 'stdout' | 'stderr', line: string) => void} OnLine
 */

/**
 * @typedef {object} Guarded
 * @property {number | undefined} pid of the guard; undefined when it could not be started
 * @property {() => import('./usage.js').Usage} usage of the tree, without the guard
 * @property {Promise<number>} started the command's pid
 * @property {Promise<Ending>} exited of the command, once its whole tree has gone; of the guard, when it was
 *   killed: then what it has left is ended here
 * @property {() => string[]} stderrTail
 * @property {() => Promise<Ending & {forced: boolean}>} stop ends the tree; forced: SIGKILL was needed
 */

/**
 * @param {string} guard path of the program
 * @param {string[]} command
 * @param {{cwd?: string, env?: Record<string, string>, cpus?: string | null, scratch?: string | null,
 *   onLine: OnLine}} options env: for the command alone, in addition; cpus: a list as taskset writes it, for the
 *   command and what it starts; scratch: a folder that goes when it has ended, however that comes about
 * @returns {Guarded}
 */
export function startGuarded(guard, command, { cwd, env = {}, cpus = null, scratch = null, onLine }) {
  const variables = Object.entries(env).flatMap(([name, value]) => ['--env', `${name}=${value}`]);
  const binding = cpus === null ? [] : ['--cpus', cpus];
  const folder = scratch === null ? [] : ['--scratch', scratch];
  const child = spawn(guard, [...binding, ...folder, ...variables, ...command], {
    cwd,
    detached: true,
    env: { ...process.env, PATH: searchPath() },
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
  });
  // A spawn that finds no descriptor left makes no streams at all; its 'error' comes later, like any other.
  const streams = child.stdio ?? Array.from({ length: 4 }, () => new PassThrough());
  const [stdin, stdout, stderr, report] = /** @type {any[]} */ (streams);
  const watched = watchTree(child.pid ?? 0, { countRoot: false });
  const tail = tailOf(20);
  takeLines(stdout, (line) => onLine('stdout', line));
  takeLines(stderr, (line) => {
    tail.add(line);
    onLine('stderr', line);
  });
  stdin.on('error', () => {}); // the guard may be gone before its leash is dropped
  const reports = { pid: 0, exit: null, signal: null, forced: false, ended: false, left: 0 };
  /** @type {Promise<number>} */
  const started = new Promise((resolve, reject) => {
    takeLines(report, (line) => {
      const { exit, ...rest } = JSON.parse(line);
      Object.assign(reports, rest, exit === undefined ? {} : { exit, ended: true });
      if (reports.pid > 0) resolve(reports.pid);
    });
    child.on('error', (cause) => reject(cannotStart(guard, cause)));
    child.on('close', (code) => {
      // Told wrong in nothing but these, it says why: what has no CPU to run on was not started at all.
      const why =
        code === 2 && cpus !== null
          ? tail
              .lines()
              .at(-1)
              ?.replace(/^guard: --cpus .*?: /, '')
          : undefined;
      reject(why === undefined ? cannotStart(guard, new Error('it ended at once')) : cannotBind(cpus, why));
    });
  });
  started.catch(() => {}); // reported to whoever awaits it
  /** @type {Promise<Ending>} */
  const ending = new Promise((resolve) => {
    child.on('error', () => resolve({ code: null, signal: null }));
    /** @type {Promise<unknown>} */
    let ended = Promise.resolve();
    child.on('close', (code, signal) => {
      void ended.then(() =>
        resolve(
          reports.ended
            ? { code: reports.exit, signal: signalName(reports.signal), ...leftOf(reports) }
            : signal === null
              ? { code, signal }
              : { code, signal, guardKilled: true },
        ),
      );
    });
    child.on('exit', (_code, signal) => {
      if (signal !== null) ended = endOrphans(reports.pid, watched.last());
      const late = setTimeout(() => {
        // One more turn of the loop, for what came while this process was busy; then 'close' follows.
        setImmediate(() => [stdout, stderr, report].forEach((stream) => stream.destroy()));
      }, STREAMS_MS);
      child.on('close', () => clearTimeout(late));
    });
  });
  // The guard has taken it away, unless it was killed or never ran.
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
      const last = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
      const end = await exited;
      clearTimeout(last);
      return { ...end, forced: reports.forced };
    },
  };
}

/**
 * @param {import('node:stream').Readable} stream
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
function cannotStart(guard, cause) {
  const { code, message } = /** @type {NodeJS.ErrnoException} */ (cause);
  const full = code === 'EMFILE' || code === 'ENFILE';
  const why = full ? `no descriptor is left for it (${code}): raise ulimit -n, or take fewer workers` : message;
  return new ServerError(`cannot start ${guard}: ${why}`, { code: 'EGUARD', cause });
}

/**
 * @param {string | null} cpus
 * @param {string} why
 */
function cannotBind(cpus, why) {
  return new ServerError(`the server cannot be bound to the CPUs ${cpus}: ${why}`, { code: 'ECPU' });
}

/** @param {{left: number}} reports @returns {{left?: number}} */
const leftOf = ({ left }) => (left > 0 ? { left } : {});

/**
 * @param {Ending} ending
 * @returns {string} what to say of a command that left its work to processes behind it; empty of any other
 */
export function daemonText({ code, left = 0 }) {
  if (code !== 0 || left === 0) return '';
  return (
    ` and left ${left === 1 ? 'a process' : `${left} processes`} behind, which ${left === 1 ? 'was' : 'were'} ended with ` +
    "it: it makes itself a daemon; have it stay in the foreground, as nginx does with -g 'daemon off;'"
  );
}

/** @param {number | null} number */
function signalName(number) {
  if (number === null) return null;
  return Object.entries(constants.signals).find(([, value]) => value === number)?.[0] ?? `SIG${number}`;
}
