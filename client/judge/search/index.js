// The search of a run (`find`), made again from the summaries of its legs: what was probed, what held, and the answer for
// each server. Pure.
// The one thing to know: the run asks here for its next leg, and summary.json has what this says at the end, so that
// nothing about a search is kept elsewhere.

import { conditionOf } from '../conditions/parse.js';
import { figureOf } from '../figures.js';
import { judgedText, judgeLegs, recordedValue } from '../conditions/judge.js';
import { isBackgroundLoad } from '../disturbances.js';
import { Bisection } from './bisection.js';
import { answerTexts, shortfallText } from '../../words/search.js';

/**
 * @typedef {import('../../../config/types.js').LegSummary} Leg
 * @typedef {'rate' | 'connections'} Axis
 * @typedef {Omit<NonNullable<import('../../../config/types.js').Plan['search']>, 'usualLegs' | 'mostLegs'>} Find  of the scenario
 * @typedef {import('../../../config/types.js').Search} SearchSummary
 * @typedef {SearchSummary['servers'][number]} Found
 * @typedef {Found['probes'][number]} Probe
 * @typedef {NonNullable<Probe['cause']>} Cause  why a probe did not hold
 * @typedef {NonNullable<Found['broken']>[number]} Broken  what did not hold at the value that failed
 * @typedef {import('../conditions/parse.js').Clause} Clause
 * @typedef {NonNullable<Found['cautions']>[number]} Caution
 */

/** Less than this share of the requested rate, or of the connections on which a request was sent, and a probe has not held. */
const LEAST_SHARE = { rate: 0.95, connections: 0.999 };
/** Of the connections to be tried: where requests were sent on fewer, the leg says nothing of that number. */
const LEAST_ASKED = 0.95;
/** Endings of a leg that say something of the server: it was overwhelmed. */
const OVERWHELMED = /** @type {const} */ (['no-transfers', 'target-lost']);

/** Endings of a leg that say nothing of the server: the search is not finished. */
const ENDED_EARLY = ['interrupted', 'cut'];

/**
 * What a search itself requires of a leg was not met.
 * @typedef {{ cause: Cause, of: number, value: number, clause?: Clause }} Shortfall  value: this rate, or this number of
 *   connections; of: that many; clause: the condition that it fails; absent where it decides nothing
 */

/** @param {string} name @param {number} least @param {string} unit @returns {Clause} */
const atLeast = (name, least, unit) => ({
  figure: /** @type {import('../figures.js').Figure} */ (figureOf(name)),
  operator: '>=',
  value: least,
  text: `${name} >= ${least}${unit}`,
});

/** @param {Leg} leg @param {number} asked @returns {Shortfall | null} */
function rateShortfall(leg, asked) {
  const clause = atLeast('rate', LEAST_SHARE.rate * asked, '/s');
  const value = clause.figure.of?.(leg);
  const isReached = typeof value !== 'number' || value >= LEAST_SHARE.rate * asked;
  return isReached ? null : { cause: 'rate-not-reached', of: asked, value, clause };
}

/**
 * A connection on which nothing was requested is not one that the server did not serve.
 * @param {Leg} leg @param {number} requested @returns {Shortfall | null}
 */
function connectionsShortfall(leg, requested) {
  const asked = requested - (leg.heldOnly ? 0 : (leg.account?.idle ?? 0));
  const clause = atLeast(leg.heldOnly ? 'open' : 'served', Math.ceil(LEAST_SHARE.connections * asked), '');
  const value = clause.figure.of?.(leg);
  if (typeof value === 'number' && value < LEAST_SHARE.connections * asked) {
    return { cause: 'not-served', of: asked, value, clause };
  }
  return asked < LEAST_ASKED * requested ? { cause: 'not-asked', of: requested, value: asked } : null;
}

/**
 * @param {Leg} leg @param {boolean} meets the condition @param {Shortfall | null} missed
 * @returns {{ held: boolean | null, cause?: Cause }} null: the leg says nothing of its value
 */
