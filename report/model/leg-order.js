/**
 * Groups a page's legs, chooses those that charts draw, and assigns their colours.
 */
import { isAtRate } from '../../client/judge/comparisons.js';
import { leftUnserved } from '../../client/measure/leg-figures.js';
import { MAX_SIDE_BY_SIDE, servedOnlySome } from '../../client/words/figures.js';
import { numberOf } from './page-leg.js';
import { coloursOf } from './server-colours.js';
import { languageName } from './server-words.js';
import { lineNames, pointsOf } from './sweep.js';

/** @import { PageLeg, Run } from '../types.js' */

/** More lines in one plot cannot be told apart. */
const MAX_LINES = 6;
/** More rows make a page long and large. */
const MAX_ROWS = 30;

/** @param {readonly unknown[]} legs @returns {boolean} */
export const areMany = (legs) => legs.length > MAX_SIDE_BY_SIDE;

/**
 * @param {Run} run
 * @returns {boolean} whether one server is measured once: its page has tracks, and key figures instead of a table
 */
export const isAlone = ({ legs, plan, summary }) => legs.length === 1 && !summary.search && !plan?.search;

/** @param {PageLeg} f @returns {number} 0: served as requested; 1: left some unanswered; 2: did not run */
const standing = (f) => (!f.ran ? 2 : servedOnlySome(f.summary) ? 1 : 0);

/** @param {PageLeg} f @returns {number} */
const speedOf = (f) => numberOf(f, 'rate') ?? 0;

/**
 * @param {PageLeg} a
 * @param {PageLeg} b
 * @returns {number} order: legs that answered all connections first, then by speed, fastest first
 */
export const bySpeed = (a, b) =>
  standing(a) - standing(b) ||
  speedOf(b) - speedOf(a) ||
  (leftUnserved(a.summary) ?? 0) - (leftUnserved(b.summary) ?? 0);

/** @param {PageLeg[]} results @returns {string[]} languages of the servers, in the order of the run */
const languagesOf = (results) => [...new Set(results.flatMap((f) => f.summary.serverModel?.language ?? []))];

/** @param {PageLeg[]} results @returns {string[]} tests of the scenario, in the order of the run */
const testsOf = (results) => [...new Set(results.flatMap((f) => f.summary.axes.test ?? []))];

/**
 * Groups legs by the first of these with several values: round, load (compareAt), test, point of the sweep, language.
 * In each group, legs that served all connections come first.
 * @param {PageLeg[]} results
 * @returns {Array<{ name: string, results: PageLeg[] }>} one group with an empty name if all have one language
 */
export function grouped(results) {
  const rounds = [...new Set(results.map(({ summary }) => summary.round))].sort((a, b) => a - b);
  if (rounds.length > 1) {
    return rounds.map((round) => ({
      name: `round ${round}`,
      results: results.filter((f) => f.summary.round === round).sort((a, b) => a.index - b.index),
    }));
  }
  const sorted = [...results].sort(bySpeed);
  const atRate = sorted.filter(({ summary }) => isAtRate(summary));
  if (atRate.length > 0) {
    return [
      { name: 'closed loop', results: sorted.filter((f) => !atRate.includes(f)) },
      { name: 'at the same rate', results: atRate },
    ];
  }
  const tests = testsOf(results);
  if (tests.length > 1) {
    return tests.map((test) => ({
      name: test,
      results: sorted.filter((f) => f.summary.axes.test === test),
    }));
  }
  const points = pointsOf(results);
  if (points.length > 1) {
    return points.map(({ name, of }) => ({ name, results: sorted.filter(of) }));
  }
  const languages = languagesOf(results);
  if (languages.length < 2) return [{ name: '', results: sorted }];
  const groups = languages.map((language) => ({
    name: languageName(language),
    results: sorted.filter((f) => f.summary.serverModel?.language === language),
  }));
  const others = sorted.filter((f) => !f.summary.serverModel);
  return [...groups, ...(others.length ? [{ name: 'others', results: others }] : [])];
}

/** @param {PageLeg} f @returns {boolean} whether some of its attempts, connections or transfers failed */
const hasFailures = (f) => standing(f) > 0 || Boolean(numberOf(f, 'rejects')) || Boolean(numberOf(f, 'errors'));

/** @param {PageLeg[]} ran @returns {{ part: PageLeg[], word?: string }} the legs that lines are chosen from */
function partOf(ran) {
  const groups = grouped(ran).map(({ results }) => results);
  if (testsOf(ran).length > 1) return { part: groups[0], word: 'of the first test' };
  if (pointsOf(ran).length > 1) return { part: groups[groups.length - 1], word: 'of the last point' };
  return { part: groups.flat() };
}

/**
 * Chooses the legs that share a plot. They come from the first of several tests, or from the last point of a sweep: the
 * fastest, the slowest, those with failures, then the others by speed.
 * @param {PageLeg[]} results
 * @returns {PageLeg[]} up to MAX_LINES legs that ran
 */
export function drawnAsLines(results) {
  const sorted = partOf(results.filter((f) => f.ran)).part.sort(bySpeed);
  const first = new Set([...sorted.slice(0, 1), ...sorted.slice(-1), ...sorted.filter(hasFailures), ...sorted]);
  return [...first].slice(0, MAX_LINES);
}

/** Rule that chooses the drawn legs if there are too many. */
const FIRST = 'the fastest, the slowest and those with failures first';

/** @param {PageLeg[]} results @returns {string[]} rules that choose the legs drawn as lines; none if all are drawn */
export function rulesOfLines(results) {
  const { part, word } = partOf(results.filter((f) => f.ran));
  return [...(word ? [word] : []), ...(part.length > MAX_LINES ? [FIRST] : [])];
}

/** @param {PageLeg[]} cases @returns {string[]} rules that choose the legs drawn as rows; none if all are drawn */
export const rulesOfRows = (cases) => (cases.length > MAX_ROWS ? [FIRST] : []);

/**
 * Chooses the legs that have a row in charts over time: those drawn as lines, those with failures, then the others.
 * @param {PageLeg[]} cases
 * @returns {PageLeg[]} up to MAX_ROWS legs, in the order of the page's lists
 */
export function drawnAsRows(cases) {
  const listed = areMany(cases) ? grouped(cases).flatMap((group) => group.results) : cases;
  const first = new Set([...drawnAsLines(cases), ...listed.filter(hasFailures), ...listed]);
  const drawn = [...first].slice(0, MAX_ROWS);
  return listed.filter((f) => drawn.includes(f));
}

/**
 * Gives each server one colour in all its legs; in a sweep, each of its lines. If there is only one server, each of its
 * tests has a colour.
 * @param {PageLeg[]} results
 * @returns {PageLeg[]} the same legs with their colours
 */
export function withColours(results) {
  const first = areMany(results) ? drawnAsLines(results) : results;
  const lineOf = lineNames(results);
  const servers = new Set(results.map(({ summary }) => summary.series));
  const isOfTests = servers.size === 1 && testsOf(results).length > 1;
  const nameOf = (/** @type {PageLeg} */ f) =>
    isOfTests ? f.caseLabel : (lineOf(f) ?? f.summary.series ?? f.caseLabel);
  const colours = coloursOf([...new Set(results.map(nameOf))], first.map(nameOf));
  return results.map((f) => ({ ...f, colour: colours.get(nameOf(f)) ?? 0 }));
}
