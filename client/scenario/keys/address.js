// Checks which addresses this stress tool may target without explicit permission: loopback and private ones, nothing
// else. The check uses the numeric address that is then connected to, never a name. Key `target` gives one address, or
// several of servers of one kind, which are measured as instances.

import { lookup } from 'node:dns/promises';
import { resolve as absolute } from 'node:path';
import { BlockList, isIP } from 'node:net';
import { EnvironmentError, UsageError } from '../../errors.js';
import { FAMILIES, familyOf, formatEndpoint, isLoopback, MAX_PATH_BYTES, withoutLogin } from '../../words/endpoint.js';

/** @import { Endpoint } from '../../../config/types.js' */

const privateAddresses = new BlockList();
privateAddresses.addSubnet('127.0.0.0', 8, 'ipv4');
privateAddresses.addSubnet('10.0.0.0', 8, 'ipv4');
privateAddresses.addSubnet('172.16.0.0', 12, 'ipv4');
privateAddresses.addSubnet('192.168.0.0', 16, 'ipv4');
privateAddresses.addAddress('::1', 'ipv6');
privateAddresses.addSubnet('fc00::', 7, 'ipv6');
const mapped = new BlockList();
mapped.addSubnet('::ffff:0:0', 96, 'ipv6');

const UNIX = 'unix:';
/** The address by which a server listens on all addresses -> where it is reached. @type {Record<string, string>} */
const UNSPECIFIED = { '0.0.0.0': '127.0.0.1', '[::]': '::1' };

/**
 * @param {string} address IPv4, dotted, or IPv6
 * @returns {boolean} whether it is loopback (127/8, ::1) or private (10/8, 172.16/12, 192.168/16, fc00::/7). Link-local
 *   (169.254/16, fe80::/10) is neither: there, clouds answer for the metadata of their machines
 */
