// How many processes a server gets. SO_REUSEPORT distributes connections over them by a hash, not evenly, so some of
// each process's descriptors are left as headroom: a tenth, or more where they are few.

/**
 * @import { ServerModel } from '../../config/types.js'
 * @import { Transport } from '../transports/index.js'
 * @import { Family } from '../words/endpoint.js'
 */

/** Descriptors of a server process that are not connections: standard streams, listener, epoll, guard's pipes. */
const SERVER_SPARE_DESCRIPTORS = 20;
/**
 * The unused part of the room n of each of several processes: a tenth, or four times the square root of n if that is
 * more. That root is the standard deviation of the number of connections that a hash gives a process.
 */
const HEADROOM_SHARE = 0.1;
const HEADROOM_DEVIATIONS = 4;
/** The most that the schema accepts. */
const MAX_PROCESSES = 1024;

/**
 * The part of the launcher's list that plans need.
 * @typedef {object} KnownServer
 * @property {string} name
 * @property {string} [language]
 * @property {boolean} [available]
 * @property {string | null} [why]
 * @property {string | null} [remedy]
 * @property {{code: string, data: Record<string, unknown>} | null} [problem]  `why` for programs
 * @property {object | null} [fault]  an error of its manifest
 * @property {string} [model]
 * @property {{options?: Record<string, string[]>, protocols?: string[],
 *   listens?: Family[],
 *   transports?: Transport[], tls?: {authority: string}, scales: string, surplus?: string | null,
 *   concurrent?: Concurrent | null}} manifest
 *
 * @typedef {1 | 'unbounded' | {option: 'threads' | 'processes', default: number}} Concurrent
 */

/** @param {number} room descriptors for connections @returns {number} the usable part, for one of several processes */
function usedOf(room) {
  return Math.max(0, room - Math.max(room * HEADROOM_SHARE, HEADROOM_DEVIATIONS * Math.sqrt(room)));
}

/** @param {number} descriptors of one process */
const roomIn = (descriptors) => Math.max(0, descriptors - SERVER_SPARE_DESCRIPTORS);

/**
 * The connections that a number of processes has descriptors for.
 * @param {number} processes
 * @param {number} descriptors of one process
 */
export function roomOf(processes, descriptors) {
  const room = roomIn(descriptors);
  return processes === 1 ? room : Math.floor(processes * usedOf(room));
}

/**
 * `processes: auto`: one if it has enough descriptors, otherwise as many as are needed with the headroom.
 * @param {number} connections
 * @param {number} descriptors of one process
 */
export function processesFor(connections, descriptors) {
  if (connections <= roomOf(1, descriptors)) return 1;
  return Math.min(MAX_PROCESSES, Math.ceil(connections / Math.max(1, usedOf(roomIn(descriptors)))));
}

/**
 * The descriptors that each of a number of processes needs: the reverse of `roomOf`.
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
 * How many connections a server serves at once, started with these options.
 * @param {KnownServer['manifest'] | null} manifest
 * @param {Record<string, unknown>} options
 * @returns {number | null} null: as many as limits allow, or not known
 */
export function placesOf(manifest, options) {
  const concurrent = manifest?.concurrent ?? 'unbounded';
  if (concurrent === 'unbounded') return null;
  const { processes = 1 } = options;
  if (concurrent === 1) return Number(processes);
  const places = Number(options[concurrent.option] ?? concurrent.default);
  return concurrent.option === 'processes' ? places : places * Number(processes);
}

/**
 * @param {KnownServer | undefined} known
 * @param {Record<string, unknown>} options it is started with
 * @param {number} [instances] of it, all of which count
 * @param {number} [splitAt]  see splitAtOf()
 * @returns {ServerModel | undefined} undefined if the manifest does not say
 */
export function serverModelOf(known, options, instances = 1, splitAt = undefined) {
  const { language, model, manifest } = known ?? {};
  if (!language || !model || !manifest?.concurrent) return undefined;
  const places = placesOf(manifest, options);
  const { concurrent } = manifest;
  const by = typeof concurrent === 'object' ? concurrent.option : concurrent === 1 ? 'processes' : undefined;
  const processes = by === 'processes' ? 1 : Number(options.processes ?? 1);
  return {
    ...{ language, model, concurrent: places === null ? 'unbounded' : places * instances },
    ...(places !== null && places > 1 ? { by } : {}),
    ...(processes > 1 ? { processes } : {}),
    ...(splitAt === undefined ? {} : { descriptors: splitAt }),
  };
}

/**
 * @param {{processes?: 'auto' | number}} requested options of a server
 * @param {Record<string, unknown>} planned as plannedOptions() returns them for it
 * @param {number} descriptors of one process
 * @returns {number | undefined} `descriptors`, if their number is why the server has several processes; otherwise
 *   undefined
 */
export const splitAtOf = ({ processes = 'auto' }, planned, descriptors) =>
  processes === 'auto' && Number(planned.processes ?? 1) > 1 ? descriptors : undefined;

/**
 * The options a server is started with: only those it supports, and `processes` as a number. A server whose processes
 * are its places keeps its own default.
 * @template {{processes?: 'auto' | number}} Options
 * @param {Options} options  those it does not support are defaults: see unsupportedOptions
 * @param {KnownServer | undefined} known  undefined: not listed; then a number is passed on as given
 * @param {{connections: number, descriptors: number}} load
 * @returns {Partial<Omit<Options, 'processes'>> & { processes?: number }}
 */
export function plannedOptions({ processes = 'auto', ...options }, known, { connections, descriptors }) {
  if (known === undefined) return processes === 'auto' ? options : { ...options, processes };
  const taken = known.manifest.options ?? {};
  const supported = /** @type {Partial<typeof options>} */ (
    Object.fromEntries(Object.entries(options).filter(([key]) => key in taken))
  );
  if (!('processes' in taken)) return supported;
  if (processes !== 'auto') return { ...supported, processes };
  return placesOf(known.manifest, {}) === null
    ? { ...supported, processes: processesFor(connections, descriptors) }
    : supported;
}
