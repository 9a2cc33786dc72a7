// Workers, source addresses and server processes that a run would have with a load on this machine, from the client's
// own plan, so that a bench measures what is shipped.

import { readHost } from '../../client/machine/host.js';
import { plan } from '../../client/plan/plan.js';
import { resolveScenario } from '../../client/scenario/scenario.js';
import { listServers } from '../../servers/launcher/index.js';
import { BUILD } from './build.js';

/**
 * @param {Record<string, unknown>} content of a scenario
 * @returns {Promise<import('../../client/plan/plan.js').Leg>} its first; rejects where this machine cannot do it
 */
export async function legOf(content) {
  const scenario = resolveScenario({ name: 'bench', content });
  const [leg] = plan(scenario, await readHost({ logs: BUILD }), listServers()).legs;
  if (!leg) throw new Error('the plan has no leg');
  return leg;
}
