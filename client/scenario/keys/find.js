// Key `find`: the greatest rate, or number of connections, at which a condition holds. The key that it varies gives the
// greatest value to try. Pure.

import { rounded } from '../../judge/search/bisection.js';
import { parseRate } from '../../words/units.js';

/**
 * @typedef {import('../../judge/search/index.js').Find} Find
 */

/** Without `from`, the search begins at this part of the greatest value. */
const FIRST_PART = 32;

/** @param {'rate' | 'connections'} maximise @param {unknown} from @returns {number} NaN: not of that unit */
function firstOf(maximise, from) {
  if (maximise === 'rate') return typeof from === 'string' ? parseRate(from) : NaN;
  return typeof from === 'number' ? from : NaN;
}

/**
 * @param {import('../scenario.js').Written['find']} raw undefined: none
 * @param {{ rate: number | null, connections: number }} most
 * @returns {Find | null}
 */
export function findOf(raw, most) {
  if (raw === undefined) return null;
  const to = most[/** @type {'rate' | 'connections'} */ (raw.maximise)] ?? NaN;
  const from = raw.from === undefined ? rounded(to / FIRST_PART) : firstOf(raw.maximise, raw.from);
  const tolerance = Number(raw.tolerance.slice(0, -1)) / 100;
  return { maximise: raw.maximise, while: raw.while, from, to, tolerance, confirm: raw.confirm };
}
