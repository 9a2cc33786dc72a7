// Texts for the knee of a ramp: its place, its figures, and the rules that hold there.

import { count, duration, percent, rate } from './format.js';
import { joinNames } from './lists.js';
import { bounds, failuresOf, MIN_STAGES, presentOf, openByThroughputNs } from '../measure/knee.js';

/**
 * @import { LegSummary } from '../../config/types.js'
 * @import { Knee, Rule, Undetermined } from '../measure/knee.js'
 * @import { RampStep } from '../measure/ramp.js'
 */

/** @typedef {Omit<NonNullable<LegSummary['ramp']>, 'knee'> & { knee?: Knee | null }} Ramp */

/** @type {Record<string, string>} */
const FAILURES = {
  unanswered: 'unanswered',
  rejects: 'rejects',
  errors: 'errors',
  delayed: 'delayed connects (SYN sent again)',
  connecting: 'still connecting',
};

/** @param {RampStep} step @returns {string} the number that is divided by the throughput: connections, or transfers */
function sharers({ maxInFlight, requested }) {
  if (maxInFlight === undefined) return 'open';
  return maxInFlight > requested ? 'transfers in flight' : 'requested';
}

/** @param {Record<string, number>} failures @returns {string} such as "20 unanswered and 3 errors" */
function failuresText(failures) {
  const parts = Object.entries(failures).map(([name, n]) => `${count(n)} ${FAILURES[name]}`);
  return joinNames(parts);
}

/**
 * @param {RampStep} at @param {Ramp} ramp @param {Knee} knee
 * @returns {Record<Rule, string>}
 */
function reasonsAt(at, { steps }, knee) {
  const failures = knee.failures ?? presentOf(failuresOf([at]));
  const best = steps.find(({ step }) => step === knee.best.step);
  return {
    throughput: `throughput is below ${percent(bounds.throughput)} of the best so far (${rate(knee.best.perSecond)} at ${count(best?.requested)} connections)`,
    responseTime: `p99 exceeds ${bounds.responseTime} × ${sharers(at)} ÷ throughput (${duration(openByThroughputNs(at))})`,
    // Counts, not a share: a connection may be counted as delayed and, later, as unanswered.
    failures: `${failuresText(failures)} for ${count(at.requested)} requested connections, more than ${percent(bounds.failures)}`,
    slower: `p99 exceeds ${bounds.slower} × that of the first stage (${duration(steps[0].p99Ns)} in its first step)`,
  };
}

/**
 * @param {Ramp | undefined} ramp of a leg's summary
 * @returns {string | undefined} such as "knee at 500 connections"; undefined without a ramp of steps
 */
export function kneeText(ramp) {
  const last = ramp?.steps.at(-1);
  if (!ramp || !last) return undefined;
  if (ramp.undetermined) return 'knee not determined';
  if (!ramp.knee) return `no knee up to ${count(last.requested)} connections`;
  const already = ramp.knee.step === ramp.steps[0].step ? 'already ' : '';
  if (ramp.knee.from) return `knee between ${count(ramp.knee.from)} and ${count(ramp.knee.requested)} connections`;
  return `knee ${already}at ${count(ramp.knee.requested)} connections`;
}

/**
 * @param {Ramp | undefined} ramp
 * @returns {string | undefined} place of the knee, for a cell of a table; undefined without a ramp of steps
 */
export function kneeCell(ramp) {
  if (!ramp) return undefined;
  if (ramp.knee === null) return 'none';
  if (!ramp.knee) return ramp.undetermined ? 'not determined' : undefined;
  const { requested, from = requested } = ramp.knee;
  return from < requested ? `${count(from)} – ${count(requested)}` : count(requested);
}

/** @param {Undetermined} undetermined @returns {string} why there is no result, and what to do */
function undeterminedText({ code, data }) {
  if (code === 'short-steps') {
    return (
      `the ramp makes ${count(data.stages)} stages of at least ${data.seconds} s after their connections are open, and ${MIN_STAGES} are needed; give a longer ` +
      'ramp.every or a smaller ramp.add'
    );
  }
  const where = `${data.from < data.to ? `from ${count(data.from)} to` : 'at'} ${count(data.to)} connections`;
  if (code === 'background-load') {
    return `the server was slower ${where}, while other programs used more of the machine; repeat it on an idle machine`;
  }
  if (data.tolerance === undefined) return 'the seconds of the ramp scatter too much; give a longer ramp.every';
  return `the seconds of the ramp scatter too much (± ${percent(data.tolerance)}) to tell ${where}; give a longer ramp.every`;
}

/**
 * @param {Ramp | undefined} ramp
 * @returns {string | undefined} figures of the knee's step and the rules that hold there, or why the knee is not
 *   determined; undefined without a knee
 */
export function kneeReasons(ramp) {
  if (ramp?.undetermined) return undeterminedText(ramp.undetermined);
  const knee = ramp?.knee;
  const at = ramp?.steps.find(({ step }) => step === knee?.step);
  if (!ramp || !knee || !at) return undefined;
  const reasons = reasonsAt(at, ramp, knee);
  const p99 = at.p99Ns === undefined ? '' : `, p99 ${duration(at.p99Ns)}`;
  const tolerance = ramp.tolerance === undefined ? '' : ` ± ${percent(ramp.tolerance)}`;
  return `${rate(knee.perSecond ?? at.perSecond)}${tolerance}${p99}; ${knee.why.map((rule) => reasons[rule]).join('; ')}`;
}

/**
 * @param {Ramp | undefined} ramp
 * @returns {string | null} place and reasons in one line; null without a ramp of steps
 */
export function kneeLine(ramp) {
  const text = kneeText(ramp);
  const reasons = kneeReasons(ramp);
  return text === undefined ? null : [text, reasons].filter(Boolean).join(': ');
}
