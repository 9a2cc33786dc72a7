// Sizes the parts of a run to the machine: workers, source addresses, processes of each server; and lists every limit
// that these meet. It is cheap, because `--force` calls it for many numbers of connections.

import { formatEndpoints } from '../words/endpoint.js';
import { allCommands } from '../scenario/keys/commands.js';
import { limitsOf } from './limits/index.js';
import { countEngines, mayHaveSeveral, SPARE_DESCRIPTORS } from './engines.js';
import { withoutCores } from './placement.js';
import { placesOf, plannedOptions, serverModelOf, splitAtOf } from './processes.js';
import { fewestOf, firstConnections, ratePoints, requestsOf } from '../measure/profile.js';
import { rampSteps } from '../measure/schedule.js';
import { chooseSources, isLocal, portDemand } from './sources.js';

/**
 * @import { Endpoint, Limit, PlannedLeg as WrittenLeg, Wrap } from '../../config/types.js'
 * @import { Host } from '../machine/host.js'
 * @import { Pin } from '../scenario/complete.js'
 * @import { Scenario } from '../scenario/scenario.js'
 * @import { StartedServer } from './limits/index.js'
 * @import { KnownServer } from './processes.js'
 */

/** The most that the schema accepts. */
const MAX_WORKERS = 1024;

/**
 * @typedef {Pick<WrittenLeg, 'label' | 'server' | 'instances' | 'workers' | 'engines' | 'wrap' |
 *   'serverModel'>} PlannedLeg
 *
 * @typedef {object} Sizing
 * @property {number} workers      the largest number of a leg
 * @property {number} engines      of each worker of that leg
 * @property {Pin} pin             without cores
 * @property {string[]} sources
 * @property {PlannedLeg[]} servers  one a leg
 * @property {number | null} rows   of the transfer log of a leg, if the scenario bounds them; otherwise null
 * @property {Limit[]} limits
 */

/**
 * `workers: auto`: few, because each is a Node process of 45 MB. Two if there are two cores, so that no single
 * thread of the client is the limit; more only if the descriptors need them and a worker cannot have several engines.
 * Each instance of a server has as many of them.
 * @param {Scenario} scenario
 * @param {Host} host
 * @param {number} instances
 * @param {number} useful the most workers that have something to do
 */
function countWorkers(scenario, host, instances, useful) {
  const { workers, connections } = scenario;
  const { descriptors, cores } = host;
  if (workers !== 'auto') return evenWorkers(Math.min(workers, useful), instances);
  const room = descriptors - SPARE_DESCRIPTORS;
  const needed = room > 0 && !mayHaveSeveral(host) ? Math.ceil(connections / room) : 1;
  const wanted = Math.max(needed, Math.min(2, cores));
  const even = Math.ceil(wanted / instances) * instances;
  return evenWorkers(Math.min(useful, MAX_WORKERS, even), instances);
}

/**
 * @param {Scenario} scenario
 * @param {Host} host
 * @param {number} instances
 * @returns {{workers: number, engines?: number}}
 */
function countClients(scenario, host, instances) {
  const { connections, connectionsProfile, rate, transfers } = scenario;
  // each has something to do, and a connection for its share of the rate
  const fewest = rate === null || connectionsProfile === null ? Infinity : fewestOf(connectionsProfile);
  const useful = Math.min(connections, transfers ?? Infinity, fewest);
  const workers = countWorkers(scenario, host, instances, useful);
  const engines = countEngines(scenario, host, { workers, useful });
  return engines === 1 ? { workers } : { workers, engines };
}

/**
 * @param {number} workers
 * @param {number} instances
 * @returns {number} rounded down, so that each instance has the same number
 */
export const evenWorkers = (workers, instances) => Math.floor(workers / instances) * instances;

/**
 * @param {Scenario} scenario
 * @param {Host} host
 * @param {KnownServer[]} known
 * @returns {Omit<PlannedLeg, 'workers' | 'engines'>[]}
 */
function plannedServers(scenario, host, known) {
  const { descriptors } = host.server?.host ?? host;
  const { servers = [], target, targets, serverPid, connections } = scenario;
  const wrapped = scenario.wrap === undefined ? {} : { wrap: scenario.wrap };
  if (target !== undefined) {
    const server = { kind: /** @type {const} */ ('target'), ...target, pid: serverPid, ...(targets && { targets }) };
    return [{ label: formatEndpoints(targets ?? [target]), server, ...ifSeveral(targets?.length ?? 1), ...wrapped }];
  }
  const commands = allCommands(scenario).map(({ as, ...command }) => ({
    ...{ label: as, server: { kind: /** @type {const} */ ('command'), ...command } },
    ...ifSeveral(scenario.instances ?? 1),
    ...wrapped,
  }));
  return [
    ...commands,
    ...servers.map(({ name, as, options, env, instances = 1, wrap }) => {
      const listed = known.find((entry) => entry.name === name);
      const load = { connections: Math.ceil(connections / instances), descriptors };
      const supported = plannedOptions(options, listed, load);
      const serverModel = serverModelOf(listed, supported, instances, splitAtOf(options, supported, descriptors));
      const server = { kind: /** @type {const} */ ('named'), name, options: supported, env };
      return { label: as, server, ...ifSeveral(instances), ...(wrap && { wrap }), ...(serverModel && { serverModel }) };
    }),
  ];
}

