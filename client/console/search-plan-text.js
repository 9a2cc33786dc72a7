// What --dry-run prints of a search: what it looks for, within which bounds, and how many legs it takes. Pure.

import { nextValue } from '../judge/search/index.js';
import { requestsOfGoal } from '../judge/search/requests.js';
import { count, counted, duration, percent } from '../words/format.js';
import { probeText, soughtText } from '../words/search.js';

/**
 * @import { Plan } from '../measure/settings.js'
 */

/**
 * @param {NonNullable<Plan['search']>} search @param {number} durationNs of the scenario
 * @returns {string} at which rates legs last longer than it says
 */
function longerText({ maximise, goals, longestNs }, durationNs) {
  const least = maximise === 'rate' ? Math.max(...goals.map(requestsOfGoal)) : 0;
  if (least === 0 || durationNs >= longestNs) return '';
  const below = Math.ceil((least * 1e9) / durationNs);
  return `; below ${count(below)}/s a leg lasts longer, up to ${duration(longestNs)}, for ${count(least)} requests`;
}

/**
 * @param {NonNullable<Plan['search']>} search @param {number} servers @param {number} durationNs of the scenario
 * @returns {string}
 */
export function searchText(search, servers, durationNs) {
  const { maximise, to, tolerance, mostLegs, usualLegs } = search;
  const order =
    to === null
      ? 'first in closed loop, then rates up to the throughput there'
      : `first ${probeText(maximise, Number(nextValue(search, [])))}, then up to ${probeText(maximise, to)}`;
  const each = servers === 1 ? '' : ' for each server';
  return (
    `${soughtText(search)}, within ${percent(tolerance)}: ${order}; ` +
    `usually up to ${counted(usualLegs / servers, 'leg')}${each}, at most ${count(mostLegs / servers)}` +
    longerText(search, durationNs)
  );
}
