// Remarks before a run about its ramp: too fast, or with too few steps, for a knee; or longer than the rest of the run.

import { MIN_SECONDS, MIN_STAGES } from '../measure/knee.js';
import { MIN_STEPS, shortRampOf } from '../measure/ramp-stages.js';
import { rampSteps } from '../measure/schedule.js';
import { count, counted, duration } from '../words/format.js';

/**
 * @import { Plan } from '../measure/settings.js'
 * @import { Scenario } from '../scenario/scenario.js'
 */

/**
 * @param {Scenario} scenario
 * @param {Plan} plan
 * @returns {string | undefined} undefined if the ramp may show a knee, is one step, or differs from leg to leg
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

/** Ramps are mentioned from this share of the run on. */
const MOST_OF_RUN = 0.5;

/**
 * @param {Plan} plan
 * @returns {string} '' if the ramps take less than half of the run, or if later legs depend on earlier ones
 */
export function longRampText({ legs, search, compareAt, expected: { seconds } }) {
  const [leg] = legs;
  if (leg === undefined || search !== undefined || compareAt !== undefined) return '';
  const each = new Map(legs.map(({ id, slices, rampToNs }) => [slices?.group ?? id, rampToNs]));
  const rampNs = [...each.values()].reduce((sum, ns) => sum + ns, 0);
  if (rampNs < MOST_OF_RUN * seconds * 1e9 || rampSteps(leg.connections, leg.settings.ramp.add) < 2) return '';
  const { add, everyNs } = leg.settings.ramp;
  const what = each.size === 1 ? 'the ramp' : 'the ramps';
  const steps = `${count(add)} more every ${duration(everyNs)}`;
  return `, ${duration(rampNs)} of it for ${what} (${steps}; a larger --ramp.add shortens it)`;
}
