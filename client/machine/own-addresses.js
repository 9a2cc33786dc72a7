// The machine's addresses, and the one its kernel would use towards a target. Nothing is sent: connecting a UDP socket
// only consults the routing table, policy rules included.

import { createSocket } from 'node:dgram';
import { networkInterfaces } from 'node:os';
import { familyOf, isLoopback } from '../words/endpoint.js';

/** @import { Endpoint } from '../../config/types.js' */

/** @typedef {{interface: string, address: string, prefix: number}} OwnAddress  prefix: bits of its network */

/** @returns {OwnAddress[]} without link-local IPv6 addresses, which need an interface with them */
export function ownAddresses() {
  return Object.entries(networkInterfaces()).flatMap(([name, addresses = []]) =>
    addresses
      .filter((one) => one.family === 'IPv4' || one.scopeid === 0)
      .map(({ address, cidr, family }) => ({
        interface: name,
        address,
        prefix: Number(cidr?.split('/')[1] ?? (family === 'IPv4' ? 32 : 128)),
      })),
  );
}

/** @returns {{loopbacks: string[], hasIpv6: boolean}} see machine/host.js; of the interfaces that are up */
export function ownFamilies() {
  const own = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses);
  return {
    loopbacks: own.map(({ address }) => address).filter(isLoopback),
    hasIpv6: own.some(({ family }) => family === 'IPv6'),
  };
}

/**
 * @param {Endpoint} target its host an address
 * @returns {Promise<string | null>} null where there is no route to it
 */
export function addressTowards({ host, port }) {
  return new Promise((resolve) => {
    const socket = createSocket(familyOf(host) === 'ipv6' ? 'udp6' : 'udp4');
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
