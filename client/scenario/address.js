// Which addresses this stress tool may aim at without being told twice: loopback and private ones, nothing else.
// The decision is made on the numeric address that is then connected to, never on a name.

import { lookup } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';
import { EnvironmentError, UsageError } from '../errors.js';

const own = new BlockList();
own.addSubnet('127.0.0.0', 8, 'ipv4');
own.addSubnet('10.0.0.0', 8, 'ipv4');
own.addSubnet('172.16.0.0', 12, 'ipv4');
own.addSubnet('192.168.0.0', 16, 'ipv4');

/**
 * @param {string} address IPv4, dotted
 * @returns {boolean} whether it is loopback (127/8) or private (10/8, 172.16/12, 192.168/16). Link-local (169.254/16)
 *   is neither: there, clouds answer for the metadata of their machines
 */
export function isOwnAddress(address) {
  return own.check(address, 'ipv4');
}

/**
 * @param {string} text host:port
 * @param {string} where what to call the value in a message, such as `--target`
 * @returns {{host: string, port: number}}
 * @throws {UsageError}
 */
export function parseTarget(text, where) {
  const refuse = (/** @type {string} */ reason) =>
    new UsageError(`${where}: ${JSON.stringify(text)} ${reason}`, { code: 'ETARGET' });
  if (text.startsWith('[') || isIP(text) === 6) {
    throw refuse('is an IPv6 address, which this version cannot connect to; give an IPv4 address, ' +
      'such as 127.0.0.1:8080');
  }
  const match = /^(?:[a-z][a-z0-9+.-]*:\/\/)?([^\s:/@]+):([0-9]{1,5})\/?$/i.exec(text);
  if (match === null) throw refuse('is not host:port, such as 127.0.0.1:8080');
  if (text.includes('/')) throw refuse(`is a URL; did you mean "${match[1]}:${match[2]}"?`);
  const port = Number(match[2]);
  if (port < 1 || port > 65535) throw refuse('has no port from 1 to 65535');
  return { host: match[1] ?? '', port };
}

/** @typedef {(host: string) => Promise<string[]>} Resolve the IPv4 addresses of a host */

/** @type {Resolve} */
async function resolveIPv4(host) {
  return (await lookup(host, { all: true, family: 4 })).map(({ address }) => address);
}

/**
 * The one address that will be connected to. A name counts by all its addresses: if any is public, it is refused.
 * @param {{host: string, port: number}} target
 * @param {{allowPublic: boolean, where: string, resolve?: Resolve}} options
 * @returns {Promise<{host: string, port: number}>} with `host` an IPv4 address, so that nobody resolves it again
 */
export async function checkTarget({ host, port }, { allowPublic, where, resolve = resolveIPv4 }) {
  const addresses = await addressesOf(host, where, resolve);
  const open = addresses.find((address) => !isOwnAddress(address));
  if (open !== undefined && !allowPublic) {
    const which = open === host ? host : `${host} (${open})`;
    throw new UsageError(`${where}: ${which} is neither a loopback nor a private address. Broadside is a stress tool: ` +
      'give --allowPublicTarget if that machine is yours to stress', { code: 'EPUBLICTARGET' });
  }
  return { host: /** @type {string} */ (addresses[0]), port };
}

/**
 * @param {string} host
 * @param {string} where
 * @param {Resolve} resolve
 * @returns {Promise<string[]>} at least one
 */
async function addressesOf(host, where, resolve) {
  if (isIP(host) === 4) return [host];
  /** @type {unknown} */
  let cause;
  /** @type {string[]} */
  const addresses = await resolve(host).catch((error) => {
    cause = error;
    return [];
  });
  if (addresses.some((address) => isIP(address) !== 4) || addresses.length === 0) {
    const code = cause instanceof Error && 'code' in cause ? ` (${cause.code})` : '';
    throw new EnvironmentError(`${where}: ${host} has no IPv4 address${code}`, { code: 'ETARGETNAME', cause });
  }
  return addresses;
}
