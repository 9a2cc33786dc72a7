// Local ports that are taken already towards a target: by others, or by a run a minute ago whose closed connections are
// still in TIME_WAIT. Read from the kernel's table of sockets; pure but for that.

import { endianness } from 'node:os';
import { read } from './kernel-files.js';

const TIME_WAIT = '06';

/**
 * An address and port as /proc/net/tcp writes them: the four bytes as one number of this machine, and the port.
 * @param {{host: string, port: number}} place
 * @param {'LE' | 'BE'} order
 */
export function hexOf({ host, port }, order) {
  const bytes = host.split('.').map((byte) => Number(byte).toString(16).padStart(2, '0'));
  if (order === 'LE') bytes.reverse();
  return `${bytes.join('')}:${port.toString(16).padStart(4, '0')}`.toUpperCase();
}

/**
 * @param {string | null} table content of /proc/net/tcp
 * @param {string} target as hexOf says it
 * @param {boolean} reused whether a port in TIME_WAIT can be had again at once
 * @returns {number}
 */
export function countTaken(table, target, reused) {
  return (table ?? '').split('\n').reduce((count, line) => {
    const [, , remote, state] = line.trim().split(/\s+/, 4);
    return remote === target && !(reused && state === TIME_WAIT) ? count + 1 : count;
  }, 0);
}

/**
 * @param {{host: string, port: number}} target its host an IPv4 address
 * @param {boolean} reused
 * @returns {Promise<number>}
 */
export async function takenPorts(target, reused) {
  return countTaken(await read('/proc/net/tcp'), hexOf(target, endianness()), reused);
}
