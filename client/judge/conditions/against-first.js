// The figures of each server of a run compared with those of the first server, for conditions such as
// `cost worse by 3%`. Ratios are paired by round, or by block of slices. What the table of servers does not compare is
// unknown here too.

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
 * @property {string} first  label of the first server
 * @property {Bounds} [ratio]  absent if it is not known
 * @property {Mark['why']} [why]  why the ratio is not known
 *
 * @typedef {(figure: ComparedFigure) => Compared} Comparison
 */

/**
 * @param {Case[]} cases of a run, in the order of its plan @param {LegSummary[]} legs
 * @param {Load & { looks?: number }} config of the run's summary
 * @returns {(leg: string) => Comparison | undefined} by the id of a leg; undefined for legs of the first server at a
 *   point
 */
export function comparedWithFirst(cases, legs, { loop, workload, looks }) {
  const rules = rulesOf({ looks });
  /** @type {Map<string, Comparison>} */
  const comparisons = new Map();
  const loads = pointsOf(cases).flatMap((point) => [
    point.filter((server) => !isAtRate(server)),
    point.filter(isAtRate),
  ]);
  for (const [first, ...others] of loads) {
    for (const server of others) {
      const isClosed = loop === 'closed' && workload !== 'hold' && !isAtRate(server);
      const both = loadOf([first, server], legs, isClosed);
      for (const leg of server.legs) comparisons.set(leg, (figure) => compare(server, first, figure, both, rules));
    }
  }
  return (leg) => comparisons.get(leg);
}

/**
 * @param {Case} server
 * @param {Case} first
 * @param {ComparedFigure} figure
 * @param {RankingLoad} both the load of both cases
 * @param {Rules} rules
 * @returns {Compared}
 */
function compare(server, first, figure, both, rules) {
  const named = { first: nameOf(first) };
  const why = whyNotCompared(both, server, figure) ?? whyNotCompared(both, first, figure);
  if (why !== undefined) return { ...named, why };
  const [figures, firstFigures] = [server, first].map((side) => figureIn(side, figure));
  if (figures === undefined || firstFigures === undefined) return { ...named, why: 'absent' };
  return { ...named, ratio: pairedBounds(figure, figures, firstFigures, rules) };
}
