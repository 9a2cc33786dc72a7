// Finds the machine's addresses, and the source address that its kernel would use towards a target. Nothing is sent:
// connecting a UDP socket only consults the routing table, policy rules included.

import { createSocket } from 'node:dgram';
import { networkInterfaces } from 'node:os';
import { familyOf, isLoopback } from '../words/endpoint.js';

/** @import { Endpoint } from '../../config/types.js' */

/** @typedef {{interface: string, address: string, prefix: number}} OwnAddress  prefix: bits of its network */

/** @returns {OwnAddress[]} without link-local IPv6 addresses, which are used only together with an interface */
export function ownAddresses() {
  return Object.entries(networkInterfaces()).flatMap(([name, addresses = []]) =>
    addresses
      .filter((entry) => entry.family === 'IPv4' || entry.scopeid === 0)
      .map(({ address, cidr, family }) => ({
        interface: name,
        address,
        prefix: Number(cidr?.split('/')[1] ?? (family === 'IPv4' ? 32 : 128)),
      })),
  );
}

/** @returns {{loopbacks: string[], hasIpv6: boolean}} of the interfaces that are up; see machine/host.js */
export function ownFamilies() {
  const entries = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses);
  return {
    loopbacks: entries.map(({ address }) => address).filter(isLoopback),
    hasIpv6: entries.some(({ family }) => family === 'IPv6'),
  };
}

/**
 * @param {Endpoint} target with an address as host
 * @returns {Promise<string | null>} null: there is no route to it
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
