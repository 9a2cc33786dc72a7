// How many requests a leg needs before a percentile of their times is judged. Pure. A percentile is decided by the
// requests above it: of 113 requests the p99 is the second slowest. The plan has legs that are long enough, and a leg
// with fewer requests does not tell whether its goal holds.

import { conditionOf } from '../conditions/parse.js';
import { isAbove } from '../figure-values.js';
import { figures } from '../figures.js';

/**
 * @import { LegSummary } from '../../../config/types.js'
 * @import { Figure, Value } from '../figures.js'
 */

/** Groups of figures whose times are of requests. */
const REQUEST_TIMES = ['response time', 'service time'];
/** Requests above a percentile: with fewer, a few slow ones decide it. */
const LEAST_ABOVE = 10;
/** Requests in all, also where half of them are above. */
const LEAST = 100;

/** @param {Figure} figure @returns {number | undefined} of a percentile of the times of requests, such as 99 */
function percentOf({ name, group }) {
  const [, percent] = /\bp(\d+(?:\.\d+)?)$/.exec(name) ?? [];
  return percent !== undefined && REQUEST_TIMES.includes(group) ? Number(percent) : undefined;
}

/** @param {Figure} figure @returns {number} requests that a leg needs for it: 1,000 for a p99; 0: any number will do */
export function requestsFor(figure) {
  const percent = percentOf(figure);
  return percent === undefined ? 0 : Math.max(LEAST, Math.round((LEAST_ABOVE * 100) / (100 - percent)));
}

/** @param {string} goal a condition @returns {number} requests that a leg needs for all of it */
export const requestsOfGoal = (goal) => Math.max(...conditionOf(goal).clauses.map(({ figure }) => requestsFor(figure)));

/**
 * @param {Figure} figure a percentile @param {LegSummary} leg @param {number} requests of the leg, too few for it
 * @returns {Value} as much as they tell: it is not below the greatest percentile for which they are enough; undefined:
 *   nothing
 */
export function boundOf(figure, leg, requests) {
  const lower = figures.findLast(
    (one) => one.group === figure.group && requestsFor(one) > 0 && requestsFor(one) <= requests,
  );
  const value = lower?.of?.(leg);
  return typeof value === 'number'
    ? { above: value, infinite: false, orEqual: true }
    : isAbove(value)
      ? value
      : undefined;
}
