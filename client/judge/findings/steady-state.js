// What findings of a leg are sought in: its samples, its steady state in seconds, with percentile intervals over them,
// and how its requests were sent. Pure.
// The checks are those of Lancet (Kogias, Mallon and Bugnion, USENIX ATC 2019): arrivals as asked for, a steady state,
// independent samples; and stalls.

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
 *   what the scenario says of it
 * @typedef {object} Seen
 * @property {Sample[]} samples  in order
 * @property {Sample[]} timed  the same; where connections were not served, without the seconds in which only first
 *   replies came
 * @property {Sample[]} steady  of the timed ones, those of the steady state
 * @property {CheckedLoad} load
 * @property {Slice[]} [slices]  of the steady state; absent where the load changes as planned: they cannot be compared
 * @property {PercentileIntervals} [intervals]  of the response time; absent where the steady state is too short, too
 * @property {Arrivals} [arrivals]  of an even rate
 */

/**
 * @param {CheckedLoad} load
 * @returns {boolean} whether the load stays the same all through the steady state
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
