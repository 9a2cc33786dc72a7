/**
 * Which samples of a leg the figures are of: where its phases lie, and the span of response times and rates. Pure.
 */

/** @param {import('../types.js').Sample[]} samples @param {'counters' | 'rejects' | 'errors' | 'statuses'} group */
export function sums(samples, group) {
  /** @type {Record<string, number>} */
  const totals = {};
  for (const sample of samples) {
    for (const [name, value] of Object.entries(sample[group] ?? {})) {
      if (typeof value === 'number') totals[name] = (totals[name] ?? 0) + value;
    }
  }
  return totals;
}

/**
 * Of the requests that a rate asked for, in the span of response times: those that were due in it or waited when it
 * began, and what the drain books of a worker that was lost.
 * @param {import('../types.js').Sample[]} samples of the leg @param {import('../types.js').Sample[]} scoped
 * @param {any} inSteady of the summary
 * @returns {{ due?: number, late?: number, unsent?: number }} nothing in closed loop
 */
export function scheduledOf(samples, scoped, inSteady) {
  if (inSteady?.due) return { due: inSteady.due, late: inSteady.late, unsent: inSteady.unsent };
  const { due, late, unsent } = sums(scoped, 'counters');
  if (!due) return {};
  const before = samples[samples.indexOf(scoped[0]) - 1]?.gauges.waiting ?? 0;
  const drain = samples.filter((sample) => sample.phase === 'drain' && !scoped.includes(sample));
  const drained = sums(drain, 'counters');
  return { due: due + (drained.due ?? 0) + before, late, unsent: unsent + (drained.unsent ?? 0) };
}

/**
 * @param {any} planned
 * @param {import('../types.js').Sample[]} samples
 * @returns {{warmupFromNs?: number, steadyFromNs: number, steadyToNs: number, endNs: number}}
 */
export function phasesOf(planned, samples) {
  const steady = samples.filter((sample) => sample.phase === 'steady');
  const endNs = samples.at(-1)?.toNs ?? 0;
  const warmup = samples.find((sample) => sample.phase === 'warmup');
  // Without a steady state ramp or warm-up end where the drain begins, if it was cut, or with the leg.
  const rampEndNs = samples.findLast(({ phase }) => phase === 'ramp' || phase === 'warmup')?.toNs ?? endNs;
  const steadyFromNs = steady[0]?.fromNs ?? Math.min(planned?.steadyFromNs ?? rampEndNs, rampEndNs);
  const steadyToNs = steady.at(-1)?.toNs ?? steadyFromNs;
  return { ...(warmup ? { warmupFromNs: warmup.fromNs } : {}), steadyFromNs, steadyToNs, endNs };
}

/**
 * @param {import('../types.js').Sample[]} samples of a leg
 * @param {string} workload
 * @returns {import('../types.js').Sample[]} those that response times cover: the steady state, or the warm-up or ramp of
 *   a leg that ended in it; once has no steady state of its own: each connection's only transfer counts whenever it ran
 */
export function scopedOf(samples, workload) {
  if (workload === 'once') return samples;
  for (const phase of ['steady', 'warmup', 'ramp']) {
    const scoped = samples.filter((sample) => sample.phase === phase);
    if (scoped.length) return scoped;
  }
  return samples;
}

/**
 * Those whose response times count: with the steady state the drain, in which what was in flight is answered.
 * @param {import('../types.js').Sample[]} samples of a leg
 * @param {string} workload
 */
export function timedOf(samples, workload) {
  const scoped = scopedOf(samples, workload);
  if (scoped[0]?.phase !== 'steady') return scoped;
  return [...scoped, ...samples.filter((sample) => sample.phase === 'drain')];
}

/**
 * @param {'steady' | 'all'} scope @param {string} workload @param {import('../types.js').Sample[]} scoped
 * @returns {import('../types.js').Facts['covers']}
 */
export function coverOf(scope, workload, scoped) {
  if (scope === 'steady') return 'steady state';
  if (workload === 'once') return 'whole leg';
  return scoped[0]?.phase === 'warmup' ? 'warm-up' : 'ramp';
}
