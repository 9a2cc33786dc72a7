// Key `instances`: copies of a server on ports of their own, each with as many of the workers. Pure.

import { count } from '../../results/format.js';
import { fewestOf } from '../../results/profile.js';
import { mistake } from '../mistakes.js';
import { allCommands } from './commands.js';

/** @typedef {import('../scenario.js').Scenario} Scenario */

/** @param {Scenario} scenario @returns {number[]} the instances of each of its servers, or its targets */
export function instancesOf(scenario) {
  const { servers = [], target, targets, instances = 1 } = scenario;
  if (target !== undefined) return [targets?.length ?? 1];
  return [...allCommands(scenario).map(() => instances), ...servers.map((entry) => entry.instances ?? 1)];
}

/**
 * @param {Scenario} scenario
 * @returns {number} no leg has more workers: each has a connection, a transfer, and a share of the rate
 */
function mostWorkers(scenario) {
  const { connections, connectionsProfile, rate, transfers } = scenario;
  const few = rate === null || connectionsProfile === null ? Infinity : fewestOf(connectionsProfile);
  return Math.min(connections, transfers ?? Infinity, few);
}

/**
 * @param {Scenario} scenario
 * @param {import('../mistakes.js').Where} where
 * @param {any} raw
 * @returns {import('../mistakes.js').Mistake[]}
 */
export function instanceMistakes(scenario, where, raw) {
  const { workers, target, servers = [] } = scenario;
  const given = raw.instances !== undefined;
  if (given && target !== undefined) {
    const why = 'is for servers that Broadside starts; to measure several that run already, name each in target';
    return [mistake(where, 'instances-of-target', 'instances', { instances: raw.instances }, why)];
  }
  const mistakes = [];
  if (
    given &&
    servers.length > 0 &&
    raw.command === undefined &&
    raw.servers.every((/** @type {any} */ entry) => entry.instances !== undefined)
  ) {
    const why = `${raw.instances} has no effect, because each of the servers has its own instances; leave one out`;
    mistakes.push(mistake(where, 'instances-without-effect', 'instances', { instances: raw.instances }, why));
  }
  const several = [...new Set(instancesOf(scenario))].filter((instances) => instances > 1);
  const odd = several.find((instances) => workers !== 'auto' && workers % instances !== 0);
  if (odd !== undefined) {
    const why = `${workers} cannot be shared evenly among ${odd} instances of a server; give a multiple of ${odd}, or auto`;
    mistakes.push(mistake(where, 'workers-not-shared', 'workers', { workers, instances: odd }, why));
  }
  const most = mostWorkers(scenario);
  const many = several.find((instances) => instances > most);
  if (many !== undefined) {
    const why =
      `${count(most)} cannot be shared among ${count(many)} instances of a server: each needs one at least ` +
      '(connections, transfers, and the least of a profile with a rate)';
    mistakes.push(mistake(where, 'instances-without-load', 'connections', { most, instances: many }, why));
  }
  return mistakes;
}
