// The open descriptors of processes, and how many they may have (proc_pid_fd(5), proc_pid_limits(5)).

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { limitsOf } from './kernel-files.js';

/** Of more processes, only the oldest are read: each costs two files a second. */
const MAX_PROCESSES = 64;
/** Many servers accept no more before the last descriptor is used; redis keeps 32. Of a low limit, this share. */
const KEPT = 32;
const KEPT_SHARE = 0.1;

/**
 * @typedef {object} Descriptors
 * @property {number} used       by the process that has the fewest left
 * @property {number} limit      of that process
 * @property {number} [hardLimit]  to which it may raise that itself
 * @property {number} full       processes that have no more left than servers keep for themselves
 */

/** @param {string} folder /proc/<pid>/fd @returns {number} */
function countOpen(folder) {
  // since Linux 6.2 the size is the number; before, it is 0
  return statSync(folder).size || readdirSync(folder).length;
}

/** @param {number} pid @returns {Omit<Descriptors, 'full'> | null} null: it has ended, or may not be read */
function ofProcess(pid) {
  try {
    const { soft, hard } = limitsOf(readFileSync(`/proc/${pid}/limits`, 'utf8'), 'Max open files');
    const used = countOpen(`/proc/${pid}/fd`);
    return Number.isFinite(soft) ? { used, limit: soft, ...(Number.isFinite(hard) ? { hardLimit: hard } : {}) } : null;
  } catch {
    return null;
  }
}

/**
 * @param {number[]} pids of a server
 * @returns {Descriptors | null} null where none may be read
 */
export function readDescriptors(pids) {
  const found = pids.slice(0, MAX_PROCESSES).flatMap((pid) => ofProcess(pid) ?? []);
  if (found.length === 0) return null;
  const left = (/** @type {{ limit: number, used: number }} */ { limit, used }) => limit - used;
  const nearest = found.reduce((a, b) => (left(b) < left(a) ? b : a));
  const full = found.filter((one) => left(one) <= Math.min(KEPT, Math.floor(one.limit * KEPT_SHARE))).length;
  return { ...nearest, full };
}
