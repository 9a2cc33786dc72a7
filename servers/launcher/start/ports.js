// Picks a free port below the ephemeral range. The one thing to know: inside that range a client that retries a dead
// server can connect to itself, read back its own bytes and keep the port from the server that wants it back.

import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';

const LOWEST = 1024;
/** How far below the ephemeral range to look. */
const SPAN = 16_384;
const TRIES = 100;

/**
 * @param {string} host the address the server will listen on
 * @returns {Promise<number>} free at this moment; another process may still take it first
 */
export async function pickPort(host) {
  const end = ephemeralStart();
  const start = Math.max(LOWEST, end - SPAN);
  const tries = end - start < SPAN / 4 ? 0 : TRIES;
  for (let i = 0; i < tries; i++) {
    const port = start + Math.floor(Math.random() * (end - start));
    if ((await tryBind(port, host)) !== null) return port;
  }
  const port = await tryBind(0, host); // hardly anything below the range: better one inside it than none
  if (port === null) throw new Error(`no port can be bound on ${host}`);
  return port;
}

/**
 * @param {number} port
 * @param {string} host
 * @returns {Promise<boolean>} whether nobody listens there at this moment
 */
export async function isFree(port, host) {
  return (await tryBind(port, host)) !== null;
}

function ephemeralStart() {
  try {
    return Number(readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').trim().split(/\s+/)[0]);
  } catch {
    return 32_768;
  }
}

/**
 * @param {number} port
 * @param {string} host
 * @returns {Promise<number | null>} null when it cannot be had
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
