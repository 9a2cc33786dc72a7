// One build at a time: a lock file that names its owner. The lock of a process that has died is taken over, so nobody
// has to delete one by hand.

import { linkSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { startedAt } from './process-tree.js';

const POLL_MS = 50;
/** Taking over is guarded by a second file; one this old was left by a process that died in that very instant. */
const TAKING_OVER_MS = 10_000;

/** @typedef {{pid: number, started: string}} Owner `started` tells a reused pid from the owner */

/**
 * @template T
 * @param {string} path of the lock file; its folder is made
 * @param {() => T | Promise<T>} work runs while no other process holds the lock
 * @returns {Promise<T>}
 */
export async function withLock(path, work) {
  mkdirSync(dirname(path), { recursive: true });
  while (!take(path)) {
    if (!ownerLives(path)) takeOver(path);
    await wait(POLL_MS);
  }
  try {
    return await work();
  } finally {
    rmSync(path, { force: true });
  }
}

/**
 * The file appears with its content in one step (a link to a finished one): nobody reads half an owner.
 * @param {string} path
 */
function take(path) {
  const draft = `${path}.${process.pid}.${Math.random().toString(36).slice(2)}`;
  writeFileSync(draft, JSON.stringify({ pid: process.pid, started: startedAt(process.pid) }));
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

/** @param {string} path */
function ownerLives(path) {
  try {
    const owner = /** @type {Owner} */ (JSON.parse(readFileSync(path, 'utf8')));
    return owner.started !== null && startedAt(owner.pid) === owner.started;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT'; // released meanwhile: just try again
  }
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
    const found = statSync(mark, { throwIfNoEntry: false });
    if (found && Date.now() - found.mtimeMs > TAKING_OVER_MS) rmSync(mark, { force: true });
    return;
  }
  if (!ownerLives(path)) rmSync(path, { force: true });
  rmSync(mark, { force: true });
}
