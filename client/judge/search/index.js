// The search of a run (`find`), made again from the summaries of its legs: what was probed, what held, and the answer for
// each server. Pure.
// The one thing to know: the run asks here for its next leg, and summary.json has what this says at the end, so that
// nothing about a search is kept elsewhere.

import { conditionOf } from '../conditions/parse.js';
import { figureOf } from '../figures.js';
import { judgedText, judgeLegs, recordedValue } from '../conditions/judge.js';
import { isBackgroundLoad } from '../disturbances.js';
import { Bisection } from './bisection.js';
import { answerTexts } from '../../words/search.js';

/**
 * @typedef {import('../../../config/types.js').LegSummary} Leg
 * @typedef {'rate' | 'connections'} Axis
 * @typedef {Omit<NonNullable<import('../../../config/types.js').Plan['search']>, 'usualLegs' | 'mostLegs'>} Find  of the scenario
 * @typedef {import('../../../config/types.js').Search} SearchSummary
 * @typedef {SearchSummary['servers'][number]} Found
 * @typedef {Found['probes'][number]} Probe
 * @typedef {NonNullable<Probe['cause']>} Cause  why a probe did not hold
 * @typedef {NonNullable<Found['cautions']>[number]} Caution
 */

/** Less than this share of the requested rate, or of the requested connections, and a probe has not held. */
const LEAST_SHARE = { rate: 0.95, connections: 0.999 };
/** Endings of a leg that say something of the server: it was overwhelmed. */
const OVERWHELMED = ['no-transfers', 'target-lost'];

/** Endings of a leg that say nothing of the server: the search is not finished. */
const ENDED_EARLY = ['interrupted', 'cut'];

/** @param {Find} find @param {Leg} leg that ended as planned @returns {Cause | null} why the value was not reached */
function shortfall({ maximise }, leg) {
  const asked = leg.settings?.[maximise];
  if (maximise === 'rate') {
    const rate = figureOf('rate')?.of?.(leg);
    return typeof rate === 'number' && rate < LEAST_SHARE.rate * asked ? 'rate-not-reached' : null;
  }
  const served = figureOf(leg.heldOnly ? 'open' : 'served')?.of?.(leg);
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
  return {
    leg: leg.id,
    value: leg.settings?.[find.maximise],
    held,
    ...(cause === null ? {} : { cause }),
    figures: clauses.map(({ clause, value, holds: one }) => ({
      figure: clause.figure.name,
      ...recordedValue(value),
      held: one === true,
    })),
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
