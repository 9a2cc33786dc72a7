// Combines the hosts of several agents into one host.

import { combinedTransports } from '../transports/index.js';

/** @import { Host, LoadHost } from '../machine/host.js' */

/** @param {(number | null)[]} values @returns {number | null} null if a value is unknown */
const sum = (values) => values.reduce((a, b) => (a === null || b === null ? null : a + b), 0);

/** @param {(number | null)[]} values @returns {number | null} the least known value; null if none is known */
const least = (values) => {
  const known = values.flatMap((value) => (value === null ? [] : [value]));
  return known.length === 0 ? null : Math.min(...known);
};

/**
 * @param {LoadHost[]} loadHosts at least one
 * @returns {Host & { hosts: LoadHost[] }} the sum of their resources; for limits of a process, the least
 */
export function combinedHost(loadHosts) {
  const hosts = loadHosts.map(({ host }) => host);
  const [first] = hosts;
  const valuesOf = (/** @type {(host: Host) => number | null} */ value) => hosts.map(value);
  const total = (/** @type {(host: Host) => number} */ value) =>
    hosts.reduce((amount, host) => amount + value(host), 0);
  return {
    ...first,
    cores: total(({ cores }) => cores),
    cpuQuota: hosts.some(({ cpuQuota }) => cpuQuota !== null) ? total(({ cores }) => cores) : null,
    cpus: [],
    topology: [],
    ...combinedTransports(hosts),
    memoryBytes: total(({ memoryBytes }) => memoryBytes),
    memoryAvailableBytes: total(({ memoryAvailableBytes }) => memoryAvailableBytes),
    descriptors: Math.min(...hosts.map(({ descriptors }) => descriptors)),
    descriptorsMost: least(valuesOf(({ descriptorsMost }) => descriptorsMost)),
    openFiles: sum(valuesOf(({ openFiles }) => openFiles)),
    openFilesUsed: total(({ openFilesUsed }) => openFilesUsed),
    ports: total(({ ports }) => ports),
    portsTaken: total(({ portsTaken }) => portsTaken),
    addresses: [],
    loopbacks: first.loopbacks.filter((address) => hosts.every(({ loopbacks }) => loopbacks.includes(address))),
    hasIpv6: hosts.every(({ hasIpv6 }) => hasIpv6),
    towards: null,
    timeWait: {
      reuse: Math.min(...hosts.map(({ timeWait }) => timeWait.reuse)),
      most: total(({ timeWait }) => timeWait.most),
    },
    threads: sum(valuesOf(({ threads }) => threads)),
    threadsFree: sum(valuesOf(({ threadsFree }) => threadsFree)),
    tasks: total(({ tasks }) => tasks),
    mappings: least(valuesOf(({ mappings }) => mappings)),
    tcpMemoryBytes: sum(valuesOf(({ tcpMemoryBytes }) => tcpMemoryBytes)),
    tcpMemoryMaxBytes: sum(valuesOf(({ tcpMemoryMaxBytes }) => tcpMemoryMaxBytes)),
    conntrack: null,
    diskFreeBytes: least(valuesOf(({ diskFreeBytes }) => diskFreeBytes)),
    hosts: loadHosts,
  };
}
