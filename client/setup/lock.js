// One set-up at a time in one checkout: a lock file that names its owner. A lock whose owner has died (Ctrl+C, kill -9)
// is taken over, so nobody ever has to delete it by hand.

import { linkSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { bornAt } from './process-birth.js';

const POLL_MS = 100;
/** A lock of another host (a shared folder) cannot be checked for life; after this long it is taken over. */
const FOREIGN_MS = 20 * 60_000;
/** Taking over is itself guarded; a guard as old as this was left behind by a process that died in that instant. */
const GUARD_MS = 10_000;

/**
 * @typedef {object} Owner
 * @property {number} pid
 * @property {string} born when the process started, in the kernel's words; tells a reused pid from the owner
 * @property {string} host
 */

/**
 * Waits until the lock is ours.
 * @param {string} path
 * @param {(line: string) => void} say told once when there is something to wait for
 * @returns {Promise<() => void>} releases it
 */
export async function acquireLock(path, say) {
  const me = { pid: process.pid, born: bornAt(process.pid) ?? '', host: hostname() };
  for (let told = false; ; ) {
    if (create(path, me)) return () => rmSync(path, { force: true });
    const owner = read(path);
    if (owner === null || isAlive(owner, path)) {
      if (owner !== null && !told) say(`another set-up of this checkout is at work (process ${owner.pid}); waiting`);
      told ||= owner !== null;
      await wait(POLL_MS);
    } else {
      takeOver(path);
    }
  }
}

/**
 * Makes the lock with its content in one step (a link of a finished file), so that no reader sees half of it.
 * @param {string} path
 * @param {Owner} owner
 * @returns {boolean} false when somebody has it
 */
function create(path, owner) {
  const draft = `${path}.${owner.pid}`;
  writeFileSync(draft, JSON.stringify(owner));
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
 * Removes a dead owner's lock. Only one process may do that at a time, and only after another look: else the second
 * of two would remove the lock that the first has just made.
 * @param {string} path
 */
function takeOver(path) {
  const guard = `${path}.guard`;
  try {
    writeFileSync(guard, '', { flag: 'wx' });
  } catch {
    if (ageMs(guard) > GUARD_MS) rmSync(guard, { force: true });
    return;
  }
  const owner = read(path);
  if (owner !== null && !isAlive(owner, path)) rmSync(path, { force: true });
  rmSync(guard, { force: true });
}

/**
 * @param {string} path
 * @returns {Owner | null} null when the lock is gone
 */
function read(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') return null;
    return { pid: 0, born: 'unreadable', host: hostname() };
  }
}

/**
 * @param {Owner} owner
 * @param {string} path
 */
function isAlive(owner, path) {
  if (owner.host !== hostname()) return ageMs(path) < FOREIGN_MS;
  const born = bornAt(owner.pid);
  return born !== null && born === owner.born;
}

/**
 * @param {string} path
 * @returns {number} 0 when it is gone
 */
function ageMs(path) {
  const found = statSync(path, { throwIfNoEntry: false });
  return found ? Date.now() - found.mtimeMs : 0;
}
