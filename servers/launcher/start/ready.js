// Waits until a server is ready: the first line of its stdout says so, or it accepts a connection. A server that ends
// before it is ready is reported immediately, with its output.

import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { ServerError } from '../errors.js';
import { daemonText } from '../process/guarded.js';
import { formatEndpoint, hostsOf, isUnixSocket, pathOf } from './endpoint.js';
import { resolveAnnouncedHost } from './hosts.js';

/**
 * @import { Transport } from '../manifest/manifest.js'
 * @import { Guarded } from '../process/guarded.js'
 */

const FIRST_PAUSE_MS = 10;
const MAX_PAUSE_MS = 200;
const CONNECT_MS = 1000;

/**
 * @typedef {object} Ready
 * @property {'line' | 'connection'} by
 * @property {string} host
 * @property {number} port
 * @property {number[]} pids
 * @property {string} protocol
 *
 * @typedef {{host: string, port: number, protocol: string,
 *   transport: Transport}} Expected
 *
 * @typedef {object} Attempt
 * @property {Guarded} guarded
 * @property {string} what the server's name in messages
 * @property {string} name of the server, or 'command'
 * @property {Promise<Record<string, any>>} readyLine resolves when the ready line has arrived
 * @property {boolean} byConnection whether an accepted connection counts too
 * @property {Expected} expected
 * @property {number} timeoutMs
 */

/**
 * @param {string} line
 * @returns {Record<string, any> | null} null: it is not a ready line
 */
export function parseReadyLine(line) {
  if (!line.startsWith('{')) return null;
  try {
    const content = JSON.parse(line);
    return content.ready === true && Number.isInteger(content.port) ? content : null;
  } catch {
    return null;
  }
}

/**
 * @param {Attempt} attempt
 * @returns {Promise<Ready>} rejects with ServerError EDIED or ENOTREADY; the caller must still stop the server
 */
export async function waitReady(attempt) {
  const { guarded, readyLine, byConnection, expected } = attempt;
  const pid = await guarded.started;
  const over = new AbortController();
  const candidates = [
    failAtDeadline(attempt, over.signal),
    failAtExit(attempt),
    readyLine.then((content) => readyByLine(attempt, content, pid)),
  ];
  if (byConnection) {
    const connected = waitConnected(expected, over.signal);
    candidates.push(connected.then(() => ({ by: 'connection', ...expected, pids: [pid] })));
  }
  try {
    return await Promise.race(candidates);
  } finally {
    over.abort();
    for (const candidate of candidates) candidate.catch(() => {}); // their outcome no longer matters
  }
}

/**
 * @param {Attempt} attempt
 * @param {AbortSignal} signal
 * @returns {Promise<never>}
 */
async function failAtDeadline({ guarded, what, name, byConnection, expected, timeoutMs }, signal) {
  await wait(timeoutMs, undefined, { signal });
  const { host, port } = expected;
  const missing = byConnection
    ? `no ready line, and no connection accepted on ${formatEndpoint(host, port)}`
    : 'no ready line on its stdout';
  const data = { server: name, reason: 'timeout', timeoutMs, stderr: guarded.stderrTail() };
  throw new ServerError(withStderr(`${what} was not ready within ${timeoutMs / 1000} s: ${missing}`, guarded), {
    code: 'ENOTREADY',
    data,
  });
}

/** @param {Attempt} attempt @returns {Promise<never>} */
async function failAtExit({ guarded, what, name }) {
  const ending = await guarded.exited;
  const { code: exitCode, signal, left: leftBehind = 0 } = ending;
  const how = signal ? `was ended by ${signal}` : `ended with exit status ${exitCode}`;
  throw new ServerError(withStderr(`${what} ${how} before it was ready${daemonText(ending)}`, guarded), {
    code: 'EDIED',
    data: { server: name, exitCode, signal, leftBehind, stderr: guarded.stderrTail() },
  });
}

/**
 * @param {Attempt} attempt
 * @param {Record<string, any>} content of the ready line
 * @param {number} pid
 * @returns {Promise<Ready>}
 */
async function readyByLine({ what, name, expected }, content, pid) {
  const [first] = hostsOf(expected.host);
  const { host = first, port, pids, protocol, transport = 'tcp' } = content;
  if (transport !== expected.transport) {
    const message = `the ready line of ${what} says that it speaks ${transport}; expected ${expected.transport}`;
    const data = { server: name, reason: 'transport', transport, expected: expected.transport };
    throw new ServerError(message, { code: 'ENOTREADY', data });
  }
  const accepted = await resolveAny(host, hostsOf(expected.host));
  if (accepted === null) {
    const message = `the ready line of ${what} names the host ${JSON.stringify(host)}; expected ${expected.host}`;
    const data = { server: name, reason: 'host', host, expected: expected.host };
    throw new ServerError(message, { code: 'ENOTREADY', data });
  }
  return {
    by: 'line',
    host: accepted,
    port,
    pids: Array.isArray(pids) && pids.length > 0 ? pids : [pid],
    protocol: protocol ?? expected.protocol,
  };
}

/** @param {unknown} announced @param {string[]} requested several over SCTP @returns {Promise<string | null>} */
async function resolveAny(announced, requested) {
  const hosts = await Promise.all(requested.map((host) => resolveAnnouncedHost(announced, host)));
  return hosts.find((host) => host !== null) ?? null;
}

/** @param {Expected} expected @param {AbortSignal} signal @returns {Promise<void>} */
async function waitConnected(expected, signal) {
  for (let pauseMs = FIRST_PAUSE_MS; !(await isAccepted(expected)); pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)) {
    await wait(pauseMs, undefined, { signal });
  }
}

/**
 * @param {Pick<Expected, 'host' | 'port'>} endpoint
 * @returns {Promise<boolean>} whether it accepted a connection
 */
export function isAccepted({ host, port }) {
  return new Promise((resolve) => {
    const socket = connect(isUnixSocket(host) ? { path: pathOf(host) } : { host, port });
    const end = (/** @type {boolean} */ accepted) => (socket.destroy(), resolve(accepted));
    socket.setTimeout(CONNECT_MS, () => end(false));
    socket.on('error', () => end(false));
    socket.on('connect', () => {
      // without a listener, a port in the ephemeral range can be connected to itself
      const isSelf = !isUnixSocket(host) && socket.localPort === port && socket.localAddress === socket.remoteAddress;
      end(!isSelf);
    });
  });
}

/**
 * @param {string} message
 * @param {Guarded} guarded
 */
function withStderr(message, guarded) {
  const lines = guarded.stderrTail();
  return lines.length === 0 ? `${message}; its stderr is empty` : [`${message}; its stderr:`, ...lines].join('\n  ');
}
