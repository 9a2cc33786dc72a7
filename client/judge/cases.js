// The cases of a run: a server at one point of the sweep, or in one test. Its legs are its rounds, and a figure of the case
// is the median of theirs with its 95 % interval; of legs that take turns in slices, of their blocks. Pure.
// A leg that is not complete has no value; its round counts for nothing, in every comparison too. A percentile that is beyond
// all measured times in one round is not known of the case.

import { kneeOfRounds } from '../measure/knee-rounds.js';
import { isMeasured } from '../measure/leg-figures.js';
import { figures } from './figures.js';
import { medianInterval } from './statistics/index.js';

/**
 * @typedef {import('../../config/types.js').LegSummary} LegSummary
 * @typedef {import('../../config/types.js').Case} Case
 * @typedef {import('../../config/types.js').CaseFigure} CaseFigure
 */

/** @param {LegSummary} leg @returns {string} the case that it belongs to; of a run without rounds, its own */
export const caseOf = (leg) => leg.case ?? leg.label;

/**
 * A leg that a condition of stopOn has ended before its steady state has figures of its ramp, which are not those of the others.
 * @param {LegSummary} leg @returns {boolean} whether its figures count
 */
const counts = (leg) =>
  leg.complete && isMeasured(leg) && (leg.endedBy !== 'stop-on' || Boolean(leg.steady ?? leg.wholeLeg));

/** @param {(number | null)[]} values of each round @returns {CaseFigure | undefined} undefined where no round has one */
function figureOf(values) {
  const { median, low, high, method } = medianInterval(values);
  if (median === null) return undefined;
  return { median, ...(low === null || high === null ? {} : { low, high }), method, values };
}

/**
 * A round, and how many blocks the legs in it have: 1 where they take no turns.
 * @typedef {{ round: number, blocks: number }} Round
 *
 * @param {LegSummary[]} legs of a run @returns {Round[]}
 */
const roundsIn = (legs) =>
  [...new Set(legs.map(({ round }) => round))]
    .sort((a, b) => a - b)
    .map((round) => {
      const lengths = legs.map((leg) =>
        leg.round === round && leg.slices ? Object.values(leg.slices.blocks)[0].length : 1,
      );
      return { round, blocks: Math.max(...lengths) };
    });

/**
 * @param {LegSummary | undefined} leg of a case in a round; undefined: it was not begun @param {import('./figures.js').Figure} figure
 * @param {number} blocks of the round
 * @returns {import('./figures.js').Value[]} a value of each block, where the figure has them
 */
function valuesIn(leg, figure, blocks) {
  const value = leg && counts(leg) ? figure.of?.(leg) : undefined;
  const key = figure.compared?.key ?? '';
  const own = leg?.slices?.blocks[key];
  if (!figure.compared?.ofBlocks || blocks === 1 || typeof value === 'object') return [value];
  return Array.from({ length: blocks }, (_, i) => (value === undefined ? undefined : (own?.[i] ?? undefined)));
}

/**
 * @param {LegSummary[]} legs of one case, in the order of the rounds
 * @param {Round[]} rounds of the run
 * @returns {Case}
 */
function summariseCase(legs, rounds) {
  const [{ label, server, series, axes = {}, comparedAt }] = legs;
  const inRounds = rounds.map(({ round }) => legs.find((leg) => leg.round === round));
  const found = figures.flatMap((figure) => {
    if (figure.compared === undefined) return [];
    const values = inRounds.flatMap((leg, i) => valuesIn(leg, figure, rounds[i].blocks));
    // the median of the other rounds would make a server look fast that failed in this one
    if (values.some((value) => typeof value === 'object')) return [];
    const over = figureOf(values.map((value) => (typeof value === 'number' ? value : null)));
    return over === undefined ? [] : [[figure.compared.key, over]];
  });
  const hasSteps = legs.some((leg) => leg.complete && leg.ramp);
  const knee = hasSteps ? kneeOfRounds(inRounds.map((leg) => (leg?.complete && leg.ramp) || null)) : undefined;
  return {
    ...{ id: caseOf(legs[0]), label, server },
    ...(series === undefined ? {} : { series }),
    axes,
    ...(comparedAt === undefined ? {} : { comparedAt }),
    legs: legs.map(({ id }) => id),
    figures: Object.fromEntries(found),
    ...(knee === undefined ? {} : { knee }),
  };
}

/**
 * @param {LegSummary[]} legs of a run, in any order
 * @param {string[]} [order] ids of its cases as the plan has them
 * @returns {Case[]} in that order; those without a leg are omitted
 */
export function casesOf(legs, order = []) {
  /** @type {Map<string, LegSummary[]>} */
  const found = new Map(order.map((id) => [id, []]));
  for (const leg of legs) found.set(caseOf(leg), [...(found.get(caseOf(leg)) ?? []), leg]);
  const rounds = roundsIn(legs);
  return [...found.values()]
    .filter((own) => own.length > 0)
    .map((own) =>
      summariseCase(
        [...own].sort((a, b) => a.round - b.round),
        rounds,
      ),
    );
}
