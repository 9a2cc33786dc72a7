/** The knee of a ramp in words: where it was, its figures, and which rules hold there. Pure. */
import { count, duration, percent, rate } from './units.js';

/** @typedef {import('../types.js').Facts} Facts */

/**
 * The bounds of the client's rules, for their words: of the best step's throughput, of open / throughput, of those
 * requested, of the first step's p99.
 */
export const BOUNDS = Object.freeze({ throughput: 0.9, responseTime: 3, failures: 0.001, slower: 5 });

/** @param {Facts} facts @returns {string | undefined} in a few words; undefined without a ramp of steps */
export function kneeWords({ ramp }) {
  if (!ramp) return undefined;
  const last = ramp.steps[ramp.steps.length - 1];
  if (ramp.knee === undefined) return 'knee not known without a summary';
  if (!ramp.knee) return `no knee up to ${count(last.requested)} connections`;
  const already = ramp.knee.step === ramp.steps[0].step ? 'already ' : '';
  return `knee ${already}at ${count(ramp.knee.requested)} connections`;
}

/**
 * @param {Facts} facts
 * @returns {string | undefined} the step's figures and why it is the knee; undefined where there is none
 */
export function kneeReasons({ ramp }) {
  const at = ramp?.steps.find(({ step }) => step === ramp.knee?.step);
  if (!ramp?.knee || !at) return undefined;
  const best = ramp.steps.find(({ step }) => step === ramp.knee?.best.step);
  const unanswered = Math.max(0, at.unanswered - (at.openedLastSecond ?? 0));
  const failed = unanswered + at.rejects + at.errors;
  /** @type {Record<string, string>} */
  const words = {
    throughput: `throughput is below ${percent(BOUNDS.throughput)} of the best step's (${rate(ramp.knee.best.perSecond)} at ${count(best?.requested)})`,
    responseTime: `p99 is over ${BOUNDS.responseTime} × ${at.maxInFlight === undefined ? 'open' : at.maxInFlight > at.requested ? 'transfers under way' : 'requested'} ÷ throughput (${duration(at.perSecond > 0 ? ((at.maxInFlight ?? at.open) / at.perSecond) * 1e9 : NaN)})`,
    failures: `${count(unanswered)} unanswered, ${count(at.rejects)} rejects and ${count(at.errors)} errors are ${percent(failed / at.requested)} of those requested, over ${percent(BOUNDS.failures)}`,
    slower: `p99 is over ${BOUNDS.slower} × that of the first step (${duration(ramp.steps[0].p99Ns)})`,
  };
  const figures = `${rate(at.perSecond)}${at.p99Ns === undefined ? '' : `, p99 ${duration(at.p99Ns)}`}`;
  return `${figures}; ${ramp.knee.why.map((rule) => words[rule] ?? rule).join('; ')}`;
}
