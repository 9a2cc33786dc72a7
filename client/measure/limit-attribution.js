// What limited throughput in one second, from schedstat and /proc/stat. Pure; config/guides/questions.md has the rules.
// Machine first, then client, then server: a client that is the bottleneck sees the server wrongly.
import { parseCpus } from './cpu-list.js';

/** @typedef {'client' | 'server' | 'machine'} LimitingSide */
/**
 * @typedef {LimitingSide | 'none' | 'unknown'} Side  unknown: no side was seen at its limit, and not all of them were
 *   measured
 */
/**
 * @typedef {Record<LimitingSide | 'none', number> & { unknown?: number }} LimitShares  together 1; unknown: absent for
 *   0
 */

/** @type {readonly LimitingSide[]} */
const limiting = Object.freeze(['machine', 'client', 'server']);

/** Shares of a core: from which on a core counts as full, a thread as the limit, waiting as crowding; below which a
 * core counts as idle; and what a server's other threads use together, in cores, where only one of them is busy. */
const bounds = Object.freeze({ coreFull: 0.95, threadFull: 0.9, waiting: 0.2, coreIdle: 0.5, otherThreads: 0.25 });

/**
 * How much of its cores a side that is bound to some has used: threads that share one core fill it without any of them
 * being busy all the time.
 * @param {number} cpuSeconds of the side @param {number} wallSeconds @param {string | null} cpus its CPU list
 * @returns {number} 0..1; 0 for a side that is not bound
 */
export function filled(cpuSeconds, wallSeconds, cpus) {
  const count = cpus === null ? 0 : (parseCpus(cpus)?.length ?? 0);
  return count > 0 && wallSeconds > 0 ? Math.min(1, cpuSeconds / (wallSeconds * count)) : 0;
}

/**
 * Whether a server has one busy thread, and that is on a core nearly all the time.
 * @param {{ busiest?: number, cpu?: number }} server
 */
const isOneFullThread = ({ busiest = 0, cpu = Infinity }) =>
  busiest >= bounds.coreFull && cpu - busiest <= bounds.otherThreads;

/** @param {number[]} busy share of each core of a machine */
const isFull = (busy) => busy.length > 0 && busy.every((share) => share >= bounds.coreFull);

/** @param {number[]} busy share of each core of a machine */
const hasIdleCore = (busy) => busy.some((share) => share < bounds.coreIdle);

/**
 * @param {{ busy: number[], client: { busiest: number, wait: number }, server: { busiest?: number, filled?: number,
 *   wait?: number, cpu?: number, busy?: number[] } | null }} second busy: of the client's machine, and of the server's
 *   where that is another one: each core's busy share; busiest: the on-CPU share of that side's busiest thread; filled:
 *   how much of its own cores the server has used; wait: the time its threads were ready to run and waited for a core,
 *   as a share of the second; cpu: what all threads of the server used, in cores; absent where that is not known
 * @returns {Side}
 */
export function limitedBy({ busy, client, server }) {
  // a thread that is always on a core cannot do more, whatever the other cores do
  if (server && isOneFullThread(server) && client.busiest < bounds.threadFull) return 'server';
  const there = server?.busy;
  const waitedThere = server?.wait ?? 0;
  const waited = there === undefined ? Math.max(client.wait, waitedThere) : client.wait;
  if (isFull(busy) && waited >= bounds.waiting) return 'machine';
  if (there !== undefined && isFull(there) && waitedThere >= bounds.waiting) return 'server';
  // without an idle core, a thread that is always on one may as well be held up by the others
  const coreIdles = hasIdleCore(busy);
  const clientIsFull = client.busiest >= bounds.threadFull;
  if (coreIdles && clientIsFull) return 'client';
  const idlesThere = there === undefined ? coreIdles : hasIdleCore(there) && !clientIsFull;
  if (idlesThere && Math.max(server?.busiest ?? 0, server?.filled ?? 0) >= bounds.threadFull) return 'server';
  return busy.length > 0 && server?.busiest !== undefined ? 'none' : 'unknown';
}

/**
 * For which part of the time each side was the limit.
 * @param {Partial<Record<Side, number>>[]} times of each sample, ns
 * @returns {LimitShares | undefined} undefined when no time has passed
 */
export function limitShares(times) {
  const held = { machine: 0, client: 0, server: 0, none: 0, unknown: 0 };
  for (const one of times) {
    for (const side of [...limiting, /** @type {const} */ ('none'), /** @type {const} */ ('unknown')])
      held[side] += one[side] ?? 0;
  }
  const total = Object.values(held).reduce((sum, ns) => sum + ns, 0);
  if (total === 0) return undefined;
  return {
    machine: held.machine / total,
    client: held.client / total,
    server: held.server / total,
    none: held.none / total,
    ...(held.unknown > 0 ? { unknown: held.unknown / total } : {}),
  };
}

/**
 * @param {LimitShares | undefined} shares of limitShares()
 * @returns {Side} the side that was the limit for at least half of the time; none where none was, and unknown where one
 *   may have been in the time of which it is not known
 */
export function limitOver(shares) {
  if (!shares) return 'unknown';
  const [side] = [...limiting].sort((a, b) => shares[b] - shares[a]);
  if (shares[side] >= 0.5) return side;
  return shares.unknown !== undefined && shares[side] + shares.unknown >= 0.5 ? 'unknown' : 'none';
}
