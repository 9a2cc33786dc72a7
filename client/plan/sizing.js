// Sizes the parts of a run to the machine: workers, source addresses, processes of each server; and lists every limit
// that these meet. Pure, and cheap: `--force` asks it for many numbers of connections.

import { parseCpus } from '../results/cpu-list.js';
import { formatEndpoint } from '../results/endpoint.js';
import { limitsOf } from './limits/index.js';
import { SPARE_DESCRIPTORS } from './limits/client.js';
import { placesOf, plannedOptions, serverModelOf } from './processes.js';
import { fewestOf, firstConnections, ratePoints, requestsOf } from '../results/profile.js';
import { rampSteps } from '../results/schedule.js';
import { sweptConnections } from '../results/phrases/load.js';
import { chooseSources, isLocal, portDemand } from './sources.js';

/** @typedef {import('../scenario/scenario.js').Scenario} Scenario */
/** @typedef {import('../machine/host.js').Host} Host */
/** @typedef {import('./processes.js').KnownServer} KnownServer */
/** @typedef {import('./limits/index.js').StartedServer} StartedServer */

/** As many as the schema lets a scenario ask for. */
const MAX_WORKERS = 1024;

/**
 * @typedef {{kind: 'named', name: string, options: Record<string, unknown>, env: Record<string, string>}
 *   | {kind: 'target', host: string, port: number, pid: number | null}
 *   | {kind: 'command', command: string}} PlannedServer
 *
 * @typedef {{label: string, server: PlannedServer, serverModel?: import('./processes.js').ServerModel}} PlannedLeg
 *
 * @typedef {object} Sizing
 * @property {number} workers
 * @property {string[]} sources
 * @property {PlannedLeg[]} servers  one a leg
 * @property {number | null} rows   of the transfer log of a leg, where the scenario bounds them
 * @property {import('./limits/index.js').Limit[]} limits
 */

/**
 * `workers: auto`: few, because each is a Node process of 45 MB. As many as the descriptors need, and two
 * where there are two cores, so that no single thread of the client is the limit. With `busyPoll` each takes a core:
 * then one is left for the rest, unless it is bound to some.
 * @param {Scenario} scenario
 * @param {Host} host
 */
function countWorkers(scenario, { descriptors, cores }) {
  const { workers, connections, connectionsProfile, rate, transfers, busyPollNs, pin } = scenario;
  // each has something to do, and none a share of the rate without a connection for it
  const few = rate === null || connectionsProfile === null ? Infinity : fewestOf(connectionsProfile);
  const most = Math.min(connections, transfers ?? Infinity, few);
  if (workers !== 'auto') return Math.min(workers, most);
  const room = descriptors - SPARE_DESCRIPTORS;
  const needed = room > 0 ? Math.ceil(connections / room) : 1;
  const free = busyPollNs === 0 ? cores : pin.client === null ? cores - 1 : (parseCpus(pin.client)?.length ?? 1);
  return Math.min(most, MAX_WORKERS, Math.max(needed, Math.min(2, free)));
}

/**
 * @param {Scenario} scenario
 * @param {Host} host
 * @param {KnownServer[]} known
 * @returns {PlannedLeg[]}
 */
function plannedServers({ servers, target, command, serverPid, connections }, { descriptors }, known) {
  if (servers !== undefined) {
    return servers.map(({ name, as, options, env }) => {
      const listed = known.find((one) => one.name === name);
      const fit = plannedOptions(options, listed, { connections, descriptors });
      const serverModel = serverModelOf(listed, fit);
      return { label: as, server: { kind: 'named', name, options: fit, env }, ...(serverModel && { serverModel }) };
    });
  }
  if (target !== undefined) {
    return [{ label: formatEndpoint(target), server: { kind: 'target', ...target, pid: serverPid } }];
  }
  const program = /[^/\s]+(?=\s|$)/.exec(command ?? '')?.[0] ?? 'command';
  return [{ label: program, server: { kind: 'command', command: command ?? '' } }];
}

/**
 * @param {PlannedLeg} leg
 * @param {KnownServer[]} known
 * @returns {StartedServer[]} nothing for a server that runs already: its limits are not known here
 */
function startedServer({ label, server }, known) {
  if (server.kind === 'target') return [];
  if (server.kind === 'command') {
    return [
      { label, processes: 1, places: null, placesOption: null, backlog: null, maxChildren: null, manifest: null },
    ];
  }
  const { processes = 1, backlog = null, maxChildren = null } = /** @type {any} */ (server.options);
  const { manifest = null } = known.find(({ name }) => name === server.name) ?? {};
  const { concurrent } = manifest ?? {};
  const placesOption = concurrent !== null && typeof concurrent === 'object' ? concurrent.option : null;
  // Processes that are places accept from one queue.
  return [
    {
      label,
      processes: placesOption === 'processes' ? 1 : processes,
      backlog,
      maxChildren,
      manifest,
      places: placesOf(manifest, server.options),
      placesOption,
    },
  ];
}

/**
 * The rows the transfer log will have where the scenario itself bounds them; transfers that fail and are tried again
 * come on top.
 * @param {Scenario} scenario
 * @param {number} legNs
 * @returns {number | null}
 */
function expectedRows(scenario, legNs) {
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
      return heartbeatNs === 0 ? 0 : connections * (Math.floor(legNs / heartbeatNs) + 1);
    default:
      return pauseNs === 0 ? null : connections * (Math.floor(legNs / pauseNs) + 1);
  }
}

/**
 * @param {Scenario} scenario
 * @param {Host} host
 * @param {KnownServer[]} known
 * @returns {Sizing}
 */
export function sizeRun(scenario, host, known) {
  const rampNs = rampSteps(firstConnections(scenario), scenario.ramp.add) * scenario.ramp.everyNs;
  const legNs = rampNs + scenario.warmupNs + scenario.durationNs;
  const seconds = legNs / 1e9;
  const workers = countWorkers(scenario, host);
  const demand = portDemand(scenario, host, seconds);
  const sources = chooseSources(scenario, host, demand.ports);
  const servers = plannedServers(scenario, host, known);
  const rows = expectedRows(scenario, legNs);
  const limits = limitsOf({
    scenario,
    host,
    workers,
    sources,
    demand,
    local: isLocal(scenario, host),
    rows,
    seconds,
    legs: servers.length * sweptConnections(scenario).length,
    servers: servers.flatMap((leg) => startedServer(leg, known)),
  });
  return { workers, sources, servers, rows, limits };
}
