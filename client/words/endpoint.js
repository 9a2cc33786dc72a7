// Endpoints of servers: an IPv4 or IPv6 address (or a name) and a port, or `unix:/path` with port 0. Formats them, and
// removes logins from URLs.

import { isIPv6 } from 'node:net';

/** @import { Endpoint } from '../../config/types.js' */

/** @typedef {'ipv4' | 'ipv6' | 'unix'} Family */

const UNIX = 'unix:';
/** Longest path of a unix socket: the size of sockaddr_un's path without the NUL. */
export const MAX_PATH_BYTES = 107;

/** Names of the families. @type {Readonly<Record<Family, string>>} */
export const FAMILIES = Object.freeze({ ipv4: 'IPv4', ipv6: 'IPv6', unix: 'unix sockets' });
/** Hosts that a local server listens on; the launcher chooses the path of a unix socket. */
export const LISTEN_HOSTS = Object.freeze({ ipv4: '127.0.0.1', ipv6: '::1', unix: UNIX });

/** @param {string} host @returns {Family} ipv4 for a name */
export function familyOf(host) {
  if (host.startsWith(UNIX)) return 'unix';
  return isIPv6(host) ? 'ipv6' : 'ipv4';
}

/** The beginning of a URL, or a target as people type it. */
const TARGET = /^([a-z][a-z0-9+.-]*:\/\/|unix:|(\[[0-9a-f:.]*\]|[^\s:/@[\]]+):[0-9]{1,5}(-[0-9]{1,5})?(\/\S*)?$)/i;

/** @param {string} word @returns {boolean} whether it looks like a target: a URL, host:port or unix:/path */
export const looksLikeTarget = (word) => TARGET.test(word);

/** @param {Endpoint} endpoint @returns {string} such as 127.0.0.1:80, [::1]:80, unix:/run/server.sock */
export function formatEndpoint({ host, port }) {
  const family = familyOf(host);
  if (family === 'unix') return host;
  return family === 'ipv6' ? `[${host}]:${port}` : `${host}:${port}`;
}

/**
 * @param {Endpoint[]} endpoints
 * @returns {string} a short text: 127.0.0.1:7000-7003, or the first endpoint and the number of others
 */
export function formatEndpoints(endpoints) {
  const [first] = endpoints;
  const text = formatEndpoint(first);
  if (endpoints.length === 1) return text;
  const areConsecutive = endpoints.every(
    ({ host, port }, i) => host === first.host && port === first.port + i && port > 0,
  );
  return areConsecutive ? `${text}-${first.port + endpoints.length - 1}` : `${text} and ${endpoints.length - 1} more`;
}

/** @param {{ name: string, used: string, all: string[] }} target of a name with several addresses @returns {string} */
export const addressText = ({ name, used, all }) => `${name} has the addresses ${all.join(', ')}; ${used} is used`;

/** @param {Endpoint} endpoint @returns {{path: string} | Endpoint} options for node:net */
export function connectOptions({ host, port }) {
  return familyOf(host) === 'unix' ? { path: host.slice(UNIX.length) } : { host, port };
}

/** @param {string} host an address @returns {boolean} */
export function isLoopback(host) {
  return host.startsWith('127.') || host === '::1';
}

/** Login in a URL, also with a password that is invalid in a URL, such as user:a/b@host. */
const LOGIN_OF_URL = /\/\/(?:[^\s/?#]*@|[^\s/?#:@[\]]+:(?![0-9-]*(?:[/?#\s,"')]|$)|[{$])\S*@)/g;
/** Login in an address without a scheme, alone or after a flag: user:password@host:port. */
const LOGIN_OF_ADDRESS = /^(--?[\w.-]+=)?[^\s/?#:@='"]+:(?!\/\/)[^\s@]+@(?=\S+:[0-9]|\[)/;

/** @param {string} text with URLs, or an address @returns {string} the text without user names and passwords */
export const withoutLogin = (text) => text.replace(LOGIN_OF_URL, '//...@').replace(LOGIN_OF_ADDRESS, '$1...@');
