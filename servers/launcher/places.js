// Where a server listens, in one text: an address, or `unix:/path`, whose port is 0. Pure.

import { isIPv6 } from 'node:net';

const UNIX = 'unix:';

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
