// The limits of a server that Broadside starts: descriptors, threads, its accept queue. Exceeding them is announced,
// and the run continues: a server's ceiling is a result.

import { largestJump } from '../../measure/profile.js';
import { descriptorsFor, processesFor, roomOf } from '../processes.js';
import { judge, merge } from './limit.js';

/**
 * @import { Limit } from '../../../config/types.js'
 * @import { Host } from '../../machine/host.js'
 * @import { Situation, StartedServer } from './index.js'
 */

/** As in servers/c/frame/limits.c: tasks left to other programs, and the memory of a child with its connection. */
export const HEADROOM = 1000;
export const CHILD_BYTES = { thread: 48 * 1024, process: 192 * 1024 };
/** The most threads or processes that the schema accepts. */
const MAX_PLACES = 1024;
/** The engine catches up on this much of connectRate, so that as many connects can come at once. */
const PACED_SECONDS = 0.01;

/** @param {StartedServer} server @returns {string} what happens to the connections it has no room for */
const surplusOf = ({ manifest }) => manifest?.surplus ?? 'unknown';

/**
 * @param {StartedServer} server
 * @returns {boolean} whether each connection has its own process with its own descriptors
 */
const forks = ({ manifest }) => manifest?.options?.maxChildren !== undefined && manifest.scales === 'processes';

/** @param {Situation} situation @param {StartedServer} server @returns {number} connections of each instance */
const connectionsOf = ({ scenario: { connections } }, { instances }) => Math.ceil(connections / instances);

/** @param {StartedServer} server @returns {{instances?: number}} set if figures are per instance */
const ifSeveral = ({ instances }) => (instances > 1 ? { instances } : {});

/** @param {Situation} situation @returns {Host} the machine that servers are started on */
const machineOf = ({ host }) => host.server?.host ?? host;

/** @param {Situation} situation @param {StartedServer} server @returns {Limit} */
function descriptors(situation, server) {
  const host = machineOf(situation);
  const { label, processes, places, placesOption, manifest } = server;
  const connections = placesOption === 'processes' ? 1 : Math.min(connectionsOf(situation, server), places ?? Infinity);
  const takesProcesses = manifest?.options?.processes !== undefined;
  return judge('server-descriptors', {
    servers: [label],
    available: host.descriptors,
    needed: descriptorsFor(connections, processes),
    side: 'server',
    holds: roomOf(processes, host.descriptors),
    data: {
      ...ifSeveral(server),
      connections,
      processes,
      known: manifest !== null,
      raisedBy: host.raisedBy,
      surplus: surplusOf(server),
      enoughProcesses: takesProcesses ? processesFor(connections, host.descriptors) : null,
    },
  });
}

/**
 * A server of one process that is started as several, to have enough descriptors.
 * @param {Situation} situation @param {StartedServer} server @returns {Limit[]}
 */
function splitting(situation, server) {
  const { label, processes, isSplit } = server;
  if (!isSplit) return [];
  const { descriptors: available } = machineOf(situation);
  const connections = connectionsOf(situation, server);
  return [
    judge('server-split', {
      servers: [label],
      available,
      needed: descriptorsFor(connections, 1),
      side: 'kernel',
      holds: roomOf(1, available),
      data: { ...ifSeveral(server), connections, processes, raisedBy: machineOf(situation).raisedBy },
    }),
  ];
}

/** @typedef {{bound: 'tasks' | 'mappings' | 'memory' | 'option', most: number, raiseTo: number | null}} ChildBound */

/**
 * How many threads or processes a server of Broadside can start: the smallest of three bounds, and which it is. The
 * other half of the memory is for the client, which starts after the server has checked.
 * @param {Situation} situation
 * @param {number} wanted
 * @param {'thread' | 'process'} kind
 * @param {number} instances  that share these bounds; a process has its memory mappings for itself
 * @returns {ChildBound}
 */
function childBound(situation, wanted, kind, instances) {
  const host = machineOf(situation);
  const { threadsFree, mappings, memoryAvailableBytes } = host;
  /** @type {ChildBound[]} */
  const bounds = [
    {
      bound: 'tasks',
      most:
        threadsFree === null
          ? Infinity
          : Math.floor((threadsFree - Math.min(HEADROOM, Math.floor(threadsFree / 2))) / instances),
      raiseTo: wanted * instances + host.tasks + HEADROOM + 1,
    },
    {
      bound: 'mappings',
      most: mappings === null || kind === 'process' ? Infinity : Math.floor((mappings - HEADROOM) / 2),
      raiseTo: 2 * wanted + HEADROOM,
    },
    {
      bound: 'memory',
      most: Math.floor(memoryAvailableBytes / 2 / CHILD_BYTES[kind] / instances),
      raiseTo: null,
    },
  ];
  const smallest = bounds.reduce((lowest, bound) => (bound.most < lowest.most ? bound : lowest));
  return { ...smallest, most: Math.max(1, smallest.most) };
}

