// How many processes a server gets. Pure. The one thing to know: SO_REUSEPORT spreads connections over them by a hash,
// not evenly, so some of each process's descriptors are left as headroom: a tenth, or more where they are few.

/** Descriptors of a server process that are not connections: standard streams, listener, epoll, guard's pipes. */
export const SERVER_SPARE_DESCRIPTORS = 20;
/**
 * What is left of the room n of each of several processes: a tenth, or four times the square root of n if that is more.
 * That root is the standard deviation of how many connections a hash gives a process.
 */
const HEADROOM_SHARE = 0.1;
const HEADROOM_DEVIATIONS = 4;
/** As many as the schema lets a scenario ask for. */
const MOST_PROCESSES = 1024;

/**
 * @typedef {{name: string, available?: boolean, why?: string | null, remedy?: string | null,
 *   manifest: {options?: Record<string, string[]>, scales: string, surplus?: string | null}}} KnownServer  what of
 *   the launcher's list is needed here
 */

/** @param {number} room descriptors for connections @returns {number} those to plan with, of several processes */
function usedOf(room) {
  return Math.max(0, room - Math.max(room * HEADROOM_SHARE, HEADROOM_DEVIATIONS * Math.sqrt(room)));
}

/** @param {number} descriptors of one process */
const roomIn = (descriptors) => Math.max(0, descriptors - SERVER_SPARE_DESCRIPTORS);

/**
 * The connections that so many processes have descriptors for.
 * @param {number} processes
 * @param {number} descriptors of one process
 */
export function roomOf(processes, descriptors) {
  const room = roomIn(descriptors);
  return processes === 1 ? room : Math.floor(processes * usedOf(room));
}

/**
 * `processes: auto`: one while that has descriptors enough, else as many as it takes with the headroom.
 * @param {number} connections
 * @param {number} descriptors of one process
 */
export function processesFor(connections, descriptors) {
  if (connections <= roomOf(1, descriptors)) return 1;
  return Math.min(MOST_PROCESSES, Math.ceil(connections / Math.max(1, usedOf(roomIn(descriptors)))));
}

/**
 * The descriptors that each of so many processes needs: the reverse of `roomOf`.
 * @param {number} connections
 * @param {number} processes
 */
export function descriptorsFor(connections, processes) {
  if (processes === 1) return connections + SERVER_SPARE_DESCRIPTORS;
  const used = connections / processes;
  const half = HEADROOM_DEVIATIONS / 2;
  const room = Math.max(used / (1 - HEADROOM_SHARE), (half + Math.sqrt(half ** 2 + used)) ** 2);
  return Math.ceil(room - 1e-6) + SERVER_SPARE_DESCRIPTORS;
}

/**
 * The options a server is started with: only those it takes, and `processes` as a number.
 * @template {{processes?: 'auto' | number}} Options
 * @param {Options} options  those it does not take are defaults: see unfitOptions
 * @param {KnownServer | undefined} known  undefined: not listed; then a number is handed on as it was given
 * @param {{connections: number, descriptors: number}} load
 * @returns {Record<string, unknown>}
 */
export function plannedOptions({ processes = 'auto', ...options }, known, { connections, descriptors }) {
  if (known === undefined) return processes === 'auto' ? options : { ...options, processes };
  const taken = known.manifest.options ?? {};
  const fit = Object.fromEntries(Object.entries(options).filter(([key]) => key in taken));
  if (!('processes' in taken)) return fit;
  return { ...fit, processes: processes === 'auto' ? processesFor(connections, descriptors) : processes };
}
