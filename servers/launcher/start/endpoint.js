// Where a server listens, in one text: an address, or `unix:/path`, whose port is 0. Pure.

import { isIPv6 } from 'node:net';

const UNIX = 'unix:';

/** As a host: a unix socket, at a path of the launcher's choice. */
export const ANY_PATH = UNIX;

/** What a manifest calls the kinds of place, for people. @type {Readonly<Record<Family, string>>} */
export const FAMILIES = Object.freeze({ ipv4: 'IPv4', ipv6: 'IPv6', unix: 'unix sockets' });

/** @typedef {import('../manifest/manifest.js').Family} Family */

/** @param {string} host @returns {Family} of a name: IPv4 */
export const familyOf = (host) => (isPath(host) ? 'unix' : isIPv6(host) ? 'ipv6' : 'ipv4');

/** @param {string} host @returns {boolean} whether it is a unix socket */
export const isPath = (host) => host.startsWith(UNIX);

/** @param {string} host one that is a unix socket */
export const pathOf = (host) => host.slice(UNIX.length);

/**
 * @param {string} host
 * @param {number} port
 * @returns {string} as people write it: 127.0.0.1:80, [::1]:80, unix:/run/server.sock
 */
export function formatPlace(host, port) {
  if (isPath(host)) return host;
  return isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}`;
}
