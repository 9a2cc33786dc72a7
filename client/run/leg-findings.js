// What is wrong with a leg's measurement as a whole, found when its workers have ended. Pure.
import { backgroundLoadWarning } from '../results/background-load.js';
import { busyPollWarning } from '../results/busy-poll.js';
import { mergedIntervalsWarning } from '../results/merged-intervals.js';
import { warning } from '../results/warnings.js';

/** @typedef {import('../results/warnings.js').Warning} Warning */

/**
 * @param {import('../results/sample.js').Sample[]} samples
 * @param {{ settings: Pick<import('../scenario/scenario.js').Scenario, 'transfers' | 'lifetime'>,
 *   leg: import('../plan/plan.js').Leg, endedBy: import('../results/summary.js').EndedBy, phase: string }} course  phase: the
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
