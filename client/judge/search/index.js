// The search of a run (`find`), made again from the summaries of its legs: what was probed, what held, and the answer
// for each server and goal. Pure. The run asks here for its next leg, and summary.json has what this says at the end,
// so that nothing about a search is kept elsewhere. Each leg tells something of every goal.

import { conditionOf } from '../conditions/parse.js';
import { figureOf } from '../figures.js';
import { judgedText, judgeLeg, recordedValue } from '../conditions/judge.js';
import { isBackgroundLoad } from '../disturbances.js';
import { Bisection, firstValue, rounded } from './bisection.js';
import { answerTexts, shortfallText } from '../../words/search.js';

/**
 * @import { LegSummary, Search } from '../../../config/types.js'
 * @import { Plan } from '../../measure/settings.js'
 * @import { Clause } from '../conditions/parse.js'
 * @import { Figure } from '../figures.js'
 * @import { Bounds } from './bisection.js'
 */

/**
 * @typedef {LegSummary} Leg
 * @typedef {'rate' | 'connections'} Axis
 * @typedef {Omit<NonNullable<Plan['search']>, 'usualLegs' | 'mostLegs'>} Find  of the scenario
 * @typedef {Search} SearchSummary
 * @typedef {SearchSummary['answers'][number]} Found
 * @typedef {NonNullable<SearchSummary['saturated']>[number]} Saturated
 * @typedef {Found['probes'][number]} Probe
 * @typedef {NonNullable<Probe['cause']>} Cause  why a probe did not hold
 * @typedef {NonNullable<Found['broken']>[number]} Broken  what did not hold at the value that failed
 * @typedef {NonNullable<Found['cautions']>[number]} Caution
 */

/**
 * Less than this share of the requested rate, or of the connections on which a request was sent, and a probe has not
 * held.
 */
const LEAST_SHARE = { rate: 0.95, connections: 0.999 };
/** Of the connections to be tried: where requests were sent on fewer, the leg says nothing of that number. */
const LEAST_ASKED = 0.95;
/** Groups of figures whose times are of requests. */
const REQUEST_TIMES = ['response time', 'service time'];
/** Requests above a percentile: with fewer, a few slow ones decide it. */
const LEAST_ABOVE = 10;
/** A leg at a low rate lasts longer than the scenario says, for as many requests, but no longer than this. */
export const LONGEST_NS = 30e9;
/** Endings of a leg that say something of the server: it was overwhelmed. */
const OVERWHELMED = /** @type {const} */ (['no-transfers', 'target-lost']);

/**
 * Greatest value by which the number of legs is estimated before a leg has shown the real one. It needs six doublings,
 * which is more than any other value needs.
 */
const UNKNOWN_MOST = 32_100;
/** Endings of a leg that say nothing of the server: the search is not finished. */
const ENDED_EARLY = ['interrupted', 'cut'];

/**
 * @param {string[]} goals conditions
 * @returns {number} requests that a leg needs for the percentiles of response times in them: 1,000 for a p99
 */
export function requestsFor(goals) {
  const percents = goals.flatMap((goal) =>
    conditionOf(goal).clauses.flatMap(({ figure: { name, group } }) => {
      const [, percent] = /\bp(\d+(?:\.\d+)?)$/.exec(name) ?? [];
      return percent !== undefined && REQUEST_TIMES.includes(group) ? [Number(percent)] : [];
    }),
  );
  return Math.max(0, ...percents.map((percent) => Math.round((LEAST_ABOVE * 100) / (100 - percent))));
}

/**
 * What a search itself requires of a leg was not met.
 * @typedef {{ cause: Cause, of: number, value: number, clause?: Clause }} Shortfall  value: this rate, or this number
 *   of connections; of: that many; clause: the condition that it fails; absent where it decides nothing
 */

