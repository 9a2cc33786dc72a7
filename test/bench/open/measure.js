// One measurement of opening: the time from the first connect until both ends of every connection are established, then
// the memory they use while held. It reads the kernel's count of established connections, which is the same for both
// clients.

import { readFileSync } from 'node:fs';
import { setTimeout as after } from 'node:timers/promises';
import { readKernel } from '../../../client/machine/kernel-counters.js';
import { measureAlone } from '../alone.js';
import { buildProgram } from '../build.js';
import { legOf } from '../planned.js';
import { residentUnder, settledKernelBytes } from './memory.js';
import { OPENER_SOURCE, scenarioOf, startBare, startBroadside } from './openers.js';

export const CLIENTS = /** @type {const} */ (['broadside', 'bare']);

const LOOK_MS = 5;
const MEMORY_LOOK_MS = 250;
/** The kernel sends a SYN that was dropped again after 1, 2, 3, 4, 5, 7, 11 and 19 s. */
const OPENING_MS = 60_000;
const GRACE_MS = 60_000;

/**
 * @typedef {(typeof CLIENTS)[number]} Client
 * @typedef {{connections: number}} Cell
 * @typedef {object} Request
 * @property {Client} client
 * @property {number} connections
 * @property {number} workers of Broadside; the bare opener has a process for each of their engines
 * @property {number} holdSeconds
 *
 * @typedef {object} Figures
 * @property {number} openSeconds from the first connect until both ends of all are established
 * @property {number} synsAgain sent once more: what was dropped on the way, or came when a queue was full
 * @property {number} failures rejects and errors
 * @property {number} clientRssBytes the least of the client's processes together, while it holds them
 * @property {number} clientRssMostBytes
 * @property {number} clientProcesses
 * @property {number} serverRssBytes
 * @property {number} kernelBytes more than before, for both ends
 */

export async function prepare() {
  await buildProgram(OPENER_SOURCE);
}

/** In a process of its own. @param {Request} request @param {AbortSignal} signal @returns {Promise<Figures>} */
export function measureOpen(request, signal) {
  const limitMs = OPENING_MS + request.holdSeconds * 1000 + GRACE_MS;
  return measureAlone(new URL(import.meta.url), request, { limitMs, signal });
}

/** @param {Request} request @param {AbortSignal} signal @returns {Promise<Figures>} */
export async function measure({ client, connections, workers, holdSeconds }, signal) {
  const { sources, server, engines = 1 } = await legOf(scenarioOf({ connections, workers }));
  const serverOptions = server.kind === 'named' ? server.options : {};
  const kernelBefore = await settledKernelBytes(signal);
  const [before, counted] = [established(), readKernel()];
  const opener =
    client === 'broadside'
      ? await startBroadside({ connections, workers })
      : await startBare({ connections, processes: workers * engines, sources: sources.length, serverOptions });
  try {
    const all = before + 2 * connections;
    const openNs = await Promise.race([opener.failed, untilEstablished(all, signal)]);
    const held = await Promise.race([opener.failed, look(opener, holdSeconds, signal)]);
    const kernelBytes = (await settledKernelBytes(signal)) - kernelBefore;
    const synsAgain = (readKernel().TcpExtTCPSynRetrans ?? 0) - (counted.TcpExtTCPSynRetrans ?? 0);
    if (established() < all)
      throw new Error(`${client} lost connections that were open: ${established()} of ${all} ends`);
    const { startNs, failures } = await opener.finish();
    return { openSeconds: Number(openNs - startNs) / 1e9, synsAgain, failures, ...held, kernelBytes };
  } finally {
    await opener.stop();
  }
}

/** @returns {number} ends of connections of this network namespace */
function established() {
  const [names = [], values = []] = readFileSync('/proc/self/net/snmp', 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('Tcp:'))
    .map((line) => line.split(' '));
  return Number(values[names.indexOf('CurrEstab')]);
}

/** @param {number} all @param {AbortSignal} signal @returns {Promise<bigint>} when: CLOCK_MONOTONIC */
async function untilEstablished(all, signal) {
  const deadline = performance.now() + OPENING_MS;
  for (;;) {
    const [now, nowNs] = [established(), process.hrtime.bigint()];
    if (now >= all) return nowNs;
    if (performance.now() > deadline) throw new Error(`${now} of ${all} ends established after ${OPENING_MS / 1000} s`);
    await after(LOOK_MS, undefined, { signal });
  }
}

/**
 * @param {import('./openers.js').Opener} opener
 * @param {number} seconds
 * @param {AbortSignal} signal
 */
async function look({ root, nodeIsClient, serverBytes }, seconds, signal) {
  const looks = [];
  for (const end = performance.now() + seconds * 1000; performance.now() < end;) {
    await after(MEMORY_LOOK_MS, undefined, { signal });
    looks.push(residentUnder(root, { nodeIsClient }));
  }
  const sizes = looks.map(({ clientBytes }) => clientBytes);
  const last = looks.at(-1);
  return {
    clientRssBytes: Math.min(...sizes),
    clientRssMostBytes: Math.max(...sizes),
    clientProcesses: last?.clients ?? 0,
    serverRssBytes: (last?.otherBytes ?? 0) + serverBytes(),
  };
}
