// What disturbed a leg's measurement: other programs on the machine, and a worker whose JavaScript did not run for
// seconds. Pure.

import { warning } from '../words/warnings.js';

/** @typedef {import('../measure/sample.js').Sample} Sample */

/** Both limits, cores and share of the machine, must be reached before a warning is given. */
const bounds = Object.freeze({ cores: 0.3, share: 0.15 });

/**
 * Busy time that neither client nor server used. It is unknown for a server whose processes are not known; of a server on another
 * host, which an agent measures, it is that of the client's machine.
 * @param {Sample[]} samples of a leg
 * @returns {{ cores: number, of: number } | null} mean over the steady state, in cores; null where it is unknown
 */
export function backgroundCores(samples) {
  const steady = samples.filter(({ phase, fromNs, toNs }) => phase === 'steady' && toNs > fromNs);
  const of = steady[0]?.machine.busy.length ?? 0;
  // where legs take turns, what the others use is not known here
  if (of === 0 || steady.some(({ server, slices }) => server?.cpuSeconds === undefined || slices)) return null;
  let seconds = 0;
  let rest = 0;
  for (const { fromNs, toNs, machine, client, server, serverMachine } of steady) {
    const span = (toNs - fromNs) / 1e9;
    seconds += span;
    const own = client.cpuSeconds + (serverMachine === undefined ? (server?.cpuSeconds ?? 0) : 0);
    rest += machine.busy.reduce((sum, share) => sum + share, 0) * span - own;
  }
  return seconds > 0 ? { cores: Math.max(0, rest / seconds), of } : null;
}

/** @param {import('../words/warnings.js').Warning} warning @returns {boolean} */
export const isBackgroundLoad = ({ code }) => code === 'background-load';

/**
 * @param {{ disturbed?: number, warnings?: import('../words/warnings.js').Warning[] }} leg  of a summary, or a case of several rounds
 * @returns {number} of its rounds, in how many other programs used the machine; of a leg 0 or 1
 */
export const disturbedRounds = ({ disturbed, warnings = [] }) => disturbed ?? Number(warnings.some(isBackgroundLoad));

/**
 * @param {Parameters<typeof disturbedRounds>[0][]} legs
 * @returns {boolean} whether other programs used the machine during some of them, but not all: then those are to be told apart
 */
export const someDisturbed = (legs) =>
  legs.some((leg) => disturbedRounds(leg) > 0) && legs.some((leg) => disturbedRounds(leg) === 0);

/** @param {Sample[]} samples @returns {import('../words/warnings.js').Warning | null} when it was much */
export function backgroundLoadWarning(samples) {
  const background = backgroundCores(samples);
  if (background === null || background.cores < bounds.cores || background.cores < bounds.share * background.of)
    return null;
  return warning('background-load', background);
}

/**
 * Intervals that an engine had to extend over several seconds.
 * @param {Sample[]} samples of a leg
 * @returns {import('../words/warnings.js').Warning | null} null without any such interval
 */
export function mergedIntervalsWarning(samples) {
  const intervals = samples.reduce((sum, { mergedIntervals = 0 }) => sum + mergedIntervals, 0);
  return intervals === 0 ? null : warning('intervals-merged', { intervals });
}

/**
 * @param {Sample[]} samples of a leg
 * @param {{ settings: { transfers?: number | null, lifetime?: { reopen?: boolean } | null },
 *   leg: Pick<import('../../config/types.js').PlannedLeg, 'warmupTransfers' | 'steadyFromNs'>,
 *   endedBy: import('../measure/leg-summary.js').EndedBy, phase: string }} course  phase: the last that the leg has reached
 * @returns {import('../words/warnings.js').Warning[]} what is wrong with the leg's measurement as a whole
 */
export function legWarnings(samples, { settings, leg, endedBy, phase }) {
  const { transfers = null, lifetime } = settings;
  const { warmupTransfers, steadyFromNs } = leg;
  const mayEnd = transfers !== null || lifetime?.reopen === false;
  const hasNoSteadyState = mayEnd && endedBy === 'done' && ['ramp', 'warmup'].includes(phase);
  return [
    mergedIntervalsWarning(samples),
    backgroundLoadWarning(samples),
    hasNoSteadyState ? warning('no-steady-state', { transfers, phase, warmupTransfers, steadyFromNs }) : null,
  ].filter((one) => one !== null);
}