/** @param {string} name @param {number} least @param {string} unit @returns {Clause} */
const atLeast = (name, least, unit) => ({
  figure: /** @type {Figure} */ (figureOf(name)),
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

/** @param {Axis} maximise @param {string} goal a condition @param {Leg} leg @returns {Probe} */
function probeOf(maximise, goal, leg) {
  const { holds, clauses } = judgeLeg(conditionOf(goal), leg);
  const value = Number(leg.tried);
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

/** @param {Find} find @param {Leg} leg @returns {Probe[]} one for each goal; none of a leg in closed loop */
export const probesOf = ({ maximise, goals }, leg) =>
  leg.tried === undefined ? [] : goals.map((goal) => probeOf(maximise, goal, leg));

/** @param {Probe} probe that failed @returns {Omit<Broken, 'legs'>[]} what did not hold */
function brokenOf({ cause, figures }) {
  if (OVERWHELMED.some((code) => code === cause)) return [{ cause: /** @type {Cause} */ (cause) }];
  return figures
    .filter(({ held }) => !held)
    .map(({ condition, cause: own }) => (own === undefined ? { cause: 'condition', condition } : { cause: own }));
}

/**
 * @param {Probe[]} probes of one server
 * @param {number} value that failed
 * @returns {Broken[]} what did not hold there, in how many legs
 */
function brokenAt(probes, value) {
  const failed = probes.filter((probe) => probe.value === value && probe.held === false);
  const all = failed.flatMap(brokenOf).map((one) => JSON.stringify(one));
  return [...new Set(all)].map((one) => ({ ...JSON.parse(one), legs: all.filter((other) => other === one).length }));
}

/**
 * @param {Find} find @param {number | null} [to] the greatest value; null: not known yet
 * @returns {Bounds}
 */
export function boundsUpTo({ goals, tolerance, confirm, ...find }, to = find.to) {
  const most = to ?? UNKNOWN_MOST;
  const from = firstValue(most);
  return { from, to: most, ...(find.to === null ? { least: from } : {}), tolerance, confirm, goals: goals.length };
}

/**
 * The leg in closed loop with which a search without a greatest value begins.
 * @param {Find} find @param {Leg[]} legs of one server
 * @returns {Leg | undefined}
 */
const saturatedLeg = ({ to }, legs) => (to === null ? legs.find(({ tried }) => tried === undefined) : undefined);

/**
 * @param {Leg | undefined} leg
 * @returns {number | undefined} its throughput; undefined: it says nothing of the server
 */
const throughputOf = (leg) => (leg?.complete && leg.steady?.transfers ? leg.steady.perSecond : undefined);

/**
 * @param {Find} find
 * @param {Leg[]} legs of one server, in the order in which they were run
 * @returns {{ bisection: Bisection, probes: Probe[] }[]} of each goal, after them
 */
function replay(find, legs) {
  const saturated = saturatedLeg(find, legs);
  const capacity = throughputOf(saturated);
  const bounds = boundsUpTo(find, capacity === undefined ? find.to : rounded(capacity));
  const isUnknown = saturated !== undefined && capacity === undefined && !ENDED_EARLY.includes(saturated.endedBy);
  const trials = legs.filter((leg) => leg !== saturated);
  return find.goals.map((goal) => {
    const bisection = new Bisection(bounds);
    if (isUnknown) bisection.record(bounds.to, null);
    const probes = trials.map((leg) => probeOf(find.maximise, goal, leg));
    for (const [i, { value, held }] of probes.entries()) {
      if (!ENDED_EARLY.includes(trials[i].endedBy)) bisection.record(value, held);
    }
    return { bisection, probes };
  });
}

/**
 * The goal whose interval is the widest is searched for first, so that a search that is interrupted knows something of
 * each.
 * @param {Find} find
 * @param {Leg[]} legs of one server, in the order in which they were run
 * @returns {number | null} the value to measure next; null: every goal has its answer
 */
export function nextValue(find, legs) {
  const open = replay(find, legs)
    .map(({ bisection }) => ({ value: bisection.next(), width: bisection.width() }))
    .filter(({ value }) => value !== null);
  return open.reduce((widest, one) => (one.width > widest.width ? one : widest), open[0] ?? { value: null }).value;
}

/** @param {Leg} leg @returns {number} requests that were begun in its steady state */
const begunIn = ({ steady }) => (steady ? steady.transfers + steady.failed + steady.unfinished : 0);

/**
 * @param {Find} find
 * @param {Leg[]} legs of one server
 * @returns {Caution[]} what besides the server may have decided their outcomes, and in how many
 */
function cautionsOf({ goals }, legs) {
  const least = requestsFor(goals);
  /** @type {[Caution['code'], (leg: Leg) => boolean][]} */
  const kinds = [
    ['background-load', ({ warnings = [] }) => warnings.some(isBackgroundLoad)],
    [
      'arrivals-distorted',
      ({ findings = [] }) => findings.some((/** @type {{ code: string }} */ { code }) => code === 'arrivals-distorted'),
    ],
    ['few-requests', (leg) => leg.tried !== undefined && leg.complete && begunIn(leg) < least],
  ];
  return kinds.map(([code, is]) => ({ code, legs: legs.filter(is).length })).filter((one) => one.legs > 0);
}

/**
 * @param {Find} find
 * @param {Leg[]} legs of summary.json
 * @returns {SearchSummary}
 */
export function searchOf(find, legs) {
  const { maximise, goals, tolerance, confirm } = find;
  const servers = [...new Set(legs.map(({ series, label }) => series ?? label))].map((server) => ({
    server,
    own: legs.filter((leg) => (leg.series ?? leg.label) === server),
  }));
  const answers = servers.flatMap(({ server, own }) =>
    replay(find, own).map((searched, i) => foundOf(find, server, i, own, searched)),
  );
  const saturated = servers.flatMap(({ server, own }) => {
    const leg = saturatedLeg(find, own);
    const perSecond = throughputOf(leg);
    return leg === undefined
      ? []
      : [{ server, leg: leg.id, ...(perSecond === undefined ? {} : { perSecond }), ...limitOf(leg) }];
  });
  return { maximise, goals, tolerance, confirm, ...(find.to === null ? { saturated } : {}), answers };
}

/** @param {Leg | undefined} leg @returns {Pick<Found, 'limitedBy'>} */
const limitOf = (leg) => (leg?.limitedBy === undefined ? {} : { limitedBy: leg.limitedBy });

/**
 * @param {Find} find @param {string} server @param {number} index of the goal @param {Leg[]} own of that server
 * @param {{ bisection: Bisection, probes: Probe[] }} searched
 * @returns {Found}
 */
function foundOf(find, server, index, own, { bisection, probes }) {
  const answer = bisection.answer();
  const beyond = own.findLast((leg) => answer.failed && leg.tried === answer.failed.value);
  const goal = find.goals[index];
  // the legs are the same for each goal, so the first goal tells
  const cautions = index === 0 ? cautionsOf(find, own) : [];
  const found = {
    label: find.goals.length === 1 ? server : `${server}, ${goal}`,
    server,
    goal,
    ...answer,
    ...(answer.failed === undefined ? {} : { broken: brokenAt(probes, answer.failed.value) }),
    ...limitOf(beyond),
    ...(cautions.length === 0 ? {} : { cautions }),
    probes,
  };
  return { ...found, ...answerTexts(find, found, own.length) };
}

/** @param {SearchSummary} search @returns {boolean} whether there is an answer for each server and goal */
export const isAnswered = ({ answers }) => answers.length > 0 && answers.every(({ decided }) => decided);
