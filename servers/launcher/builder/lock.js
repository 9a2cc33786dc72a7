// Mutual exclusion between processes: a lock file that names its owner, and marks that name the users of what must stay
// as it is. Those of a process that has died (Ctrl+C, kill -9) do not count, so they never have to be deleted by hand.
// Built-in modules only: set-up uses it before anything is installed.

import { linkSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { readProcess } from '../process/process-tree.js';

const POLL_MS = 50;
/** Of the names of marks of use. */
const USE = '.use';
/** Whether an owner on another host (a shared folder) is alive cannot be checked; its lock expires after this time. */
const FOREIGN_MS = 20 * 60_000;
/** The same for a user on another host, which may use something for days. */
const FOREIGN_USE_MS = 7 * 24 * 60 * 60_000;
/** Takeover is protected by a second file; one this old was left by a process that died during a takeover. */
const TAKING_OVER_MS = 10_000;

/**
 * @typedef {{pid: number, started: string | null}} Holder `started` distinguishes the holder from a reused pid
 * @typedef {Holder & {host: string, worker?: Holder}} Owner worker: a process that may outlive the owner briefly and
 *   must have ended as well before the lock is taken over
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
 * Waits until the lock is ours.
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
 * Marks what the path names as used by this process, as several may at a time. Whoever marks it or looks for marks
 * holds its lock.
 * @param {string} path
 * @returns {() => void} ends the use
 */
export function markUse(path) {
  const draft = draftOf(path);
  const mark = `${path}${USE}${draft.slice(path.length)}`;
  renameSync(draft, mark);
  return () => rmSync(mark, { force: true });
}

/** @param {string} path @returns {Owner[]} the processes that use it; the marks of those that have died are removed */
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
 * Waits until no other process uses what the path names.
 * @param {string} path
 * @param {(pid: number) => void} onWait called once, with the pid of one that uses it
 */
export async function untilUnused(path, onWait) {
  for (let reported = false; ; await wait(POLL_MS)) {
    const other = usersOf(path).find(({ pid, host }) => pid !== process.pid || host !== hostname());
    if (other === undefined) return;
    if (!reported) onWait(other.pid);
    reported = true;
  }
}

/**
 * Creates the file atomically, as a link to a complete one, so that no process reads an incomplete owner.
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
 * @param {string} path of the lock, which is ours
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
 * @returns {Owner | null} null when the lock has been released; a dead owner when the file cannot be read
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
 * @param {number} foreignMs how old that of an owner on another host may be
 */
function isAlive({ host, worker, ...owner }, path, foreignMs) {
  if (host !== hostname()) return ageMs(path) < foreignMs;
  return [owner, ...(worker ? [worker] : [])].some(({ pid, started }) => started !== null && startOf(pid) === started);
}

/**
 * One process at a time, and only after checking again: otherwise a second process would remove the lock that the first
 * has just taken.
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
 * @returns {string | null} when the process was started, in clock ticks; null for a zombie or when it has ended
 */
function startOf(pid) {
  const found = readProcess(pid);
  return found === null || found.threads === 0 ? null : found.started;
}

/**
 * @param {string} path
 * @returns {number} 0 when it does not exist
 */
function ageMs(path) {
  const found = statSync(path, { throwIfNoEntry: false });
  return found ? Date.now() - found.mtimeMs : 0;
}
