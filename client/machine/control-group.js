// Reads how much memory, how many threads and how much CPU time the control groups of this process leave, in versions 1
// and 2 of the interface. A group is bound by every group above it, so the smallest value counts.
// servers/c/frame/control_group.c does the same.

import { numbers, read, readNumber } from './kernel-files.js';

/** The mount point of the groups, and the file that lists the groups of this process. */
const HERE = { root: '/sys/fs/cgroup', groups: '/proc/self/cgroup' };
/** Version 1 writes "no limit" as a number near 2^63. */
const UNLIMITED = 2 ** 60;

/** The files of each controller: the limit and the current use; version 1 has other names for memory. */
const FILES = {
  pids: { limit: ['pids.max'], used: ['pids.current'] },
  memory: { limit: ['memory.max', 'memory.limit_in_bytes'], used: ['memory.current', 'memory.usage_in_bytes'] },
};

/**
 * The folders of a controller's groups, from the group of this process up to the root. Inside a container the path may
 * be that of the host, which does not exist there: then only the root exists.
 * @param {string | null} groups content of /proc/self/cgroup
 * @param {string} controller such as `pids`
 * @param {string} [top] of all groups
 * @returns {string[]}
 */
export function groupFolders(groups, controller, top = HERE.root) {
  const entries = (groups ?? '').split('\n').flatMap((line) => {
    const [, number, names = '', path = '/'] = /^([0-9]+):([^:]*):(.*)$/.exec(line) ?? [];
    if (number === '0' && names === '') return [{ root: top, path }];
    return names.split(',').includes(controller) ? [{ root: `${top}/${controller}`, path }] : [];
  });
  return entries.flatMap(({ root, path }) => {
    // a path above the mount point cannot be read, only the root
    const parts = path.includes('..') ? [] : path.split('/').filter((part) => part !== '');
    return Array.from({ length: parts.length + 1 }, (_, i) => [root, ...parts.slice(0, parts.length - i)].join('/'));
  });
}

/**
 * @param {string} folder
 * @param {string[]} names
 * @returns {Promise<number | null>}
 */
async function firstOf(folder, names) {
  const values = await Promise.all(names.map((name) => readNumber(`${folder}/${name}`)));
  return values.find((value) => value !== null && value < UNLIMITED) ?? null;
}

/**
 * @param {string} folder
 * @returns {Promise<number>} bytes of cached files that the kernel gives up when memory is short
 */
async function reclaimable(folder) {
  const line = (await read(`${folder}/memory.stat`))?.split('\n').find((row) => row.startsWith('inactive_file '));
  return numbers(line?.replace('inactive_file', '') ?? '')[0] ?? 0;
}

/**
 * @param {'pids' | 'memory'} controller
 * @param {{root: string, groups: string}} [place]
 * @returns {Promise<{limit: number, free: number}>} the smallest of all groups; Infinity: no group has a limit
 */
export async function groupRoom(controller, { root, groups } = HERE) {
  const folders = groupFolders(await read(groups), controller, root);
  const rooms = await Promise.all(
    folders.map(async (folder) => {
      const limit = (await firstOf(folder, FILES[controller].limit)) ?? Infinity;
      if (limit === Infinity) return { limit, free: Infinity };
      const used = (await firstOf(folder, FILES[controller].used)) ?? 0;
      const cached = controller === 'memory' ? await reclaimable(folder) : 0;
      return { limit, free: Math.max(0, limit - Math.max(0, used - cached)) };
    }),
  );
  return {
    limit: Math.min(Infinity, ...rooms.map(({ limit }) => limit)),
    free: Math.min(Infinity, ...rooms.map(({ free }) => free)),
  };
}

/**
 * @param {string} folder of a group
 * @returns {Promise<number>} cores' worth of CPU time that it may use; Infinity: it has no quota
 */
async function quotaOf(folder) {
  const [quota, period] = numbers(await read(`${folder}/cpu.max`)); // `max 100000` has no number in front
  if (period !== undefined) return quota / period;
  const [quotaUs, periodUs] = await Promise.all(
    ['cpu.cfs_quota_us', 'cpu.cfs_period_us'].map((name) => readNumber(`${folder}/${name}`)),
  );
  return quotaUs === null || quotaUs <= 0 || !periodUs ? Infinity : quotaUs / periodUs;
}

/**
 * @param {{root: string, groups: string}} [place]
 * @returns {Promise<number | null>} cores' worth of CPU time, such as 1.5, the smallest of all groups; null: no group
 *   has a quota
 */
export async function cpuQuota({ root, groups } = HERE) {
  const quotas = await Promise.all(groupFolders(await read(groups), 'cpu', root).map(quotaOf));
  const smallest = Math.min(Infinity, ...quotas);
  return smallest === Infinity ? null : smallest;
}
