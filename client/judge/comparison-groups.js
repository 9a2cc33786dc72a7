// The comparisons of a run as a person reads them: those with the same outcome in one sentence, differences before the
// others, the greatest first. Pure; used by console and page. summary.json keeps each of them.

import { nameOf } from './comparisons.js';
import { plain } from '../words/format.js';
import { ABOUT_TOO_WIDE } from '../words/intervals.js';
import { listNames } from '../words/lists.js';
import { comparedFigures, countsText, seenText } from './statistics/comparison.js';

/**
 * @typedef {import('./comparisons.js').RunComparison} RunComparison
 * @typedef {import('./cases.js').Case} Case
 * @typedef {Pick<RunComparison, 'code' | 'figure' | 'better' | 'text'> & { cases: string[] }} ComparisonGroup  cases: ids
 */

/** Of more names than these the others are counted. */
const MOST_NAMED = 6;

/** @param {RunComparison} comparison @returns {number} how far its ratio is from 1, better ones first */
const rankOf = ({ better, ratio }) =>
  better === undefined ? 0 : (better ? 2e6 : 1e6) + Math.abs(Math.log(Number(ratio?.median)));

/** @param {RunComparison} comparison @returns {string} the same for those that one sentence can state */
function keyOf({ code, figure, case: one, baseline, better, data }) {
  return JSON.stringify(
    better === undefined ? [code, figure, baseline, data.at, data.direction] : [code, figure, one, data.at],
  );
}

/**
 * @param {RunComparison[]} group of several that point the same way, or of which nothing is known
 * @param {string} names of their cases @param {string} other that of the baseline @param {string} where
 * @returns {string}
 */
function undecidedText([{ figure, data, ratio }, ...others], names, other, where) {
  const words = comparedFigures[figure];
  const { direction } = data;
  if (direction === undefined)
    return `Whether any of ${names} differs from ${other} in ${words.name}${where} is not known: the rounds differ too much from each other; ${ABOUT_TOO_WIDE}.`;
  const each = `each of ${names}`;
  const seen = seenText(words, direction === 'more' || direction === 'longer', each, other);
  const capital = `${seen[0].toUpperCase()}${seen.slice(1)}`;
  if (figure !== 'served')
    return `${capital}${where} in every round, but the differences are not certain; more rounds would tell.`;
  const rounds = [data, ...others.map((one) => one.data)].flatMap(({ values }) => values);
  const unsure = ratio === undefined ? '' : ' By how much in general is not certain; more rounds would tell.';
  return `${capital}${where} in every round: ${countsText(rounds)}.${unsure}`;
}

/** @param {RunComparison[]} group @param {Case[]} cases @returns {string} */
function groupText(group, cases) {
  const [{ code, figure, baseline, data, text }] = group;
  if (group.length === 1) return text;
  const label = (/** @type {string | undefined} */ id) => {
    const found = cases.find((one) => one.id === id);
    return found ? nameOf(found) : String(id);
  };
  const names = listNames(
    group.map((one) => label(one.case)),
    MOST_NAMED,
  );
  const { name } = comparedFigures[figure];
  const where = data.at === undefined ? '' : ` at ${data.at}`;
  const other = label(baseline);
  if (code === 'no-difference') {
    const bounds = group.flatMap(({ ratio }) => [Number(ratio?.low), Number(ratio?.high)]);
    const range = `ratios from ${plain(Math.min(...bounds), 2)} to ${plain(Math.max(...bounds), 2)}`;
    return `No difference in ${name} was found between ${other} and any of ${names}${where} (${range}).`;
  }
  if (code === 'undecided') return undecidedText(group, names, other, where);
  if (code === 'served-some') {
    return `The response times of ${names} are not compared with those of ${other}${where}, because connections were left without a reply.`;
  }
  if (code === 'not-comparable')
    return `${names} cannot be compared with ${other} by ${name}${where}: a value is 0 or absent.`;
  const times = code === 'measured-once' ? 'once' : 'twice';
  return `Measured ${times}${where}: whether ${names} differ from ${other} in ${name} is not known.`;
}

/** @param {{ better?: boolean, direction?: string }} group @returns {number} differences first, then what every round shows */
const placeOf = ({ better, direction }) => (better !== undefined ? 0 : direction !== undefined ? 1 : 2);

/**
 * @param {RunComparison[]} comparisons of a run @param {Case[]} cases
 * @returns {ComparisonGroup[]} differences first; by figure as they come, and within it by rank
 */
export function groupComparisons(comparisons, cases) {
  const figures = [...new Set(comparisons.map(({ figure }) => figure))];
  const groups = figures.flatMap((figure) => {
    const own = comparisons.filter((one) => one.figure === figure).sort((a, b) => rankOf(b) - rankOf(a));
    /** @type {Map<string, RunComparison[]>} */
    const groups = new Map();
    for (const one of own) groups.set(keyOf(one), [...(groups.get(keyOf(one)) ?? []), one]);
    return [...groups.values()].map((group) => {
      const [{ code, better, data }] = group;
      return {
        ...{ code, figure, direction: data.direction, cases: group.flatMap((one) => one.case ?? []) },
        ...(better === undefined ? {} : { better }),
        text: groupText(group, cases),
      };
    });
  });
  return groups.sort((a, b) => placeOf(a) - placeOf(b)).map(({ direction: _, ...group }) => group);
}

/**
 * @param {ComparisonGroup[]} groups @param {number} most
 * @returns {{ shown: ComparisonGroup[], left: number }} the first of them
 */
export const chosenComparisons = (groups, most) => ({
  shown: groups.slice(0, most),
  left: Math.max(0, groups.length - most),
});
