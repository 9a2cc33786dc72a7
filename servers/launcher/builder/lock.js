// One at a time, over processes: a lock file that names its owner. The lock of a process that has died (Ctrl+C,
// kill -9) is taken over, so nobody has to delete one by hand. Built-in modules only: set-up takes it before anything
// is installed.

import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { readProcess } from '../process/process-tree.js';

const POLL_MS = 50;
/** An owner on another host (a shared folder) cannot be checked for life; after this long its lock is taken over. */
const FOREIGN_MS = 20 * 60_000;
/** Taking over is guarded by a second file; one this old was left by a process that died in that very instant. */
const TAKING_OVER_MS = 10_000;

/**
 * @typedef {{pid: number, started: string | null}} Holder `started` tells a reused pid from the holder
 * @typedef {Holder & {host: string, worker?: Holder}} Owner worker: a process that may outlive the owner for a moment
 *   and must have ended, too, before another takes over
 */

/**
 * @template T
 * @param {string} path of the lock file; its folder is made
 * @param {(hand: (pid: number) => void) => T | Promise<T>} work runs while no other process holds the lock; hand: to a
 *   process that works for this one, beside it
 * @returns {Promise<T>}
 */
export async function withLock(path, work) {
  const release = await acquireLock(path);
  try {
    return await work((pid) => write(path, holderOf(pid)));
  } finally {
    release();
  }
}

/**
 * Waits until the lock is ours.
 * @param {string} path of the lock file; its folder is made
 * @param {(pid: number) => void} [onWait] told once, when another process has it
 * @returns {Promise<() => void>} releases it
 */
export async function acquireLock(path, onWait = () => {}) {
  mkdirSync(dirname(path), { recursive: true });
  for (let told = false; !take(path);) {
    const owner = ownerOf(path);
    if (owner !== null && !isAlive(owner, path)) {
      takeOver(path);
    } else if (owner !== null && !told) {
      told = true;
      onWait(owner.pid);
    }
    await wait(POLL_MS);
  }
  return () => rmSync(path, { force: true });
}

/**
 * The file appears with its content in one step (a link to a finished one): nobody reads half an owner.
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
function write(path, worker) {
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
 * @returns {Owner | null} null when the lock is gone; one that is not alive when it cannot be read
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
 * One process at a time, and only after another look: else the second would remove the lock the first has just made.
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
 * @returns {string | null} when the process was started, in the kernel's words; null when only its remains are there
 */
function startOf(pid) {
  const found = readProcess(pid);
  return found === null || found.threads === 0 ? null : found.started;
}

/**
 * @param {string} path
 * @returns {number} 0 when it is gone
 */
function ageMs(path) {
  const found = statSync(path, { throwIfNoEntry: false });
  return found ? Date.now() - found.mtimeMs : 0;
}