export function isOwnAddress(address) {
  return privateAddresses.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

/**
 * @param {string} text host:port, [IPv6]:port or unix:path
 * @param {string} where the name of the value in messages, such as `--target`
 * @returns {Endpoint} a path made absolute
 * @throws {UsageError}
 */
export function parseTarget(text, where) {
  const refuse = (/** @type {string} */ problem, /** @type {string} */ why) => refusal(where, text, problem, why);
  if (text.startsWith(UNIX)) return { host: UNIX + socketPath(text.slice(UNIX.length), refuse), port: 0 };
  if (isIP(text) === 6) throw refuse('no-port', `has no port; did you mean "[${text}]:8080"?`);
  if (/^([^\s:/@[\]]+|\[[0-9a-f:.]+\])$/i.test(text))
    throw refuse('no-port', `has no port; give one, such as ${text}:8080`);
  const match = /^(?:[a-z][a-z0-9+.-]*:\/\/)?(([^\s:/@[\]]+|\[[^\s[\]]*\]):([0-9]{1,5}))(\/\S*)?$/i.exec(text);
  if (match === null) throw refuse('form', 'is not host:port, such as 127.0.0.1:8080 or [::1]:8080, nor unix:/path');
  const [, endpoint, named, digits, path] = match;
  if (path !== undefined || text.includes('/')) {
    const url = `http://${endpoint}${path ?? '/'}`;
    throw refuse('url', `has a path, but no protocol; did you mean "${url}", or "${endpoint}" for another protocol?`);
  }
  const port = Number(digits);
  if (port < 1 || port > 65535) throw refuse('port', 'has no port from 1 to 65535');
  const loopback = UNSPECIFIED[named.toLowerCase()];
  if (loopback !== undefined) {
    throw refuse(
      'unspecified',
      `is where a server listens, on all addresses; give ${formatEndpoint({ host: loopback, port })}`,
    );
  }
  if (!named.startsWith('[')) return { host: named, port };
  const host = named.slice(1, -1);
  if (isIP(host) !== 6) throw refuse('no-ipv6', 'has no IPv6 address between the brackets, such as [::1]:8080');
  if (host.includes('%'))
    throw refuse('interface', 'names an interface, which is not supported; give an address without one');
  if (mapped.check(host, 'ipv6')) throw refuse('mapped', 'is an IPv4 address written as IPv6; give it as IPv4');
  return { host, port };
}

/**
 * @param {string} path
 * @param {(problem: string, why: string) => UsageError} refuse
 * @returns {string} absolute
 */
function socketPath(path, refuse) {
  if (path === '' || path.includes('\0')) throw refuse('path', 'is not unix:/path, such as unix:/run/server.sock');
  const bytes = Buffer.byteLength(absolute(path));
  if (bytes <= MAX_PATH_BYTES) return absolute(path);
  throw refuse(
    'path-too-long',
    `is a path of ${bytes} bytes, but a unix socket takes at most ${MAX_PATH_BYTES}; give a shorter one`,
  );
}

/** @typedef {(host: string) => Promise<string[]>} Resolve the addresses of a host */

/** @type {Resolve} */
async function resolveAll(host) {
  return (await lookup(host, { all: true })).map(({ address }) => address);
}

/**
 * @typedef {{ name: string, used: string, all: string[] }} NamedAddress  a name with several addresses; used: the
 *   address that is connected to
 *
 * @typedef {object} TargetOptions
 * @property {boolean} allowPublic
 * @property {string} where
 * @property {Resolve} [resolve]
 * @property {(endpoint: Endpoint) => Promise<boolean>} [isAccepted]  whether a connection to it was
 *   accepted; absent: none is tried
 * @property {(chosen: NamedAddress) => void} [onSeveral]  called for a name that has several addresses
 */

/**
 * Chooses the address to connect to: of a name with several, the first that accepts a connection, or else the first.
 * IPv4 comes first. A name is refused if one of its IPv4 addresses is public, or, without any, one of its IPv6
 * addresses; beside IPv4, public IPv6 addresses are not used. A unix socket is always on this machine.
 * @param {Endpoint} target
 * @param {TargetOptions} options
 * @returns {Promise<Endpoint>} host: an address, so that the name is not resolved again
 */
export async function checkTarget({ host, port }, options) {
  const { allowPublic, where, resolve = resolveAll, isAccepted = async () => true, onSeveral } = options;
  if (familyOf(host) === 'unix') return { host, port };
  const { ipv4, ipv6 } = await addressesOf(host, where, resolve);
  const judged = ipv4.length > 0 ? ipv4 : ipv6;
  const publicAddress = judged.find((address) => !isOwnAddress(address));
  if (publicAddress !== undefined && !allowPublic) {
    const which = publicAddress === host ? host : `${host} (${publicAddress})`;
    throw new UsageError(
      `${where}: ${which} is neither a loopback nor a private address. Broadside is a stress tool: ` +
        'give --allowPublicTarget if that machine is yours to stress',
      { code: 'EPUBLICTARGET', data: { host, address: publicAddress } },
    );
  }
  const usable = [...ipv4, ...ipv6.filter((address) => allowPublic || isOwnAddress(address))];
  if (usable.length === 1) return { host: usable[0], port };
  let [used] = usable;
  for (const address of usable) {
    if (!(await isAccepted({ host: address, port }))) continue;
    used = address;
    break;
  }
  onSeveral?.({ name: host, used, all: usable });
  return { host: used, port };
}

/**
 * @param {string} host
 * @param {string} where
 * @param {Resolve} resolve
 * @returns {Promise<{ ipv4: string[], ipv6: string[] }>} at least one address, without duplicates
 */
async function addressesOf(host, where, resolve) {
  if (isIP(host) !== 0) return { ipv4: isIP(host) === 4 ? [host] : [], ipv6: isIP(host) === 6 ? [host] : [] };
  /** @type {unknown} */
  let cause;
  /** @type {string[]} */
  const addresses = await resolve(host).catch((error) => {
    cause = error;
    return [];
  });
  const [ipv4, ipv6] = [4, 6].map((family) => [...new Set(addresses.filter((address) => isIP(address) === family))]);
  if (addresses.some((address) => isIP(address) === 0) || addresses.length === 0) {
    const code = cause instanceof Error && 'code' in cause ? ` (${cause.code})` : '';
    throw new EnvironmentError(`${where}: ${host} has no address${code}`, {
      code: 'ETARGETNAME',
      data: { host },
      cause,
    });
  }
  return { ipv4, ipv6 };
}

const MAX_TARGETS = 1024;
const TOO_MANY = `is beyond the ${MAX_TARGETS} targets of a leg`;

/**
 * @param {string} text
 * @param {string} where
 * @returns {string[]} one for each port of a range such as 127.0.0.1:7000-7003
 */
function expandRange(text, where) {
  const range = text.startsWith('unix:') ? null : /^(.*):([0-9]{1,5})-([0-9]{1,5})$/.exec(text);
  if (range === null) return [text];
  const [first, last] = range.slice(2).map(Number);
  const count = last - first + 1;
  if (count < 1) throw refusal(where, text, 'range-reversed', 'begins with the higher port; give the lower one first');
  if (count > MAX_TARGETS) throw refusal(where, text, 'too-many', TOO_MANY);
  return Array.from({ length: count }, (_, i) => `${range[1]}:${first + i}`);
}

/** @param {string} where @param {string} target @param {string} problem @param {string} why */
function refusal(where, target, problem, why) {
  const shown = withoutLogin(target);
  return new UsageError(`${where}: ${JSON.stringify(shown)} ${why}`, {
    code: 'ETARGET',
    data: { target: shown, problem },
  });
}

/**
 * @param {string | string[]} given  as written
 * @param {string} where  the name of the key in messages
 * @returns {Endpoint[]} at least one, without duplicates
 * @throws {UsageError}
 */
export function parseTargets(given, where) {
  const texts = [given].flat().flatMap((text) => expandRange(text, where));
  if (texts.length > MAX_TARGETS) throw refusal(where, texts[MAX_TARGETS], 'too-many', TOO_MANY);
  const targets = texts.map((text) => parseTarget(text, where));
  refuseDuplicates(targets, where);
  return targets;
}

/** @param {Endpoint[]} targets @param {string} where @throws {UsageError} */
function refuseDuplicates(targets, where) {
  const texts = targets.map(formatEndpoint);
  const duplicate = texts.find((text, i) => texts.indexOf(text) !== i);
  if (duplicate !== undefined) throw refusal(where, duplicate, 'twice', 'is given twice');
}

/**
 * @param {Endpoint[]} targets  whose hosts are addresses
 * @param {string} where
 * @throws {UsageError} when they cannot be connected to from the same addresses
 */
export function checkTogether(targets, where) {
  refuseDuplicates(targets, where);
  const kindOf = (/** @type {Endpoint} */ { host }) =>
    `${FAMILIES[familyOf(host)]}${isLoopback(host) ? ', on loopback' : ''}`;
  const odd = targets.find((target) => kindOf(target) !== kindOf(targets[0]));
  if (odd === undefined) return;
  const why = `(${kindOf(odd)}) cannot be measured with ${formatEndpoint(targets[0])} (${kindOf(targets[0])}) in one leg`;
  throw refusal(where, formatEndpoint(odd), 'mixed', why);
}
