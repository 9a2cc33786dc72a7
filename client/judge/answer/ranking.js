// Which of the cases at one point does best by a figure, which cannot be told from it, and by how much the others do worse:
// ratios paired by round, with 95 % intervals. Pure.
// The one thing to know: a case does worse than the best one only where the interval of their ratio excludes 1 and, of more
// than two, a test of all of them finds a difference. One that was not measured in three rounds is not ranked.

import { isTime, pairsOf } from '../comparisons.js';
import { blockTest } from '../statistics/block-test.js';
import { directionOf } from '../statistics/direction.js';
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
 * @property {Compared[]} unsure no difference is certain, but the best one did better in each round; of connections served, also
 *   where the ratio is not known because none were
 * @property {Compared[]} worse  the nearest to the best one first
 * @property {Case[]} unknown    of which it is not known
 * @property {number} [of]  all cases at the point, where only those are ranked that serve the most connections
 */

/** How often at most a difference may be found between servers that are equal. */
const FALSE_ALARMS = 0.05;

/**
 * Whether several cases differ at all, by one test of all of them.
 * @param {Case[]} cases @param {FigureName} figure
 * @returns {boolean} true also where they have too few rounds in common for that: then their ratios decide
 */
function differ(cases, figure) {
  const values = cases.map((one) => one.figures[figure]?.values ?? []);
  const common = values[0].flatMap((_, round) =>
    values.every((own) => Number(own[round]) > 0) ? [values.map((own) => Number(own[round]))] : [],
  );
  if (common.length < MIN_ROUNDS) return true;
  return blockTest(values.map((_, i) => common.map((row) => row[i]))) <= FALSE_ALARMS;
}

/**
 * The cases at the top of a ranking between which no difference is found: the last is taken off for as long as they differ.
 * Two are told apart by their ratio alone.
 * @param {Case[]} sorted the best first @param {FigureName} figure
 * @returns {Set<Case>}
 */
function equalsOf(sorted, figure) {
  const top = [...sorted];
  while (top.length > 2 && differ(top, figure)) top.pop();
  return new Set(top.length > 2 ? top : top.slice(0, 1));
}

/**
 * Medians of different rounds may say otherwise, where one was not measured in all of them.
 * @param {Case} one @param {Case} other @param {FigureName} figure
 * @returns {boolean} whether it is better than the other in the rounds that both have
 */
function isBetter(one, other, figure) {
  const { low, high } = ratioInterval(pairsOf(one, other, figure));
  if (low === null || high === null) return false;
  return isTime(figure) ? high < 1 : low > 1;
}

/** @param {Case} one @param {Case} other @param {FigureName} figure @returns {boolean} whether it did better in each round */
const isAhead = (one, other, figure) =>
  directionOf(pairsOf(one, other, figure)) === (isTime(figure) ? 'lower' : 'higher');

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
  const byMedian = [...measured].sort((a, b) => sign * (valueOf(a) - valueOf(b)));
  const best = byMedian.find((one) => !byMedian.some((other) => isBetter(other, one, figure))) ?? byMedian[0];
  const others = byMedian.filter((one) => one !== best);
  const equals = equalsOf([best, ...others], figure);
  const compared = others.map((one) => ({ one, ratio: ratioInterval(pairsOf(best, one, figure)) }));
  const isKnown = (/** @type {Compared} */ { ratio: { low, high } }) => low !== null && high !== null;
  const isWorse = (/** @type {Compared} */ { one, ratio: { low, high } }) =>
    !equals.has(one) && !(Number(low) <= 1 && Number(high) >= 1);
  // of several between which one test finds no difference, the best one must be ahead of all: ahead of some it often is by chance
  const isAheadOfEquals = [...equals].every((one) => one === best || isAhead(best, one, figure));
  const isUnsure = (/** @type {Compared} */ { one }) =>
    isAhead(best, one, figure) && (isAheadOfEquals || !equals.has(one));
  const known = compared.filter(isKnown);
  const [worse, rest] = [known.filter(isWorse), known.filter((one) => !isWorse(one))];
  const withoutRatio = compared.filter((one) => !isKnown(one));
  const fewer = figure === 'served' ? withoutRatio.filter(isUnsure) : [];
  return {
    figure,
    best,
    equal: rest.filter((one) => !isUnsure(one)),
    unsure: [...rest.filter(isUnsure), ...fewer],
    worse,
    unknown: [...withoutRatio.filter((one) => !fewer.includes(one)).map(({ one }) => one), ...seldom],
  };
}

/**
 * By one figure alone: the more figures are looked at, the more often one differs by chance.
 * @param {Case[]} cases at one point @param {FigureName[]} figures the most important first
 * @returns {Ranking | null} by the first figure that can be compared; null where none can
 */
export function rankPoint(cases, figures) {
  const rankings = figures.flatMap((figure) => rankBy(cases, figure) ?? []);
  return rankings.find(({ equal, unsure, worse }) => equal.length + unsure.length + worse.length > 0) ?? null;
}
