// Key `compareAt`: the rate at which the response times of servers are compared, after their throughput. Pure.

import { parseRate } from '../../words/units.js';

/** @typedef {{ share: number } | { rate: number }} CompareAt  share: of the smallest throughput found; rate: requests a second */

/** @param {import('../scenario.js').Written['compareAt']} raw @returns {CompareAt | null} null: none is given */
export function compareAtOf(raw) {
  if (raw === undefined) return null;
  return raw.endsWith('%') ? { share: Number(raw.slice(0, -1)) / 100 } : { rate: parseRate(raw) };
}
