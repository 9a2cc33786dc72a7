// What other hosts add to the rest of the client: commands, and a place for a run. The options of `stress` are in
// commands/options.js, since the list of commands needs none of them.

/**
 * @import { Entry } from '../commands/index.js'
 * @import { LocalLauncher, Place } from '../run/place.js'
 * @import { AgentsWanted } from './place.js'
 */

/** @type {Entry[]} */
export const commands = [
  {
    name: 'agent',
    positionals: '',
    describe: 'Make this host an agent: it sends load, or starts servers, for runs of other hosts',
    load: () => import('./commands/agent.js'),
  },
  {
    name: 'collect',
    positionals: '<run>',
    describe: "Finish a run whose controller ended, or convert its agents' transfer logs",
    load: () => import('./commands/collect.js'),
  },
];

/**
 * @param {AgentsWanted} wanted
 * @param {LocalLauncher} launcher of this host
 * @returns {Promise<Place>} where the agents are
 */
export async function placeOf(wanted, launcher) {
  const { AgentsPlace } = await import('./place.js');
  return new AgentsPlace(wanted, launcher);
}
