// How long the primary waits for its workers, and for a target that accepts no connection.

/** A target is not lost before this, however short the timeouts are. */
const MIN_TARGET_NS = 5e9;
/** Connections closed in a second at the end of a leg, at least: both ends on a few cores that others use, too. */
const CLOSES_PER_SECOND = 5000;

/**
 * How long a worker may take to be ready, to end after the leg's end, and to be replaced for the first time.
 * @typedef {{ readyMs: number, graceMs: number, restartMs: number }} Patience
 * @type {Readonly<Patience>}
 */
export const DEFAULT_PATIENCE = Object.freeze({ readyMs: 20_000, graceMs: 5000, restartMs: 100 });

/**
 * @param {Patience} patience @param {number} connections that are closed at the leg's end, those of legs side by side included
 * @returns {number} how long the workers may take for it, ms
 */
export const graceOf = ({ graceMs }, connections) => graceMs + Math.floor(connections / CLOSES_PER_SECOND) * 1000;

/** @param {Patience} patience @param {number} generation of the worker that has died @returns {number} ms */
export const restartDelay = ({ restartMs }, generation) => restartMs * 2 ** generation;

/** @param {import('./assignment.js').Settings} settings @returns {number} ns after which a target is lost */
export const targetPatience = ({ backoff, connectTimeoutNs }) =>
  Math.max(MIN_TARGET_NS, backoff.capNs + connectTimeoutNs);
