// The checks that a leg's measurement makes of itself: percentile intervals over the seconds of its steady state, and
// findings where an assumption behind the figures does not hold. Pure.
// The one thing to know: they are those of Lancet (Kogias, Mallon and Bugnion, USENIX ATC 2019): arrivals as asked for, a
// steady state, independent samples; and stalls.

import { percentileIntervals } from '../statistics/slices.js';
import { stationarityFindings } from './stationarity.js';
import { steadySlices } from './steady-slices.js';

/** @typedef {import('../sample.js').Sample} Sample */
/** @typedef {import('./finding.js').Finding} Finding */

/**
 * @param {import('../ramp.js').Load & { rateProfile?: unknown[] | null }} load
 * @returns {boolean} whether the load stays the same all through the steady state, so that its seconds can be compared
 */
const isEven = ({ workload, connectionsProfile = null, rateProfile = null, lifetime = null }) =>
  workload !== 'once' && connectionsProfile === null && rateProfile === null && lifetime?.reopen !== false;

/**
 * @param {Sample[]} samples of a leg, in order
 * @param {import('../ramp.js').Load} load what the scenario says of it
 * @returns {{ intervals?: import('../statistics/slices.js').PercentileIntervals, findings: Finding[] }} intervals: of the
 *   response time; absent where the steady state is too short or its load changes
 */
export function checkSteadyState(samples, load) {
  if (!isEven(load)) return { findings: [] };
  const slices = steadySlices(samples);
  const intervals = percentileIntervals(slices.map(({ times }) => times));
  return { ...(intervals === undefined ? {} : { intervals }), findings: stationarityFindings(slices) };
}
