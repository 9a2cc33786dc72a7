// The knee of a ramp in words: where it is, its figures, and the rules that hold there. Pure.

import { count, duration, percent, rate } from '../format.js';
import { bounds, failuresOf, leftUnanswered, openByThroughputNs } from '../knee.js';

/** @typedef {import('../ramp.js').RampStep} RampStep */
/** @typedef {import('../knee.js').Knee} Knee */
/** @typedef {{ steps: RampStep[], knee: Knee | null }} Ramp */

/** @param {RampStep} step @returns {string} what shares the throughput of a step */
function sharers({ maxInFlight, requested }) {
  if (maxInFlight === undefined) return 'open';
  return maxInFlight > requested ? 'transfers in flight' : 'requested';
}

/** @param {RampStep} step @returns {string} such as "20 unanswered and 3 errors" */
function failuresText(step) {
  const parts = [
    [leftUnanswered(step), 'unanswered'],
    [step.rejects, 'rejects'],
    [step.errors, 'errors'],
  ].flatMap(([n, name]) => (Number(n) > 0 ? [`${count(Number(n))} ${name}`] : []));
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}

/**
 * @param {RampStep} at @param {Ramp} ramp @param {Knee} knee
 * @returns {Record<import('../knee.js').Rule, string>}
 */
function reasonsAt(at, { steps }, knee) {
  const best = steps.find(({ step }) => step === knee.best.step);
  return {
    throughput: `throughput is below ${percent(bounds.throughput)} of the best so far (${rate(knee.best.perSecond)} at ${count(best?.requested)})`,
    responseTime: `p99 exceeds ${bounds.responseTime} × ${sharers(at)} ÷ throughput (${duration(openByThroughputNs(at))})`,
    failures: `${failuresText(at)} are ${percent(failuresOf(at) / at.requested, 2)} of the requested connections, more than ${percent(bounds.failures)}`,
    slower: `p99 exceeds ${bounds.slower} × that of the first step (${duration(steps[0].p99Ns)})`,
  };
}

/**
 * @param {Ramp | undefined} ramp of a leg's summary
 * @returns {string | undefined} where the knee is; undefined without a ramp of steps
 */
export function kneeText(ramp) {
  const last = ramp?.steps.at(-1);
  if (!ramp || !last) return undefined;
  if (!ramp.knee) return `no knee up to ${count(last.requested)} connections`;
  const already = ramp.knee.step === ramp.steps[0].step ? 'already ' : '';
  return `knee ${already}at ${count(ramp.knee.requested)} connections`;
}

/**
 * @param {Ramp | undefined} ramp
 * @returns {string | undefined} the figures of the knee's step, and the rules that hold there; undefined without a knee
 */
export function kneeReasons(ramp) {
  const knee = ramp?.knee;
  const at = ramp?.steps.find(({ step }) => step === knee?.step);
  if (!ramp || !knee || !at) return undefined;
  const reasons = reasonsAt(at, ramp, knee);
  const p99 = at.p99Ns === undefined ? '' : `, p99 ${duration(at.p99Ns)}`;
  return `${rate(at.perSecond)}${p99}; ${knee.why.map((rule) => reasons[rule]).join('; ')}`;
}

/** @param {Ramp | undefined} ramp @returns {string | null} both in one line; null without a ramp of steps */
export function kneeLine(ramp) {
  const text = kneeText(ramp);
  const reasons = kneeReasons(ramp);
  return text === undefined ? null : [text, reasons].filter(Boolean).join(': ');
}
