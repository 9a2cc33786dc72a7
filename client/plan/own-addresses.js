// The machine's IPv4 addresses, and the one its kernel would take towards a target. Nothing is sent: connecting a UDP
// socket only asks the routing table, policy rules included.

import { createSocket } from 'node:dgram';
import { networkInterfaces } from 'node:os';

/** @typedef {{interface: string, address: string, prefix: number}} OwnAddress  prefix: bits of its network */

/** @returns {OwnAddress[]} */
export function ownAddresses() {
  return Object.entries(networkInterfaces()).flatMap(([name, addresses = []]) =>
    addresses.filter(({ family }) => family === 'IPv4').map(({ address, cidr }) =>
      ({ interface: name, address, prefix: Number(cidr?.split('/')[1] ?? 32) })));
}

/**
 * @param {{host: string, port: number}} target its host an IPv4 address
 * @returns {Promise<string | null>} null where there is no way to it
 */
export function addressTowards({ host, port }) {
  return new Promise((resolve) => {
    const socket = createSocket('udp4');
    const answer = (/** @type {string | null} */ address) => {
      socket.removeAllListeners();
      socket.close();
      resolve(address);
    };
    socket.once('error', () => answer(null));
    socket.once('connect', () => answer(socket.address().address));
    socket.connect(port, host);
  });
}
