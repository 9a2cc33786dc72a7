// The cases of a run: a server at one point of the sweep, or in one test. Its legs are its rounds, and a figure of the
// case is the median of theirs with its 95 % interval; of legs that take turns in slices, of their blocks. Pure. A leg
// that is not complete has no value, unless it took turns until an interrupt; its round counts for nothing, in every
// comparison too. A percentile that is beyond all measured times in one round is not known of the case.

import { isMeasured } from '../measure/leg-figures.js';
import { isInterrupted } from '../words/endings.js';
import { figures } from './figures.js';
import { medianInterval } from './statistics/index.js';
import { nestedInterval } from './statistics/nested.js';

/**
 * @import { Case, CaseFigure, LegSummary } from '../../config/types.js'
 * @import { Figure, Value } from './figures.js'
 */

/** @param {LegSummary} leg @returns {string} the case that it belongs to; of a run without rounds, its own */
export const caseOf = (leg) => leg.case ?? leg.label;

/**
 * An interrupt ends legs that take turns at the same moment: what they did until then is that of a shorter run.
 * @param {Pick<LegSummary, 'complete' | 'endedBy' | 'slices'>} leg @returns {boolean} whether it can be compared
 */
export const isComparable = ({ complete, endedBy, slices }) =>
  complete || (isInterrupted(endedBy) && slices !== undefined);

/**
 * A leg that a condition of stopOn has ended before its steady state has figures of its ramp, which are not those of
 * the others.
 * @param {LegSummary} leg @returns {boolean} whether its figures count
 */
export const counts = (leg) =>
  isComparable(leg) && isMeasured(leg) && (leg.endedBy !== 'stop-on' || Boolean(leg.steady ?? leg.wholeLeg));

/**
 * @param {(number | null)[][]} values of each place @param {Place[]} places
 * @returns {CaseFigure | undefined} undefined where no place has one
 */
function figureOf(values, places) {
  const isNested = places.length > 1 && (places.some(({ start }) => start > 1) || values.some((own) => own.length > 1));
  const flat = values.flat();
  const { median, low, high, method } = isNested ? nestedInterval(values) : medianInterval(flat);
  if (median === null) return undefined;
  const parts = places.map(({ round, start }, i) => ({ round, start, values: values[i].length }));
  return {
    median,
    ...(low === null || high === null ? {} : { low, high }),
    ...{ method, values: flat },
    ...(isNested ? { parts } : {}),
  };
}

/** @param {{ round?: number }[]} legs @returns {number} rounds of the run */
export const roundsOf = (legs) => legs.reduce((most, { round = 1 }) => Math.max(most, round), 1);

/** @param {{ start?: number }[]} legs @returns {number} starts of each server in a round */
export const startsOf = (legs) => legs.reduce((most, { start = 1 }) => Math.max(most, start), 1);

/** @param {{ round?: number, start?: number }[]} legs @returns {boolean} whether a case has several */
export const areRepeated = (legs) => roundsOf(legs) > 1 || startsOf(legs) > 1;

/** @param {LegSummary} leg @returns {number} which start of its server it is, of those in a round */
export const startOf = ({ start = 1 }) => start;

/**
 * A start of each server in a round, and how many blocks the legs in that round have: 1 where they take no turns.
 * @typedef {{ round: number, start: number, blocks: number }} Place
 *
 * @param {LegSummary[]} legs of a run @returns {Place[]} where a case may have a leg
 */
function placesIn(legs) {
  const starts = Math.max(1, ...legs.map(startOf));
  return [...new Set(legs.map(({ round }) => round))]
    .sort((a, b) => a - b)
    .flatMap((round) => {
      const lengths = legs.map((leg) =>
        leg.round === round && leg.slices ? Object.values(leg.slices.blocks)[0].length : 1,
      );
      const blocks = Math.max(...lengths);
      return Array.from({ length: starts }, (_, i) => ({ round, start: i + 1, blocks }));
    });
}

/**
 * @param {LegSummary | undefined} leg of a case at a place; undefined: it was not begun @param {Figure} figure
 * @param {number} blocks of the place
 * @returns {Value[]} a value of each block, where the figure has them
 */
function valuesIn(leg, figure, blocks) {
  const value = leg && counts(leg) ? figure.of?.(leg) : undefined;
  const key = figure.compared?.key ?? '';
  const own = leg?.slices?.blocks[key];
  if (!figure.compared?.ofBlocks || blocks === 1 || typeof value === 'object') return [value];
  return Array.from({ length: blocks }, (_, i) => (value === undefined ? undefined : (own?.[i] ?? undefined)));
}

/**
 * @param {LegSummary[]} legs of one case, in the order of the rounds, and in each of the starts
 * @param {Place[]} places of the run
 * @returns {Case}
 */
function summariseCase(legs, places) {
  const [{ label, server, series, axes = {}, comparedAt }] = legs;
  const inPlaces = places.map(({ round, start }) => legs.find((leg) => leg.round === round && startOf(leg) === start));
  const found = figures.flatMap((figure) => {
    if (figure.compared === undefined) return [];
    const values = inPlaces.map((leg, i) => valuesIn(leg, figure, places[i].blocks));
    // the median of the other rounds would make a server look fast that failed in this one
    if (values.flat().some((value) => typeof value === 'object')) return [];
    const over = figureOf(
      values.map((own) => own.map((value) => (typeof value === 'number' ? value : null))),
      places,
    );
    return over === undefined ? [] : [[figure.compared.key, over]];
  });
  return {
    ...{ id: caseOf(legs[0]), label, server },
    ...(series === undefined ? {} : { series }),
    axes,
    ...(comparedAt === undefined ? {} : { comparedAt }),
    legs: legs.map(({ id }) => id),
    figures: Object.fromEntries(found),
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
  const places = placesIn(legs);
  return [...found.values()]
    .filter((own) => own.length > 0)
    .map((own) =>
      summariseCase(
        [...own].sort((a, b) => a.round - b.round || startOf(a) - startOf(b)),
        places,
      ),
    );
}
