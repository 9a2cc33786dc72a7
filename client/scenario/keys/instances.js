// Key `instances`: copies of a server on ports of their own, each with an equal share of the workers.

import { allCommands } from './commands.js';

/** @import { Scenario } from '../scenario.js' */

/** @param {Scenario} scenario @returns {number[]} the instances of each of its servers, or its targets */
export function instancesOf(scenario) {
  const { servers = [], target, targets, instances = 1 } = scenario;
  if (target !== undefined) return [targets?.length ?? 1];
  return [...allCommands(scenario).map(() => instances), ...servers.map((entry) => entry.instances ?? 1)];
}
