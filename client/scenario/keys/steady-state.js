// Key `budget`: the steady state lasts until the marks of the servers are known well enough.
// The resolved `durationNs` is then the longest that it may take, which is planned for; `duration` as written is the shortest. Pure.

import { lookTimes } from '../../judge/looks.js';
import { parseDuration } from '../../words/units.js';

/**
 * @typedef {object} Budget
 * @property {number} minNs      of the steady state
 * @property {number[]} looksNs  when servers are compared, since the start of the steady state; the last is its end
 */

/**
 * @param {Pick<import('../scenario.js').Written, 'budget' | 'duration'>} raw
 * @returns {{ budget: Budget | null, durationNs: number }}
 */
export function lengthOfSteadyState({ duration, budget }) {
  const durationNs = parseDuration(duration);
  if (budget === undefined) return { budget: null, durationNs };
  const mostNs = parseDuration(budget);
  return { budget: { minNs: durationNs, looksNs: lookTimes(durationNs, mostNs) }, durationNs: mostNs };
}
