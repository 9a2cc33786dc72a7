// The figures of each agent of a leg. Pure. Worker w is on agent w mod agents, so that the slots of two agents differ
// by no more than one for each of their workers, and none is lost in the remainder.

import { clientUse } from './client-use.js';
import { coveredSamples, emptyParts, partFigures, partSample } from './instances.js';
import { slotsOf } from './schedule.js';

/**
 * @import { Sample } from '../../config/types.js'
 * @import { InstanceSample, MergedInstance } from './instances.js'
 * @import { Merged, Reported } from './sample-merge.js'
 */

/**
 * @typedef {InstanceSample & { cpuSeconds: number, rssBytes: number }} AgentSample  of its workers together
 *
 * What is known of an agent besides its counts.
 * @typedef {object} AgentState
 * @property {string} name
 * @property {number} [clockUncertaintyNs]  half of the shortest round trip before the leg or after it, whichever is
 *   longer: its start may be off by that much
 * @property {number} [clockDriftNs]  the change of its clock's offset during the leg
 * @property {number} [startLateNs]  of its workers, how late the last one learned of the start
 * @property {true} [agentLost]
 */

/**
 * What the workers of one agent reported in one span.
 * @typedef {MergedInstance & { usages: Reported[], workers: number }} MergedAgent  workers: of the leg
 */
/**
 * @typedef {{ agents: number, workers: number }} Hosts  agents: 0 where the workers are on the controller's own host
 */

/** @param {number} worker @param {number} agents */
export const agentOf = (worker, agents) => worker % agents;

/**
 * @param {number} connections of the leg
 * @param {number} workers of the leg
 * @param {number} agent
 * @param {number} agents
 * @returns {number} slots of the agent
 */
export function connectionsOf(connections, workers, agent, agents) {
  let sum = 0;
  for (let worker = agent; worker < workers; worker += agents) sum += slotsOf(connections, worker, workers);
  return sum;
}

/** @param {Hosts} hosts @returns {MergedAgent[]} */
export const noReports = ({ agents, workers }) => emptyParts(agents).map((part) => ({ ...part, usages: [], workers }));

/**
 * @param {Merged} merged
 * @returns {{ agents?: AgentSample[] }} absent where there are none
 */
export function agentSamples({ agents }) {
  if (agents.length === 0) return {};
  return {
    agents: agents.map((part) => {
      const { cpuSeconds, rssBytes } = clientUse(part.usages, { cpuSeconds: 0, rssBytes: 0 }, part.workers);
      return { ...partSample(part), cpuSeconds, rssBytes };
    }),
  };
}

/**
 * @param {{ workers?: number, connections?: number, agents?: string[] }} leg as planned
 * @param {Sample[]} samples
 * @param {Sample} settled  the last one before the drain
 * @param {{ workload?: string }} load
 * @param {AgentState[]} [states]
 */
export function agentSummaries({ agents = [], workers = 0, connections = 0 }, samples, settled, load, states = []) {
  if (agents.length === 0 || samples.some((sample) => sample.agents === undefined)) return undefined;
  const covered = coveredSamples(samples, load);
  return agents.map((name, index) => {
    const partOf = (/** @type {Sample} */ sample) => /** @type {AgentSample[]} */ (sample.agents)[index];
    const { figures, ...counts } = partFigures({ samples, settled, ...covered }, partOf);
    return {
      name,
      connections: connectionsOf(connections, workers, index, agents.length),
      workers: Array.from({ length: workers }, (_, worker) => worker).filter(
        (worker) => agentOf(worker, agents.length) === index,
      ),
      ...counts,
      figures: { ...figures, cpuSeconds: covered.span.map(partOf).reduce((sum, one) => sum + one.cpuSeconds, 0) },
      ...states.find((state) => state.name === name),
    };
  });
}
