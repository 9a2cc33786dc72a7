// The accept queues of the server's listening sockets: how long they may be, how long they are, and what was dropped
// because they were full. Only of TCP, and in this network namespace.

import { listeners } from '../engine/index.js';
import { familyOf } from '../words/endpoint.js';
import { ownAddresses } from './own-addresses.js';

/**
 * @typedef {object} ListenQueue
 * @property {number} sockets  that listen at the server's addresses
 * @property {number} backlog  the most connections that may wait, of the socket with the fullest queue
 * @property {number} queue    how many wait there
 * @property {number} drops    SYNs and handshakes that all of them dropped since the reading before
 *
 * @typedef {{ address: string, port: number, inode: number, queue: number, backlog: number, drops: number }} Listener
 */

/** Addresses at which a socket listens on all, and of what family: a connection goes to that of its own family. */
const ANY = Object.freeze({ ipv4: '0.0.0.0', ipv6: '::' });
const WRAPS_AT = 2 ** 32;

/** @param {string} address @returns {boolean} whether its connections end on this machine */
export const isOwn = (address) =>
  address.startsWith('127.') || address === '::1' || ownAddresses().some((own) => own.address === address);

/** @param {Listener} one @returns {number} how full its queue is: a queue of backlog + 1 is full */
const fullness = ({ queue, backlog }) => queue / (backlog + 1);

/**
 * @param {{ address: string, port: number }} server on this machine @param {Listener[]} all that listen
 * @returns {Listener[]} those that its connections go to: the most specific ones, as the kernel chooses
 */
export function listenersOf({ address, port }, all) {
  const on = (/** @type {string} */ own) => all.filter((one) => one.port === port && one.address === own);
  const choices = [address, ...(familyOf(address) === 'ipv4' ? [ANY.ipv4] : []), ANY.ipv6];
  return choices.map(on).find((found) => found.length > 0) ?? [];
}

/** Meters the queues of some sockets; each read() is since the one before. */
export class ListenMeter {
  /**
   * @param {{ address: string, port: number }[]} servers  those elsewhere, and those on a Unix socket, are left out
   * @param {() => Listener[]} [read] of all that listen; throws where the kernel does not tell them
   */
  constructor(servers, read = listeners) {
    this.servers = servers.filter(({ address, port }) => port > 0 && isOwn(address));
    this.readAll = read;
    /** @type {Map<number, number>} by inode */
    this.drops = new Map();
    this.read();
  }

  /** @returns {Listener[]} those of the servers */
  find() {
    try {
      const all = this.readAll();
      return [...new Set(this.servers.flatMap((server) => listenersOf(server, all)))];
    } catch {
      return [];
    }
  }

  /** @returns {ListenQueue | null} null: none is known, or none listens any more */
  read() {
    if (this.servers.length === 0) return null;
    const found = this.find();
    if (found.length === 0) return null;
    let drops = 0;
    for (const { inode, drops: now } of found) {
      drops += (now - (this.drops.get(inode) ?? 0) + WRAPS_AT) % WRAPS_AT;
      this.drops.set(inode, now);
    }
    const { backlog, queue } = found.reduce((a, b) => (fullness(b) > fullness(a) ? b : a));
    return { sockets: found.length, backlog, queue, drops };
  }
}
