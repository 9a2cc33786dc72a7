// What the hosts of several agents have together, as facts of one machine. Pure.

import { combinedTransports } from '../transports/index.js';

/** @import { Host, LoadHost } from '../machine/host.js' */

/** @param {(number | null)[]} values @returns {number | null} null: one of them is not known */
const sum = (values) => values.reduce((a, b) => (a === null || b === null ? null : a + b), 0);

/** @param {(number | null)[]} values @returns {number | null} of those that are known; null: none is */
const least = (values) => {
  const known = values.flatMap((value) => (value === null ? [] : [value]));
  return known.length === 0 ? null : Math.min(...known);
};

/**
 * @param {LoadHost[]} all at least one
 * @returns {Host & { hosts: LoadHost[] }} what they have together; of what each process has by itself, the least
 */
export function combinedHost(all) {
  const hosts = all.map(({ host }) => host);
  const [first] = hosts;
  const of = (/** @type {(host: Host) => number | null} */ value) => hosts.map(value);
  const total = (/** @type {(host: Host) => number} */ value) =>
    hosts.reduce((before, host) => before + value(host), 0);
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
    descriptorsMost: least(of(({ descriptorsMost }) => descriptorsMost)),
    openFiles: sum(of(({ openFiles }) => openFiles)),
    openFilesUsed: total(({ openFilesUsed }) => openFilesUsed),
    ports: total(({ ports }) => ports),
    portsTaken: total(({ portsTaken }) => portsTaken),
    addresses: [],
    loopbacks: first.loopbacks.filter((one) => hosts.every(({ loopbacks }) => loopbacks.includes(one))),
    hasIpv6: hosts.every(({ hasIpv6 }) => hasIpv6),
    towards: null,
    timeWait: {
      reuse: Math.min(...hosts.map(({ timeWait }) => timeWait.reuse)),
      most: total(({ timeWait }) => timeWait.most),
    },
    threads: sum(of(({ threads }) => threads)),
    threadsFree: sum(of(({ threadsFree }) => threadsFree)),
    tasks: total(({ tasks }) => tasks),
    mappings: least(of(({ mappings }) => mappings)),
    tcpMemoryBytes: sum(of(({ tcpMemoryBytes }) => tcpMemoryBytes)),
    tcpMemoryMaxBytes: sum(of(({ tcpMemoryMaxBytes }) => tcpMemoryMaxBytes)),
    conntrack: null,
    diskFreeBytes: least(of(({ diskFreeBytes }) => diskFreeBytes)),
    hosts: all,
  };
}
