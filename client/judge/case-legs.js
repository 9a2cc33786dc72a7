// A case in the shape of a leg, for tables and charts that show a leg each: its numbers are the medians of its rounds, and
// its failures are those of the round with the most. Pure.
// Medians of parts do not add up to the median of the whole, so the connections and their account are
// those of one round, the one that served the fewest.

import { disturbedRounds } from './disturbances.js';
import { caseOf } from './cases.js';
import { limitOfMost, merged, pooledStarts, servedBy } from './pooled-starts.js';
import { rampOfRounds } from '../measure/knee-rounds.js';
import { figuresOf, isMeasured, withFigures } from '../measure/leg-figures.js';
import { isAbove, overRounds } from './figure-values.js';

/**
 * @typedef {import('./cases.js').LegSummary} LegSummary
 * @typedef {import('../measure/leg-figures.js').MeasuredLeg} MeasuredLeg
 * @typedef {import('./cases.js').Case} Case
 * @typedef {import('./pooled-starts.js').PooledLeg & { ramp?: import('../words/knee.js').Ramp, rounds?: number, intervals?: Record<string, [low: number, high: number]>, disturbed?: number,
 *   roundLegs?: LegSummary[] }} ShownLeg  of a
 *   case: how many rounds it was made from, and which, the intervals of its figures, and in how many rounds other programs used the machine
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
  const intervals = intervalsOf(one);
  const disturbed = used.reduce((sum, leg) => sum + disturbedRounds(leg), 0);
  const starts = Math.max(...legs.map((leg) => leg.starts ?? 1));
  const head = {
    id: one.id,
    round: 1,
    complete: broken === undefined,
    rounds: used.length,
    disturbed,
    intervals,
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

/** Groups whose figures add up, so that all are of one round. @type {readonly import('./figures.js').Group[]} */
const OF_ONE_ROUND = ['connections', 'failures'];

/**
 * The median of a quotient is not the quotient of the medians: what is read from a leg is read from each round.
 * @param {import('./figures.js').Figure} figure @param {Partial<ShownLeg>} leg
 * @returns {import('./figures.js').Value} of a case over its rounds, as thresholds and comparisons have it
 */
export function valueIn(figure, leg) {
  const value = figure.of?.(leg);
  if (!leg.roundLegs || figure.unit === 'side' || figure.ofRounds || OF_ONE_ROUND.includes(figure.group)) return value;
  // in one round too many have no reply
  if (value === undefined || isAbove(value)) return value;
  const values = leg.roundLegs.map((one) => figure.of?.(withFigures(one))).filter((one) => one !== undefined);
  return overRounds(figure, values) ?? value;
}

/** @param {import('./figures.js').Figure} figure @returns {boolean} whether of several rounds the worst one counts */
export const isOfWorst = ({ rounds }) => rounds !== 'median';

/**
 * @param {import('./figures.js').Figure} figure @param {Partial<ShownLeg>} leg
 * @returns {[low: number, high: number] | undefined} of 95 %, over the rounds of a case; undefined where the value is not their median
 */
export const intervalIn = (figure, { intervals }) =>
  isOfWorst(figure) || figure.compared === undefined ? undefined : intervals?.[figure.compared.key];

/** @param {Case} one @returns {Record<string, [number, number]>} of the figures that have one */
const intervalsOf = ({ figures }) =>
  Object.fromEntries(
    Object.entries(figures).flatMap(([name, { low, high }]) =>
      low === undefined || high === undefined ? [] : [[name, [low, high]]],
    ),
  );

/** @param {{ round?: number }[]} legs @returns {number} rounds of the run */
export const roundsOf = (legs) => legs.reduce((most, { round = 1 }) => Math.max(most, round), 1);

/** @param {{ start?: number }[]} legs @returns {number} starts of each server in a round */
export const startsOf = (legs) => legs.reduce((most, { start = 1 }) => Math.max(most, start), 1);

/** @param {{ round?: number, start?: number }[]} legs @returns {boolean} whether a case has several */
export const areRepeated = (legs) => roundsOf(legs) > 1 || startsOf(legs) > 1;

/**
 * @param {Pick<import('../../config/types.js').RunSummary, 'legs' | 'cases'>} summary of a run
 * @returns {ShownLeg[]} of a run with rounds, or several starts of a server, one for each case; of any other its legs
 */
export const shownLegs = ({ legs, cases }) =>
  cases === undefined || !areRepeated(legs) ? legs : cases.map((one) => caseLeg(one, legs));