/** @param {number} instances @returns {{instances?: number}} */
const ifSeveral = (instances) => (instances > 1 ? { instances } : {});

/**
 * @param {PlannedLeg} leg
 * @param {KnownServer[]} known
 * @returns {StartedServer[]} nothing for a server that runs already: its limits are not known here
 */
function startedServer({ label, server, instances = 1, serverModel }, known) {
  if (server.kind === 'target') return [];
  if (server.kind === 'command') {
    return [
      {
        ...{ label, instances, processes: 1, isSplit: false, places: null, placesOption: null },
        ...{ backlog: null, maxChildren: null, manifest: null },
      },
    ];
  }
  const { processes = 1, backlog = null, maxChildren = null } = server.options;
  const { manifest = null } = known.find(({ name }) => name === server.name) ?? {};
  const { concurrent } = manifest ?? {};
  const placesOption = concurrent !== null && typeof concurrent === 'object' ? concurrent.option : null;
  // Processes that are places accept from one queue.
  return [
    {
      label,
      instances,
      processes: placesOption === 'processes' ? 1 : processes,
      isSplit: serverModel?.descriptors !== undefined,
      backlog,
      maxChildren,
      manifest,
      places: placesOf(manifest, server.options),
      placesOption,
    },
  ];
}

/**
 * The rows of the transfer log, if the scenario bounds them; transfers that fail and are tried again come on top.
 * @param {Scenario} scenario
 * @param {number} legNs
 * @param {number} othersNs for which other legs side by side are loaded; pauses and heartbeats pass meanwhile
 * @returns {number | null} null: not bounded
 */
function expectedRows(scenario, legNs, othersNs) {
  const { workload, connections, heartbeatNs, pauseNs, connectRate, rate, rateProfile, durationNs, warmupNs } =
    scenario;
  if (scenario.transfers !== null) return scenario.transfers;
  if (rate !== null) {
    const warming = requestsOf(ratePoints(rate, rateProfile, warmupNs), warmupNs);
    return Math.ceil(
      Math.min(warming, scenario.warmupTransfers ?? Infinity) +
        requestsOf(ratePoints(rate, rateProfile, 0), durationNs),
    );
  }
  switch (workload) {
    case 'once':
      return connections;
    case 'reconnect':
      return connectRate === null ? null : Math.ceil(connectRate * (legNs / 1e9));
    case 'hold':
      return heartbeatNs === 0 ? 0 : connections * (Math.floor((legNs + othersNs) / heartbeatNs) + 1);
    default:
      return pauseNs === 0 ? null : connections * (Math.floor((legNs + othersNs) / pauseNs) + 1);
  }
}

/**
 * @param {Scenario} requested
 * @param {Host} host
 * @param {KnownServer[]} known
 * @param {number} [variants] of the run, each with its legs
 * @returns {Sizing}
 */
export function sizeRun(requested, host, known, variants = 1) {
  const scenario = { ...requested, pin: withoutCores(requested.pin, host.topology) };
  const rampNs = rampSteps(firstConnections(scenario), scenario.ramp.add) * scenario.ramp.everyNs;
  const legNs = rampNs + scenario.warmupNs + scenario.durationNs;
  const seconds = legNs / 1e9;
  const demand = portDemand(scenario, host, seconds);
  const sources = chooseSources(scenario, host, demand.ports);
  const servers = plannedServers(scenario, host, known).map((leg) => ({
    ...leg,
    ...countClients(scenario, host, leg.instances ?? 1),
  }));
  const { workers, engines = 1 } = servers.reduce((a, b) => (b.workers > a.workers ? b : a));
  const sideBySide = scenario.interleave === 'off' ? 1 : servers.length;
  const rows = expectedRows(scenario, legNs, (sideBySide - 1) * scenario.durationNs);
  const limits = limitsOf({
    scenario,
    host,
    workers,
    engines,
    sources,
    demand,
    local: isLocal(scenario, host),
    rows,
    seconds,
    legs: servers.length * variants * scenario.rounds,
    servers: servers.flatMap((leg) => startedServer(leg, known)),
  });
  return { workers, engines, pin: scenario.pin, sources, servers, rows, limits };
}
