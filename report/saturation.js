/**
 * In a closed loop every connection waits for its own answer, so response time is connections (times the transfers each
 * has under way) / throughput once a side is at its limit. The quotient is printed beside p50; where they agree the
 * figure shows queueing, not slowness.
 */
import { count, duration, rate } from './units.js';

/** The two agree when they differ by less than this part. */
const AGREEMENT = 0.15;

/**
 * @param {import('./types.js').Facts} facts
 * @param {import('./types.js').Sample[]} samples those the facts' percentiles cover
 * @returns {import('./types.js').Saturation | null} null where the quotient says nothing: open loop, pauses, hold, no
 *   answers
 */
export function saturationOf(facts, samples) {
  const p50Ns = facts.response?.p50;
  if (!facts.closed || facts.pauseNs > 0 || ['hold', 'once', 'reconnect'].includes(facts.workload)) return null;
  if (!p50Ns || !facts.perSecond || !samples.length) return null;
  const mean = (/** @type {string} */ name) =>
    samples.reduce((sum, sample) => sum + (sample.gauges[name] ?? 0), 0) / samples.length;
  const open = mean('open');
  const answered = open - mean('unanswered');
  const each = 1e9 * (facts.pipeline ?? 1);
  const quotientNs = (open / facts.perSecond) * each;
  const answeredNs = answered < open * 0.99 ? (answered / facts.perSecond) * each : undefined;
  const agrees = (/** @type {number | undefined} */ ns) =>
    ns !== undefined && Math.abs(ns - p50Ns) <= AGREEMENT * p50Ns;
  const of = !agrees(quotientNs) && agrees(answeredNs) ? 'answered' : 'open';
  const agree = agrees(quotientNs) || agrees(answeredNs);
  const saturated = agree && facts.limitedBy !== 'none';
  const steady = samples.every((sample) => Math.abs(sample.gauges.open - open) <= 0.02 * open);
  const times = facts.pipeline > 1 ? ` × ${count(facts.pipeline)} at once` : '';
  const quotient =
    of === 'answered'
      ? `${count(answered)} answered${times} ÷ ${rate(facts.perSecond)} = ${duration(answeredNs)}`
      : `${count(open)} open${steady ? '' : ' on average'}${times} ÷ ${rate(facts.perSecond)} = ${duration(quotientNs)}`;
  const close = saturated
    ? '; saturated: this is queueing'
    : agree
      ? '; they agree, yet no side was at its limit'
      : '';
  return { quotientNs, answeredNs, p50Ns, saturated, of, text: `${quotient}, beside p50 ${duration(p50Ns)}${close}` };
}
