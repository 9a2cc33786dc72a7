// Whether requests were sent as asked for: the times between sends, against even spacing or a Poisson process. Response
// times count from when a request was due, so they stay right; the load that the server saw may be distorted.

import { addHistograms, addUp } from '../../measure/sums.js';
import { latenessDominates, percentileHolds, sentOf } from '../../measure/leg-figures.js';
import { count, counted, duration, percent } from '../../words/format.js';

/**
 * @import { Figures, Sample, Times } from '../../../config/types.js'
 * @import { Histogram } from '../../measure/histogram.js'
 * @import { Outcomes } from '../../measure/leg-figures.js'
 * @import { Row } from './finding.js'
 */

/**
 * @typedef {object} Arrivals
 * @property {'constant' | 'poisson'} distribution
 * @property {number} gaps  times between two sends of a worker
 * @property {number} distance  from a Poisson process: the largest difference of the distribution functions (Kolmogorov
 *   and Smirnov); from even spacing: the share of gaps that are off by more than half
 * @property {number} delayNs  the mean time from when a request was due until it was sent
 */

/** Least gaps for a judgement. */
const MIN_GAPS = 100;
/** A larger distance is a finding if the delay is also a larger share of the response time. */
const MAX_DISTANCE = 0.1;
const MAX_DELAY_SHARE = 0.05;

/**
 * @param {Histogram} gaps @param {number} meanNs asked for @returns {number} distance from an exponential distribution
 */
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
 * @returns {number} share of gaps that are off by more than half
 */
const shareOfUneven = (gaps, meanNs) => 1 - gaps.countBetween(meanNs / 2, meanNs * 1.5) / gaps.count;

/**
 * @param {Sample[]} steady samples of a steady state under a rate that stays the same
 * @param {{ rate: number, arrivals?: 'constant' | 'poisson' }} load
 * @returns {Arrivals | undefined} undefined if too few requests were sent
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
 * @returns {boolean} whether the load differed from what was asked for
 */
export const areDistorted = ({ distance, delayNs }, meanResponseNs) =>
  distance > MAX_DISTANCE && delayNs > MAX_DELAY_SHARE * meanResponseNs;

/** @type {Row<Arrivals & { lateShare: number }>} lateShare: of the requests sent, those that waited for a connection */
export const arrivalsDistorted = {
  code: 'arrivals-distorted',
  severity: 'caution',
  isOfTrust: true,
  when:
    'with an even `rate`: the times between sends differ from a Poisson process by more than 10 % (Kolmogorov and Smirnov), ' +
    'or more than 10 % of them from even spacing by more than half, and requests were sent late by more than 5 % of the ' +
    'mean response time (`steady.arrivals`). `lateShare`: of those sent, those that had to wait for a connection',
  ofSamples: (_leg, { arrivals, steady }) => {
    if (arrivals === undefined || !areDistorted(arrivals, addHistograms(steady, 'responseTime').mean)) return undefined;
    const { late } = addUp(steady, 'counters', ['late']);
    return { ...arrivals, lateShare: Math.min(1, late / arrivals.gaps) };
  },
  text: ({ delayNs, lateShare }) =>
    `requests were not sent on schedule: ${duration(delayNs)} late on average; ${lateShare === 0 ? 'none' : percent(lateShare, 2)} waited for a connection`,
  remedy:
    'Lower the rate; if many requests waited for a connection, give more connections, otherwise more workers or CPU.',
  charts: ['service', 'transfers', 'load'],
  weight: ({ delayNs }) => delayNs,
};

/**
 * @typedef {{ due: number, late: number, unsent: number, p99Ns?: number, p99AboveNs?: number, serviceP99Ns?: number,
 *   serviceP99AboveNs?: number }} SentLate  p99AboveNs, serviceP99AboveNs: the longest time, if too many requests have
 *   no reply for the p99 to be known
 */

/**
 * @template {string} Name
 * @param {Name} name @param {Times} times @param {Outcomes} outcomes
 * @returns {Partial<Record<`${Name}Ns` | `${Name}AboveNs`, number>>}
 */
const p99Of = (name, { p99, max }, outcomes) =>
  /** @type {ReturnType<typeof p99Of<Name>>} */ (
    percentileHolds(outcomes, 99) ? { [`${name}Ns`]: p99 } : { [`${name}AboveNs`]: max }
  );

/** @param {Figures | undefined} steady @returns {SentLate | undefined} if lateness makes up most of the p99 */
export function latenessOf(steady) {
  const { due = 0, late = 0, unsent = 0, responseTimeNs, serviceTimeNs } = steady ?? {};
  if (!steady || !latenessDominates(steady) || !responseTimeNs || !serviceTimeNs) return undefined;
  return {
    ...{ due, late, unsent },
    ...p99Of('p99', responseTimeNs, steady),
    ...p99Of('serviceP99', serviceTimeNs, sentOf(steady)),
  };
}

/** @param {number | undefined} ns @param {number} [above] @returns {string} such as "15 ms", "> 3.4 s" */
const orAbove = (ns, above) => (ns === undefined ? `> ${duration(above)}` : duration(ns));

/** @type {Row<SentLate>} */
export const sentLate = {
  code: 'sent-late',
  severity: 'problem',
  when:
    'with a `rate`: 1 % of the requests or more waited for a free connection, and the p99 response time is at least twice ' +
    'the p99 service time, both of what was answered',
  ofSamples: ({ steady }) => latenessOf(steady),
  text: ({ due, late, unsent, p99Ns, p99AboveNs, serviceP99Ns, serviceP99AboveNs }) => {
    const [response, service] = [orAbove(p99Ns, p99AboveNs), orAbove(serviceP99Ns, serviceP99AboveNs)];
    const requests = [
      ...(late > 0 ? [`${counted(late, 'request')} late`] : []),
      ...(unsent > 0 ? [`${counted(unsent, 'request')} unsent`] : []),
    ].join(', ');
    return `${requests} of ${count(due)}: no connection was free; p99 ${response}, service time ${service}`;
  },
  remedy:
    'The server stalls or cannot keep up: lower the rate, or give more connections if it can answer more at once.',
  charts: ['service', 'response', 'heat'],
  weight: ({ due, late, unsent }) => (late + unsent) / due,
};
