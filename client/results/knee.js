// The knee of a ramp: the first step from which on every step meets at least one rule, not necessarily the same one. Pure.
// The one thing to know: a step is compared with the steps before it, never with later ones, so that a ramp whose
// throughput still rises has no knee by throughput.

/** @typedef {import('./ramp.js').RampStep} RampStep */
/** @typedef {'throughput' | 'responseTime' | 'failures' | 'slower'} Rule */
/** @typedef {{ step: number, requested: number, why: Rule[], best: { step: number, perSecond: number } }} Knee */

/** Factors of: the best throughput so far; open / throughput; the requested connections; the first step's p99. */
export const bounds = Object.freeze({ throughput: 0.9, responseTime: 3, failures: 0.001, slower: 5 });

/** Connections that had the time for an answer, and had none. @param {RampStep} step @returns {number} */
export function leftUnanswered({ unanswered, openedLastSecond = 0 }) {
  return Math.max(0, unanswered - openedLastSecond);
}

/** What did not become of a step's connections as requested. @param {RampStep} step @returns {number} */
export function failuresOf(step) {
  return leftUnanswered(step) + step.rejects + step.errors;
}

/**
 * The mean response time in closed loop; in workload reconnect, whose connections are open for a moment only, that of a
 * whole turn; with a pipeline all the transfers of a connection in flight count.
 * @param {RampStep} step
 * @returns {number} Infinity: nothing was answered
 */
export function openByThroughputNs({ open, maxInFlight = open, perSecond }) {
  return perSecond > 0 ? (maxInFlight * 1e9) / perSecond : Infinity;
}

/**
 * @param {RampStep} step @param {RampStep} first @param {RampStep} best up to this step
 * @param {boolean} paced with pause or heartbeat
 * @returns {Rule[]} those that hold at this step
 */
function rulesAt(step, first, best, paced) {
  /** @type {Rule[]} */
  const why = [];
  if (step.perSecond / best.perSecond < bounds.throughput) why.push('throughput');
  if (step.p99Ns !== undefined && step.p99Ns > bounds.responseTime * openByThroughputNs(step)) why.push('responseTime');
  if (failuresOf(step) / step.requested > bounds.failures) why.push('failures');
  if (paced && step.p99Ns !== undefined && first.p99Ns !== undefined && step.p99Ns > bounds.slower * first.p99Ns) {
    why.push('slower');
  }
  return why;
}

/**
 * @param {RampStep[]} steps at least one
 * @param {boolean} paced whether the workload has a pause or a heartbeat: then the offered load does not fall when
 *   response times rise, and these are held against the first step's too
 * @returns {Knee | null}
 */
export function findKnee(steps, paced) {
  let best = steps[0];
  const bestSoFar = steps.map((step) => (best = step.perSecond > best.perSecond ? step : best));
  const why = steps.map((step, i) => rulesAt(step, steps[0], bestSoFar[i], paced));
  const from = why.findLastIndex((rules) => rules.length === 0) + 1;
  if (from === steps.length) return null;
  const { step, requested } = steps[from];
  const { step: bestStep, perSecond } = bestSoFar[from];
  return { step, requested, why: why[from], best: { step: bestStep, perSecond } };
}
