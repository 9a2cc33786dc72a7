// Whether the knees of identical ramps agree, and how many are false. Pure.

/** The musts. */
export const MOST_FALSE = 1 / 20;

/**
 * @typedef {{ knee: number | null, code: string | null, reach: number, otherCores: number, text: string }} Ramp  knee: requested
 *   connections, null without one; code: why it is not determined, else null; reach: the most connections requested; otherCores:
 *   that other programs used, on average
 * @typedef {{ ramps: number, knees: number, agree: number, undetermined: number, none: number, misplaced: number }} Result  agree:
 *   of the knees, the most that are within one step of each other; misplaced: those more than one step from the place where the
 *   server degrades
 */

/**
 * @param {Ramp[]} ramps
 * @param {{ step: number, truth?: number }} of  step: connections; truth: where the server degrades
 * @returns {Result}
 */
export function resultOf(ramps, { step, truth }) {
  const knees = ramps.flatMap(({ knee }) => knee ?? []);
  const near = (/** @type {number} */ from) => knees.filter((knee) => knee >= from && knee <= from + step).length;
  return {
    ramps: ramps.length,
    knees: knees.length,
    agree: Math.max(0, ...knees.map(near)),
    undetermined: ramps.filter(({ code }) => code !== null).length,
    none: ramps.filter(({ knee, code }) => knee === null && code === null).length,
    misplaced: truth === undefined ? 0 : knees.filter((knee) => Math.abs(knee - truth) > step).length,
  };
}

/** @param {Result} degrading @returns {boolean} whether all ramps agree within a step, or are not determined */
export const isConsistent = ({ ramps, agree, undetermined }) => agree + undetermined === ramps;

/** @param {Result} steady of a server that does not degrade @returns {boolean} */
export const isQuiet = ({ ramps, knees }) => knees <= Math.max(1, Math.floor(MOST_FALSE * ramps));

/** @param {any[]} samples of a ramp @returns {number} cores that other programs used, on average */
export function otherCoresOf(samples) {
  const timed = samples.filter(({ fromNs, toNs, server }) => toNs > fromNs && server !== null);
  const used = timed.reduce((sum, { machine, client, server, fromNs, toNs }) => {
    const busy = machine.busy.reduce((/** @type {number} */ a, /** @type {number} */ b) => a + b, 0);
    return sum + Math.max(0, busy - (client.cpuSeconds + server.cpuSeconds) / ((toNs - fromNs) / 1e9));
  }, 0);
  return used / Math.max(1, timed.length);
}
