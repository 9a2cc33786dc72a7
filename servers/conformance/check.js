// The types of a check and its context. A check fails by throwing; the session that runs it ends the servers and
// connections that the check has started.

/**
 * @import { Manifest } from '../launcher/manifest/manifest.js'
 * @import { Connection } from './connection.js'
 * @import { Protocol } from './protocols/index.js'
 * @import { RunningServer, StartOptions } from './start.js'
 */

/**
 * @typedef {object} Context
 * @property {(options?: StartOptions) => Promise<RunningServer>} start starts another server, ended after the check
 * @property {() => Promise<RunningServer>} shared a server used by several checks, which must not change its state
 * @property {(server: {host: string, port: number}) => Promise<Connection>} open opens a connection, closed after the
 *   check
 * @property {(server: {host: string, port: number}, count: number) => Promise<Connection[]>} openMany
 *
 * @typedef {object} Check
 * @property {string} id stable, such as `half-close`
 * @property {string} name for people
 * @property {number} timeoutMs
 * @property {{code: string, text: string} | null} skipped why it does not apply to this server
 * @property {(context: Context) => Promise<void>} run
 */

/**
 * Facts that determine which checks apply, and their parameters.
 * @typedef {object} Subject
 * @property {Protocol} protocol
 * @property {Manifest | null} manifest null: an arbitrary command, whose properties are not known
 * @property {number} concurrency how many connections it serves at once; Infinity: as many as limits allow
 * @property {number} crowd number of connections in checks of many connections
 * @property {boolean} measured whether its memory and CPU use is judged; false under a sanitizer
 * @property {boolean} exact whether its threads and memory are predictable: it is written in C and has no runtime
 * @property {(key: string, value: string | number) => string[]} words the arguments for an option of the manifest
 * @property {(key: string) => boolean} has whether the manifest has an option
 */

const TIMEOUT_MS = 60_000;

/** Why checks of options are skipped for a command. */
export const NO_MANIFEST = { code: 'no-manifest', text: 'without a manifest the options of the server are unknown' };

/**
 * @param {string} id
 * @param {string} name
 * @param {(context: Context) => Promise<void>} run
 * @param {{timeoutMs?: number, skipped?: Check['skipped']}} [options]
 * @returns {Check}
 */
export function check(id, name, run, { timeoutMs = TIMEOUT_MS, skipped = null } = {}) {
  return { id, name, timeoutMs, skipped, run };
}
