// The legs of a sweep: each server with each number of connections. Pure. All servers run with one number before any
// runs with the next, so that legs that are compared are close in time.

import { sweptConnections } from '../results/phrases/load.js';
import { count } from '../results/format.js';

/** @typedef {import('../scenario/scenario.js').Scenario} Scenario */
/** @typedef {import('./sizing.js').PlannedLeg} PlannedLeg */

/**
 * @param {Scenario} scenario
 * @param {PlannedLeg[]} servers
 * @returns {(PlannedLeg & {connections: number, axes: Record<string, unknown>, series?: string})[]}
 */
export function sweepLegs(scenario, servers) {
  const { sweep, connections } = scenario;
  if (sweep === null) return servers.map((leg) => ({ ...leg, axes: {}, connections }));
  return sweptConnections(scenario).flatMap((swept) =>
    servers.map((leg) => ({
      ...leg,
      label: `${leg.label}, ${count(swept)} ${swept === 1 ? 'connection' : 'connections'}`,
      series: leg.label,
      axes: { connections: swept },
      connections: swept,
    })),
  );
}
