// Reads which CPUs are hyperthreads of the same core from /sys/devices/system/cpu/cpuN/topology.

import { parseCpus } from '../measure/cpu-list.js';
import { read } from './kernel-files.js';

/**
 * @typedef {{cpu: number, siblings: number[]}} CpuThread  siblings: all CPUs of its core, ascending
 */

/**
 * @param {number} cpu
 * @param {string | null} list content of core_cpus_list or thread_siblings_list, such as `1,9`
 * @returns {CpuThread} with only itself as sibling if the kernel does not tell
 */
export function parseSiblings(cpu, list) {
  const siblings = parseCpus((list ?? '').trim()) ?? [];
  return { cpu, siblings: siblings.includes(cpu) ? siblings : [cpu] };
}

/**
 * @param {number[]} cpus
 * @returns {Promise<CpuThread[]>}
 */
export function readTopology(cpus) {
  return Promise.all(
    cpus.map(async (cpu) => {
      const folder = `/sys/devices/system/cpu/cpu${cpu}/topology`;
      const list = (await read(`${folder}/core_cpus_list`)) ?? (await read(`${folder}/thread_siblings_list`));
      return parseSiblings(cpu, list);
    }),
  );
}

/** @param {CpuThread[]} topology @returns {number} hyperthreads of a core, at most; 1: no core has any */
export const threadsPerCore = (topology) => Math.max(1, ...topology.map(({ siblings }) => siblings.length));
