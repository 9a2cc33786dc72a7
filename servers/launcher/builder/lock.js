// Mutual exclusion between processes: a lock file that names its owner. The lock of a process that has died (Ctrl+C,
// kill -9) is taken over, so it never has to be deleted by hand. Built-in modules only: set-up uses it before anything
// is installed.

import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { readProcess } from '../process/process-tree.js';

const POLL_MS = 50;
/** Whether an owner on another host (a shared folder) is alive cannot be checked; its lock expires after this time. */
const FOREIGN_MS = 20 * 60_000;
/** Takeover is protected by a second file; one this old was left by a process that died during a takeover. */
const TAKING_OVER_MS = 10_000;

/**
 * @typedef {{pid: number, started: string | null}} Holder `started` distinguishes the holder from a reused pid
 * @typedef {Holder & {host: string, worker?: Holder}} Owner worker: a process that may outlive the owner briefly and must
 *   have ended as well before the lock is taken over
 */

/**
 * @template T
 * @param {string} path of the lock file; its folder is created
 * @param {(setWorker: (pid: number) => void) => T | Promise<T>} work runs while no other process holds the lock;
 *   setWorker: records a process that works on behalf of this one
 * @returns {Promise<T>}
 */
export async function withLock(path, work) {
  const release = await acquireLock(path);
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
  for (let reported = false; !take(path);) {
    const owner = ownerOf(path);
    if (owner !== null && !isAlive(owner, path)) {
      takeOver(path);
    } else if (owner !== null && !reported) {
      reported = true;
      onWait(owner.pid);
    }
    await wait(POLL_MS);
  }
  return () => rmSync(path, { force: true });
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
 * @param {string} path
 */
function isAlive({ host, worker, ...owner }, path) {
  if (host !== hostname()) return ageMs(path) < FOREIGN_MS;
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
  if (owner !== null && !isAlive(owner, path)) rmSync(path, { force: true });
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
