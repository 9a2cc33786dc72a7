// Rankings in words: at one point, and of several points together. Pure.
// The one thing to know: each claim is a ratio with its 95 % interval; of several points, the least and the greatest bound.

import { nameOf, pairsOf, pointText } from '../comparisons.js';
import { count, plain } from '../../words/format.js';
import { ABOUT_TOO_WIDE, isTooWide } from '../../words/intervals.js';
import { joinNames, listNames, MOST_NAMED } from '../../words/lists.js';
import { comparedFigures, countsText, differenceText, ratioText, seenText } from '../statistics/comparison.js';

/**
 * @typedef {import('../comparisons.js').FigureName} FigureName
 * @typedef {import('./ranking.js').Ranking} Ranking
 */

/** More clauses than these are no summary. */
const MOST_CLAUSES = 4;

/** @param {string | undefined} at @returns {string} such as " at 10,000 connections" */
const where = (at) => (at === undefined ? '' : ` at ${at}`);

/**
 * The number of connections is not repeated where connections are what is counted.
 * @param {FigureName} figure @param {string} text with "connections" as the noun @param {string | undefined} at
 * @returns {string} with the point
 */
const placed = (figure, text, at) =>
  figure === 'served' && at?.endsWith(' connections')
    ? text.replace(/connections/, `of the ${at}`)
    : `${text}${where(at)}`;

/** What a figure is called where several have the same. @type {Record<FigureName, [most: string, less: string]>} */
const MOST = {
  perSecond: ['answers the most transfers', 'answer fewer'],
  served: ['serves the most connections', 'serve fewer'],
  p50Ns: ['has the shortest p50', 'have a longer one'],
  p99Ns: ['has the shortest p99', 'have a longer one'],
  networkP50Ns: ['has the shortest network-and-server p50', 'have a longer one'],
  networkP99Ns: ['has the shortest network-and-server p99', 'have a longer one'],
};

/** @param {number} ratio of the best to another @returns {string} by how much the other does worse, without a unit: 12 */
const less = (ratio) => plain(100 * Math.abs(1 - 1 / ratio), 2);

/** @param {import('./ranking.js').Compared} compared @returns {string} such as "12 % (8 to 15)" */
function lessText({ ratio }) {
  const [median, least, most] = [ratio.median, ...[ratio.low, ratio.high].sort((a, b) => distance(a) - distance(b))];
  const [low, high] = [least, most].map((value) => less(Number(value)));
  return `${less(Number(median))} %${low === high ? '' : ` (${low} to ${high})`}`;
}

/** @param {number | null} ratio @returns {number} from 1 */
const distance = (ratio) => Math.abs(Math.log(Number(ratio)));

/** @param {Ranking['worse']} worse @returns {string} by how much, from the nearest to the farthest */
const rangeText = (worse) => [...new Set([worse[0], worse[worse.length - 1]])].map(lessText).join(' to ');

/** @param {import('./ranking.js').Compared[]} compared @returns {boolean} whether the rounds are too different to tell one from the best */
const someTooWide = (compared) => compared.some(({ ratio: { low, high } }) => isTooWide([Number(low), Number(high)]));

/** @param {Ranking} ranking without a difference @returns {boolean} whether nothing is certain, and that is not "no difference" */
export const isUndecided = ({ equal, unsure }) => unsure.length > 0 || someTooWide(equal);

/** @param {Ranking} ranking @returns {number} of those that are ranked */
const rankedIn = ({ equal, unsure, worse }) => 1 + equal.length + unsure.length + worse.length;

/** @param {Ranking} ranking @param {string | undefined} at @returns {string} */
export function rankingText(ranking, at) {
  const text = rankedText(ranking, at);
  if (ranking.of === undefined) return text;
  const ranked = rankedIn(ranking) + ranking.unknown.length;
  return `Of the ${count(ranked)} of ${count(ranking.of)} servers that served the most connections, ${text.replace(/^(No|The|Whether) /, (word) => word.toLowerCase())}`;
}

/**
 * What every round shows of servers between which no difference is certain.
 * @param {Ranking} ranking @param {string | undefined} at @returns {string}
 */
