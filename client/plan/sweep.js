// The legs of a sweep: each server with each number of connections. Pure. The one thing to know: all servers come in
// turn with one number before the next, so that what is compared is near in time.

import { profileText } from '../results/profile.js';
import { formatCount, formatDuration } from '../results/units.js';

/** @typedef {import('../scenario/scenario.js').Scenario} Scenario */
/** @typedef {import('./sizing.js').PlannedLeg} PlannedLeg */

/**
 * @param {Scenario} scenario
 * @returns {number[]} in the scenario's order; none beyond what it was cut down to, none twice
 */
export function sweptConnections({ sweep, connections }) {
  return [...new Set((sweep?.connections ?? [connections]).map((swept) => Math.min(swept, connections)))];
}

/** @param {Scenario} scenario @returns {string} such as "1,000 connections", "1, 10, 100 connections in turn",
 * or "10 for 5s, 10 to 100 in 5s (connections)" */
export function connectionsText(scenario) {
  if (scenario.connectionsProfile !== null) {
    return `${profileText(scenario.connectionsProfile, formatCount, formatDuration)} (connections)`;
  }
  const swept = sweptConnections(scenario);
  return `${swept.map(formatCount).join(', ')} ${swept.at(-1) === 1 ? 'connection' : 'connections'}${
    swept.length > 1 ? ' in turn' : ''
  }`;
}

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
      label: `${leg.label}, ${formatCount(swept)} ${swept === 1 ? 'connection' : 'connections'}`,
      series: leg.label,
      axes: { connections: swept },
      connections: swept,
    })),
  );
}
