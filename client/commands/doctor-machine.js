// What `doctor` says where no scenario is given: the facts of this machine that decide what can be measured on it.

import { textTable } from '../console/text-table.js';
import { bytes, count, counted } from '../words/format.js';
import { typed } from '../invocation.js';
import { transportFacts } from '../transports/index.js';

/** Above this share of a core, what others use shows in the results. */
const BUSY = 0.3;

/** @typedef {import('../machine/host.js').Host} Host */

/** @param {number} busy cores' worth of time @param {number} cpus that a run may use @returns {string} a sentence; empty where it is idle */
export const busyText = (busy, cpus) =>
  busy < BUSY ? '' : `${busy.toFixed(1)} of ${counted(cpus, 'CPU')} are busy now: a run would measure a busy machine.`;

/**
 * @param {Host} host @param {number} busy cores
 * @returns {{name: string, value: string, data: unknown}[]}
 */
export function machineFacts(host, busy) {
  const { cores, cpuQuota, cpus, memoryBytes, memoryAvailableBytes, descriptors, ports, somaxconn, diskFreeBytes } =
    host;
  const { loopbacks, hasIpv6 } = host;
  return [
    {
      name: 'cores',
      value: `${Number(cores.toFixed(2))}${cpuQuota === null ? '' : ` (CPU quota; ${counted(cpus.length, 'CPU')})`}; ${busy.toFixed(1)} busy now`,
      data: { cores, busy, cpuQuota },
    },
    {
      name: 'memory',
      value: `${bytes(memoryAvailableBytes)} of ${bytes(memoryBytes)} available`,
      data: { memoryBytes, memoryAvailableBytes },
    },
    {
      name: 'descriptors',
      value: `${count(descriptors)} for each worker, and for each server process`,
      data: { descriptors },
    },
    {
      name: 'network',
      value: [
        loopbacks.length === 0
          ? 'the loopback interface is down: ip link set lo up'
          : `loopback ${loopbacks.join(', ')}`,
        ...(hasIpv6 || loopbacks.length === 0 ? [] : ['no IPv6']),
      ].join('; '),
      data: { loopbacks, hasIpv6 },
    },
    { name: 'ports', value: `${count(ports)} for each pair of source address and target`, data: { ports } },
    {
      name: 'accept queue',
      value: somaxconn === null ? 'not known' : `at most ${counted(somaxconn, 'connection')}`,
      data: { somaxconn },
    },
    ...transportFacts(host),
    {
      name: 'disk for logs',
      value: diskFreeBytes === null ? 'not known' : `${bytes(diskFreeBytes)} free`,
      data: { diskFreeBytes },
    },
  ];
}

/** @param {Host} host @param {number} busy cores @returns {string} */
export const machineText = (host, busy) =>
  [
    ...textTable(
      [
        { title: 'machine', left: true, text: ({ name }) => name },
        { title: '', left: true, text: ({ value }) => value },
      ],
      machineFacts(host, busy),
    ).lines,
    '',
    ...[busyText(busy, host.cpus.length)].filter((text) => text !== ''),
    `For the limits of a scenario: ${typed('doctor', '--config 10k-1kb')}. For the servers: ${typed('servers')}`,
    '',
  ].join('\n');
