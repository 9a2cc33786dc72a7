// The figures of each server of a run compared with those of the first one, for conditions such as `cost worse by 3%`. Pure.
// Ratios are paired by round, or by block of slices. What the table of servers does not compare is not known here either.

import { figureIn, nameOf, pointsOf } from '../comparisons.js';
import { pairedBounds } from '../gates.js';
import { situationOf, whyNotCompared } from '../ranking-table.js';

/**
 * @typedef {import('../comparisons.js').Case} Case
 * @typedef {import('../comparisons.js').ComparedFigure} ComparedFigure
 * @typedef {import('../comparisons.js').LegSummary} LegSummary
 *
 * @typedef {object} Compared
 * @property {string} first  label of the server that it is compared with
 * @property {import('../gates.js').Bounds} [ratio]  absent where it is not known
 * @property {import('../comparisons.js').Mark['why']} [why]  it is not
 *
 * @typedef {(figure: ComparedFigure) => Compared} Comparison
 */

/**
 * @param {Case[]} cases of a run, in the order of its plan @param {LegSummary[]} legs
 * @param {import('../comparisons.js').Load} load
 * @returns {(leg: string) => Comparison | undefined} by the id of one of its legs; undefined: it is of the first server at its point
 */
export function comparedWithFirst(cases, legs, { loop, workload }) {
  /** @type {Map<string, Comparison>} */
  const found = new Map();
  for (const point of pointsOf(cases)) {
    const [first, ...others] = point;
    for (const one of others) {
      const situation = situationOf([first, one], legs, loop === 'closed' && workload !== 'hold');
      for (const leg of one.legs) found.set(leg, (figure) => compare(one, first, figure, situation));
    }
  }
  return (leg) => found.get(leg);
}

/** @param {Case} one @param {Case} first @param {ComparedFigure} figure @param {import('../ranking-table.js').Situation} situation of both @returns {Compared} */
function compare(one, first, figure, situation) {
  const named = { first: nameOf(first) };
  const why = whyNotCompared(situation, one, figure) ?? whyNotCompared(situation, first, figure);
  if (why !== undefined) return { ...named, why };
  const [values, others] = [one, first].map((side) => figureIn(side, figure)?.values);
  if (values === undefined || others === undefined) return { ...named, why: 'absent' };
  return { ...named, ratio: pairedBounds(figure, values, others) };
}
