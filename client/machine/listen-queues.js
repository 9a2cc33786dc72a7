// Measures the accept queues of the server's listening sockets: their limit, their length, and what was dropped because
// they were full. Only TCP sockets in this network namespace are measured.

import { listeners } from '../engine/index.js';
import { familyOf } from '../words/endpoint.js';
import { ownAddresses } from './own-addresses.js';

/**
 * @typedef {object} ListenQueue
 * @property {number} sockets  that listen at the server's addresses
 * @property {number} backlog  connections that may wait at the socket with the fullest queue
 * @property {number} queue    connections that wait there
 * @property {number} drops    SYNs and handshakes that all sockets dropped since the previous reading
 *
 * @typedef {{ address: string, port: number, inode: number, queue: number, backlog: number, drops: number }} Listener
 */

/** The wildcard address of each family. */
const ANY = Object.freeze({ ipv4: '0.0.0.0', ipv6: '::' });
const WRAPS_AT = 2 ** 32;

/** @param {string} address @returns {boolean} whether it is an address of this machine */
export const isOwn = (address) =>
  address.startsWith('127.') || address === '::1' || ownAddresses().some((entry) => entry.address === address);

/** @param {Listener} listener @returns {number} how full its queue is: a queue of backlog + 1 is full */
const fullness = ({ queue, backlog }) => queue / (backlog + 1);

/**
 * @param {{ address: string, port: number }} server on this machine @param {Listener[]} sockets all that listen
 * @returns {Listener[]} the sockets that its connections go to: the most specific ones, as the kernel chooses
 */
export function listenersOf({ address, port }, sockets) {
  const listenersAt = (/** @type {string} */ host) =>
    sockets.filter((socket) => socket.port === port && socket.address === host);
  const hosts = [address, ...(familyOf(address) === 'ipv4' ? [ANY.ipv4] : []), ANY.ipv6];
  return hosts.map(listenersAt).find((matches) => matches.length > 0) ?? [];
}

/** Measures the queues of a server's sockets since the previous read(). */
export class ListenMeter {
  /**
   * @param {{ address: string, port: number }[]} servers  servers on other machines or on a Unix socket are left out
   * @param {() => Listener[]} [read] all sockets that listen; throws if the kernel does not tell them
   */
  constructor(servers, read = listeners) {
    this.servers = servers.filter(({ address, port }) => port > 0 && isOwn(address));
    this.readAll = read;
    /** @type {Map<number, number>} by inode */
    this.drops = new Map();
    this.read();
  }

  /** @returns {Listener[]} sockets of the servers */
  find() {
    try {
      const sockets = this.readAll();
      return [...new Set(this.servers.flatMap((server) => listenersOf(server, sockets)))];
    } catch {
      return [];
    }
  }

  /** @returns {ListenQueue | null} null: no socket is known, or none listens any more */
  read() {
    if (this.servers.length === 0) return null;
    const sockets = this.find();
    if (sockets.length === 0) return null;
    let drops = 0;
    for (const { inode, drops: now } of sockets) {
      drops += (now - (this.drops.get(inode) ?? 0) + WRAPS_AT) % WRAPS_AT;
      this.drops.set(inode, now);
    }
    const { backlog, queue } = sockets.reduce((a, b) => (fullness(b) > fullness(a) ? b : a));
    return { sockets: sockets.length, backlog, queue, drops };
  }
}