function outcomeOf(leg, meets, missed) {
  const overwhelmed = OVERWHELMED.find((code) => code === leg.endedBy);
  if (overwhelmed) return { held: false, cause: overwhelmed };
  if (!leg.complete) return { held: null, cause: 'not-judged' };
  if (!meets) return { held: false, cause: 'condition' };
  if (missed === null) return { held: true };
  return { held: missed.clause === undefined ? null : false, cause: missed.cause };
}

/** @param {Find} find @param {Leg} leg @returns {Probe} */
export function probeOf({ maximise, while: condition }, leg) {
  const { holds, clauses } = judgeLegs(conditionOf(condition), [leg]);
  const value = leg.settings?.[maximise];
  const missed = !leg.complete
    ? null
    : maximise === 'rate'
      ? rateShortfall(leg, value)
      : connectionsShortfall(leg, value);
  const own = missed?.clause && [{ clause: missed.clause, value: missed.value, holds: false, cause: missed.cause }];
  return {
    leg: leg.id,
    value,
    ...outcomeOf(leg, holds === true, missed),
    figures: [...clauses, ...(own ?? [])].map(({ clause, value: measured, holds: isMet, ...rest }) => ({
      figure: clause.figure.name,
      condition: clause.text,
      ...recordedValue(measured),
      held: isMet === true,
      ...rest,
    })),
    text: [...clauses.map(judgedText), ...(missed === null ? [] : [shortfallText(missed)])].join(', '),
  };
}

/** @param {Probe} probe that failed @returns {Omit<Broken, 'legs'>[]} what did not hold */
function brokenOf({ cause, figures }) {
  if (OVERWHELMED.some((code) => code === cause)) return [{ cause: /** @type {Cause} */ (cause) }];
  return figures
    .filter(({ held }) => !held)
    .map(({ condition, cause: own }) => (own === undefined ? { cause: 'condition', condition } : { cause: own }));
}

/** @param {Probe[]} probes of one server @param {number} value that failed @returns {Broken[]} what did not hold there, in how many legs */
function brokenAt(probes, value) {
  const failed = probes.filter((probe) => probe.value === value && probe.held === false);
  const all = failed.flatMap(brokenOf).map((one) => JSON.stringify(one));
  return [...new Set(all)].map((one) => ({ ...JSON.parse(one), legs: all.filter((other) => other === one).length }));
}

/**
 * @param {Find} find
 * @param {Leg[]} legs of one server, in the order in which they were run
 * @returns {{ bisection: Bisection, probes: Probe[] }} after them
 */
export function replay(find, legs) {
  const bisection = new Bisection(find);
  const probes = legs.map((leg) => probeOf(find, leg));
  for (const [i, { value, held }] of probes.entries()) {
    if (!ENDED_EARLY.includes(legs[i].endedBy)) bisection.record(value, held);
  }
  return { bisection, probes };
}

/** @param {Leg[]} legs of one server @returns {Caution[]} why their outcomes may not be the server's */
function cautionsOf(legs) {
  /** @type {[Caution['code'], (leg: Leg) => boolean][]} */
  const kinds = [
    ['background-load', ({ warnings = [] }) => warnings.some(isBackgroundLoad)],
    [
      'arrivals-distorted',
      ({ findings = [] }) => findings.some((/** @type {{ code: string }} */ { code }) => code === 'arrivals-distorted'),
    ],
  ];
  return kinds.map(([code, is]) => ({ code, legs: legs.filter(is).length })).filter((one) => one.legs > 0);
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
    const cautions = cautionsOf(own);
    const found = {
      label,
      ...answer,
      ...(answer.failed === undefined ? {} : { broken: brokenAt(probes, answer.failed.value) }),
      ...(beyond === undefined ? {} : { limitedBy: beyond }),
      ...(cautions.length === 0 ? {} : { cautions }),
      probes,
    };
    return { ...found, ...answerTexts(find, found) };
  });
  return { maximise: find.maximise, while: find.while, tolerance: find.tolerance, confirm: find.confirm, servers };
}

/** @param {SearchSummary} search @returns {boolean} whether there is an answer for each server */
export const isAnswered = ({ servers }) => servers.length > 0 && servers.every(({ decided }) => decided);
