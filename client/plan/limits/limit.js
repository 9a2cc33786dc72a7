// A limit in the way of a run, and how it is judged. All texts about limits (the error with exit code 3, a warning, a
// row of doctor's table) are made from such rows.

import { limitTexts } from './texts.js';

/**
 * @import { Limit } from '../../../config/types.js'
 * @import { Data } from '../../errors.js'
 */

/**
 * Whose limit it is. Exceeding a limit of the `client` refuses the run before anything starts; exceeding one of
 * `server` or `kernel` is announced, and the run continues.
 * @typedef {Limit['side']} Side
 */

/**
 * @param {string} code of texts.js
 * @param {object} facts
 * @param {number | null} facts.available
 * @param {number} facts.needed
 * @param {Side} facts.side
 * @param {Data} [facts.data]  besides available, needed and holds
 * @param {'count' | 'bytes' | 'cores'} [facts.unit]
 * @param {string[]} [facts.servers]
 * @param {number | null} [facts.holds]
 * @param {boolean} [facts.exceeded]  if more than the two figures decides
 * @returns {Limit}
 */
export function judge(
  code,
  {
    available,
    needed,
    side,
    data: more = {},
    unit = 'count',
    servers = [],
    holds = null,
    exceeded = available !== null && needed > available,
  },
) {
  const data = { available, needed, holds, ...more };
  const { name, text, remedy } = limitTexts(code, data);
  return {
    code,
    name,
    servers,
    side,
    exceeded,
    unit,
    available,
    needed,
    holds,
    data,
    text,
    remedy: exceeded ? remedy : null,
  };
}

/**
 * Something the client needs that this machine does not have, such as a CPU: nothing to count.
 * @param {string} code of texts.js
 * @param {Data} data
 * @returns {Limit}
 */
export function unavailable(code, data) {
  return {
    code,
    ...limitTexts(code, data),
    servers: [],
    side: 'client',
    exceeded: true,
    unit: 'count',
    available: null,
    needed: null,
    holds: null,
    data,
  };
}

/**
 * Merges rows that differ only in the server.
 * @param {Limit[]} limits
 * @returns {Limit[]}
 */
export function merge(limits) {
  /** @type {Map<string, Limit>} */
  const merged = new Map();
  for (const limit of limits) {
    const { servers, ...common } = limit;
    const key = JSON.stringify(common);
    const same = merged.get(key);
    if (same === undefined) merged.set(key, limit);
    else merged.set(key, { ...same, servers: [...same.servers, ...servers] });
  }
  return [...merged.values()];
}
