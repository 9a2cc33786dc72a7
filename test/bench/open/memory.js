// The memory of open connections: the kernel's, and that of the processes that hold them. The kernel's is that of the
// whole machine, including both ends of each connection and anything else that happens meanwhile, so it is the
// difference from before.

import { readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { setTimeout as after } from 'node:timers/promises';
import { readKernel } from '../../../client/machine/kernel-counters.js';
import { readTree, residentBytes } from '../../../servers/launcher/process/process-tree.js';

const PAGE_BYTES = 4096;
const SETTLED_BYTES = 2 ** 20;
const SETTLE_MS = 200;
const SETTLE_TRIES = 10;
const NODE = realpathSync(process.execPath);

/** The caches of sockets, of their files and of what watches them. Others are busy with other things, too. */
const OF_SOCKETS = /^(TCP|tcp_bind|tw_sock|request_sock|sock_inode_cache|filp|eventpoll|ep_head)/;
/** One of these is in use for each socket; it has a directory entry as well, in the cache of those of all files. */
const SOCKETS = 'sock_inode_cache';
const ENTRIES = 'dentry';

/**
 * @param {string} slabinfo
 * @returns {number} bytes of objects in use, over those caches; a cache keeps some free ones, which are left out
 */
export function parseSlabinfo(slabinfo) {
  const caches = slabinfo.split('\n').flatMap((line) => {
    const [, name = '', used, size] = /^(\S+)\s+(\d+)\s+\d+\s+(\d+)\s+\d+\s+\d+\s+:/.exec(line) ?? [];
    return name === '' ? [] : [{ name, used: Number(used), size: Number(size) }];
  });
  const find = (/** @type {string} */ wanted) => caches.find(({ name }) => name === wanted) ?? { used: 0, size: 0 };
  const counted = caches.filter(({ name }) => OF_SOCKETS.test(name));
  const bytes = counted.reduce((sum, { used, size }) => sum + used * size, 0);
  return bytes + find(SOCKETS).used * find(ENTRIES).size;
}

/** @param {string} meminfo @returns {number} bytes of the slabs, where single caches may not be looked at */
export function parseMeminfo(meminfo) {
  return Number(/^Slab:\s+(\d+) kB/m.exec(meminfo)?.[1] ?? NaN) * 1024;
}

/** @returns {number} bytes of slabs and of TCP's buffers */
function kernelBytes() {
  const buffers = (readKernel().TcpMemPages ?? 0) * PAGE_BYTES;
  try {
    return parseSlabinfo(readFileSync('/proc/slabinfo', 'utf8')) + buffers;
  } catch {
    return parseMeminfo(readFileSync('/proc/meminfo', 'utf8')) + buffers; // only root may read slabinfo
  }
}

/** What went before may still be given back. @param {AbortSignal} signal @returns {Promise<number>} */
export async function settledKernelBytes(signal) {
  let bytes = kernelBytes();
  for (let left = SETTLE_TRIES; left > 0; left -= 1) {
    await after(SETTLE_MS, undefined, { signal });
    const now = kernelBytes();
    if (Math.abs(now - bytes) < SETTLED_BYTES) return now;
    bytes = now;
  }
  return bytes;
}

/**
 * The processes under a root: those of the client, and all others, which are the server's.
 * @param {number} root
 * @param {{nodeIsClient: boolean}} how false: all of them are the client's
 * @returns {{clientBytes: number, clients: number, otherBytes: number}}
 */
export function residentUnder(root, { nodeIsClient }) {
  const members = readTree(root).filter(({ threads }) => threads > 0);
  const [ours, others] = [true, false].map((wanted) =>
    members.filter(({ pid }) => (!nodeIsClient || programOf(pid) === NODE) === wanted),
  );
  const sum = (/** @type {typeof members} */ list) => list.reduce((all, { pid }) => all + residentBytes(pid), 0);
  return { clientBytes: sum(ours ?? []), clients: ours?.length ?? 0, otherBytes: sum(others ?? []) };
}

/** @param {number} pid @returns {string} empty when it is gone */
function programOf(pid) {
  try {
    return readlinkSync(`/proc/${pid}/exe`);
  } catch {
    return '';
  }
}
