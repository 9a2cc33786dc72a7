// Says before a run that its ramp is too fast, or has too few steps, for a knee. Pure.

import { MIN_SECONDS, MIN_STAGES } from '../measure/knee.js';
import { MIN_STEPS, shortRampOf } from '../measure/ramp-stages.js';
import { count, counted, duration } from '../words/format.js';

/**
 * @import { Plan } from '../measure/settings.js'
 * @import { Scenario } from '../scenario/scenario.js'
 */

/**
 * @param {Scenario} scenario
 * @param {Plan} plan
 * @returns {string | undefined} undefined where the ramp may show a knee, is one step, or differs from leg to leg
 */
export function shortRampText(scenario, { legs, search }) {
  const [leg] = legs;
  if (leg === undefined || search !== undefined || scenario.sweep !== null || scenario.tests !== null) return undefined;
  const load = leg.settings;
  const short = shortRampOf(leg, load);
  if (short === undefined) return undefined;
  const { steps, stages, everySeconds } = short;
  if (steps < MIN_STEPS)
    return `cannot be found in a ramp of ${counted(steps, 'step')}: ${MIN_STEPS} are needed; give a smaller --ramp.add`;
  const what = `this ramp makes ${counted(stages, 'stage')} of at least ${MIN_SECONDS} s, and ${MIN_STAGES} are needed`;
  const more = everySeconds === undefined ? '' : duration(steps * (everySeconds * 1e9 - load.ramp.everyNs));
  const remedy =
    everySeconds === undefined
      ? 'give a smaller --ramp.add or a longer --ramp.every'
      : `--ramp.every ${count(everySeconds)}s makes them, and each leg ${more} longer`;
  return `cannot be determined: ${what}; ${remedy}`;
}