function unsureText({ figure, best, equal, unsure }, at) {
  const words = comparedFigures[figure];
  const names = listNames(unsure.map(({ one }) => nameOf(one)));
  const seen = seenText(words, words.kind === 'count', nameOf(best), names).replace(/^the /, 'The ');
  const [{ one, ratio }] = unsure;
  const pairs = unsure.flatMap((compared) => pairsOf(best, compared.one, figure));
  const each = `in each of ${count(ratio.rounds)} rounds`;
  if (figure === 'served') return `${placed(figure, seen, at)} ${each}: ${countsText(pairs)}`;
  const range = unsure.length > 1 ? '' : ` (${ratioText(ratio, pairsOf(best, one, figure))})`;
  const certain = unsure.length > 1 ? 'the differences are not certain' : 'the difference is not certain';
  const others =
    equal.length === 0
      ? ''
      : `; no difference was found between it and ${listNames(equal.map((other) => nameOf(other.one)))}`;
  return `${seen}${where(at)} ${each}, but ${certain}${range}${others}; more rounds would tell`;
}

/** @param {Ranking} ranking without a difference @param {string | undefined} at @returns {string} */
function noDifferenceText(ranking, at) {
  const { figure, best, equal, unsure, unknown } = ranking;
  if (unsure.length > 0) return unsureText(ranking, at);
  const { name } = comparedFigures[figure];
  const among = [best, ...equal.map(({ one }) => one)].map(nameOf);
  const [{ one, ratio }] = equal;
  const servers = unknown.length === 0 ? `the ${count(among.length)} servers` : listNames(among);
  const names = among.length === 2 ? joinNames(among) : ranking.of === undefined ? servers : 'them';
  const found =
    figure === 'served' ? countsText(pairsOf(best, one, figure)) : ratioText(ratio, pairsOf(best, one, figure));
  const range = among.length === 2 ? ` (${found})` : '';
  return someTooWide(equal)
    ? `Whether ${ranking.of === undefined || among.length === 2 ? names : 'they'} differ in ${name}${where(at)} is not known: their rounds differ too much from each other${range}; ${ABOUT_TOO_WIDE}`
    : `No difference in ${name} was found between ${names}${where(at)}${range}`;
}

/** @param {Ranking} ranking @returns {string} clauses about those that are not certainly worse than the best; empty without any */
function nearText({ figure, equal, unsure }) {
  const namesOf = (/** @type {import('./ranking.js').Compared[]} */ some) =>
    listNames(some.map(({ one }) => nameOf(one)));
  const wide = equal.filter((one) => someTooWide([one]));
  const same = equal.filter((one) => !wide.includes(one));
  const words = comparedFigures[figure];
  const did = words.kind === 'count' ? `it ${words.did} more` : 'its own was shorter';
  return [
    ...(same.length > 0 ? [`no difference was found between it and ${namesOf(same)}`] : []),
    ...(wide.length > 0
      ? [
          `whether ${namesOf(wide)} ${wide.length === 1 ? 'differs' : 'differ'} from it is not known, because the rounds differ too much`,
        ]
      : []),
    ...(unsure.length > 0 ? [`${did} than ${namesOf(unsure)} in each round, which is not certain`] : []),
  ].join('; ');
}

/** @param {Ranking} ranking @param {string | undefined} at @returns {string} */
function rankedText(ranking, at) {
  const { figure, best, worse, unknown } = ranking;
  if (worse.length === 0) return noDifferenceText(ranking, at);
  const words = comparedFigures[figure];
  const all = rankedIn(ranking) + unknown.length;
  const [most, fewer] = MOST[figure];
  const [{ one: next, ratio }] = worse;
  const near = nearText(ranking);
  if (near === '') {
    const object = all === 2 ? nameOf(next) : `${nameOf(next)}, the next of ${count(all)} servers,`;
    const text = differenceText(
      words,
      Number(ratio.median),
      Number(ratio.low),
      Number(ratio.high),
      nameOf(best),
      object,
    );
    const counts = figure === 'served' ? ` (${countsText(pairsOf(best, next, figure))})` : '';
    return `${placed(figure, text.replace(/^the /, 'The '), at)}${counts}`;
  }
  const others =
    worse.length === 1
      ? `${nameOf(next)} ${singular(fewer)}`
      : worse.length <= MOST_NAMED
        ? `${joinNames(worse.map(({ one }) => nameOf(one)))} ${fewer}`
        : `${count(worse.length)} of the ${count(all)} servers ${fewer}`;
  return `${nameOf(best)} ${placed(figure, most, at)}, and ${near}; ${others}, by ${rangeText(worse)}`;
}

/** @param {string} verb phrase with a plural subject @returns {string} with a singular one */
const singular = (verb) => verb.replace(/^(\w+)/, (word) => (word === 'have' ? 'has' : `${word}s`));

/** @param {Ranking} ranking @returns {string[]} names of the servers that do best */
const leadersOf = ({ best, equal }) => [best, ...equal.map(({ one }) => one)].map(nameOf).sort();

