// Which host of a ready line is accepted. Load goes only to where the server was told to listen, whatever its ready
// line says, so that no command can direct load to another machine.

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
 * @param {string} requested an address, or a name, which means all its addresses
 * @returns {Promise<string | null>} the host to connect to; null when the announced host is not acceptable
 */
export async function resolveAnnouncedHost(announced, requested) {
  const accepted = acceptedHost(announced, requested);
  if (accepted !== null || isIP(requested) !== 0) return accepted;
  const found = await lookup(requested, { all: true }).catch(() => []);
  return found.map(({ address }) => acceptedHost(announced, address)).find((each) => each !== null) ?? null;
}

/**
 * @param {unknown} announced by the ready line
 * @param {string} requested
 * @returns {string | null} the host to connect to; null when the announced host is neither the requested one nor
 *   equivalent to it
 */
export function acceptedHost(announced, requested) {
  if (typeof announced !== 'string') return null;
  if (announced === requested || isSame(announced, requested) || isIn(any, announced)) return requested;
  if (!isLoopback(announced) || !(isLoopback(requested) || isIn(any, requested))) return null;
  // Another address of 127.0.0.0/8 is usable as it is; of another family or a name, only the requested one is known to
  // be.
  return isIP(announced) === 4 ? announced : requested;
}

/** @param {string} host */
const isLoopback = (host) => host === 'localhost' || isIn(loopback, host);

/**
 * @param {string} one
 * @param {string} other
 * @returns {boolean} whether they are the same address, in any notation
 */
function isSame(one, other) {
  if (isIP(one) === 0) return false;
  const list = new BlockList();
  list.addAddress(one, familyOf(one));
  return isIn(list, other);
}

/**
 * @param {BlockList} list
 * @param {string} host
 */
const isIn = (list, host) => isIP(host) !== 0 && list.check(host, familyOf(host));

/** @param {string} address */
const familyOf = (address) => (isIP(address) === 6 ? 'ipv6' : 'ipv4');
