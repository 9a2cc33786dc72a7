/**
 * In a closed loop every connection waits for its own answer, so response time is always about connections (times the
 * transfers each has under way) / throughput, whatever they wait for. The quotient is printed beside p50; that this is
 * queueing is said only where the server, or the machine with the server's help, was really at its limit.
 */
import { isBackgroundLoad } from '../../client/results/background-load.js';
import { count, duration, percent, rate } from '../../client/results/format.js';

/** The two agree when they differ by less than this part. */
const AGREEMENT = 0.15;
/** Of a core: a server that uses less is not what its connections queue for. */
const BUSY = 0.75;

/**
 * @param {import('../types.js').LegResults} results
 * @returns {string | null} why agreement is not queueing; null: it is
 */
function otherReason({ work, limitedBy, warnings, processCpu }) {
  if (work) return `every transfer waits for the server’s work (${work})`;
  if (limitedBy === 'client') return 'the client was the limit';
  if (limitedBy !== 'server' && limitedBy !== 'machine') return 'no side was at its limit';
  if (limitedBy === 'machine' && (warnings ?? []).some(isBackgroundLoad)) {
    return 'other programs used part of the machine';
  }
  const cores = processCpu?.reduce((sum, share) => sum + share, 0);
  if (cores === undefined) return 'what the server used is not known';
  return cores < BUSY ? `the server used ${percent(cores)} of a core` : null;
}

/**
 * @param {import('../types.js').LegResults} results
 * @param {import('../types.js').Sample[]} samples those the results' percentiles cover
 * @returns {import('../types.js').Saturation | null} null where the quotient says nothing: open loop, pauses, hold, no
 *   answers
 */
export function saturationOf(results, samples) {
  const p50Ns = results.response?.p50;
  if (!results.closed || results.pauseNs > 0 || ['hold', 'once', 'reconnect'].includes(results.workload)) return null;
  if (!p50Ns || !results.perSecond || !samples.length) return null;
  const mean = (/** @type {string} */ name) =>
    samples.reduce((sum, sample) => sum + (sample.gauges[name] ?? 0), 0) / samples.length;
  const open = mean('open');
  const answered = open - mean('unanswered');
  const each = 1e9 * (results.pipeline ?? 1);
  // A leg that was over before it was first looked at.
  if (open === 0) return null;
  const quotientNs = (open / results.perSecond) * each;
  const answeredNs = answered < open * 0.99 ? (answered / results.perSecond) * each : undefined;
  const agrees = (/** @type {number | undefined} */ ns) =>
    ns !== undefined && Math.abs(ns - p50Ns) <= AGREEMENT * p50Ns;
  const of = !agrees(quotientNs) && agrees(answeredNs) ? 'answered' : 'open';
  const agree = agrees(quotientNs) || agrees(answeredNs);
  const other = otherReason(results);
  const saturated = agree && other === null;
  const steady = samples.every((sample) => Math.abs(sample.gauges.open - open) <= 0.02 * open);
  const times = results.pipeline > 1 ? ` × ${count(results.pipeline)} at once` : '';
  const quotient =
    of === 'answered'
      ? `${count(answered)} answered${times} ÷ ${rate(results.perSecond)} = ${duration(answeredNs)}`
      : `${count(open)} open${steady ? '' : ' on average'}${times} ÷ ${rate(results.perSecond)} = ${duration(quotientNs)}`;
  const close = saturated
    ? '; saturated: this is queueing'
    : agree
      ? `; they agree, as in any closed loop: ${other}`
      : '';
  return { quotientNs, answeredNs, p50Ns, saturated, of, text: `${quotient}, beside p50 ${duration(p50Ns)}${close}` };
}
