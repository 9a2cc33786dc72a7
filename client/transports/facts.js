// What this machine has of each transport, and the conditions that a transport sets: one line each. It asks the engine.

import { sctpStacks, stackConditions } from './sctp/engine.js';

/** @import { Host } from './index.js' */

/** @returns {Host} */
export const readTransports = () => ({ sctp: sctpStacks() });

/**
 * @param {Set<string | undefined>} stacks that a run uses
 * @param {Host} host
 * @returns {Record<string, Record<string, string | number>>} settings that are no sysctls, by what has them
 */
export const transportConditions = (stacks, host) => ({ ...stackConditions(stacks, host) });
