// Keys `rate`, `arrivals` and `connectRate`: requests and connects per second. Pure.

import { count } from '../../results/format.js';
import { writeDuration } from '../../results/units.js';
import { mistake } from '../mistakes.js';

const MAX_CONNECTS_PER_SECOND = 10_000_000;
const MAX_REQUESTS_PER_SECOND = 100_000_000;

/**
 * @param {import('../scenario.js').Scenario} scenario
 * @param {import('../mistakes.js').Where} where
 * @returns {import('../mistakes.js').Mistake[]}
 */
export function rateMistakes({ rate, rateProfile, arrivals, workload, pauseNs }, where) {
  if (rate === null) {
    return arrivals === 'constant'
      ? []
      : [
          mistake(
            where,
            'key-needs-rate',
            'arrivals',
            { value: arrivals },
            `"${arrivals}" belongs to rate, but there is none; give rate, such as 1000/s`,
          ),
        ];
  }
  if (!(rate > 0 && rate <= MAX_REQUESTS_PER_SECOND)) {
    return [
      mistake(
        where,
        'out-of-range',
        'rate',
        { value: rate, max: MAX_REQUESTS_PER_SECOND },
        `${rate}/s is not a rate of requests${rateProfile === null ? '' : ' at the peak of a profile'}; ` +
          `more than 0/s, at most ${count(MAX_REQUESTS_PER_SECOND)}/s, or leave it out for a closed loop`,
      ),
    ];
  }
  const what = rateProfile === null ? `${rate}/s` : 'a profile';
  if (workload !== 'continuous' && workload !== 'reconnect') {
    return [
      mistake(
        where,
        'key-not-for-workload',
        'rate',
        { workload },
        `${what} belongs to workload "continuous" or "reconnect", but the workload is "${workload}"; leave one of them out`,
      ),
    ];
  }
  return pauseNs === 0
    ? []
    : [
        mistake(
          where,
          'rate-and-pause',
          'rate',
          { rate, pauseNs },
          `${what} says when requests are sent, and so does pause (${writeDuration(pauseNs)}); leave one of them out`,
        ),
      ];
}

/**
 * @param {import('../scenario.js').Scenario} scenario
 * @param {import('../mistakes.js').Where} where
 * @returns {import('../mistakes.js').Mistake[]}
 */
export function connectRateMistakes({ connectRate }, where) {
  if (connectRate === null || (connectRate > 0 && connectRate <= MAX_CONNECTS_PER_SECOND)) return [];
  return [
    mistake(
      where,
      'out-of-range',
      'connectRate',
      { value: connectRate, max: MAX_CONNECTS_PER_SECOND },
      `${connectRate}/s is not a connect rate; more than 0/s, at most ` +
        `${count(MAX_CONNECTS_PER_SECOND)}/s, or leave it out to connect as fast as possible`,
    ),
  ];
}
