// Judges what legs that are measured side by side need at once of the resources that all processes of a machine share.
// Descriptors and memory mappings belong to each process. Local ports of TCP belong to each server: two connections to
// different servers may have the same port.

import { bytes, count } from '../../words/format.js';
import { startsOf } from '../../judge/cases.js';
import { nameOf } from '../../judge/comparisons.js';
import { timesText } from '../../words/lists.js';
import { CHILD_BYTES, HEADROOM } from './server.js';
import { SOCKET_BYTES } from './client.js';

/**
 * @import { Limit } from '../../../config/types.js'
 * @import { UnnumberedLeg as Leg } from '../plan.js'
 * @import { Host } from '../../machine/host.js'
 * @import { Decision } from '../preflight.js'
 */

/**
 * @typedef {keyof typeof RESOURCES} Resource
 * @typedef {{ code: Resource, needed: number, available: number | null }} Demand
 */

/**
 * The resources: their names, and the text of an amount.
 * @type {Readonly<Record<string, { words: string, text: (amount: number) => string }>>}
 */
const RESOURCES = {
  tasks: { words: 'threads and processes', text: count },
  'open-files': { words: 'open files', text: count },
  memory: { words: 'of memory', text: bytes },
  'tcp-memory': { words: 'of TCP memory (net.ipv4.tcp_mem)', text: bytes },
  conntrack: { words: 'connections tracked by the firewall', text: count },
  'local-ports': { words: 'local ports', text: count },
};

/**
 * The client's resources, each from a limit of one leg; once: the part that is needed once for all legs.
 * @type {{ code: Resource, limit: string, once?: (data: Limit['data']) => number, when?: (leg: Leg) => boolean }[]}
 */
const CLIENT_RESOURCES = [
  { code: 'tasks', limit: 'client-threads', once: ({ others }) => others },
  { code: 'open-files', limit: 'open-files', once: ({ used }) => used },
  { code: 'memory', limit: 'client-memory' },
  { code: 'tcp-memory', limit: 'tcp-memory' },
  { code: 'conntrack', limit: 'conntrack', once: ({ used }) => used },
  { code: 'local-ports', limit: 'local-ports', when: ({ transport }) => transport !== undefined },
];

/** @param {Leg[]} legs @param {Limit[]} limits that one of them meets @returns {Demand[]} of the client's ends */
const demandsOfClients = (legs, limits) =>
  CLIENT_RESOURCES.flatMap(({ code, limit, once = () => 0, when = () => true }) => {
    const row = limits.find((entry) => entry.code === limit);
    if (row === undefined || row.needed === null || !when(legs[0])) return [];
    const shared = once(row.data);
    return [{ code, needed: shared + legs.length * (row.needed - shared), available: row.available }];
  });

/**
 * @param {Leg[]} legs @param {Limit[]} limits of their servers
 * @returns {{ tasks: number, memory: number }} of the threads or processes that serve one connection each
 */
function childrenOf(legs, limits) {
  const rows = limits.filter(({ code }) => code === 'server-children');
  let [tasks, memory] = [0, 0];
  for (const leg of legs) {
    const row = rows.find(({ servers }) => servers.includes(nameOf(leg)));
    if (row === undefined) continue;
    const { kind, connections, most, bound, instances = 1 } = row.data;
    const tasksOfLeg = instances * (bound === 'option' ? Math.min(most, connections) : connections);
    tasks += tasksOfLeg;
    memory += tasksOfLeg * CHILD_BYTES[/** @type {keyof typeof CHILD_BYTES} */ (kind)];
  }
  return { tasks: tasks === 0 ? 0 : tasks + HEADROOM, memory };
}

/**
 * @param {Leg[]} legs @param {Limit[]} limits @param {Host} host that their servers are on, and none of their clients
 * @returns {Demand[]}
 */
function demandsOfServers(legs, limits, host) {
  const children = childrenOf(legs, limits);
  const connections = legs.reduce((sum, leg) => sum + leg.connections, 0);
  const inFlight = limits.find(({ code }) => code === 'tcp-memory')?.needed ?? 0;
  return [
    { code: 'tasks', needed: children.tasks, available: host.threadsFree },
    { code: 'open-files', needed: connections + host.openFilesUsed, available: host.openFiles },
    { code: 'memory', needed: children.memory + connections * SOCKET_BYTES, available: host.memoryAvailableBytes },
    { code: 'tcp-memory', needed: legs.length * inFlight, available: host.tcpMemoryBytes },
  ];
}

/**
 * @param {Demand[]} demands of the client's ends
 * @param {{ tasks: number, memory: number }} children of servers on the same machine
 * @returns {Demand[]} of both
 */
const withChildren = (demands, children) =>
  demands.map((demand) => ({
    ...demand,
    needed: demand.needed + (demand.code === 'tasks' || demand.code === 'memory' ? children[demand.code] : 0),
  }));

/**
 * @param {Leg[]} legs side by side
 * @param {Decision} decision on them
 * @param {Host} host that they are planned for
 * @returns {{ code: string, text: string } | undefined} the first resource that a machine has too little of for all
 *   legs; undefined: none
 */
export function findLack(legs, { limits, shares = [] }, { hosts, server }) {
  const isHere = hosts === undefined;
  const clients = isHere
    ? [{ title: 'this machine', demands: demandsOfClients(legs, limits) }]
    : shares.map(({ title, decision }) => ({ title, demands: demandsOfClients(legs, decision.limits) }));
  const [localClient] = clients;
  if (isHere && server === undefined) localClient.demands = withChildren(localClient.demands, childrenOf(legs, limits));
  const machines =
    server === undefined
      ? clients
      : [...clients, { title: server.title, demands: demandsOfServers(legs, limits, server.host) }];
  for (const { title, demands } of machines)
    for (const { code, needed, available } of demands) {
      if (available === null || needed <= available) continue;
      const { words, text } = RESOURCES[code];
      const starts = startsOf(legs);
      const often = starts === 1 ? '' : `, each started ${timesText(starts)},`;
      return {
        code,
        text:
          `${count(legs.length / starts)} servers${often} with ${count(legs[0].connections)} connections each need ${text(needed)} ${words} at ` +
          `once, and ${title} has ${text(available)}`,
      };
    }
  return undefined;
}
