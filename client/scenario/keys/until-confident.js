// Key `untilConfident`: the steady state lasts until percentiles are known well enough, or up to `maximum`. Pure.
// The resolved `durationNs` is then the maximum, for which everything is planned; `duration` as
// written is the least.

import { parseDuration } from '../../words/units.js';

/** @typedef {import('../../judge/findings/confidence.js').UntilConfident} UntilConfident */

/** @param {Pick<import('../scenario.js').Written, 'untilConfident' | 'duration'>} raw @returns {{ untilConfident: UntilConfident | null, durationNs: number }} */
export function lengthOfSteadyState({ duration, untilConfident }) {
  const durationNs = parseDuration(duration);
  if (untilConfident === undefined) return { untilConfident: null, durationNs };
  const { maximum, ...percentiles } = untilConfident;
  const shares = Object.fromEntries(
    Object.entries(percentiles).map(([name, text]) => [name, Number(String(text).slice(0, -1)) / 100]),
  );
  return { untilConfident: { shares, minNs: durationNs }, durationNs: parseDuration(maximum) };
}
