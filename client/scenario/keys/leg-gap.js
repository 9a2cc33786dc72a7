// Key `legGap`: the wait between two legs. Pure.

import { writeDuration } from '../../results/units.js';
import { mistake } from '../mistakes.js';
import { isPattern } from './server-patterns.js';

/**
 * @param {import('../scenario.js').Scenario} scenario
 * @param {import('../mistakes.js').Where} where
 * @returns {import('../mistakes.js').Mistake[]} where it has no effect
 */
export function legGapMistakes({ legGapNs, rounds, servers, tests, points }, where) {
  const several = rounds > 1 || [servers, tests, points].some((list) => (list?.length ?? 0) > 1);
  if (legGapNs === 0 || several || servers?.some(({ name }) => isPattern(name))) return [];
  const why = `${writeDuration(legGapNs)} is the wait between two legs, but the run has one; leave it out`;
  return [mistake(where, 'gap-of-one-leg', 'legGap', { legGapNs }, why)];
}
