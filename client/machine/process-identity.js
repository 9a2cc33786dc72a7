// Identifies a process among those of all hosts and containers that share a folder, and tells whether it is alive.

import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { processStartTime } from './process-stat.js';

/**
 * The scope of a process id: one boot of one kernel, and one PID namespace in it. The host's name distinguishes hosts
 * whose kernel does not tell these.
 * @typedef {{ host: string, boot: string, pids: string }} Place
 * @typedef {Place & { pid: number, born: string }} ProcessIdentity  born: clock ticks since the boot; distinguishes the
 *   process from a later one with the same id
 */

/** @param {() => string} read @returns {string} empty: it cannot be read */
function readOrEmpty(read) {
  try {
    return read().trim();
  } catch {
    return '';
  }
}

/** @returns {Place} of this process */
export const ownPlace = () => ({
  host: hostname(),
  boot: readOrEmpty(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')),
  pids: readOrEmpty(() => readlinkSync('/proc/self/ns/pid')),
});

/** @returns {ProcessIdentity} of this process */
export const ownIdentity = () => ({
  ...ownPlace(),
  pid: process.pid,
  born: processStartTime(process.pid) ?? '',
});

/**
 * @param {unknown} identity as stored @param {Place} [here]
 * @returns {boolean | undefined} whether that process is alive; undefined: not known, because it belongs to another
 *   host, boot or container, or no identity was stored
 */
export function isAlive(identity, here = ownPlace()) {
  if (typeof identity !== 'object' || identity === null) return undefined;
  const { host, boot, pids, pid, born } = /** @type {Partial<ProcessIdentity>} */ (identity);
  if (typeof pid !== 'number' || !Number.isInteger(pid) || pid < 1) return undefined;
  if (host !== here.host || boot !== here.boot || pids !== here.pids) return undefined;
  return processStartTime(pid) === born;
}
