// Keys `rate`, `arrivals` and `connectRate`: requests and connects per second. Pure.

import { formatCount, formatDuration } from '../../results/units.js';

const MAX_CONNECTS_PER_SECOND = 10_000_000;
const MAX_REQUESTS_PER_SECOND = 100_000_000;

/**
 * @param {import('../scenario.js').Scenario} scenario
 * @param {import('../mistakes.js').Where} where
 * @returns {string[]} one sentence for each mistake
 */
export function rateMistakes({ rate, rateProfile, arrivals, workload, pauseNs }, where) {
  if (rate === null) {
    return arrivals === 'constant'
      ? []
      : [`${where('arrivals')}: "${arrivals}" belongs to rate, and there is none; give rate, such as 1000/s`];
  }
  if (!(rate > 0 && rate <= MAX_REQUESTS_PER_SECOND)) {
    return [
      `${where('rate')}: ${rate}/s is not a rate of requests${rateProfile === null ? '' : ' at the peak of a profile'}; ` +
        `more than 0/s, at most ${formatCount(MAX_REQUESTS_PER_SECOND)}/s, or leave it out for a closed loop`,
    ];
  }
  const what = rateProfile === null ? `${rate}/s` : 'a profile';
  if (workload !== 'continuous' && workload !== 'reconnect') {
    return [
      `${where('rate')}: ${what} belongs to workload "continuous" or "reconnect", and the workload is ` +
        `"${workload}"; give one of them up`,
    ];
  }
  return pauseNs === 0
    ? []
    : [
        `${where('rate')}: ${what} says when requests are due, and so does pause ` +
          `(${formatDuration(pauseNs)}); give one of them up`,
      ];
}

/**
 * @param {import('../scenario.js').Scenario} scenario
 * @param {import('../mistakes.js').Where} where
 * @returns {string[]} one sentence for each mistake
 */
export function connectRateMistakes({ connectRate }, where) {
  if (connectRate === null || (connectRate > 0 && connectRate <= MAX_CONNECTS_PER_SECOND)) return [];
  return [
    `${where('connectRate')}: ${connectRate}/s is not a rate at which to connect; more than 0/s, at most ` +
      `${formatCount(MAX_CONNECTS_PER_SECOND)}/s, or leave it out to connect as fast as it goes`,
  ];
}
