// Whether the servers that were found can be built and run on this machine. The one thing to know: asking may start a
// process. A server that cannot be had is in the list all the same, with the reason and the command that helps.

import { listServers } from '../manifest/list-servers.js';
import { firstMissing } from '../manifest/requirements.js';
import { isFresh } from './stamp.js';

/**
 * @typedef {object} Availability
 * @property {boolean} available
 * @property {string | null} why it is not available
 * @property {string | null} remedy what to do about that
 *
 * @typedef {import('../manifest/list-servers.js').ListedServer & Availability} FoundServer
 */

/**
 * @template {import('../manifest/list-servers.js').ListedServer} Listed
 * @param {Listed[]} servers
 * @returns {Promise<(Listed & Availability)[]>} the same, in the same order
 */
export function checkAvailability(servers) {
  return Promise.all(
    servers.map(async (server) => {
      const { folder, manifest, fault } = server;
      const missing = fault ?? (await firstMissing(manifest.requires ?? [], { folder, built: isFresh(server) }));
      return { ...server, available: missing === null, why: missing?.why ?? null, remedy: missing?.remedy ?? null };
    }),
  );
}

/**
 * Both in one, for whoever wants to know of all.
 * @param {{folder?: string}} [options]
 * @returns {Promise<FoundServer[]>}
 */
export async function discover(options) {
  return checkAvailability(listServers(options));
}
