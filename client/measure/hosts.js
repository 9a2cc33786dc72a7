// What a leg has on other hosts, as plan, samples and summary have it: agents, which have its workers and are parts of
// it, and the host of its server. Worker w is on agent w mod agents, so that the slots of two agents differ by no more
// than the workers of one agent, and none is lost to rounding.

import { clientUse } from './client-use.js';
import { coveredSamples, partFigures, partSample, sumOf } from './part-figures.js';
import { slotsOf } from './schedule.js';
import { present } from './sums.js';

/**
 * @import { LegSummary, Sample } from '../../config/types.js'
 * @import { PartKind } from './parts.js'
 */

/**
 * @typedef {{ agents?: string[], serverAgent?: string }} OnHosts  of a planned leg: names; absent: it is on this host
 * @typedef {NonNullable<Sample['agents']>[number]} AgentSample
 *
 * What is known of an agent besides its counts.
 * @typedef {object} HostState
 * @property {string} name
 * @property {number} [clockUncertaintyNs]  half of the shortest round trip before the leg or after it, whichever is
 *   longer: its start may be off by that much
 * @property {number} [clockDriftNs]  the change of its clock's offset during the leg
 * @property {number} [startLateNs]  how late the last of its workers learned of the start
 * @property {true} [agentLost]
 */

/** @param {number} worker @param {number} hosts that have the workers @returns {number} which of them has it */
export const hostOf = (worker, hosts) => worker % hosts;

/**
 * @param {number} connections of the leg
 * @param {number} workers of the leg
 * @param {number} host
 * @param {number} hosts that have the workers
 * @returns {number} slots of the host
 */
export function connectionsOf(connections, workers, host, hosts) {
  let sum = 0;
  for (let worker = host; worker < workers; worker += hosts) sum += slotsOf(connections, worker, workers);
  return sum;
}

/** No parts if the workers are on the controller's own host. */
export const ofHosts = /** @satisfies {PartKind} */ ({
  kind: /** @type {const} */ ('agents'),
  words: 'the agents',
  divided: ({ hosts }) =>
    hosts === undefined ? null : { ...hosts, partOf: (share) => hostOf(share % hosts.workers, hosts.count) },
  /** cpuSeconds, rssBytes: of its workers together. @returns {AgentSample} */
  sampleOf(part) {
    const { cpuSeconds, rssBytes } = clientUse(part.usages, { cpuSeconds: 0, rssBytes: 0 }, part.workers);
    return { ...partSample(part), cpuSeconds, rssBytes };
  },
  summariesOf({ agents = [], workers = 0, connections = 0 }, samples, settled, { hosts = [] }, load) {
    if (agents.length === 0 || samples.some((sample) => sample.agents === undefined)) return undefined;
    const covered = coveredSamples(samples, load);
    return agents.map((name, index) => {
      const partOf = (/** @type {Sample} */ sample) => /** @type {AgentSample[]} */ (sample.agents)[index];
      const { figures, ...counts } = partFigures({ samples, settled, ...covered }, partOf);
      return {
        name,
        connections: connectionsOf(connections, workers, index, agents.length),
        workers: Array.from({ length: workers }, (_, worker) => worker).filter(
          (worker) => hostOf(worker, agents.length) === index,
        ),
        ...counts,
        figures: { ...figures, cpuSeconds: sumOf(covered.span.map(partOf), (part) => part.cpuSeconds) },
        ...hosts.find((state) => state.name === name),
      };
    });
  },
});

/** @param {OnHosts} leg @returns {Pick<OnHosts, 'serverAgent'>} what its summary has of the host of its server */
export const serverPlace = ({ serverAgent }) => present('serverAgent', serverAgent);

/**
 * @param {Pick<OnHosts, 'serverAgent'>} leg
 * @returns {string | undefined} the host that its server was started on; undefined: the client's
 */
export const serverHostOf = ({ serverAgent }) => serverAgent;

/** @param {Pick<LegSummary, 'agents'>} leg @returns {boolean} whether its workers were on this host */
export const isLoadHere = ({ agents }) => agents === undefined;

/**
 * @param {Pick<LegSummary, 'agents'>} leg
 * @returns {number} ns by which the clock of one of several hosts with its workers was off at most, with its drift; 0:
 *   there is one
 */
export const clockErrorOf = ({ agents = [] }) =>
  agents.length < 2
    ? 0
    : Math.max(
        ...agents.map(({ clockUncertaintyNs = 0, clockDriftNs = 0 }) => clockUncertaintyNs + Math.abs(clockDriftNs)),
      );
