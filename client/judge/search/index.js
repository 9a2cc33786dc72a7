// The search of a run (`find`), computed from the summaries of its legs: the probes, their outcomes, and the answer for
// each server and goal. The run asks here for its next leg, and summary.json has the final answer, so no state of a
// search is kept elsewhere. Each leg is a probe for every goal.

import { conditionOf } from '../conditions/parse.js';
import { figureOf } from '../figures.js';
import { judge, judgedText, recordedValue } from '../conditions/judge.js';
import { isDisturbed } from '../disturbances.js';
import { Bisection, firstValue, rounded } from './bisection.js';
import { boundOf, requestsFor, requestsOfGoal } from './requests.js';
import { answerTexts, cautionText, remedyText, shortfallText } from '../../words/search.js';

/**
 * @import { LegSummary, Search } from '../../../config/types.js'
 * @import { Plan } from '../../measure/settings.js'
 * @import { Judgement } from '../conditions/judge.js'
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
 * @typedef {NonNullable<Search['cautions']>[number]} Caution  of a server
 * @typedef {Caution['kinds'][number]} Kind
 */

/**
 * A probe fails below this share of the requested rate, or of the connections on which a request was sent.
 */
const LEAST_SHARE = { rate: 0.95, connections: 0.999 };
/** If requests were sent on a smaller share of the connections, the leg says nothing about that number. */
const LEAST_ASKED = 0.95;
/** Share of the needed requests that is enough: a few may come before the steady state or after it. */
const ENOUGH = 0.95;
/** Significant digits of a rate that must be reached. */
const DIGITS = 3;
/** Endings of a leg whose server was overwhelmed. */
const OVERWHELMED = /** @type {const} */ (['no-transfers', 'target-lost']);

/**
 * Greatest value for the estimate of the number of legs, before a leg has shown the real one. It needs six doublings,
 * more than any other value.
 */
const UNKNOWN_GREATEST = 32_100;
/** Endings of a leg that say nothing about the server: the search is not finished. */
const ENDED_EARLY = ['interrupted', 'cut'];

/**
 * A leg did not reach the rate, or the connections, that the search asked for.
 * @typedef {{ cause: Cause, of: number, value: number, clause?: Clause }} Shortfall  value: the rate or number of
 *   connections reached; of: asked for; clause: the condition that fails; absent if the shortfall does not decide
 */

/** @param {string} name @param {number} least @param {string} unit @returns {Clause} */
const atLeast = (name, least, unit) => ({
  figure: /** @type {Figure} */ (figureOf(name)),
  operator: '>=',
  value: least,
  text: `${name} >= ${least}${unit}`,
});

/**
 * Compares the rate with the requests that were due: random arrivals may be fewer than the rate asks for.
 * @param {Leg} leg @param {number} asked @returns {Shortfall | null}
 */
function rateShortfall({ steady, ...leg }, asked) {
  const { due, fromNs = 0, toNs = 0 } = steady ?? {};
  const perSecond = due === undefined ? asked : Math.min(asked, (due * 1e9) / (toNs - fromNs));
  const least = Number((LEAST_SHARE.rate * perSecond).toPrecision(DIGITS));
  const clause = atLeast('rate', least, '/s');
  const value = clause.figure.of?.({ ...leg, steady });
  return typeof value !== 'number' || value >= least ? null : { cause: 'rate-not-reached', of: asked, value, clause };
}

/**
 * Leaves out connections on which nothing was requested: the server did not fail to serve them.
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
 * @param {Axis} maximise @param {Leg} leg
 * @returns {number} requests of the steady state; for a rate, as many as the rate calls for: an unsent request failed
 */
function requestsIn(maximise, leg) {
  const span = leg.wholeLeg ?? leg.steady;
  if (span === undefined) return 0;
  if (maximise === 'rate') return Math.round((Number(leg.tried) * (span.toNs - span.fromNs)) / 1e9);
  return span.transfers + span.failed + span.unfinished + (span.unsent ?? 0);
}

