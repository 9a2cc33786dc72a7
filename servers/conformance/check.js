// What a check is, and what it is given. The one thing to know: a check says why it fails by throwing, and it leaves
// the ending of servers and connections to the session that runs it.

/**
 * @typedef {import('./start.js').RunningServer} RunningServer
 * @typedef {import('./start.js').StartOptions} StartOptions
 * @typedef {import('./connection.js').Connection} Connection
 * @typedef {import('./protocols/index.js').Protocol} Protocol
 * @typedef {import('../launcher/manifest/list-servers.js').Manifest} Manifest
 */

/**
 * @typedef {object} Context
 * @property {(options?: StartOptions) => Promise<RunningServer>} start one more server, ended after the check
 * @property {() => Promise<RunningServer>} shared one that several checks use: it must be left as it was found
 * @property {(server: {host: string, port: number}) => Promise<Connection>} open a connection, ended after the check
 * @property {(server: {host: string, port: number}, count: number) => Promise<Connection[]>} openMany
 *
 * @typedef {object} Check
 * @property {string} name
 * @property {number} timeoutMs
 * @property {string | null} leftOut why it cannot be made of this server
 * @property {(context: Context) => Promise<void>} run
 */

/**
 * What the checks are chosen and cut by.
 * @typedef {object} About
 * @property {Protocol} protocol
 * @property {Manifest | null} manifest null: anybody's command, of which nothing is known
 * @property {number} places how many connections it serves at once; Infinity: as many as limits allow
 * @property {number} crowd how many connections "many" are
 * @property {boolean} measured its memory and CPU are its own, not a sanitizer's
 * @property {boolean} exact it is C: neither a runtime's threads nor its memory come and go
 * @property {(key: string, value: string | number) => string[]} words of an option of the manifest
 * @property {(key: string) => boolean} has whether the manifest has that option
 */

const TIMEOUT_MS = 60_000;

/**
 * @param {string} name
 * @param {(context: Context) => Promise<void>} run
 * @param {{timeoutMs?: number, needs?: string | false}} [options] needs: what is missing for it
 * @returns {Check}
 */
export function check(name, run, { timeoutMs = TIMEOUT_MS, needs = false } = {}) {
  return { name, timeoutMs, leftOut: needs || null, run };
}
