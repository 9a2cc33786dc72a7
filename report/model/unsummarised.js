/**
 * What summary.json would say of a leg that left none, summed from its samples: ramp steps, connects by retransmission,
 * TCP_INFO. Where the knee is, is the client's rule alone: it is not worked out again here. Pure.
 */
import { merge, valueAt } from './histogram.js';

/** @typedef {import('../types.js').Sample} Sample */

/** Fewer do not make a ramp. */
const FEWEST_STEPS = 3;

/** @param {Record<string, number>} causes @returns {number} */
const totalOf = (causes) => Object.values(causes).reduce((sum, n) => sum + n, 0);

/**
 * A sample belongs to the step in which it ends. Rates leave a step's first sample out when there are more: in it the
 * connects happen.
 * @param {Sample[]} samples
 * @param {any} planned the leg of plan.json
 * @returns {import('../types.js').Ramp | undefined} without a knee; undefined without a ramp of steps
 */
export function rampOf(samples, planned) {
  /** @type {Array<{ atNs: number, slots: number, line: boolean }>} */
  const schedule = planned?.schedule ?? [];
  if (schedule.some(({ line }) => line)) return undefined;
  /** @type {import('../types.js').RampStep[]} */
  const steps = [];
  const timedOnes = samples.filter((one) => one.phase !== 'drain' && one.toNs > one.fromNs);
  let fromNs = 0;
  schedule.forEach(({ slots }, i) => {
    const toNs = schedule[i + 1]?.atNs ?? planned.rampToNs ?? planned.steadyFromNs;
    const own = timedOnes.filter((one) => one.toNs > fromNs && one.toNs <= toNs);
    const last = own[own.length - 1];
    // Steps in which no sample ends fall together with the next one; one that was cut short is none.
    if (!last || (samples.at(-1)?.toNs ?? 0) < toNs) return;
    const timed = own.length > 1 ? own.slice(1) : own;
    const seconds = timed.reduce((sum, one) => sum + (one.toNs - one.fromNs) / 1e9, 0);
    const times = merge(timed.map((one) => one.histograms?.responseTime));
    steps.push({
      step: i + 1,
      fromNs,
      toNs,
      requested: slots,
      open: last.gauges.open,
      unanswered: last.gauges.unanswered,
      rejects: own.reduce((sum, one) => sum + totalOf(one.rejects), 0),
      errors: own.reduce((sum, one) => sum + totalOf(one.errors), 0),
      perSecond: timed.reduce((sum, one) => sum + one.counters.transfers, 0) / seconds,
      ...(times ? { p50Ns: valueAt(times, 0.5), p99Ns: valueAt(times, 0.99) } : {}),
    });
    fromNs = toNs;
  });
  return steps.length < FEWEST_STEPS ? undefined : { steps };
}

/**
 * @param {Sample[]} samples @param {number[] | undefined} synRetryNs of environment.json
 * @returns {Array<{ retry: number, atNs: number, connections: number }> | undefined} undefined when none had to wait
 */
export function connectStepsOf(samples, synRetryNs = []) {
  const merged = merge(samples.map((sample) => sample.histograms?.connectTime));
  if (!merged || !synRetryNs.length || merged.max < synRetryNs[0]) return undefined;
  const steps = synRetryNs.map((atNs, i) => {
    const until = synRetryNs[i + 1] ?? Infinity;
    const within = merged.buckets.filter(([value]) => value >= atNs && value < until);
    return { retry: i + 1, atNs, connections: within.reduce((sum, [, n]) => sum + n, 0) };
  });
  const last = steps.findLastIndex(({ connections }) => connections > 0);
  return last < 0 ? undefined : steps.slice(0, last + 1);
}

/** @param {Sample[]} samples @returns {{ sampled: number, retransmitted: number } | undefined} readings of TCP_INFO */
export function tcpOf(samples) {
  const known = samples.flatMap(({ tcp }) => (tcp ? [tcp] : []));
  if (known.length === 0) return undefined;
  const sum = (/** @type {'sampled' | 'retransmitted'} */ name) => known.reduce((all, one) => all + one[name], 0);
  return { sampled: sum('sampled'), retransmitted: sum('retransmitted') };
}
