// The endpoint at which a server listens: an IP address and port, or a unix socket, as host `unix:/path` with port 0.

import { isIPv6 } from 'node:net';

/** @import { Family } from '../manifest/manifest.js' */

const UNIX = 'unix:';

/** The host that stands for a unix socket at a path that the launcher chooses. */
export const ANY_PATH = UNIX;

/** Names for people. @type {Readonly<Record<Family, string>>} */
export const FAMILIES = Object.freeze({ ipv4: 'IPv4', ipv6: 'IPv6', unix: 'unix sockets' });

/** @param {string} host @returns {Family} host names count as IPv4 */
export const familyOf = (host) => (isUnixSocket(host) ? 'unix' : isIPv6(host) ? 'ipv6' : 'ipv4');

/** @param {string} host */
export const isUnixSocket = (host) => host.startsWith(UNIX);

/** @param {string} host a host, or several addresses separated by commas @returns {string[]} */
export const hostsOf = (host) => (isUnixSocket(host) ? [host] : host.split(','));

/** @param {string} host of a unix socket @returns {string} its path */
export const pathOf = (host) => host.slice(UNIX.length);

/**
 * @param {string} host
 * @param {number} port
 * @returns {string} 127.0.0.1:80, [::1]:80 or unix:/run/server.sock
 */
export function formatEndpoint(host, port) {
  if (isUnixSocket(host)) return host;
  return isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}`;
}