/** @param {Ranking} ranking @returns {string} the same for points that one clause can describe */
function outcomeOf(ranking) {
  const { figure, best, unsure, worse } = ranking;
  const ahead = unsure.length === 0 ? [] : [nameOf(best), unsure.map(({ one }) => nameOf(one)).sort()];
  const what = worse.length === 0 ? [isUndecided(ranking)] : leadersOf(ranking);
  return JSON.stringify([figure, worse.length === 0, what, ahead]);
}

/** @param {import('../../../config/types.js').Axes[]} axes of points @returns {string} such as "10 and 100 connections" */
export function pointsText(axes) {
  const isConnections = axes.every((one) => Object.keys(one).join() === 'connections');
  if (!isConnections) return listNames(axes.map((one) => pointText(one) ?? ''));
  return `${listNames(axes.map(({ connections }) => count(Number(connections))))} connections`;
}

/** @param {Ranking[]} group of several points, with one server that is better and one that is worse @returns {string} */
function pairText(group) {
  const [{ figure, best, worse }] = group;
  const { kind, ...words } = comparedFigures[figure];
  const ratios = group.map(({ worse: [{ ratio }] }) => ratio);
  const least = (/** @type {(number | null)[]} */ values) => plain(Math.min(...values.map(Number)), 2);
  const most = (/** @type {(number | null)[]} */ values) => plain(Math.max(...values.map(Number)), 2);
  const medians = ratios.map(({ median }) => median);
  const times = `${least(medians) === most(medians) ? '' : `${least(medians)} to `}${most(medians)} times (${least(ratios.map(({ low }) => low))} to ${most(ratios.map(({ high }) => high))})`;
  const [name, other] = [nameOf(best), nameOf(worse[0].one)];
  const at = pointsText(group.map((one) => one.best.axes));
  return kind === 'count'
    ? `${name} ${/** @type {any} */ (words).verb} ${times} as many ${/** @type {any} */ (words).noun} as ${other} at ${at}`
    : `the ${words.name} of ${name} is ${times} that of ${other} at ${at}`;
}

/** @param {Ranking[]} group of points with the same outcome @returns {string} */
function groupText(group) {
  const [first] = group;
  const at = pointsText(group.map(({ best }) => best.axes));
  const { figure, best, equal, unsure, worse } = first;
  const words = comparedFigures[figure];
  const names = listNames(unsure.map(({ one }) => nameOf(one)));
  const seen = seenText(words, words.kind === 'count', nameOf(best), names);
  if (worse.length === 0) {
    if (!isUndecided(first)) return `no difference in ${words.name} was found at ${at}`;
    if (unsure.length === 0)
      return `whether they differ in ${words.name} at ${at} is not known, because the rounds differ too much`;
    if (figure === 'served') return `${seen} in each round at ${at}`;
    return `${seen} in each round at ${at}, but the difference is not certain`;
  }
  const isAlone = equal.length + unsure.length === 0;
  if (group.length === 1 && isAlone && worse.length === 1) return rankingText(first, at);
  if (isAlone && worse.length === 1) return pairText(group);
  const [phrase] = MOST[figure];
  const lead = unsure.length === 0 ? '' : `, though its lead over ${names} is not certain`;
  return equal.length === 0
    ? `${nameOf(best)} ${phrase} at ${at}${lead}`
    : `${listNames(leadersOf(first))} ${plural(phrase)} at ${at}, without a difference between them${unsure.length === 0 ? '' : `, though their lead over ${names} is not certain`}`;
}

/** @param {string} phrase with a singular subject @returns {string} with a plural one */
const plural = (phrase) => phrase.replace(/^has/, 'have').replace(/^(\w+)s\b/, '$1');

/** @param {Ranking[]} rankings of several points @returns {string} points with the same outcome together, differences first */
export function rankingsText(rankings) {
  /** @type {Map<string, Ranking[]>} */
  const groups = new Map();
  for (const one of rankings) groups.set(outcomeOf(one), [...(groups.get(outcomeOf(one)) ?? []), one]);
  const sorted = [...groups.values()].sort((a, b) => Number(a[0].worse.length === 0) - Number(b[0].worse.length === 0));
  const texts = sorted.slice(0, MOST_CLAUSES).map(groupText);
  const more = sorted.length > MOST_CLAUSES ? ['other points differ from these'] : [];
  const text = [...texts, ...more].join('; ');
  return /^(the|no|whether) /.test(text) ? `${text[0].toUpperCase()}${text.slice(1)}` : text;
}
