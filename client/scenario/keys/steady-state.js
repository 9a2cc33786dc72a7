// Keys `untilConfident` and `budget`: the steady state lasts until percentiles, or the marks of servers, are known well enough.
// The resolved `durationNs` is then the most, for which everything is planned; `duration` as written is the least. Pure.

import { lookTimes } from '../../judge/looks.js';
import { parseDuration } from '../../words/units.js';

/**
 * @typedef {import('../../judge/findings/confidence.js').UntilConfident} UntilConfident
 *
 * @typedef {object} Budget
 * @property {number} minNs      of the steady state
 * @property {number[]} looksNs  when servers are compared, since the start of the steady state; the last is its end
 *
 * @typedef {{ untilConfident: UntilConfident | null, budget: Budget | null, durationNs: number }} Length
 */

/** @param {Pick<import('../scenario.js').Written, 'untilConfident' | 'budget' | 'duration'>} raw @returns {Length} */
export function lengthOfSteadyState({ duration, untilConfident, budget }) {
  const durationNs = parseDuration(duration);
  if (budget !== undefined) {
    const mostNs = parseDuration(budget);
    const looksNs = lookTimes(durationNs, mostNs);
    return { untilConfident: null, budget: { minNs: durationNs, looksNs }, durationNs: mostNs };
  }
  if (untilConfident === undefined) return { untilConfident: null, budget: null, durationNs };
  const { maximum, ...percentiles } = untilConfident;
  const shares = Object.fromEntries(
    Object.entries(percentiles).map(([name, text]) => [name, Number(String(text).slice(0, -1)) / 100]),
  );
  return { untilConfident: { shares, minNs: durationNs }, budget: null, durationNs: parseDuration(maximum) };
}