/**
 * A server that takes `maxChildren` has a thread or a process for each connection.
 * @param {Situation} situation @param {StartedServer} server @returns {Limit[]}
 */
function children(situation, server) {
  const connections = connectionsOf(situation, server);
  const { label, instances, maxChildren, manifest } = server;
  if (manifest?.options?.maxChildren === undefined) return [];
  const kind = manifest.scales === 'processes' ? 'process' : 'thread';
  const { bound, most, raiseTo } =
    maxChildren === null
      ? childBound(situation, connections, kind, instances)
      : { bound: 'option', most: maxChildren, raiseTo: null };
  const available = Number.isFinite(most) ? most : null;
  return [
    judge('server-children', {
      servers: [label],
      available,
      needed: connections,
      side: 'server',
      holds: available,
      data: { ...ifSeveral(server), kind, connections, most: available, bound, raiseTo, surplus: surplusOf(server) },
    }),
  ];
}

/**
 * A server that serves one connection, or a number of them, until they close.
 * @param {Situation} situation @param {StartedServer} server @returns {Limit[]}
 */
function concurrency(situation, server) {
  const host = machineOf(situation);
  const { label, processes, places, placesOption, backlog, manifest } = server;
  if (places === null) return [];
  const connections = connectionsOf(situation, server);
  const queue = processes * Math.min(backlog ?? Infinity, host.somaxconn ?? Infinity);
  const usual = manifest?.concurrent;
  return [
    judge('server-concurrency', {
      servers: [label],
      available: places,
      needed: connections,
      side: 'server',
      holds: places,
      data: {
        ...ifSeveral(server),
        connections,
        option: placesOption,
        byDefault: typeof usual === 'object' && usual !== null ? usual.default : null,
        most: MAX_PLACES,
        queue: Number.isFinite(queue) ? queue : connections,
        waiting: connections - places,
      },
    }),
  ];
}

/**
 * The connects that come at once. `connectRate` paces them over all workers: then they are those of one turn of pacing,
 * and one of each worker.
 * @param {Situation} situation
 */
function burstOf({ scenario: { connections, connectionsProfile, ramp, connectRate }, workers }) {
  const jump = largestJump(connectionsProfile);
  const paced = connectRate === null ? Infinity : Math.ceil(connectRate * PACED_SECONDS) + workers;
  return Math.min(Math.max(ramp.spread ? 1 : ramp.add, jump), connections, paced);
}

/** @param {Situation} situation @param {StartedServer} server @returns {Limit} */
function acceptQueue(situation, server) {
  const { label, instances, processes, backlog } = server;
  const {
    scenario: { connectRate, listen, ramp },
  } = situation;
  const host = machineOf(situation);
  const queueLimit = host.somaxconn ?? Infinity;
  const each = Math.min(backlog ?? queueLimit, queueLimit);
  const burst = Math.ceil(burstOf(situation) / instances);
  const cut = backlog !== null && each < backlog;
  const wanted = Math.ceil(burst / processes);
  return judge('accept-queue', {
    servers: [label],
    available: Number.isFinite(each) ? each * processes : null,
    needed: burst,
    side: cut || backlog === null ? 'kernel' : 'server',
    data: {
      ...ifSeveral(server),
      cause: burst > ramp.add || ramp.spread ? 'profile' : 'ramp',
      processes,
      each: Number.isFinite(each) ? each : null,
      cutFrom: cut ? backlog : null,
      unix: listen === 'unix',
      somaxconn: queueLimit < wanted ? wanted : null,
      backlog: backlog !== null && backlog < wanted ? wanted : null,
      paced: connectRate !== null,
    },
  });
}

/** @param {Situation} situation @returns {Limit[]} */
export function serverLimits(situation) {
  const { servers } = situation;
  return [
    ...merge(servers.filter((server) => !forks(server)).map((server) => descriptors(situation, server))),
    ...merge(servers.flatMap((server) => splitting(situation, server))),
    ...merge(servers.flatMap((server) => children(situation, server))),
    ...merge(servers.flatMap((server) => concurrency(situation, server))),
    ...merge(servers.map((server) => acceptQueue(situation, server))),
  ];
}
