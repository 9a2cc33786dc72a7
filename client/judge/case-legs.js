// A case in the shape of a leg, for tables and charts that show a leg each: its numbers are the medians of its rounds,
// and its failures are those of the round with the most. Pure. What is compared is what is shown: a figure by which
// cases are compared has the value of the case everywhere. Medians of parts do not add up to the median of the whole,
// so the connections and their account are those of one round, the one that served the fewest.

import { disturbedRounds } from './disturbances.js';
import { caseOf, caseValue } from './cases.js';
import { limitOfMost, merged, pooledStarts, servedBy } from './pooled-starts.js';
import { rampOfRounds } from '../measure/knee-rounds.js';
import { figuresOf, isMeasured, withFigures } from '../measure/leg-figures.js';
import { boundsText } from '../words/intervals.js';
import { cellText, isAbove, overRounds } from './figure-values.js';
import { figures } from './figures.js';

/**
 * @import { Case, LegSummary, RunSummary } from '../../config/types.js'
 * @import { MeasuredLeg } from '../measure/leg-figures.js'
 * @import { Ramp } from '../words/knee.js'
 * @import { CaseValue } from './cases.js'
 * @import { Figure, Group, Value } from './figures.js'
 * @import { PooledLeg } from './pooled-starts.js'
 */

/**
 * @typedef {PooledLeg & { ramp?: Ramp, rounds?: number, compared?: Compared, disturbed?: number, roundLegs?:
 *   LegSummary[] }} ShownLeg  of a; case: how many rounds it was made from, and which, the figures by which it is
 *   compared, and in how many rounds other programs used the machine
 * @typedef {Record<string, CaseValue>} Compared  by the key of the figure
 */

/**
 * @template {'rejects' | 'errors'} K
 * @param {MeasuredLeg[]} legs @param {K} name @returns {MeasuredLeg[K]} those of the round with the most
 */
const mostOf = (legs, name) =>
  legs.map((leg) => leg[name]).reduce((most, causes) => (causes.total > most.total ? causes : most));

/**
 * @param {Case} one @param {LegSummary[]} all legs of the run
 * @returns {ShownLeg}
 */
export function caseLeg(one, all) {
  const legs = pooledStarts(all.filter((leg) => caseOf(leg) === one.id));
  const ran = legs.filter(isMeasured).filter((leg) => figuresOf(leg) !== undefined);
  const complete = ran.filter((leg) => leg.complete);
  const used = complete.length > 0 ? complete : ran;
  const broken = legs.find((leg) => !leg.complete);
  const disturbed = used.reduce((sum, leg) => sum + disturbedRounds(leg), 0);
  const starts = Math.max(...legs.map((leg) => leg.starts ?? 1));
  const head = {
    id: one.id,
    round: 1,
    complete: broken === undefined,
    rounds: used.length,
    disturbed,
    compared: comparedIn(one, all),
    ...(starts > 1 ? { starts } : {}),
  };
  if (used.length === 0) return { ...legs[0], ...head };
  const worst = ran.reduce((few, leg) => (servedBy(leg) < servedBy(few) ? leg : few));
  const ramp = rampOfRounds(used.flatMap((leg) => leg.ramp ?? []));
  return {
    ...merged(used),
    ...head,
    roundLegs: used,
    ...(ramp === undefined ? {} : { ramp }),
    endedBy: broken?.endedBy ?? used[0].endedBy,
    limitedBy: limitOfMost(used),
    connections: worst.connections,
    attempts: worst.attempts,
    ...(worst.account === undefined ? {} : { account: worst.account }),
    rejects: mostOf(ran, 'rejects'),
    errors: mostOf(ran, 'errors'),
  };
}

/** Groups whose figures add up, so that all are of one round. @type {readonly Group[]} */
const OF_ONE_ROUND = ['connections', 'failures'];

/** @param {Figure} figure @returns {boolean} whether of several rounds the worst one counts */
export const isOfWorst = ({ rounds }) => rounds !== 'median';

