// Where a server is: an IPv4 or IPv6 address (or a name) and a port, or `unix:/path`, whose port is 0. How that is
// written, connected to, and of which family it is; and URLs as they may be shown. Pure.

import { isIPv6 } from 'node:net';

/** @import { Endpoint } from '../../config/types.js' */

/** @typedef {'ipv4' | 'ipv6' | 'unix'} Family */

const UNIX = 'unix:';
/** Bytes of a path that sockaddr_un has room for, besides the NUL. */
export const MAX_PATH_BYTES = 107;

/** As people call them. @type {Readonly<Record<Family, string>>} */
export const FAMILIES = Object.freeze({ ipv4: 'IPv4', ipv6: 'IPv6', unix: 'unix sockets' });
/** Where a server that is started here listens: on loopback, or at a path of the launcher's choice. */
export const LISTEN_HOSTS = Object.freeze({ ipv4: '127.0.0.1', ipv6: '::1', unix: UNIX });

/** @param {string} host @returns {Family} of a name: IPv4 */
export function familyOf(host) {
  if (host.startsWith(UNIX)) return 'unix';
  return isIPv6(host) ? 'ipv6' : 'ipv4';
}

/** The beginning of a URL, or a target as people type it. */
const TARGET = /^([a-z][a-z0-9+.-]*:\/\/|unix:|(\[[0-9a-f:.]*\]|[^\s:/@[\]]+):[0-9]{1,5}(-[0-9]{1,5})?(\/\S*)?$)/i;

/** @param {string} word @returns {boolean} whether it looks like a target: a URL, host:port or unix:/path */
export const looksLikeTarget = (word) => TARGET.test(word);

/** @param {Endpoint} endpoint @returns {string} as people write it: 127.0.0.1:80, [::1]:80, unix:/run/server.sock */
export function formatEndpoint({ host, port }) {
  const family = familyOf(host);
  if (family === 'unix') return host;
  return family === 'ipv6' ? `[${host}]:${port}` : `${host}:${port}`;
}

/**
 * @param {Endpoint[]} endpoints
 * @returns {string} short, for any number of them: 127.0.0.1:7000-7003, or the first and how many more
 */
export function formatEndpoints(endpoints) {
  const [first] = endpoints;
  const all = formatEndpoint(first);
  if (endpoints.length === 1) return all;
  const inARow = endpoints.every(({ host, port }, i) => host === first.host && port === first.port + i && port > 0);
  return inARow ? `${all}-${first.port + endpoints.length - 1}` : `${all} and ${endpoints.length - 1} more`;
}

/** @param {{ name: string, used: string, all: string[] }} target of a name with several addresses @returns {string} */
export const addressText = ({ name, used, all }) => `${name} has the addresses ${all.join(', ')}; ${used} is used`;

/** @param {Endpoint} endpoint @returns {{path: string} | Endpoint} as node:net connects to it */
export function connectOptions({ host, port }) {
  return familyOf(host) === 'unix' ? { path: host.slice(UNIX.length) } : { host, port };
}

/** @param {string} host an address @returns {boolean} whether everyone has it for oneself */
export function isLoopback(host) {
  return host.startsWith('127.') || host === '::1';
}

/** Also one with a password that a URL cannot hold, such as user:a/b@host. */
const LOGIN_OF_URL = /\/\/(?:[^\s/?#]*@|[^\s/?#:@[\]]+:(?![0-9-]*(?:[/?#\s,"')]|$)|[{$])\S*@)/g;
/** Without a scheme, behind a flag or alone: user:password@host:port. */
const LOGIN_OF_ADDRESS = /^(--?[\w.-]+=)?[^\s/?#:@='"]+:(?!\/\/)[^\s@]+@(?=\S+:[0-9]|\[)/;

/** @param {string} text with URLs, or an address @returns {string} without the names and passwords that they hold */
export const withoutLogin = (text) => text.replace(LOGIN_OF_URL, '//...@').replace(LOGIN_OF_ADDRESS, '$1...@');
