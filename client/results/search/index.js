// The search of a run (`find`), made again from the summaries of its legs: what was probed, what held, and the answer for
// each server. Pure.
// The one thing to know: the run asks here for its next leg, and summary.json has what this says at the end, so that
// nothing about a search is kept elsewhere.

import { conditionOf } from '../conditions/parse.js';
import { figureOf } from '../conditions/figures.js';
import { judgedText, judgeLegs } from '../conditions/judge.js';
import { Bisection } from './bisection.js';
import { answerText } from './phrases.js';

/**
 * @typedef {Record<string, any>} Leg  a leg of summary.json
 * @typedef {'rate' | 'connections'} Axis
 * @typedef {{ maximise: Axis, while: string, from: number, to: number, tolerance: number }} Find  of the scenario
 * @typedef {'condition' | 'rate-not-reached' | 'not-served' | 'not-judged'} Cause  why a probe did not hold
 * @typedef {{ leg: string, value: number, held: boolean | null, cause?: Cause, p99Ns?: number, text: string }} Probe  p99Ns: of
 *   the response times; absent where it reads "> max", or none was measured
 * @typedef {import('./bisection.js').Answer & { label: string, limitedBy?: string, probes: Probe[], text: string }} Found
 *   limitedBy: what limited the smallest value that failed
 * @typedef {{ maximise: Axis, while: string, tolerance: number, servers: Found[] }} SearchSummary
 */

/** Less than this share of the requested rate, or of the requested connections, and a probe has not held. */
const LEAST_SHARE = { rate: 0.95, connections: 0.999 };
/** Endings of a leg that say something of the server: it was overwhelmed. */
const OVERWHELMED = ['no-transfers', 'target-lost'];

/** @param {Find} find @param {Leg} leg that ended as planned @returns {Cause | null} why the value was not reached */
function shortfall({ maximise }, leg) {
  const asked = leg.settings?.[maximise];
  if (maximise === 'rate') {
    const rate = figureOf('rate')?.of(leg);
    return typeof rate === 'number' && rate < LEAST_SHARE.rate * asked ? 'rate-not-reached' : null;
  }
  const served = figureOf(leg.heldOnly ? 'open' : 'served')?.of(leg);
  return typeof served === 'number' && served < LEAST_SHARE.connections * asked ? 'not-served' : null;
}

/** @param {Find} find @param {Leg} leg @returns {Probe} */
export function probeOf(find, leg) {
  const { holds, clauses } = judgeLegs(conditionOf(find.while), [leg]);
  const isOverwhelmed = OVERWHELMED.includes(leg.endedBy);
  const missed = leg.complete ? shortfall(find, leg) : null;
  const held = isOverwhelmed ? false : leg.complete ? holds === true && missed === null : null;
  /** @type {Cause | null} */
  const cause = held === true ? null : held === null ? 'not-judged' : holds === true ? missed : 'condition';
  const p99 = figureOf('p99')?.of(leg);
  return {
    leg: leg.id,
    value: leg.settings?.[find.maximise],
    held,
    ...(cause === null ? {} : { cause }),
    ...(typeof p99 === 'number' ? { p99Ns: p99 } : {}),
    text: clauses.map(judgedText).join(', '),
  };
}

/**
 * @param {Find} find
 * @param {Leg[]} legs of one server, in the order in which they were run
 * @returns {{ bisection: Bisection, probes: Probe[] }} after them
 */
export function replay(find, legs) {
  const bisection = new Bisection(find);
  const probes = legs.map((leg) => probeOf(find, leg));
  for (const { value, held } of probes) bisection.record(value, held);
  return { bisection, probes };
}

/**
 * @param {Find} find
 * @param {Leg[]} legs of summary.json
 * @returns {SearchSummary}
 */
export function searchOf(find, legs) {
  const labels = [...new Set(legs.map(({ series, label }) => series ?? label))];
  const servers = labels.map((label) => {
    const own = legs.filter((leg) => (leg.series ?? leg.label) === label);
    const { bisection, probes } = replay(find, own);
    const answer = bisection.answer();
    const beyond = own.findLast((leg) => leg.settings?.[find.maximise] === answer.failed?.value)?.limitedBy;
    const found = { label, ...answer, ...(beyond === undefined ? {} : { limitedBy: beyond }), probes };
    return { ...found, text: answerText(find, found) };
  });
  return { maximise: find.maximise, while: find.while, tolerance: find.tolerance, servers };
}
