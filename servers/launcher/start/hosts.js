// What host a ready line may name. The one thing to know: load goes only where the server was told to listen, whatever
// it says; so nobody's machine is stressed because a command says so.

import { lookup } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');
const any = new BlockList();
any.addAddress('0.0.0.0', 'ipv4');
any.addAddress('::', 'ipv6');

/**
 * @param {unknown} said by the server
 * @param {string} told to the server: an address, or a name, which counts by all its addresses, too
 * @returns {Promise<string | null>} as of hostSaid
 */
export async function hostTaken(said, told) {
  const taken = hostSaid(said, told);
  if (taken !== null || isIP(told) !== 0) return taken;
  const found = await lookup(told, { all: true }).catch(() => []);
  return found.map(({ address }) => hostSaid(said, address)).find((each) => each !== null) ?? null;
}

/**
 * @param {unknown} said by the server
 * @param {string} told to the server
 * @returns {string | null} the host to connect to; null when what it said is not what it was told
 */
export function hostSaid(said, told) {
  if (typeof said !== 'string') return null;
  if (said === told || isSame(said, told) || isIn(any, said)) return told;
  if (!isLoopback(said) || !(isLoopback(told) || isIn(any, told))) return null;
  // Another of 127.0.0.0/8 is where it is, and is this machine; by another family or name, only what was told is known.
  return isIP(said) === 4 ? said : told;
}

/** @param {string} host */
const isLoopback = (host) => host === 'localhost' || isIn(loopback, host);

/**
 * @param {string} one
 * @param {string} other
 * @returns {boolean} whether they are one address, however written
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
