// How many requests a leg needs before a percentile of their times is judged. The requests above a percentile decide
// it: of 113 requests, the p99 is the second slowest. The plan has legs that are long enough; a leg with fewer requests
// does not show whether its goal holds.

import { conditionOf } from '../conditions/parse.js';
import { isAbove } from '../figure-values.js';
import { figures } from '../figures.js';

/**
 * @import { LegSummary } from '../../../config/types.js'
 * @import { Figure, Value } from '../figures.js'
 */

/** Groups of figures that are times of requests. */
const REQUEST_TIMES = ['response time', 'service time'];
/** Least requests above a percentile: with fewer, a few slow requests decide it. */
const LEAST_ABOVE = 10;
/** Least requests in all. */
const LEAST = 100;

/** @param {Figure} figure @returns {number | undefined} percent, such as 99; undefined for other figures */
function percentOf({ name, group }) {
  const [, percent] = /\bp(\d+(?:\.\d+)?)$/.exec(name) ?? [];
  return percent !== undefined && REQUEST_TIMES.includes(group) ? Number(percent) : undefined;
}

/**
 * @param {Figure} figure @returns {number} requests that a leg needs for it, such as 1,000 for a p99; 0 if any will do
 */
export function requestsFor(figure) {
  const percent = percentOf(figure);
  return percent === undefined ? 0 : Math.max(LEAST, Math.round((LEAST_ABOVE * 100) / (100 - percent)));
}

/** @param {string} goal a condition @returns {number} requests that a leg needs for all of it */
export const requestsOfGoal = (goal) => Math.max(...conditionOf(goal).clauses.map(({ figure }) => requestsFor(figure)));

/**
 * @param {Figure} figure a percentile @param {LegSummary} leg @param {number} requests of the leg, too few for it
 * @returns {Value} a lower bound: the greatest percentile for which the requests are enough; undefined without one
 */
export function boundOf(figure, leg, requests) {
  const lower = figures.findLast(
    (candidate) => candidate.group === figure.group && requestsFor(candidate) > 0 && requestsFor(candidate) <= requests,
  );
  const value = lower?.of?.(leg);
  return typeof value === 'number'
    ? { above: value, infinite: false, orEqual: true }
    : isAbove(value)
      ? value
      : undefined;
}
