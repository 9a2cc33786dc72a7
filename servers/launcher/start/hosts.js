// Checks the host that a ready line announces. Load goes only to the address on which the server was told to listen, so
// no command can direct load to another machine with its ready line.

import { lookup } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');
const any = new BlockList();
any.addAddress('0.0.0.0', 'ipv4');
any.addAddress('::', 'ipv6');

/**
 * @param {unknown} announced by the ready line
 * @param {string} requested an address, or a name, which stands for all its addresses
 * @returns {Promise<string | null>} the host to connect to; null: the announced host is not accepted
 */
export async function resolveAnnouncedHost(announced, requested) {
  const accepted = acceptedHost(announced, requested);
  if (accepted !== null || isIP(requested) !== 0) return accepted;
  const addresses = await lookup(requested, { all: true }).catch(() => []);
  return addresses.map(({ address }) => acceptedHost(announced, address)).find((host) => host !== null) ?? null;
}

/**
 * @param {unknown} announced by the ready line
 * @param {string} requested
 * @returns {string | null} the host to connect to; null: the announced host is neither the requested one nor equivalent
 *   to it
 */
export function acceptedHost(announced, requested) {
  if (typeof announced !== 'string') return null;
  if (announced === requested || isSame(announced, requested) || isIn(any, announced)) return requested;
  if (!isLoopback(announced) || !(isLoopback(requested) || isIn(any, requested))) return null;
  // another address of 127.0.0.0/8 can be used; instead of a name or an IPv6 address, the requested host is used
  return isIP(announced) === 4 ? announced : requested;
}

/** @param {string} host */
const isLoopback = (host) => host === 'localhost' || isIn(loopback, host);

/**
 * @param {string} a
 * @param {string} b
 * @returns {boolean} whether they are the same address, in any notation
 */
function isSame(a, b) {
  if (isIP(a) === 0) return false;
  const list = new BlockList();
  list.addAddress(a, familyOf(a));
  return isIn(list, b);
}

/**
 * @param {BlockList} list
 * @param {string} host
 */
const isIn = (list, host) => isIP(host) !== 0 && list.check(host, familyOf(host));

/** @param {string} address */
const familyOf = (address) => (isIP(address) === 6 ? 'ipv6' : 'ipv4');
