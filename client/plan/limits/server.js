// What a server that Broadside starts will run into: descriptors, threads, its accept queue. Announced, and run into:
// a server's ceiling is a result. Pure.

import { largestJump } from '../../results/profile.js';
import { descriptorsFor, processesFor, roomOf } from '../processes.js';
import { formatCount } from '../../results/units.js';
import { judge, merge } from './limit.js';

/** @typedef {import('./index.js').Situation} Situation */
/** @typedef {import('./index.js').Opponent} Opponent */
/** @typedef {import('./limit.js').Limit} Limit */

/** As servers/c/frame/limits.c has it: tasks it leaves to everyone else, and what a child with its connection takes. */
const HEADROOM = 1000;
const CHILD_BYTES = { thread: 48 * 1024, process: 192 * 1024 };
/** As the schema lets a scenario ask for, of threads and of processes. */
const MAX_PLACES = 1024;
/** Of connectRate: the engine makes up for so much that was missed, so that many connects can come at once. */
const PACED_SECONDS = 0.01;

/** @param {Opponent} server @returns {string} */
function surplus({ manifest }) {
  switch (manifest?.surplus) {
    case 'closed':
      return 'The rest is accepted and closed again.';
    case 'backlog':
      return 'The rest waits in its accept queue: open but unanswered, or not open in time.';
    default:
      return 'The rest will be unanswered, rejected or lost, as is its way.';
  }
}

/** @param {Opponent} server @returns {boolean} whether each connection has a process of its own, and its descriptors */
const forks = ({ manifest }) => manifest?.options?.maxChildren !== undefined && manifest.scales === 'processes';

/** @param {Situation} situation @param {Opponent} server @returns {Limit} */
function descriptors({ scenario, host }, server) {
  const { label, processes, places, placesOption, manifest } = server;
  const connections = placesOption === 'processes' ? 1 : Math.min(scenario.connections, places ?? Infinity);
  const takesProcesses = manifest?.options?.processes !== undefined;
  const room = roomOf(processes, host.descriptors);
  const each = descriptorsFor(connections, processes);
  const more = takesProcesses
    ? `Give it "processes": ${processesFor(connections, host.descriptors)} or "auto", or raise`
    : 'Raise';
  const who =
    manifest === null ? 'a server of one process' : processes === 1 ? 'one process' : `${processes} processes`;
  return judge({
    code: 'server-descriptors',
    name: 'descriptors of a process',
    servers: [label],
    value: host.descriptors,
    needed: each,
    ceiling: 'server',
    holds: room,
    what:
      `${who} can hold about ${formatCount(room)} of the ${formatCount(connections)} connections: a process may have ` +
      `${formatCount(host.descriptors)} descriptors. ${surplus(server)}`,
    remedy: `${more} the limit (ulimit -Hn ${each}).`,
  });
}

/**
 * The threads or processes that a server of ours can start: the least of three limits, and which it is. The other half
 * of the memory is for the client, which starts after the server has looked.
 * @param {Situation} situation
 * @param {number} wanted
 * @param {'thread' | 'process'} kind
 * @returns {{most: number, which: string, remedy: string | null}}
 */
function mostChildren({ host }, wanted, kind) {
  const { threadsFree, mappings, memoryAvailableBytes } = host;
  const all = wanted + host.tasks + HEADROOM + 1;
  /** @type {{most: number, which: string, remedy: string | null}[]} */
  const limits = [
    {
      most: threadsFree === null ? Infinity : threadsFree - Math.min(HEADROOM, Math.floor(threadsFree / 2)),
      which: 'kernel.pid_max, kernel.threads-max, pids.max, ulimit -u',
      remedy: `Raise the least of them above ${formatCount(all)}, such as sysctl -w kernel.pid_max=${all}.`,
    },
    {
      most: mappings === null || kind === 'process' ? Infinity : Math.floor((mappings - HEADROOM) / 2),
      which: 'vm.max_map_count',
      remedy: `Raise it: sysctl -w vm.max_map_count=${2 * wanted + HEADROOM}.`,
    },
    {
      most: Math.floor(memoryAvailableBytes / 2 / CHILD_BYTES[kind]),
      which: 'half of the memory available',
      remedy: null,
    },
  ];
  const least = limits.reduce((one, other) => (other.most < one.most ? other : one));
  return { ...least, most: Math.max(1, least.most) };
}

/**
 * A server that takes `maxChildren` has a thread or a process for each connection.
 * @param {Situation} situation @param {Opponent} server @returns {Limit[]}
 */
