// What other hosts add to the rest of the client: all that is known of agents there is attached through this file.

/**
 * @import { LocalLauncher, Place } from '../run/place.js'
 * @import { AgentsWanted } from './place.js'
 */

/**
 * @param {AgentsWanted} wanted
 * @param {LocalLauncher} launcher of this host
 * @returns {Promise<Place>} where the agents are
 */
export async function placeOf(wanted, launcher) {
  const { AgentsPlace } = await import('./place.js');
  return new AgentsPlace(wanted, launcher);
}
