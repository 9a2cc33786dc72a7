// Counts the local ports that are already taken towards a target, by other programs, or by an earlier run whose closed
// connections are still in TIME_WAIT. They are in the kernel's table of sockets.

import { endianness } from 'node:os';
import { familyOf, isLoopback } from '../words/endpoint.js';
import { read } from './kernel-files.js';

/**
 * @import { Endpoint } from '../../config/types.js'
 * @import { Host } from './host.js'
 */

const TIME_WAIT = '06';

/**
 * An address and port as /proc/net/tcp and tcp6 write them: each four bytes as a number of this machine, and the port.
 * @param {Endpoint} endpoint
 * @param {'LE' | 'BE'} order
 */
export function hexOf({ host, port }, order) {
  const words =
    familyOf(host) === 'ipv6'
      ? wordsOf(host)
      : [
          host
            .split('.')
            .map((byte) => Number(byte).toString(16).padStart(2, '0'))
            .join(''),
        ];
  const ordered = words.map((word) => (order === 'LE' ? word.replace(/(..)(..)(..)(..)/, '$4$3$2$1') : word));
  return `${ordered.join('')}:${port.toString(16).padStart(4, '0')}`.toUpperCase();
}

/** @param {string} address IPv6 @returns {string[]} its four words of eight hexadecimal digits */
function wordsOf(address) {
  const groups = new URL(`http://[${address}]`).hostname.slice(1, -1); // without an IPv4 address at its end
  const [head, tail] = groups.split('::').map((part) => part.split(':').filter((group) => group !== ''));
  const allGroups = [...head, ...Array(8 - head.length - (tail?.length ?? 0)).fill('0'), ...(tail ?? [])];
  return (
    allGroups
      .map((group) => group.padStart(4, '0'))
      .join('')
      .match(/.{8}/g) ?? []
  );
}

/**
 * @param {string | null} table content of /proc/net/tcp or tcp6
 * @param {string} target as hexOf returns it
 * @param {boolean} reused whether a port in TIME_WAIT can be used again immediately
 * @returns {number}
 */
export function countTaken(table, target, reused) {
  return (table ?? '').split('\n').reduce((count, line) => {
    const [, , remote, state] = line.trim().split(/\s+/, 4);
    return remote === target && !(reused && state === TIME_WAIT) ? count + 1 : count;
  }, 0);
}

/**
 * Whether a connect may use a port in TIME_WAIT again, a second after the close: net.ipv4.tcp_tw_reuse is 1 (always) or
 * 2 (on loopback).
 * @param {string} host the target's address
 * @param {Host['timeWait']} timeWait
 */
export function isReused(host, { reuse }) {
  return reuse === 1 || (reuse === 2 && isLoopback(host));
}

/**
 * @param {Endpoint} target with an address as host
 * @param {boolean} reused
 * @returns {Promise<number>}
 */
export async function takenPorts(target, reused) {
  const table = familyOf(target.host) === 'ipv6' ? '/proc/net/tcp6' : '/proc/net/tcp';
  return countTaken(await read(table), hexOf(target, endianness()), reused);
}
