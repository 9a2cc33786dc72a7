// Which of the cases at one point does best by a figure, which cannot be told from it, and by how much the others do worse:
// ratios paired by round, with 95 % intervals. Pure.
// The one thing to know: a case does worse than the best one only where the interval of their ratio excludes 1. One that was
// not measured in three rounds is not ranked.

import { isTime, pairsOf } from '../comparisons.js';
import { MIN_ROUNDS, ratioInterval } from '../statistics/index.js';

/**
 * @typedef {import('../cases.js').Case} Case
 * @typedef {import('../comparisons.js').FigureName} FigureName
 * @typedef {import('../statistics/index.js').Interval} Interval
 *
 * @typedef {{ one: Case, ratio: Interval }} Compared  ratio: of the best case's figure to its own
 * @typedef {object} Ranking
 * @property {FigureName} figure
 * @property {Case} best
 * @property {Compared[]} equal  no difference from the best one was found
 * @property {Compared[]} worse  the nearest to the best one first
 * @property {Case[]} unknown    of which it is not known
 * @property {number} [of]  all cases at the point, where only those are ranked that serve the most connections
 */

/**
 * @param {Case[]} cases at one point @param {FigureName} figure
 * @returns {Ranking | null} null where fewer than two have the figure in enough rounds
 */
export function rankBy(cases, figure) {
  const valueOf = (/** @type {Case} */ one) => one.figures[figure]?.median ?? NaN;
  const roundsOf = (/** @type {Case} */ one) =>
    (one.figures[figure]?.values ?? []).filter((value) => value !== null).length;
  const measured = cases.filter((one) => roundsOf(one) >= MIN_ROUNDS);
  const seldom = cases.filter((one) => roundsOf(one) > 0 && !measured.includes(one));
  if (measured.length < 2) return null;
  const sign = isTime(figure) ? 1 : -1;
  const [best, ...others] = [...measured].sort((a, b) => sign * (valueOf(a) - valueOf(b)));
  const compared = others.map((one) => ({ one, ratio: ratioInterval(pairsOf(best, one, figure)) }));
  const isKnown = (/** @type {Compared} */ { ratio: { low, high } }) => low !== null && high !== null;
  const includesOne = (/** @type {Compared} */ { ratio: { low, high } }) => Number(low) <= 1 && Number(high) >= 1;
  return {
    figure,
    best,
    equal: compared.filter((one) => isKnown(one) && includesOne(one)),
    worse: compared.filter((one) => isKnown(one) && !includesOne(one)),
    unknown: [...compared.filter((one) => !isKnown(one)).map(({ one }) => one), ...seldom],
  };
}

/**
 * By one figure alone: the more figures are looked at, the more often one differs by chance.
 * @param {Case[]} cases at one point @param {FigureName[]} figures the most important first
 * @returns {Ranking | null} by the first figure that can be compared; null where none can
 */
export function rankPoint(cases, figures) {
  const rankings = figures.flatMap((figure) => rankBy(cases, figure) ?? []);
  return rankings.find(({ equal, worse }) => equal.length + worse.length > 0) ?? null;
}