/**
 * Judges a goal. If a leg has too few requests for a percentile, a lower bound of it is used.
 * @param {Axis} maximise @param {string} goal a condition @param {Leg} leg
 * @returns {{ judgement: Judgement, few?: NonNullable<Probe['few']> }} few: the requests that the leg lacks
 */
function judged(maximise, goal, leg) {
  const requests = leg.steady === undefined ? Infinity : requestsIn(maximise, leg);
  const isFew = (/** @type {Figure} */ figure) => ENOUGH * requestsFor(figure) > requests;
  const judgement = judge(conditionOf(goal), (figure) =>
    isFew(figure) ? boundOf(figure, leg, requests) : figure.of?.(leg),
  );
  const lacking = judgement.clauses
    .filter(({ clause, holds }) => holds === null && isFew(clause.figure))
    .map(({ clause: { figure } }) => ({ figure: figure.name, requests, of: requestsFor(figure) }))
    .sort((a, b) => b.of - a.of);
  if (judgement.holds !== null || lacking.length === 0 || leg.steady === undefined) return { judgement };
  return { judgement, few: { ...lacking[0], seconds: (leg.steady.toNs - leg.steady.fromNs) / 1e9 } };
}

/**
 * @param {Leg} leg @param {boolean | null} meets whether it meets the condition; null if it has too few requests
 * @param {Shortfall | null} missed
 * @returns {{ held: boolean | null, cause?: Cause }} held: null if the leg says nothing about its value
 */
function outcomeOf(leg, meets, missed) {
  const overwhelmed = OVERWHELMED.find((code) => code === leg.endedBy);
  if (overwhelmed) return { held: false, cause: overwhelmed };
  if (!leg.complete) return { held: null, cause: 'not-judged' };
  if (meets === false) return { held: false, cause: 'condition' };
  if (missed !== null) return { held: missed.clause === undefined ? null : false, cause: missed.cause };
  return meets === null ? { held: null, cause: 'few-requests' } : { held: true };
}

/** @param {Axis} maximise @param {string} goal a condition @param {Leg} leg @returns {Probe} */
function probeOf(maximise, goal, leg) {
  const { judgement, few } = judged(maximise, goal, leg);
  const value = Number(leg.tried);
  const missed = !leg.complete
    ? null
    : maximise === 'rate'
      ? rateShortfall(leg, value)
      : connectionsShortfall(leg, value);
  const shortfallClauses = missed?.clause && [
    { clause: missed.clause, value: missed.value, holds: false, cause: missed.cause },
  ];
  const outcome = outcomeOf(leg, few === undefined ? judgement.holds === true : null, missed);
  return {
    leg: leg.id,
    value,
    ...outcome,
    ...(few !== undefined && outcome.cause === 'few-requests' ? { few } : {}),
    figures: [...judgement.clauses, ...(shortfallClauses ?? [])].map(
      ({ clause, value: measured, holds: isMet, ...rest }) => ({
        figure: clause.figure.name,
        condition: clause.text,
        ...recordedValue(measured),
        held: isMet === true,
        ...rest,
      }),
    ),
    text: [...judgement.clauses.map(judgedText), ...(missed === null ? [] : [shortfallText(missed)])].join(', '),
  };
}

/** @param {Find} find @param {Leg} leg @returns {Probe[]} one for each goal; empty for a leg in closed loop */
export const probesOf = ({ maximise, goals }, leg) =>
  leg.tried === undefined ? [] : goals.map((goal) => probeOf(maximise, goal, leg));

/** @param {Probe} probe that failed @returns {Omit<Broken, 'legs'>[]} what did not hold */
function brokenOf({ cause, figures }) {
  if (OVERWHELMED.some((code) => code === cause)) return [{ cause: /** @type {Cause} */ (cause) }];
  return figures
    .filter(({ held }) => !held)
    .map(({ condition, cause: figureCause }) =>
      figureCause === undefined ? { cause: 'condition', condition } : { cause: figureCause },
    );
}

