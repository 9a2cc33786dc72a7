// Decides on which CPUs the instances of a server and the workers run. `each` gives each of them one CPU, in an order
// that uses every core before a second hyperthread of any, and that begins with CPU 1, because CPU 0 usually serves
// interrupts.

import { parseCpus } from '../measure/cpu-list.js';
import { warning } from '../words/warnings.js';

/**
 * @import { Warning } from '../../config/types.js'
 * @import { CpuThread } from '../machine/cpu-topology.js'
 * @import { Pin } from '../scenario/complete.js'
 */

/**
 * @typedef {object} Placement
 * @property {{client: string | null, server: string | null}} pin  all CPUs of each side; null: the kernel's choice
 * @property {string[]} [serverCpus]  with `each`: the CPU of each instance
 * @property {string[]} [workerCpus]  with `each`: the CPU of each worker
 */

/** The word for one CPU each, in the order of this file. */
export const EACH = 'each';

/**
 * @param {CpuThread[]} topology  of the CPUs that may be used
 * @returns {number[]} the first hyperthreads of the cores, then the second ones, and so on; each time from CPU 1 on,
 *   and the core of CPU 0 last
 */
export function cpuOrder(topology) {
  const usable = new Set(topology.map(({ cpu }) => cpu));
  const keyOf = (/** @type {CpuThread} */ { cpu, siblings }) => {
    const usableSiblings = siblings.filter((sibling) => usable.has(sibling));
    return { cpu, rank: usableSiblings.indexOf(cpu), first: usableSiblings[0] };
  };
  const last = (/** @type {{first: number}} */ { first }) => (first === 0 ? 1 : 0);
  return topology
    .map(keyOf)
    .sort((a, b) => a.rank - b.rank || last(a) - last(b) || a.first - b.first)
    .map(({ cpu }) => cpu);
}

/**
 * @param {Pin} pin
 * @param {CpuThread[]} topology
 * @returns {Pin} with lists in place of `cores`: the server on the first of the order, the client on the last
 */
export function withoutCores(pin, topology) {
  if (!pin.cores) return pin;
  const order = cpuOrder(topology);
  const { server, client } = pin.cores;
  return { ...pin, server: order.slice(0, server).join(), client: order.slice(-client).join() };
}

/**
 * @param {Pin} pin  without cores
 * @param {CpuThread[]} topology
 * @param {{instances: number, workers: number, started: boolean}} leg  started: its server is started here
 * @returns {Placement}
 */
export function place({ client, server }, topology, { instances, workers, started }) {
  const order = cpuOrder(topology);
  const without = (/** @type {number[]} */ taken) => order.filter((cpu) => !taken.includes(cpu));
  const listed = (/** @type {string | null} */ list) => parseCpus(list ?? '') ?? [];

  const beside = without(client === EACH ? [] : listed(client));
  const servers = server === EACH ? cpuOfEach(instances, beside.length < instances ? order : beside) : null;
  const taken = servers ?? (started ? listed(server) : []);
  const clients = client === EACH ? cpuOfEach(workers, without(taken).length === 0 ? order : without(taken)) : null;
  return {
    pin: { client: listOf(clients) ?? client, server: listOf(servers) ?? server },
    ...(servers && { serverCpus: servers.map(String) }),
    ...(clients && { workerCpus: clients.map(String) }),
  };
}

/** @param {number} count @param {number[]} cpus @returns {number[]} in turn, repeated if there are too few */
const cpuOfEach = (count, cpus) => Array.from({ length: count }, (_, i) => cpus[i % cpus.length]);

/** @param {number[] | null} cpus @returns {string | null} without duplicates, in their order */
const listOf = (cpus) => (cpus === null ? null : [...new Set(cpus)].join());

/**
 * @param {Placement[]} placements  of the legs
 * @returns {Warning[]} one for each set of CPUs that client and server share
 */
export function overlapWarnings(placements) {
  const shared = placements.flatMap(({ pin: { client, server } }) => {
    const [clientCpus, serverCpus] = [client, server].map((list) => parseCpus(list ?? '') ?? []);
    const cpus = clientCpus.filter((cpu) => serverCpus.includes(cpu));
    return cpus.length === 0 ? [] : [{ cpus, client, server }];
  });
  const distinct = new Map(shared.map((overlap) => [JSON.stringify(overlap), overlap]));
  return [...distinct.values()].map((overlap) => warning('pin-overlap', overlap));
}
