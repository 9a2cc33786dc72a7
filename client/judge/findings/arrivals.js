// Whether requests were sent as asked for: the times from one to the next, against even spacing or a Poisson process.
// Pure. Response times count from when a request was due, so that they stay right; what is distorted is the load that
// the server saw.

import { addHistograms } from '../../measure/sums.js';
import { latenessDominates, percentileHolds, sentOf } from '../../measure/leg-figures.js';
import { finding } from './finding.js';

/**
 * @import { Figures, Finding, Sample, Times } from '../../../config/types.js'
 * @import { Histogram } from '../../measure/histogram.js'
 * @import { Outcomes } from '../../measure/leg-figures.js'
 */

/**
 * @typedef {object} Arrivals
 * @property {'constant' | 'poisson'} distribution
 * @property {number} gaps  times between two sends of a worker
 * @property {number} distance  of a Poisson process, the largest difference of the distribution functions (Kolmogorov
 *   and Smirnov); of even spacing, the share of gaps that differ from it by more than half of it
 * @property {number} delayNs  the mean time from when a request was due until it was sent
 */

/** Fewer say nothing. */
const MIN_GAPS = 100;
/** A larger distance is a finding, where the delay is also larger than this share of the response time. */
const MAX_DISTANCE = 0.1;
const MAX_DELAY_SHARE = 0.05;

/** @param {Histogram} gaps @param {number} meanNs asked for @returns {number} from an exponential distribution */
function distanceFromPoisson(gaps, meanNs) {
  let reached = 0;
  let distance = 0;
  for (const [value, count] of gaps.values()) {
    const expected = 1 - Math.exp(-value / meanNs);
    const before = reached / gaps.count;
    reached += count;
    distance = Math.max(distance, Math.abs(before - expected), Math.abs(reached / gaps.count - expected));
  }
  return distance;
}

/**
 * @param {Histogram} gaps
 * @param {number} meanNs asked for
 * @returns {number} share of those that differ by more than half
 */
const shareOfUneven = (gaps, meanNs) => 1 - gaps.countBetween(meanNs / 2, meanNs * 1.5) / gaps.count;

/**
 * @param {Sample[]} steady samples of a steady state under a rate that stays the same
 * @param {{ rate: number, arrivals?: 'constant' | 'poisson' }} load
 * @returns {Arrivals | undefined} undefined where too few were sent to tell
 */
export function arrivalsOf(steady, { rate, arrivals = 'constant' }) {
  const gaps = addHistograms(steady, 'sendGap');
  if (gaps.count < MIN_GAPS) return undefined;
  const engines = Math.max(...steady.map(({ client }) => client.engines.length));
  const meanNs = (engines * 1e9) / rate;
  const [response, service] = [addHistograms(steady, 'responseTime'), addHistograms(steady, 'serviceTime')];
  return {
    distribution: arrivals,
    gaps: gaps.count,
    distance: arrivals === 'poisson' ? distanceFromPoisson(gaps, meanNs) : shareOfUneven(gaps, meanNs),
    delayNs: Math.max(0, response.mean - service.mean),
  };
}

/**
 * @param {Arrivals} arrivals
 * @param {number} meanResponseNs
 * @returns {boolean} whether the load was another than asked for
 */
export const areDistorted = ({ distance, delayNs }, meanResponseNs) =>
  distance > MAX_DISTANCE && delayNs > MAX_DELAY_SHARE * meanResponseNs;

/**
 * @template {string} Name
 * @param {Name} name @param {Times} times @param {Outcomes} outcomes
 * @returns {Partial<Record<`${Name}Ns` | `${Name}AboveNs`, number>>} as the table has it
 */
const p99Of = (name, { p99, max }, outcomes) =>
  /** @type {any} */ (percentileHolds(outcomes, 99) ? { [`${name}Ns`]: p99 } : { [`${name}AboveNs`]: max });

/** @param {Figures | undefined} steady @returns {Finding[]} one at most */
export function latenessFindings(steady) {
  const { due = 0, late = 0, unsent = 0, responseTimeNs, serviceTimeNs } = steady ?? {};
  if (!steady || !latenessDominates(steady) || !responseTimeNs || !serviceTimeNs) return [];
  return [
    finding('sent-late', {
      ...{ due, late, unsent },
      ...p99Of('p99', responseTimeNs, steady),
      ...p99Of('serviceP99', serviceTimeNs, sentOf(steady)),
    }),
  ];
}