function children(situation, server) {
  const { connections } = situation.scenario;
  const { label, maxChildren, manifest } = server;
  if (manifest?.options?.maxChildren === undefined) return [];
  const kind = manifest.scales === 'processes' ? 'process' : 'thread';
  const { most, which, remedy } =
    maxChildren === null
      ? mostChildren(situation, connections, kind)
      : { most: maxChildren, which: 'options.maxChildren', remedy: 'Give more, or leave it out.' };
  const many = kind === 'process' ? 'processes' : 'threads';
  return [
    judge({
      code: 'server-children',
      name: many,
      servers: [label],
      value: Number.isFinite(most) ? most : null,
      needed: connections,
      ceiling: 'server',
      holds: Number.isFinite(most) ? most : null,
      what:
        `a ${kind} for each of the ${formatCount(connections)} connections, and it can have about ${formatCount(most)} ` +
        `(${which}). ${surplus(server)}`,
      remedy,
    }),
  ];
}

/**
 * A server that serves one connection, or a number of them, until they close.
 * @param {Situation} situation @param {Opponent} server @returns {Limit[]}
 */
function atOnce({ scenario: { connections }, host }, { label, processes, places, placesOption, backlog, manifest }) {
  if (places === null) return [];
  const queue = processes * Math.min(backlog ?? Infinity, host.somaxconn ?? Infinity);
  const waiting = connections - places;
  const usual = /** @type {any} */ (manifest?.concurrent);
  const rest =
    waiting <= queue
      ? 'The rest waits in its accept queue: open but unanswered.'
      : `Of the rest about ${formatCount(queue)} wait in its accept queue: open but unanswered; what does not fit is not opened in time.`;
  return [
    judge({
      code: 'server-concurrency',
      name: 'connections at once',
      servers: [label],
      value: places,
      needed: connections,
      ceiling: 'server',
      holds: places,
      what: `it serves ${formatCount(places)} of the ${formatCount(connections)} connections at once${
        placesOption === null ? '' : ` (${placesOption})`
      }, each until it closes. ${rest}`,
      remedy:
        placesOption === null
          ? null
          : `It serves as many at once as options.${placesOption} says${
              Object(usual) === usual ? ` (${formatCount(usual.default)} unless told)` : ''
            }, up to ${formatCount(MAX_PLACES)}; the rest waits.`,
    }),
  ];
}

/**
 * The connects that come at once. `connectRate` paces them over all workers: then it is what one turn of pacing lets
 * through, and one of each worker.
 * @param {Situation} situation
 */
function burstOf({ scenario: { connections, connectionsProfile, ramp, connectRate }, workers }) {
  const jump = largestJump(connectionsProfile);
  const paced = connectRate === null ? Infinity : Math.ceil(connectRate * PACED_SECONDS) + workers;
  return Math.min(Math.max(ramp.spread ? 1 : ramp.add, jump), connections, paced);
}

/** @param {Situation} situation @param {Opponent} server @returns {Limit} */
function acceptQueue(situation, { label, processes, backlog }) {
  const {
    scenario: { connectRate, listen, ramp },
    host,
  } = situation;
  const most = host.somaxconn ?? Infinity;
  const each = Math.min(backlog ?? most, most);
  const burst = burstOf(situation);
  const cut = backlog !== null && each < backlog;
  const ofKernel = cut || backlog === null;
  const queues =
    processes === 1 ? `a backlog of ${formatCount(each)}` : `${processes} backlogs of ${formatCount(each)}`;
  const wanted = Math.ceil(burst / processes);
  const raise = [
    ...(most < wanted ? [`sysctl -w net.core.somaxconn=${wanted}`] : []),
    ...(backlog !== null && backlog < wanted ? [`options.backlog ${wanted}`] : []),
  ].join(' and ');
  return judge({
    code: 'accept-queue',
    name: 'accept queue',
    servers: [label],
    value: Number.isFinite(each) ? each * processes : null,
    needed: burst,
    ceiling: ofKernel ? 'kernel' : 'server',
    what: `${burst > ramp.add || ramp.spread ? 'a step of the profile' : 'each step of the ramp'} adds ${formatCount(burst)} connections at once to ${queues}${
      cut ? ` (cut by net.core.somaxconn from ${formatCount(/** @type {number} */ (backlog))})` : ''
    }. What does not fit ${
      listen === 'unix'
        ? 'is refused at once, and tried again after back-off.'
        : 'is tried again by the kernel after 1 s and more: it shows as connect time, or as timeout.'
    }`,
    remedy:
      `What helps: ${raise}; or a smaller --ramp.add, --ramp.spread, or a ${connectRate === null ? '' : 'lower '}` +
      '--connectRate.',
  });
}

/** @param {Situation} situation @returns {Limit[]} */
export function serverLimits(situation) {
  const { servers } = situation;
  return [
    ...merge(servers.filter((server) => !forks(server)).map((server) => descriptors(situation, server))),
    ...merge(servers.flatMap((server) => children(situation, server))),
    ...merge(servers.flatMap((server) => atOnce(situation, server))),
    ...merge(servers.map((server) => acceptQueue(situation, server))),
  ];
}
