// The legs of a scenario or of one of its tests: each server, in a sweep with each number of connections. Pure. All servers
// run with one number before any runs with the next, so that legs that are compared are close in time.

import { sweptConnections } from '../results/phrases/load.js';
import { count } from '../results/format.js';

/** @typedef {import('../scenario/scenario.js').Scenario} Scenario */
/** @typedef {import('./sizing.js').PlannedLeg} PlannedLeg */

/**
 * @param {Scenario} scenario
 * @param {PlannedLeg[]} servers
 * @param {{name: string | null, axes: Record<string, unknown>}} [variant] the test they belong to
 * @returns {(PlannedLeg & {connections: number, axes: Record<string, unknown>, series?: string})[]}
 */
export function sweepLegs(scenario, servers, { name, axes } = { name: null, axes: {} }) {
  const { sweep, connections } = scenario;
  if (sweep === null) {
    return servers.map((leg) => ({
      ...leg,
      label: name === null ? leg.label : `${leg.label}, ${name}`,
      ...(name === null ? {} : { series: leg.label }),
      axes,
      connections,
    }));
  }
  return sweptConnections(scenario).flatMap((swept) =>
    servers.map((leg) => ({
      ...leg,
      label: `${leg.label}, ${count(swept)} ${swept === 1 ? 'connection' : 'connections'}`,
      series: leg.label,
      axes: { ...axes, connections: swept },
      connections: swept,
    })),
  );
}
