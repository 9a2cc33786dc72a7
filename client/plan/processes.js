// How many processes a server gets. Pure. The one thing to know: SO_REUSEPORT spreads connections over them by a hash,
// not evenly, so a tenth of each process's descriptors is left as headroom.

/** Descriptors of a server process that are not connections: standard streams, listener, epoll, guard's pipes. */
export const SERVER_SPARE_DESCRIPTORS = 20;
/** The share of a process's descriptors that is planned with when there are several processes. */
const USED_SHARE = 0.9;
/** As many as the schema lets a scenario ask for. */
const MOST_PROCESSES = 1024;

/**
 * @typedef {{name: string, available?: boolean, why?: string | null, remedy?: string | null,
 *   manifest: {options?: Record<string, string[]>, scales: string, surplus?: string}}} KnownServer  what of the
 *   launcher's list is needed here
 */

/**
 * The connections that so many processes have descriptors for.
 * @param {number} processes
 * @param {number} descriptors of one process
 */
export function roomOf(processes, descriptors) {
  const each = Math.max(0, descriptors - SERVER_SPARE_DESCRIPTORS);
  return processes === 1 ? each : Math.floor(processes * each * USED_SHARE);
}

/**
 * `processes: auto`: one while that has descriptors enough, else as many as it takes with the headroom.
 * @param {number} connections
 * @param {number} descriptors of one process
 */
export function processesFor(connections, descriptors) {
  if (connections <= roomOf(1, descriptors)) return 1;
  const each = Math.max(1, (descriptors - SERVER_SPARE_DESCRIPTORS) * USED_SHARE);
  return Math.min(MOST_PROCESSES, Math.ceil(connections / each));
}

/**
 * The options a server is started with: `processes` as a number, and only where the server takes it.
 * @template {{processes?: 'auto' | number}} Options
 * @param {Options} options
 * @param {KnownServer | undefined} known  undefined: not listed; then a number is handed on as it was given
 * @param {{connections: number, descriptors: number}} load
 * @returns {Record<string, unknown>}
 */
export function plannedOptions({ processes = 'auto', ...options }, known, { connections, descriptors }) {
  const takes = known === undefined ? processes !== 'auto' : known.manifest.options?.processes !== undefined;
  if (!takes) return options;
  return { ...options, processes: processes === 'auto' ? processesFor(connections, descriptors) : processes };
}