/**
 * @param {Probe[]} probes of one server
 * @param {number} value that failed
 * @returns {Broken[]} what did not hold at the value, and in how many legs
 */
function brokenAt(probes, value) {
  const failed = probes.filter((probe) => probe.value === value && probe.held === false);
  const causes = failed.flatMap(brokenOf).map((broken) => JSON.stringify(broken));
  return [...new Set(causes)].map((cause) => ({
    ...JSON.parse(cause),
    legs: causes.filter((other) => other === cause).length,
  }));
}

/**
 * The bounds of a search. They leave out rates so low that no leg would have enough requests.
 * @param {Find} find @param {number | null} [to] the greatest value; null if it is not known yet
 * @param {string[]} [goals] of the search
 * @returns {Bounds}
 */
export function boundsUpTo(find, to = find.to, goals = find.goals) {
  const { maximise, tolerance, confirm, longestNs } = find;
  const greatest = to ?? UNKNOWN_GREATEST;
  const needed = Math.min(...goals.map(requestsOfGoal));
  const judgeable = maximise === 'rate' ? Math.max(1, Math.ceil((needed * 1e9) / longestNs)) : 1;
  const from = Math.min(greatest, Math.max(firstValue(greatest), judgeable));
  const least = find.to === null ? from : Math.min(from, judgeable);
  return { from, to: greatest, least, tolerance, confirm, goals: find.goals.length };
}

/**
 * The leg in closed loop with which a search begins if no greatest value is given.
 * @param {Find} find @param {Leg[]} legs of one server
 * @returns {Leg | undefined}
 */
const saturatedLeg = ({ to }, legs) => (to === null ? legs.find(({ tried }) => tried === undefined) : undefined);

/**
 * @param {Leg | undefined} leg
 * @returns {number | undefined} its throughput; undefined if the leg says nothing about the server
 */
const throughputOf = (leg) => (leg?.complete && leg.steady?.transfers ? leg.steady.perSecond : undefined);

/**
 * @param {Find} find
 * @param {Leg[]} legs of one server, in the order in which they were run
 * @returns {{ bisection: Bisection, probes: Probe[] }[]} the state of each goal after these legs
 */
function replay(find, legs) {
  const saturated = saturatedLeg(find, legs);
  const capacity = throughputOf(saturated);
  const to = capacity === undefined ? find.to : rounded(capacity);
  const isUnknown = saturated !== undefined && capacity === undefined && !ENDED_EARLY.includes(saturated.endedBy);
  const trials = legs.filter((leg) => leg !== saturated);
  return find.goals.map((goal) => {
    const bisection = new Bisection(boundsUpTo(find, to, [goal]));
    if (isUnknown) bisection.record(bisection.bounds.to, null);
    const probes = trials.map((leg) => probeOf(find.maximise, goal, leg));
    for (const [i, { value, held, cause }] of probes.entries()) {
      if (ENDED_EARLY.includes(trials[i].endedBy)) continue;
      if (cause === 'few-requests') bisection.leaveOut(value);
      else bisection.record(value, held);
    }
    return { bisection, probes };
  });
}

/**
 * The next value of a search, for the goal with the widest interval: an interrupted search then knows something about
 * every goal.
 * @param {Find} find
 * @param {Leg[]} legs of one server, in the order in which they were run
 * @returns {number | null} null if every goal has its answer
 */
export function nextValue(find, legs) {
  const open = replay(find, legs)
    .map(({ bisection }) => ({ value: bisection.next(), width: bisection.width() }))
    .filter(({ value }) => value !== null);
  return open.reduce((widest, goal) => (goal.width > widest.width ? goal : widest), open[0] ?? { value: null }).value;
}

/** @param {Leg} leg @returns {boolean} whether an engine of the client waited for a core longer than it was on one */
const hasWaited = ({ steady }) => steady?.client?.engines.some(({ cpu, wait }) => wait > cpu) ?? false;

