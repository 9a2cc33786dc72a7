/**
 * The chart model: from the samples to the datasets of every chart, in the order of the page. Pure; the page only draws
 * what stands here.
 */
import { coarsen, stepOf } from '../coarsen.js';
import { connections } from './connections.js';
import { distributions } from './distributions.js';
import { failures } from './failures.js';
import { kernelEvents, roundTrips } from './kernel.js';
import { rampCharts } from './ramp.js';
import { responseTime } from './response-time.js';
import { throughputs } from './throughput.js';
import { usage } from './usage.js';

/**
 * @typedef {{ legs: import('../types.js').Leg[], facts: import('../types.js').Facts[],
 *   intervals: import('../coarsen.js').Interval[][], loop: string, xMax: number, cores: number, step: number,
 *   synRetryNs: number[] }}
 * ChartInput
 */

/**
 * @param {import('../types.js').Run} run
 * @param {import('../types.js').Facts[]} facts of the same legs, in the same order
 * @returns {{ legs: any[], charts: import('../types.js').Chart[], step: number }} legs that left samples, and the
 *   charts
 */
export function chartModel(run, facts) {
  const shown = run.legs.filter((leg) => leg.samples.length > 0);
  const theirFacts = shown.map(
    (leg) => /** @type {import('../types.js').Facts} */ (facts.find((f) => f.id === leg.id)),
  );
  const step = stepOf(shown.map((leg) => leg.samples));
  const busy = shown[0]?.samples[0]?.machine?.busy;
  /** @type {ChartInput} */
  const input = {
    legs: shown,
    facts: theirFacts,
    step,
    intervals: shown.map((leg) => coarsen(leg.samples, step)),
    loop: theirFacts.every((f) => f.closed) ? 'closed loop' : 'open loop',
    // The very end, so that a short drain still lies inside.
    xMax: Math.ceil(theirFacts.reduce((most, f) => Math.max(most, f.endNs / 1e7), 100)) / 100,
    synRetryNs: run.environment?.tcp?.synRetryNs ?? [],
    cores: run.environment?.cores ?? busy?.length ?? 1,
  };
  const legs = shown.map((leg, i) => ({
    label: leg.label,
    color: leg.index,
    ramp: theirFacts[i].steadyFromNs / 1e9,
    steady: theirFacts[i].steadyToNs / 1e9,
    end: theirFacts[i].endNs / 1e9,
    complete: theirFacts[i].complete,
  }));
  if (shown.length === 0) return { legs, charts: [], step };
  const [percentiles, fairness, connect, recovery] = distributions(input);
  const [rejects, errors] = failures(input);
  return {
    legs,
    step,
    charts: [
      responseTime(input),
      connections(input),
      rejects,
      errors,
      kernelEvents(input),
      ...rampCharts(input),
      percentiles,
      fairness,
      ...throughputs(input),
      connect,
      recovery,
      roundTrips(input),
      ...usage(input),
    ],
  };
}
