// Key `sweep`: a leg for each number of connections. Pure.

import { mistake } from '../mistakes.js';

/**
 * @param {import('../scenario.js').Scenario} scenario
 * @param {import('../mistakes.js').Where} where
 * @param {any} raw as it was written
 * @returns {import('../mistakes.js').Mistake[]}
 */
export function sweepMistakes({ sweep }, where, raw) {
  return sweep === null || raw?.connections === undefined
    ? []
    : [
        mistake(
          where,
          'sweep-and-connections',
          'connections',
          {},
          `${Array.isArray(raw.connections) ? 'a profile' : raw.connections}, but sweep.connections says how many there are in each leg; leave one of them out`,
        ),
      ];
}
