// The cases of a run: a case is a server at one point of the sweep, or in one test. A case has a leg in each round. A
// figure of the case is the median of its rounds, or of its blocks where legs take turns in slices, with a 95 %
// interval. A leg that is not complete has no value, and its round is left out of all comparisons, unless the leg took
// turns until an interrupt. A percentile that is above all measured times in one round is unknown for the case.

import { isMeasured } from '../measure/leg-figures.js';
import { isInterrupted } from '../words/endings.js';
import { figures } from './figures.js';
import { medianInterval } from './statistics/index.js';
import { nestedInterval } from './statistics/nested.js';

/**
 * @import { Case, CaseFigure, LegSummary } from '../../config/types.js'
 * @import { Figure, Value } from './figures.js'
 */

/** @param {LegSummary} leg @returns {string} id of the leg's case; in a run without rounds, the leg's label */
export const caseOf = (leg) => leg.case ?? leg.label;

/**
 * Whether a leg can be compared. An interrupt ends all legs that take turns at the same moment, as in a shorter run.
 * @param {Pick<LegSummary, 'complete' | 'endedBy' | 'slices'>} leg @returns {boolean}
 */
export const isComparable = ({ complete, endedBy, slices }) =>
  complete || (isInterrupted(endedBy) && slices !== undefined);

/**
 * Whether the figures of a leg count. They do not if a condition of stopOn ended the leg before its steady state: they
 * are figures of its ramp.
 * @param {LegSummary} leg @returns {boolean}
 */
export const counts = (leg) =>
  isComparable(leg) && isMeasured(leg) && (leg.endedBy !== 'stop-on' || Boolean(leg.steady ?? leg.wholeLeg));

/**
 * @param {(number | null)[][]} values of each place @param {Place[]} places
 * @returns {CaseFigure | undefined} undefined if no place has a value
 */
function figureOf(values, places) {
  const isNested =
    places.length > 1 &&
    (places.some(({ start }) => start > 1) || values.some((placeValues) => placeValues.length > 1));
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

/** @param {{ round?: number }[]} legs @returns {number} number of rounds in the run */
export const roundsOf = (legs) => legs.reduce((highest, { round = 1 }) => Math.max(highest, round), 1);

/** @param {{ start?: number }[]} legs @returns {number} how often each server is started in a round */
export const startsOf = (legs) => legs.reduce((highest, { start = 1 }) => Math.max(highest, start), 1);

/** @param {{ round?: number, start?: number }[]} legs @returns {boolean} whether a case has several rounds or starts */
export const areRepeated = (legs) => roundsOf(legs) > 1 || startsOf(legs) > 1;

/** @param {LegSummary} leg @returns {number} number of its server's start within the round, from 1 */
export const startOf = ({ start = 1 }) => start;

/**
 * A start within a round: each case has one leg there.
 * @typedef {{ round: number, start: number, blocks: number }} Place  blocks: how many each leg of the round has; 1 if
 *   they take no turns
 *
 * @param {LegSummary[]} legs of a run @returns {Place[]} in the order of rounds and starts
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
 * @param {LegSummary | undefined} leg of a case at a place; undefined if it was not begun @param {Figure} figure
 * @param {number} blocks of the place
 * @returns {Value[]} one value for each block; for a figure without blocks, one for the leg
 */
function valuesIn(leg, figure, blocks) {
  const value = leg && counts(leg) ? figure.of?.(leg) : undefined;
  const key = figure.compared?.key ?? '';
  const blockValues = leg?.slices?.blocks[key];
  if (!figure.compared?.ofBlocks || blocks === 1 || typeof value === 'object') return [value];
  return Array.from({ length: blocks }, (_, i) => (value === undefined ? undefined : (blockValues?.[i] ?? undefined)));
}

/**
 * @param {LegSummary[]} legs of one case, in the order of rounds and starts
 * @param {Place[]} places of the run
 * @returns {Case}
 */
function summariseCase(legs, places) {
  const [{ label, server, series, axes = {}, comparedAt }] = legs;
  const inPlaces = places.map(({ round, start }) => legs.find((leg) => leg.round === round && startOf(leg) === start));
  const figureEntries = figures.flatMap((figure) => {
    if (figure.compared === undefined) return [];
    const values = inPlaces.map((leg, i) => valuesIn(leg, figure, places[i].blocks));
    // a median without the round in which the server failed would make it look fast
    if (values.flat().some((value) => typeof value === 'object')) return [];
    const over = figureOf(
      values.map((placeValues) => placeValues.map((value) => (typeof value === 'number' ? value : null))),
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
    figures: Object.fromEntries(figureEntries),
  };
}

/**
 * @param {LegSummary[]} legs of a run, in any order
 * @param {string[]} [order] ids of the cases, in the order of the plan
 * @returns {Case[]} in that order, without cases that have no leg
 */
export function casesOf(legs, order = []) {
  /** @type {Map<string, LegSummary[]>} */
  const legsOfCases = new Map(order.map((id) => [id, []]));
  for (const leg of legs) legsOfCases.set(caseOf(leg), [...(legsOfCases.get(caseOf(leg)) ?? []), leg]);
  const places = placesIn(legs);
  return [...legsOfCases.values()]
    .filter((caseLegs) => caseLegs.length > 0)
    .map((caseLegs) =>
      summariseCase(
        [...caseLegs].sort((a, b) => a.round - b.round || startOf(a) - startOf(b)),
        places,
      ),
    );
}
