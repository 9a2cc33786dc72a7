// Reads /proc/<pid>/stat (proc_pid_stat(5)): a process's name, state, parent and start time. Id and start time together
// identify a process, even after the id has been reused.

import { readFileSync } from 'node:fs';

/**
 * @typedef {object} ProcessStat
 * @property {string} name
 * @property {string} state      one letter; Z and X: it has ended
 * @property {number} parent
 * @property {string} startTime  clock ticks since the machine started
 */

/**
 * @param {string} text content of /proc/<pid>/stat
 * @returns {ProcessStat}
 */
export function parseProcessStat(text) {
  // The name is in parentheses, and may contain spaces and parentheses itself.
  const end = text.lastIndexOf(')');
  const fields = text.slice(end + 2).split(' ');
  return {
    name: text.slice(text.indexOf('(') + 1, end),
    state: fields[0],
    parent: Number(fields[1]),
    startTime: fields[19],
  };
}

/**
 * @param {number} pid
 * @returns {ProcessStat | null} null: there is no such process
 */
export function processStat(pid) {
  try {
    return parseProcessStat(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return null;
  }
}

/**
 * @param {number} pid
 * @returns {string | null} clock ticks since the machine started; null: the process does not exist or has ended
 */
export function processStartTime(pid) {
  const stat = processStat(pid);
  return stat === null || 'ZX'.includes(stat.state) ? null : stat.startTime;
}
