// Checks whether the listed servers can be built and run on this machine. A check may start processes.

import { listServers } from '../manifest/list-servers.js';
import { firstUnmet } from '../manifest/requirements.js';
import { isFresh, wordsOf } from './stamp.js';

/** @import { ListedServer } from '../manifest/list-servers.js' */

/**
 * @typedef {object} Availability
 * @property {boolean} available
 * @property {string | null} why the reason why the server is not available
 * @property {string | null} remedy what to do
 * @property {{code: string, data: Record<string, unknown>} | null} problem the reason for programs: the code of a
 *   requirement (requirements.js) or of a fault of the server (list-servers.js)
 *
 * @typedef {ListedServer & Availability} FoundServer
 */

/**
 * @template {ListedServer} Listed
 * @param {Listed[]} servers
 * @returns {Promise<(Listed & Availability)[]>} in the same order
 */
export function checkAvailability(servers) {
  return Promise.all(
    servers.map(async (server) => {
      const { folder, manifest, fault } = server;
      const requires = (manifest.requires ?? []).map((requirement) => ({
        ...requirement,
        check: requirement.check && wordsOf(server, requirement.check),
      }));
      const unmet = fault ?? (await firstUnmet(requires, { folder, built: isFresh(server) }));
      if (unmet === null) return { ...server, available: true, why: null, remedy: null, problem: null };
      const { code, data, text, remedy } = unmet;
      return { ...server, available: false, why: text, remedy, problem: { code, data } };
    }),
  );
}

/**
 * Lists all servers and checks their availability.
 * @param {{folder?: string}} [options] folder: where to look instead of servers/
 * @returns {Promise<FoundServer[]>}
 */
export async function discover(options) {
  return checkAvailability(listServers(options));
}
