// The phases of a leg, in their order. Pure.

/** @typedef {'ramp' | 'warmup' | 'steady' | 'drain'} Phase */

/** @type {readonly Phase[]} */
export const PHASES = Object.freeze(/** @type {Phase[]} */ (['ramp', 'warmup', 'steady', 'drain']));

/** Numbers in one row of a sample's transfers as the engine reports them: key, startNs, responseNs, connection, status. */
export const ROW_WIDTH = 5;