/** Disturbances that may have decided the outcome of a leg. @type {[Kind['code'], (leg: Leg) => boolean][]} */
const CAUTIONS = [
  ['background-load', isDisturbed],
  // other programs cannot be distinguished from a server whose CPU time is unknown
  ['client-waited', (leg) => leg.steady?.server?.cpuSeconds === undefined && !isDisturbed(leg) && hasWaited(leg)],
  ['arrivals-distorted', ({ findings = [] }) => findings.some(({ code }) => code === 'arrivals-distorted')],
];

/** @param {string} server @param {Leg[]} failed legs that failed for any goal @returns {Caution[]} at most one */
function cautionsOf(server, failed) {
  const kinds = CAUTIONS.map(([code, applies]) => ({ code, legs: failed.filter(applies).length })).filter(
    (kind) => kind.legs > 0,
  );
  return kinds.length === 0 ? [] : [{ server, of: failed.length, kinds, text: cautionText(kinds, failed.length) }];
}

/**
 * @param {Find} find
 * @param {Leg[]} legs of summary.json
 * @param {number} [durationNs] of a leg, as given; absent: it is not known, and no longer duration is proposed
 * @returns {SearchSummary}
 */
export function searchOf(find, legs, durationNs) {
  const { maximise, goals, tolerance, confirm } = find;
  const servers = [...new Set(legs.map(({ series, label }) => series ?? label))].map((server) => ({
    server,
    serverLegs: legs.filter((leg) => (leg.series ?? leg.label) === server),
  }));
  const answers = servers.flatMap(({ server, serverLegs }) =>
    replay(find, serverLegs).map((searched, i) => answerOf(find, server, i, serverLegs, searched)),
  );
  const hasFailed = (/** @type {Leg} */ leg) => probesOf(find, leg).some(({ held }) => held === false);
  const cautions = servers.flatMap(({ server, serverLegs }) => cautionsOf(server, serverLegs.filter(hasFailed)));
  const remedy = durationNs === undefined ? undefined : remedyText(find, answers, durationNs);
  const saturated = servers.flatMap(({ server, serverLegs }) => {
    const leg = saturatedLeg(find, serverLegs);
    const perSecond = throughputOf(leg);
    return leg === undefined
      ? []
      : [{ server, leg: leg.id, ...(perSecond === undefined ? {} : { perSecond }), ...limitOf(leg) }];
  });
  return {
    maximise,
    goals,
    tolerance,
    confirm,
    ...(find.to === null ? { saturated } : {}),
    answers,
    ...(remedy === undefined ? {} : { remedy }),
    ...(cautions.length > 0 ? { cautions } : {}),
  };
}

/** @param {Leg | undefined} leg @returns {Pick<Found, 'limitedBy'>} */
const limitOf = (leg) => (leg?.limitedBy === undefined ? {} : { limitedBy: leg.limitedBy });

/**
 * @param {Find} find @param {string} server @param {number} index of the goal @param {Leg[]} legs of the server
 * @param {{ bisection: Bisection, probes: Probe[] }} searched
 * @returns {Found}
 */
function answerOf(find, server, index, legs, { bisection, probes }) {
  const answer = bisection.answer();
  const beyond = legs.findLast((leg) => answer.failed && leg.tried === answer.failed.value);
  const goal = find.goals[index];
  const answerData = {
    label: find.goals.length === 1 ? server : `${server}, ${goal}`,
    server,
    goal,
    ...answer,
    ...(answer.failed === undefined ? {} : { broken: brokenAt(probes, answer.failed.value) }),
    ...limitOf(beyond),
    probes,
  };
  return { ...answerData, ...answerTexts(find, answerData) };
}

/** @param {SearchSummary} search @returns {boolean} whether every server and goal has an answer */
export const isAnswered = ({ answers }) => answers.length > 0 && answers.every(({ decided }) => decided);
