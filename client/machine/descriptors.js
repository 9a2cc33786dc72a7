// Reads the number of open descriptors of processes, and their limits (proc_pid_fd(5), proc_pid_limits(5)).

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { limitsOf } from './kernel-files.js';

/** Only the oldest processes are read: each costs two files a second. */
const MAX_PROCESSES = 64;
/** Many servers stop accepting before the last descriptor: redis keeps 32. If the limit is low, it is this share. */
const KEPT = 32;
const KEPT_SHARE = 0.1;

/**
 * @typedef {object} Descriptors
 * @property {number} used       by the process with the fewest free descriptors
 * @property {number} limit      of that process
 * @property {number} [hardLimit]  to which the process may raise its limit
 * @property {number} full       processes with no more free descriptors than servers keep
 */

/** @param {string} folder /proc/<pid>/fd @returns {number} */
function countOpen(folder) {
  // since Linux 6.2 the size is the number; before, it is 0
  return statSync(folder).size || readdirSync(folder).length;
}

/** @param {number} pid @returns {Omit<Descriptors, 'full'> | null} null: it has ended, or may not be read */
function readProcess(pid) {
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
 * @returns {Descriptors | null} null: no process may be read
 */
export function readDescriptors(pids) {
  const processes = pids.slice(0, MAX_PROCESSES).flatMap((pid) => readProcess(pid) ?? []);
  if (processes.length === 0) return null;
  const freeOf = (/** @type {{ limit: number, used: number }} */ { limit, used }) => limit - used;
  const fullest = processes.reduce((a, b) => (freeOf(b) < freeOf(a) ? b : a));
  const full = processes.filter(
    (process) => freeOf(process) <= Math.min(KEPT, Math.floor(process.limit * KEPT_SHARE)),
  ).length;
  return { ...fullest, full };
}
