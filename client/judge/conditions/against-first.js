// The figures of each server of a run compared with those of the first one, for conditions such as `cost worse by 3%`.
// Pure. Ratios are paired by round, or by block of slices. What the table of servers does not compare is not known here
// either.

import { figureIn, isAtRate, nameOf, pointsOf, rulesOf } from '../comparisons.js';
import { pairedBounds } from '../gates.js';
import { loadOf, whyNotCompared } from '../ranking-table.js';

/**
 * @import { Case, LegSummary, Mark } from '../../../config/types.js'
 * @import { ComparedFigure, Load, Rules } from '../comparisons.js'
 * @import { Bounds } from '../gates.js'
 * @import { Load as RankingLoad } from '../ranking-table.js'
 */

/**
 * @typedef {object} Compared
 * @property {string} first  label of the server that it is compared with
 * @property {Bounds} [ratio]  absent where it is not known
 * @property {Mark['why']} [why]  it is not
 *
 * @typedef {(figure: ComparedFigure) => Compared} Comparison
 */

/**
 * @param {Case[]} cases of a run, in the order of its plan @param {LegSummary[]} legs
 * @param {Load & { looks?: number }} config of the run's summary
 * @returns {(leg: string) => Comparison | undefined} by the id of one of its legs; undefined: it is of the first server
 *   at its point
 */
export function comparedWithFirst(cases, legs, { loop, workload, looks }) {
  const rules = rulesOf({ looks });
  /** @type {Map<string, Comparison>} */
  const found = new Map();
  const loads = pointsOf(cases).flatMap((point) => [point.filter((one) => !isAtRate(one)), point.filter(isAtRate)]);
  for (const [first, ...others] of loads) {
    for (const one of others) {
      const isClosed = loop === 'closed' && workload !== 'hold' && !isAtRate(one);
      const both = loadOf([first, one], legs, isClosed);
      for (const leg of one.legs) found.set(leg, (figure) => compare(one, first, figure, both, rules));
    }
  }
  return (leg) => found.get(leg);
}

/**
 * @param {Case} one
 * @param {Case} first
 * @param {ComparedFigure} figure
 * @param {RankingLoad} both of them
 * @param {Rules} rules
 * @returns {Compared}
 */
function compare(one, first, figure, both, rules) {
  const named = { first: nameOf(first) };
  const why = whyNotCompared(both, one, figure) ?? whyNotCompared(both, first, figure);
  if (why !== undefined) return { ...named, why };
  const [own, other] = [one, first].map((side) => figureIn(side, figure));
  if (own === undefined || other === undefined) return { ...named, why: 'absent' };
  return { ...named, ratio: pairedBounds(figure, own, other, rules) };
}
