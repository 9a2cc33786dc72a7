// How many engines each worker has. An engine takes a thread and a few MB, a worker a process of 45 MB. One engine uses
// the descriptors of its process; several have a table of descriptors each, so that the limit applies to each of them.

/**
 * @import { Host } from '../machine/host.js'
 * @import { Scenario } from '../scenario/scenario.js'
 */

/** Descriptors of a worker that are not connections: Node's own, files, IPC, epoll. */
export const SPARE_DESCRIPTORS = 500;
/** Descriptors in an engine's own table that are not connections: the standard streams and those of its transport. */
export const ENGINE_SPARE_DESCRIPTORS = 20;
/** The most engines of all workers together. */
const MAX_ENGINES = 1024;

/**
 * @param {Pick<Host, 'descriptors' | 'ownDescriptors'>} host
 * @returns {boolean} whether a worker may have several engines
 */
export const mayHaveSeveral = ({ ownDescriptors, descriptors }) => ownDescriptors && descriptors > SPARE_DESCRIPTORS;

/**
 * @param {Scenario} scenario
 * @param {Host} host
 * @param {{workers: number, useful: number}} load  useful: the most engines that have something to do
 * @returns {number} engines of each worker: one if the descriptors of its process suffice, or if no more are possible
 */
export function countEngines(scenario, host, { workers, useful }) {
  const each = Math.ceil(scenario.connections / workers);
  if (each <= host.descriptors - SPARE_DESCRIPTORS || !mayHaveSeveral(host)) return 1;
  const needed = Math.max(2, Math.ceil(each / (host.descriptors - ENGINE_SPARE_DESCRIPTORS)));
  return Math.max(1, Math.min(needed, Math.floor(Math.min(useful, MAX_ENGINES) / workers)));
}

/**
 * @param {number} connections @param {number} workers @param {number} engines of each worker
 * @returns {number} the descriptors that the table of each engine must have room for
 */
export function descriptorsNeeded(connections, workers, engines) {
  const each = Math.ceil(connections / (workers * engines));
  return engines === 1 ? each + SPARE_DESCRIPTORS : Math.max(each + ENGINE_SPARE_DESCRIPTORS, SPARE_DESCRIPTORS);
}
