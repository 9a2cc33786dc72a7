// What is wrong with a leg's measurement as a whole, found when its workers have ended. Pure.
import { backgroundLoadWarning, busyPollWarning, mergedIntervalsWarning } from '../judge/disturbances.js';
import { warning } from '../words/warnings.js';

/** @typedef {import('../words/warnings.js').Warning} Warning */

/**
 * @param {import('../measure/sample.js').Sample[]} samples
 * @param {{ settings: Pick<import('../scenario/scenario.js').Scenario, 'transfers' | 'lifetime'>,
 *   leg: import('../plan/plan.js').Leg, endedBy: import('../measure/leg-summary.js').EndedBy, phase: string }} course  phase: the
 *   last that the leg has reached
 * @returns {Warning[]}
 */
export function findingsOf(samples, { settings, leg, endedBy, phase }) {
  const { transfers = null, lifetime } = settings;
  const { warmupTransfers, steadyFromNs } = leg;
  const mayEnd = transfers !== null || lifetime?.reopen === false;
  const hasNoSteadyState = mayEnd && endedBy === 'done' && ['ramp', 'warmup'].includes(phase);
  return [
    mergedIntervalsWarning(samples),
    backgroundLoadWarning(samples),
    busyPollWarning(samples),
    hasNoSteadyState ? warning('no-steady-state', { transfers, phase, warmupTransfers, steadyFromNs }) : null,
  ].filter((one) => one !== null);
}
