// Key `servers`, with `target` and `command` one of the three ways to name what is measured.

import { defaultOptions } from '../schema.js';
import { wrapOf } from './wrap.js';

/**
 * @import { Wrap } from '../../../config/types.js'
 * @import { Scenario, ServerEntry, Written } from '../scenario.js'
 */

/**
 * @param {NonNullable<Written['servers']>[number]} entry
 * @param {{instances: number, wrap?: Wrap}} usual  defaults for the entry
 * @returns {ServerEntry}
 */
export function serverEntryOf(entry, usual) {
  const plain = typeof entry === 'string' ? { name: entry, options: { ...defaultOptions }, env: {} } : entry;
  const { name, as = name, options, env, instances = usual.instances } = plain;
  return { name, as, ...(instances > 1 && { instances }), ...wrapOf(plain.wrap, usual.wrap), options, env };
}

/**
 * @param {Scenario} scenario @param {ServerEntry[]} servers
 * @returns {Scenario} of these servers, at each point with as many instances as its axes say
 */
export function withServers(scenario, servers) {
  const points = scenario.points?.map(({ axes, settings, ...point }) => {
    const { instances } = axes;
    const atPoint =
      instances === undefined ? servers : servers.map((entry) => ({ ...entry, instances: Number(instances) }));
    return { ...point, axes, settings: { ...settings, servers: atPoint } };
  });
  return { ...scenario, servers, points: points ?? null };
}
