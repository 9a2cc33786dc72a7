// The time needed to open very many idle connections, and their memory: Broadside compared with a bare C opener. Both
// have the source addresses and server processes of Broadside's own plan, with the workers that it has for the largest
// number of connections. The time is from the first connect until the kernel counts both ends of every connection as
// established. The kernel's memory is that of the whole machine, so it is the difference from before. ../README.md
// explains the method.

import { readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { setTimeout as after } from 'node:timers/promises';
import { readKernel } from '../../../client/machine/kernel-counters.js';
import { count } from '../../../client/words/format.js';
import { readTree, residentBytes } from '../../../servers/launcher/process/process-tree.js';
import { measureAlone } from '../alone.js';
import { buildProgram } from '../build.js';
import { conditionsOf, inRounds, publish } from '../conduct.js';
import { list, number, whole } from '../options.js';
import { medianIn, ratio, spreadIn, spreadText, table } from '../tables.js';
import { OPENER_SOURCE, legOf, startBare, startBroadside } from './openers.js';

/**
 * @import { Measured as ConductMeasured } from '../conduct.js'
 * @import { Opener } from './openers.js'
 */

const NAME = 'open';
const CLIENTS = /** @type {const} */ (['broadside', 'bare']);
/**
 * What the limits are about: bytes of client memory for each connection more between the two counts, and at the larger
 * one.
 */
const LIMITS = { from: 10_000, to: 80_000, slope: 200, most: 400e6 };
const LOOK_MS = 5;
const MEMORY_LOOK_MS = 250;
/** The kernel sends a SYN that was dropped again after 1, 2, 3, 4, 5, 7, 11 and 19 s. */
const OPENING_MS = 60_000;
const GRACE_MS = 60_000;
const PAGE_BYTES = 4096;
const SETTLED_BYTES = 2 ** 20;
const SETTLE_MS = 200;
const SETTLE_TRIES = 10;
const NODE = realpathSync(process.execPath);
/** The kernel's caches of sockets, of their files and of what watches them. */
const OF_SOCKETS = /^(TCP|tcp_bind|tw_sock|request_sock|sock_inode_cache|filp|eventpoll|ep_head)/;

export const options = {
  connections: list(`${LIMITS.from},${LIMITS.to}`, 'numbers of connections', whole(1_000_000)),
  hold: number(5, 'seconds for which they are held and observed', 60),
  rounds: number(6, 'number of rounds'),
};

/**
 * @typedef {(typeof CLIENTS)[number]} Client
 * @typedef {{connections: number}} Cell
 * @typedef {Cell & {client: Client, workers: number, holdSeconds: number}} Request
 *
 * @typedef {object} Figures
 * @property {number} openSeconds
 * @property {number} synsAgain sent once more: what was dropped on the way, or came when a queue was full
 * @property {number} failures rejects and errors
 * @property {number} clientBytes resident, the least of the client's processes together, while it holds them
 * @property {number} clientMostBytes
 * @property {number} serverBytes
 * @property {number} kernelBytes for both ends
 *
 * @typedef {ConductMeasured<Cell, Figures, Client>} Measured
 */

/** @param {any} given @param {AbortSignal} signal @returns {Promise<boolean>} */
export async function run({ connections, hold: holdSeconds, rounds, ...given }, signal) {
  /** @type {Cell[]} */
  const cells = connections
    .toSorted((/** @type {number} */ a, /** @type {number} */ b) => a - b)
    .map((/** @type {number} */ one) => ({ connections: one }));
  const { workers } = await legOf({ connections: Math.max(...connections), workers: 'auto' });
  const conditions = await conditionsOf({ rounds, how: `${workers} workers, held for ${holdSeconds} s` });
  await buildProgram(OPENER_SOURCE);
  const limitMs = OPENING_MS + holdSeconds * 1000 + GRACE_MS;
  const measured = await inRounds(
    {
      cells,
      clientsOf: () => CLIENTS,
      measure: (cell, client, stop) =>
        /** @type {Promise<Figures>} */ (
          measureAlone(import.meta.url, { ...cell, client, workers, holdSeconds }, { limitMs, signal: stop })
        ),
      lineOf: (cell, client, { openSeconds, clientBytes, synsAgain, failures }) =>
        `${count(cell.connections)} ${client}: ${openSeconds.toFixed(3)} s, ${(clientBytes / 1e6).toFixed(1)} MB, ` +
        `${synsAgain} SYNs again, ${failures} failed`,
    },
    conditions,
    signal,
  );
  const limits = limitsOf(measured);
  const text =
    limits &&
    `Client memory for each connection between the two: ${limits.slope.text}. At the most: ${limits.most.text}.`;
  publish(NAME, { conditions, measured, tables: [...(text ? [text] : []), tableOf(measured)] }, given);
  return !limits || (limits.slope.kept && limits.most.kept);
}

/** @param {Measured[]} measured @returns where both counts of the limits were measured */
function limitsOf(measured) {
  const [few, many] = [LIMITS.from, LIMITS.to].map(
    (wanted) => measured.find(({ cell }) => cell.connections === wanted)?.rounds,
  );
  if (!few || !many) return null;
  // of the same round with the same number of workers, so that the memory of a process without connections cancels out
  const slopes = many.map(
    (round, i) => (round.broadside.clientBytes - few[i].broadside.clientBytes) / (LIMITS.to - LIMITS.from),
  );
  const [slope, most] = [spreadIn(slopes, (one) => one), spreadIn(many, ({ broadside }) => broadside.clientMostBytes)];
  return {
    slope: {
      text: spreadText(slope, (bytes) => `${bytes.toFixed(0)} B`, LIMITS.slope),
      kept: slope.median <= LIMITS.slope,
    },
    most: {
      text: spreadText(most, (bytes) => `${(bytes / 1e6).toFixed(0)} MB`, LIMITS.most),
      kept: most.median <= LIMITS.most,
    },
  };
}

/** @param {Measured[]} measured */
function tableOf(measured) {
  return table(
    [
      'client',
      'connections',
      'seconds',
      'Broadside / bare',
      'SYNs again',
      'failed',
      'client MB',
      'server MB',
      'kernel MB',
    ],
    measured.flatMap(({ cell, rounds }) =>
      CLIENTS.map((client) => {
        const own = rounds.map((round) => round[client]);
        const megabytes = (/** @type {(figures: Figures) => number} */ of) =>
          String(Math.round(medianIn(own, of) / 1e6));
        return [
          ...[client, count(cell.connections), medianIn(own, ({ openSeconds }) => openSeconds).toFixed(3)],
          client === 'bare'
            ? ''
            : spreadText(
                spreadIn(rounds, ({ broadside, bare }) => broadside.openSeconds / bare.openSeconds),
                ratio,
              ),
          count(Math.round(medianIn(own, ({ synsAgain }) => synsAgain))),
          count(own.reduce((sum, { failures }) => sum + failures, 0)),
          ...[megabytes(({ clientBytes }) => clientBytes), megabytes(({ serverBytes }) => serverBytes)],
          megabytes(({ kernelBytes }) => kernelBytes),
        ];
      }),
    ),
    1,
  );
}

/** In a process of its own. @param {Request} request @param {AbortSignal} signal @returns {Promise<Figures>} */
export async function measure({ client, connections, workers, holdSeconds }, signal) {
  const kernelBefore = await settledKernelBytes(signal);
  const [before, counted] = [established(), readKernel()];
  const opener = await (client === 'broadside' ? startBroadside : startBare)({ connections, workers });
  try {
    const all = before + 2 * connections;
    const openNs = await Promise.race([opener.failed, untilEstablished(all, signal)]);
    const held = await Promise.race([opener.failed, look(opener, holdSeconds, signal)]);
    const kernelBytes = (await settledKernelBytes(signal)) - kernelBefore;
    const synsAgain = (readKernel().TcpExtTCPSynRetrans ?? 0) - (counted.TcpExtTCPSynRetrans ?? 0);
    if (established() < all) throw new Error(`${client} lost connections: ${established()} of ${all} ends`);
    const { startNs, failures } = await opener.finish();
    return { openSeconds: Number(openNs - startNs) / 1e9, synsAgain, failures, ...held, kernelBytes };
  } finally {
    await opener.stop();
  }
}

/** @returns {number} ends of connections of this network namespace */
function established() {
  const [names, values] = readFileSync('/proc/self/net/snmp', 'utf8')
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

/** @param {Opener} opener @param {number} seconds @param {AbortSignal} signal */
async function look({ root, nodeIsClient, serverBytes }, seconds, signal) {
  const sizes = [];
  let others = 0;
  for (const end = performance.now() + seconds * 1000; performance.now() < end;) {
    await after(MEMORY_LOOK_MS, undefined, { signal });
    const members = readTree(root).filter(({ threads }) => threads > 0);
    const isClient = (/** @type {{ pid: number }} */ { pid }) => !nodeIsClient || programOf(pid) === NODE;
    const bytesOf = (/** @type {typeof members} */ some) => some.reduce((sum, { pid }) => sum + residentBytes(pid), 0);
    sizes.push(bytesOf(members.filter(isClient)));
    others = bytesOf(members.filter((one) => !isClient(one)));
  }
  return { clientBytes: Math.min(...sizes), clientMostBytes: Math.max(...sizes), serverBytes: others + serverBytes() };
}

/** @param {number} pid @returns {string} empty when it has ended */
function programOf(pid) {
  try {
    return readlinkSync(`/proc/${pid}/exe`);
  } catch {
    return '';
  }
}

/** What went before may still be given back. @param {AbortSignal} signal @returns {Promise<number>} */
async function settledKernelBytes(signal) {
  let bytes = kernelBytes();
  for (let left = SETTLE_TRIES; left > 0; left -= 1) {
    await after(SETTLE_MS, undefined, { signal });
    const now = kernelBytes();
    if (Math.abs(now - bytes) < SETTLED_BYTES) return now;
    bytes = now;
  }
  return bytes;
}

/** @returns {number} bytes of TCP's buffers and of objects in use for sockets; without root, of all slabs */
function kernelBytes() {
  const buffers = (readKernel().TcpMemPages ?? 0) * PAGE_BYTES;
  let slabs;
  try {
    slabs = readFileSync('/proc/slabinfo', 'utf8').matchAll(/^(\S+)\s+(\d+)\s+\d+\s+(\d+)\s+\d+\s+\d+\s+:/gm);
  } catch {
    return Number(/^Slab:\s+(\d+) kB/m.exec(readFileSync('/proc/meminfo', 'utf8'))?.[1] ?? NaN) * 1024 + buffers;
  }
  const caches = [...slabs].map(([, name, used, size]) => ({ name, used: Number(used), size: Number(size) }));
  const sockets = caches.find(({ name }) => name === 'sock_inode_cache')?.used ?? 0;
  const entry = caches.find(({ name }) => name === 'dentry')?.size ?? 0; // each socket has one, in the cache of those of all files
  const counted = caches.filter(({ name }) => OF_SOCKETS.test(name));
  return counted.reduce((sum, { used, size }) => sum + used * size, sockets * entry) + buffers;
}
