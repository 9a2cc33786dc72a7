// Mutual exclusion between processes: a lock file that names its owner, and marks that name the users of a file that
// must not change meanwhile. Locks and marks of a dead process (Ctrl+C, kill -9) do not count, so nobody has to delete
// them. It uses only built-in modules, as set-up needs it before anything is installed.

import { linkSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { readProcess } from '../process/process-tree.js';

const POLL_MS = 50;
/** Part of the names of marks of use. */
const USE = '.use';
/** An owner on another host (in a shared folder) cannot be checked; its lock expires after this time. */
const FOREIGN_MS = 20 * 60_000;
/** The mark of a user on another host, which may use a file for days, expires after this time. */
const FOREIGN_USE_MS = 7 * 24 * 60 * 60_000;
/** A second file protects the takeover; if it is this old, a process died during a takeover. */
const TAKING_OVER_MS = 10_000;

/**
 * @typedef {{pid: number, started: string | null}} Holder `started` distinguishes the holder from a reused pid
 * @typedef {Holder & {host: string, worker?: Holder}} Owner worker: a process that may outlive the owner briefly; it
 *   must have ended too before the lock is taken over
 */

/**
 * @template T
 * @param {string} path of the lock file; its folder is created
 * @param {(setWorker: (pid: number) => void) => T | Promise<T>} work runs while no other process holds the lock;
 *   setWorker: records a process that works on behalf of this one
 * @param {(pid: number) => void} [onWait] called once, with the pid of the process that holds the lock
 * @returns {Promise<T>}
 */
export async function withLock(path, work, onWait) {
  const release = await acquireLock(path, onWait);
  try {
    return await work((pid) => writeWorker(path, holderOf(pid)));
  } finally {
    release();
  }
}

/**
 * Waits until this process holds the lock.
 * @param {string} path of the lock file; its folder is created
 * @param {(pid: number) => void} [onWait] called once, with the pid of the process that holds the lock
 * @returns {Promise<() => void>} releases it
 */
export async function acquireLock(path, onWait = () => {}) {
  mkdirSync(dirname(path), { recursive: true });
  for (let reported = false; ; await wait(POLL_MS)) {
    const release = tryLock(path);
    if (release !== null) return release;
    const owner = ownerOf(path);
    if (owner !== null && isAlive(owner, path, FOREIGN_MS) && !reported) {
      reported = true;
      onWait(owner.pid);
    }
  }
}

/**
 * @param {string} path of the lock file, in a folder that exists
 * @returns {(() => void) | null} releases it; null: another process holds it, or is taking it over
 */
export function tryLock(path) {
  if (!take(path)) {
    const owner = ownerOf(path);
    if (owner !== null && !isAlive(owner, path, FOREIGN_MS)) takeOver(path);
    if (!take(path)) return null;
  }
  return () => rmSync(path, { force: true });
}

/**
 * Marks a file as used by this process; several processes may use it at a time. The caller holds the file's lock, as do
 * callers of usersOf().
 * @param {string} path
 * @returns {() => void} ends the use
 */
export function markUse(path) {
  const draft = draftOf(path);
  const mark = `${path}${USE}${draft.slice(path.length)}`;
  renameSync(draft, mark);
  return () => rmSync(mark, { force: true });
}

/** @param {string} path @returns {Owner[]} the processes that use it; the marks of dead processes are removed */
export function usersOf(path) {
  const folder = dirname(path);
  const marks = readdirSync(folder).filter((name) => name.startsWith(`${basename(path)}${USE}.`));
  return marks.flatMap((name) => {
    const mark = join(folder, name);
    const user = ownerOf(mark);
    if (user !== null && isAlive(user, mark, FOREIGN_USE_MS)) return [user];
    rmSync(mark, { force: true });
    return [];
  });
}

/**
 * Waits until no other process uses a file.
 * @param {string} path
 * @param {(pid: number) => void} onWait called once, with the pid of a process that uses it
 */
export async function untilUnused(path, onWait) {
  for (let reported = false; ; await wait(POLL_MS)) {
    const user = usersOf(path).find(({ pid, host }) => pid !== process.pid || host !== hostname());
    if (user === undefined) return;
    if (!reported) onWait(user.pid);
    reported = true;
  }
}

/**
 * Creates the file atomically, as a link to a complete file, so that no process reads an incomplete owner.
 * @param {string} path
 */
function take(path) {
  const draft = draftOf(path);
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

/**
 * @param {string} path of a lock that this process holds
 * @param {Holder} worker
 */
function writeWorker(path, worker) {
  renameSync(draftOf(path, worker), path);
}

/**
 * @param {string} path
 * @param {Holder} [worker]
 * @returns {string} the path of a file that names this process
 */
function draftOf(path, worker) {
  const draft = `${path}.${process.pid}.${Math.random().toString(36).slice(2)}`;
  writeFileSync(draft, JSON.stringify({ ...holderOf(process.pid), host: hostname(), worker }));
  return draft;
}

/** @param {number} pid @returns {Holder} */
const holderOf = (pid) => ({ pid, started: startOf(pid) });

/**
 * @param {string} path
 * @returns {Owner | null} null: the lock has been released; a dead owner: the file cannot be read
 */
function ownerOf(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') return null;
    return { pid: 0, started: null, host: hostname() };
  }
}

/**
 * @param {Owner} owner
 * @param {string} path of the file that names it
 * @param {number} foreignMs how old the file of an owner on another host may be
 */
function isAlive({ host, worker, ...owner }, path, foreignMs) {
  if (host !== hostname()) return ageMs(path) < foreignMs;
  return [owner, ...(worker ? [worker] : [])].some(({ pid, started }) => started !== null && startOf(pid) === started);
}

/**
 * Removes the lock of a dead owner. One process at a time does so, and only after another check: otherwise a second
 * process would remove the lock that the first has just taken.
 * @param {string} path
 */
function takeOver(path) {
  const mark = `${path}.taking-over`;
  try {
    writeFileSync(mark, '', { flag: 'wx' });
  } catch {
    if (ageMs(mark) > TAKING_OVER_MS) rmSync(mark, { force: true });
    return;
  }
  const owner = ownerOf(path);
  if (owner !== null && !isAlive(owner, path, FOREIGN_MS)) rmSync(path, { force: true });
  rmSync(mark, { force: true });
}

/**
 * @param {number} pid
 * @returns {string | null} start time of the process, in clock ticks; null: it is a zombie or has ended
 */
function startOf(pid) {
  const facts = readProcess(pid);
  return facts === null || facts.threads === 0 ? null : facts.started;
}

/**
 * @param {string} path
 * @returns {number} 0: it does not exist
 */
function ageMs(path) {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats ? Date.now() - stats.mtimeMs : 0;
}
