// One measurement of a transferring client: a fresh epoll server, one client process, one time window. Ends within its
// time limit whatever it starts, and nothing else.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { startServer } from '../../servers/launcher/index.js';
import { measureAlone } from './alone.js';
import { outputOf } from './child.js';

const run = promisify(execFile);

/** Before the window, once all connections are open; not measured. */
export const WARMUP_SECONDS = 1;
/** The time that a client may take in addition to warm-up and window. */
const GRACE_MS = 30_000;

/** Starting, connecting and ending, in addition to warm-up and window: as measured, rounded up. */
const REST_SECONDS = 1;
const REST_SECONDS_PER_CONNECTION = 1 / 10_000;

/** @typedef {{client?: number, server?: number}} Placement the CPU of each side; left out: the kernel's choice */

/**
 * @typedef {object} Request
 * @property {string[]} command the client, which prints one line of JSON; {port} in it is the server's
 * @property {Placement} [cpus] left out: the kernel places both sides
 * @property {number} windowSeconds
 */

/** @param {number} connections @param {number} windowSeconds @returns {number} about how long it takes */
export function secondsAgainstEpoll(connections, windowSeconds) {
  return WARMUP_SECONDS + windowSeconds + REST_SECONDS + connections * REST_SECONDS_PER_CONNECTION;
}

/** @param {Request} request */
const limitOf = ({ windowSeconds }) => (WARMUP_SECONDS + windowSeconds) * 1000 + GRACE_MS;

/** In a process of its own. @param {Request} request @param {AbortSignal} signal @returns {Promise<any>} */
export function measureAgainstEpoll(request, signal) {
  return measureAlone(new URL(import.meta.url), request, { limitMs: limitOf(request), signal });
}

/**
 * @param {Request} request
 * @param {AbortSignal} signal ends it at once; the promise rejects then
 * @returns {Promise<any>} what the client printed
 */
export async function measure(request, signal) {
  const { command, cpus = {} } = request;
  const server = await startServer({ name: 'epoll', protocol: 'echo' });
  try {
    for (const pid of cpus.server === undefined ? [] : server.pids) {
      await run('taskset', ['-a', '-p', '-c', String(cpus.server), String(pid)]);
    }
    const client = command.map((word) => word.replaceAll('{port}', String(server.port)));
    const words = [...(cpus.client === undefined ? [] : ['taskset', '-c', String(cpus.client)]), ...client];
    return JSON.parse(await outputOf(words, { limitMs: limitOf(request), signal }));
  } finally {
    await server.stop();
  }
}
