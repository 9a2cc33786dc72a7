// Key `pin`: the CPUs of client and server. Pure. The CPUs themselves are chosen in plan/placement.js.

/**
 * @typedef {object} Pin
 * @property {string | null} client  a list of CPUs, or `each`: a CPU for each worker; null: all
 * @property {string | null} server  the same, for each instance
 * @property {{server: number, client: number} | null} cores  the number of CPUs for each side, instead of the lists
 */

/** @param {import('../scenario.js').Written['pin']} raw @returns {Pin} */
export function pinOf({ client = undefined, server = undefined, cores = undefined }) {
  const [forServer, forClient] = cores?.split(':').map(Number) ?? [];
  return {
    client: client ?? null,
    server: server ?? null,
    cores: cores === undefined ? null : { server: forServer, client: forClient },
  };
}
