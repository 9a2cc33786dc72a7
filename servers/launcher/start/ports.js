// Picks a free port below the ephemeral range. Inside that range a client that retries a dead server can connect to
// itself, read back the bytes it sent, and keep the port from a server that wants to bind it again.

import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';

const LOWEST = 1024;
/** How far below the ephemeral range to search. */
const SPAN = 16_384;
const TRIES = 100;
const DEFAULT_EPHEMERAL_START = 32_768;

/**
 * @param {string} host the address the server will listen on
 * @returns {Promise<number>} free now; another process may still bind it first
 */
export async function pickPort(host) {
  const end = ephemeralStart();
  const start = Math.max(LOWEST, end - SPAN);
  const tries = end - start < SPAN / 4 ? 0 : TRIES;
  for (let i = 0; i < tries; i++) {
    const port = start + Math.floor(Math.random() * (end - start));
    if ((await tryBind(port, host)) !== null) return port;
  }
  const port = await tryBind(0, host); // with hardly any room below the range, a port inside it
  if (port === null) throw new Error(`no port can be bound on ${host}`);
  return port;
}

/**
 * @param {string} host
 * @param {number} count
 * @returns {Promise<number>} the first of `count` consecutive ports that are free now, below the ephemeral range
 */
export async function pickPorts(host, count) {
  const end = ephemeralStart();
  const start = Math.max(LOWEST, end - SPAN);
  const tries = end - start > count ? TRIES : 0;
  for (let i = 0; i < tries; i++) {
    const first = start + Math.floor(Math.random() * (end - start - count));
    const ports = Array.from({ length: count }, (_, k) => first + k);
    if ((await Promise.all(ports.map((port) => isFree(port, host)))).every((isPortFree) => isPortFree)) return first;
  }
  throw new Error(`found no ${count} consecutive free ports on ${host} from ${start} to ${end}`);
}

/**
 * @param {number} port
 * @param {string} host
 * @returns {Promise<boolean>} whether the port can be bound now
 */
export async function isFree(port, host) {
  return (await tryBind(port, host)) !== null;
}

function ephemeralStart() {
  try {
    return Number(readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').trim().split(/\s+/)[0]);
  } catch {
    return DEFAULT_EPHEMERAL_START;
  }
}

/**
 * @param {number} port
 * @param {string} host
 * @returns {Promise<number | null>} the bound port; null: it cannot be bound
 */
function tryBind(port, host) {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(null));
    server.listen({ port, host, exclusive: true }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : null));
    });
  });
}
