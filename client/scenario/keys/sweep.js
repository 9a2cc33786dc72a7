// Key `sweep`: a leg for each number of connections. Pure.

import { profileText } from '../../results/profile.js';
import { formatCount, formatDuration } from '../../results/units.js';

/**
 * @param {import('../scenario.js').Scenario} scenario
 * @returns {number[]} in the scenario's order; none above what the run was reduced to, none twice
 */
export function sweptConnections({ sweep, connections }) {
  return [...new Set((sweep?.connections ?? [connections]).map((swept) => Math.min(swept, connections)))];
}

/**
 * @param {import('../scenario.js').Scenario} scenario
 * @returns {string} such as "1,000 connections", "1, 10, 100 connections in turn", or "10 for 5s, 10 to 100 in 5s
 *   (connections)"
 */
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
 * @param {import('../scenario.js').Scenario} scenario
 * @param {import('../mistakes.js').Where} where
 * @param {any} raw as it was written
 * @returns {string[]} one sentence for each mistake
 */
export function sweepMistakes({ sweep }, where, raw) {
  return sweep === null || raw?.connections === undefined
    ? []
    : [
        `${where('connections')}: ${Array.isArray(raw.connections) ? 'a profile' : raw.connections}, and sweep.connections says how many there are in each leg; give one of ` +
          'them up',
      ];
}
