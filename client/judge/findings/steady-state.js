// The checks that a leg's measurement makes of itself: percentile intervals over the seconds of its steady state, and
// findings where an assumption behind the figures does not hold. Pure.
// They are those of Lancet (Kogias, Mallon and Bugnion, USENIX ATC 2019): arrivals as asked for, a
// steady state, independent samples; and stalls.

import { percentileIntervals } from '../statistics/slices.js';
import { areDistorted, arrivalsOf } from './arrivals.js';
import { finding } from './finding.js';
import { stallFindings } from './stalls.js';
import { stationarityFindings } from './stationarity.js';
import { steadySlices } from './steady-slices.js';
import { addHistograms, addUp } from '../../measure/sums.js';
import { largeClientParts, timestampsOf } from '../../measure/timestamps.js';

/**
 * @import { Finding, Sample, Times } from '../../../config/types.js'
 * @import { Load } from '../../measure/ramp.js'
 * @import { PercentileIntervals } from '../statistics/slices.js'
 * @import { Arrivals } from './arrivals.js'
 */

/** @typedef {Load & { rateProfile?: unknown[] | null,
 *   arrivals?: 'constant' | 'poisson' }} CheckedLoad */

/**
 * @param {CheckedLoad} load
 * @returns {boolean} whether the load stays the same all through the steady state, so that its seconds can be compared
 */
const isEven = ({ workload, connectionsProfile = null, rateProfile = null, lifetime = null }) =>
  workload !== 'once' && connectionsProfile === null && rateProfile === null && lifetime?.reopen !== false;

/**
 * @param {Sample[]} samples of a leg, in order
 * @param {CheckedLoad} load what the scenario says of it
 * @returns {{ intervals?: PercentileIntervals,
 *   arrivals?: Arrivals, findings: Finding[] }} intervals: of the response time; absent where the
 *   steady state is too short or its load changes; arrivals: of an even rate
 */
export function checkSteadyState(samples, load) {
  const steady = samples.filter(({ phase, fromNs, toNs }) => phase === 'steady' && toNs > fromNs);
  const always = [...stallFindings(steady), ...clientDelayFindings(samples, load)];
  if (!isEven(load)) return { findings: always };
  const slices = steadySlices(samples);
  const intervals = percentileIntervals(slices);
  const { rate = null } = load;
  const arrivals = rate === null ? undefined : arrivalsOf(steady, { ...load, rate });
  return {
    ...(intervals === undefined ? {} : { intervals }),
    ...(arrivals === undefined ? {} : { arrivals }),
    findings: [...always, ...arrivalFindings(arrivals, steady), ...stationarityFindings(slices.slices)],
  };
}

/** @param {Arrivals | undefined} arrivals @param {Sample[]} steady @returns {Finding[]} one at most */
function arrivalFindings(arrivals, steady) {
  if (arrivals === undefined || !areDistorted(arrivals, addHistograms(steady, 'responseTime').mean)) return [];
  const { late } = addUp(steady, 'counters', ['late']);
  return [finding('arrivals-distorted', { ...arrivals, lateShare: Math.min(1, late / arrivals.gaps) })];
}

/** What was in flight at the end of the steady state is answered in the drain. @param {Sample} sample */
const isTimed = ({ phase }) => phase === 'steady' || phase === 'drain';

/**
 * @param {Sample[]} samples of a leg
 * @param {{ workload?: string }} load in workload once the figures are of the whole leg
 * @returns {Finding[]} one at most
 */
function clientDelayFindings(samples, { workload }) {
  const timestamps = timestampsOf(workload === 'once' ? samples : samples.filter(isTimed));
  const parts = largeClientParts(timestamps);
  if (timestamps === undefined || parts.length === 0) return [];
  const { sampled, sendDelayNs, receiveDelayNs, networkAndServerNs } = timestamps;
  const median = (/** @type {Times | undefined} */ times) => times?.p50 ?? 0;
  return [
    finding('client-delay', {
      parts,
      sampled,
      sendDelayNs: median(sendDelayNs),
      receiveDelayNs: median(receiveDelayNs),
      networkAndServerNs: median(networkAndServerNs),
    }),
  ];
}
