// The input of the findings of a leg: its samples, its steady state in slices, with percentile intervals over them, and
// the times at which its requests were sent. The checks are those of Lancet (Kogias, Mallon and Bugnion, USENIX ATC
// 2019): arrivals as asked for, a steady state, independent samples; and stalls.

import { percentileIntervals } from '../statistics/slices.js';
import { timedSamples } from '../../measure/leg-figures.js';
import { arrivalsOf } from './arrivals.js';
import { steadySlices } from './steady-slices.js';

/**
 * @import { LegSummary, Sample } from '../../../config/types.js'
 * @import { Load } from '../../measure/ramp.js'
 * @import { PercentileIntervals } from '../statistics/slices.js'
 * @import { Arrivals } from './arrivals.js'
 * @import { Slice } from './steady-slices.js'
 */

/**
 * @typedef {Load & { rateProfile?: unknown[] | null, arrivals?: 'constant' | 'poisson', pauseNs?: number }} CheckedLoad
 *   of the scenario
 * @typedef {object} Seen
 * @property {Sample[]} samples  in order
 * @property {Sample[]} timed  the samples; if connections were not served, without the seconds in which only first
 *   replies came
 * @property {Sample[]} steady  timed samples of the steady state
 * @property {CheckedLoad} load
 * @property {Slice[]} [slices]  of the steady state; absent if the load changes as planned, so that slices differ
 * @property {PercentileIntervals} [intervals]  of the response time; absent likewise, or if the steady state is too
 *   short
 * @property {Arrivals} [arrivals]  of an even rate
 */

/**
 * @param {CheckedLoad} load
 * @returns {boolean} whether the load stays the same during the steady state
 */
const isEven = ({ workload, connectionsProfile = null, rateProfile = null, lifetime = null }) =>
  workload !== 'once' && connectionsProfile === null && rateProfile === null && lifetime?.reopen !== false;

/**
 * @param {Pick<LegSummary, 'unserved'>} leg @param {Sample[]} samples in order @param {CheckedLoad} load
 * @returns {Seen}
 */
export function seenOf(leg, samples, load) {
  const timed = leg.unserved ? timedSamples(leg, samples) : samples;
  const steady = timed.filter(({ phase, fromNs, toNs }) => phase === 'steady' && toNs > fromNs);
  const seen = { samples, timed, steady, load };
  if (!isEven(load)) return seen;
  const slices = steadySlices(timed);
  const { rate = null } = load;
  return {
    ...{ ...seen, slices: slices.slices, intervals: percentileIntervals(slices) },
    arrivals: rate === null ? undefined : arrivalsOf(steady, { ...load, rate }),
  };
}
