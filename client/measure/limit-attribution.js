// Decides what limited throughput in one second, from schedstat and /proc/stat; config/guides/questions.md has the
// rules. Machine first, then client, then server: a client that is the bottleneck sees the server wrongly.
import { parseCpus } from './cpu-list.js';

/** @typedef {'client' | 'server' | 'machine'} LimitingSide */
/**
 * @typedef {LimitingSide | 'none' | 'unknown'} Side  unknown: no side was at its limit, but not all sides were measured
 */
/**
 * @typedef {Record<LimitingSide | 'none', number> & { unknown?: number }} LimitShares  together 1; unknown: absent for
 *   0
 */

/** @type {readonly LimitingSide[]} */
const limiting = Object.freeze(['machine', 'client', 'server']);

/**
 * Shares of a core. coreFull: from this on a core is full; threadFull: from this on a thread is the limit; waiting:
 * from this on a machine is crowded; coreIdle: below this a core is idle; otherThreads: the most that the other threads
 * of a server with one busy thread use together.
 */
const bounds = Object.freeze({ coreFull: 0.95, threadFull: 0.9, waiting: 0.2, coreIdle: 0.5, otherThreads: 0.25 });

/**
 * The share of its cores that a side bound to some CPUs has used: threads that share a core may fill it although none
 * of them is busy all the time.
 * @param {number} cpuSeconds of the side @param {number} wallSeconds @param {string | null} cpus its CPU list
 * @returns {number} 0..1; 0 for a side that is not bound
 */
export function filled(cpuSeconds, wallSeconds, cpus) {
  const count = cpus === null ? 0 : (parseCpus(cpus)?.length ?? 0);
  return count > 0 && wallSeconds > 0 ? Math.min(1, cpuSeconds / (wallSeconds * count)) : 0;
}

/**
 * Whether a server has one busy thread, which is on a core nearly all the time.
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
 *   wait?: number, cpu?: number, busy?: number[] } | null }} second busy: each core's busy share on the client's
 *   machine, and on the server's if that is another; busiest: the on-CPU share of that side's busiest thread; filled:
 *   the share of its own cores that the server has used; wait: the time its threads were ready to run and waited for a
 *   core, as a share of the second; cpu: the cores that all threads of the server used. Unknown values are absent
 * @returns {Side}
 */
export function limitedBy({ busy, client, server }) {
  // a thread that is always on a core cannot do more, whatever other cores do
  if (server && isOneFullThread(server) && client.busiest < bounds.threadFull) return 'server';
  const there = server?.busy;
  const waitedThere = server?.wait ?? 0;
  const waited = there === undefined ? Math.max(client.wait, waitedThere) : client.wait;
  if (isFull(busy) && waited >= bounds.waiting) return 'machine';
  if (there !== undefined && isFull(there) && waitedThere >= bounds.waiting) return 'server';
  // without an idle core, other threads may hold up a thread that is always on a core
  const coreIdles = hasIdleCore(busy);
  const clientIsFull = client.busiest >= bounds.threadFull;
  if (coreIdles && clientIsFull) return 'client';
  const idlesThere = there === undefined ? coreIdles : hasIdleCore(there) && !clientIsFull;
  if (idlesThere && Math.max(server?.busiest ?? 0, server?.filled ?? 0) >= bounds.threadFull) return 'server';
  return busy.length > 0 && server?.busiest !== undefined ? 'none' : 'unknown';
}

/**
 * The share of the time for which each side was the limit.
 * @param {Partial<Record<Side, number>>[]} times of each sample, ns
 * @returns {LimitShares | undefined} undefined when no time has passed
 */
export function limitShares(times) {
  const held = { machine: 0, client: 0, server: 0, none: 0, unknown: 0 };
  for (const sideTimes of times) {
    for (const side of [...limiting, /** @type {const} */ ('none'), /** @type {const} */ ('unknown')])
      held[side] += sideTimes[side] ?? 0;
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
 * @returns {Side} the side that was the limit for at least half of the time; none if no side was; unknown if a side may
 *   have been, counting the time in which the limit is unknown
 */
export function limitOver(shares) {
  if (!shares) return 'unknown';
  const [side] = [...limiting].sort((a, b) => shares[b] - shares[a]);
  if (shares[side] >= 0.5) return side;
  return shares.unknown !== undefined && shares[side] + shares.unknown >= 0.5 ? 'unknown' : 'none';
}
