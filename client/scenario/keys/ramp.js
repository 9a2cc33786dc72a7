// Key `ramp`: how fast the connections are opened. Pure.

import { firstConnections } from '../../results/profile.js';
import { rampSteps } from '../../results/schedule.js';
import { count } from '../../results/format.js';
import { mistake } from '../mistakes.js';

const MAX_STEPS = 100_000;

/**
 * @param {import('../scenario.js').Scenario} scenario
 * @param {import('../mistakes.js').Where} where
 * @returns {import('../mistakes.js').Mistake[]}
 */
export function rampMistakes(scenario, where) {
  const { ramp } = scenario;
  const steps = rampSteps(firstConnections(scenario), ramp.add);
  if (steps <= MAX_STEPS || ramp.spread) return [];
  return [
    mistake(
      where,
      'too-many-steps',
      'ramp.add',
      { add: ramp.add, steps, max: MAX_STEPS },
      `${ramp.add} makes a ramp of ${count(steps)} steps, more than ` +
        `${count(MAX_STEPS)}; give a larger add and a longer every, with ramp.spread to space them evenly`,
    ),
  ];
}