/** @param {Case} one @param {LegSummary[]} legs of the run @returns {Compared} */
export function comparedIn(one, legs) {
  const own = legs.filter(({ id }) => one.legs.includes(id));
  return Object.fromEntries(
    figures.flatMap((figure) =>
      figure.compared && !isOfWorst(figure) ? [[figure.compared.key, caseValue(one, figure, own)]] : [],
    ),
  );
}

/**
 * @param {Figure} figure @param {Compared | undefined} compared of a case
 * @returns {Value} undefined where cases are not compared by it, or this one has none
 */
export function comparedValue({ compared: { key } = { key: '' } }, compared) {
  const { median, moreThan } = compared?.[key] ?? {};
  return median ?? (moreThan === undefined ? undefined : { above: moreThan, infinite: true });
}

/**
 * The median of a quotient is not the quotient of the medians: what is read from a leg is read from each round.
 * @param {Figure} figure @param {Partial<ShownLeg>} leg
 * @returns {Value} of a case over its rounds, as thresholds and comparisons have it
 */
export function valueIn(figure, leg) {
  const compared = comparedValue(figure, leg.compared);
  if (compared !== undefined) return compared;
  const value = figure.of?.(leg);
  if (!leg.roundLegs || figure.unit === 'side' || figure.ofRounds || OF_ONE_ROUND.includes(figure.group)) return value;
  // in one round too many have no reply
  if (value === undefined || isAbove(value)) return value;
  const values = leg.roundLegs.map((one) => figure.of?.(withFigures(one))).filter((one) => one !== undefined);
  return overRounds(figure, values) ?? value;
}

/**
 * @param {Figure} figure @param {Partial<ShownLeg>} leg
 * @returns {[low: number, high: number] | undefined} of 95 %, over the rounds or blocks of a case; undefined where
 *   there are too few
 */
export function intervalIn({ compared: { key } = { key: '' } }, { compared }) {
  const { low, high } = compared?.[key] ?? {};
  return low === undefined || high === undefined ? undefined : [low, high];
}

/**
 * @param {Figure} figure @param {Partial<ShownLeg>} leg
 * @returns {string | undefined} the 95 % interval of its value: over rounds or blocks, or over the seconds of a leg
 *   that has neither
 */
export function intervalText(figure, leg) {
  const text = (/** @type {number} */ bound) => cellText(figure, bound);
  const bounds = intervalIn(figure, leg);
  if (bounds) return boundsText(bounds, text);
  const ofSeconds = leg.roundLegs || leg.slices ? undefined : figure.interval?.(leg);
  return ofSeconds && boundsText(ofSeconds, text, 'seconds');
}

/** @param {{ round?: number }[]} legs @returns {number} rounds of the run */
export const roundsOf = (legs) => legs.reduce((most, { round = 1 }) => Math.max(most, round), 1);

/** @param {{ start?: number }[]} legs @returns {number} starts of each server in a round */
export const startsOf = (legs) => legs.reduce((most, { start = 1 }) => Math.max(most, start), 1);

/** @param {{ round?: number, start?: number }[]} legs @returns {boolean} whether a case has several */
export const areRepeated = (legs) => roundsOf(legs) > 1 || startsOf(legs) > 1;

/** @param {LegSummary} leg @param {Case[]} cases of a run whose cases have one leg each @returns {ShownLeg} */
export function shownLeg(leg, cases) {
  const one = cases.find(({ legs }) => legs.includes(leg.id));
  return one === undefined ? leg : { ...leg, compared: comparedIn(one, [leg]) };
}

/**
 * @param {Pick<RunSummary, 'legs' | 'cases'>} summary of a run
 * @returns {ShownLeg[]} of a run with rounds, or several starts of a server, one for each case; of any other its legs
 */
export const shownLegs = ({ legs, cases = [] }) =>
  cases.length > 0 && areRepeated(legs)
    ? cases.map((one) => caseLeg(one, legs))
    : legs.map((leg) => shownLeg(leg, cases));
