/**
 * What a page does with many legs: in which groups they are listed, which of them are drawn, and their colours. Pure.
 */
import { isAtRate } from '../../client/judge/comparisons.js';
import { leftUnserved } from '../../client/measure/leg-figures.js';
import { MAX_SIDE_BY_SIDE, servedOnlySome } from '../../client/words/figures.js';
import { numberOf } from './page-leg.js';
import { coloursOf } from './server-colours.js';
import { languageName } from './server-words.js';
import { lineNames, pointsOf } from './sweep.js';

/** @import { PageLeg, Run } from '../types.js' */

/** More lines over one another cannot be told apart. */
const MOST_LINES = 6;
/** More rows make a page long and heavy. */
const MOST_ROWS = 30;

/** @param {readonly unknown[]} legs @returns {boolean} */
export const areMany = (legs) => legs.length > MAX_SIDE_BY_SIDE;

/**
 * @param {Run} run
 * @returns {boolean} whether one server is measured once: its page has tracks, and its key figures in place of a table
 */
export const isAlone = ({ legs, plan, summary }) => legs.length === 1 && !summary.search && !plan?.search;

/** @param {PageLeg} f @returns {number} 0: served as requested; 1: left some unanswered; 2: did not run */
const standing = (f) => (!f.ran ? 2 : servedOnlySome(f.summary) ? 1 : 0);

/** @param {PageLeg} f @returns {number} */
const speedOf = (f) => numberOf(f, 'rate') ?? 0;

/**
 * @param {PageLeg} a
 * @param {PageLeg} b
 * @returns {number} the fastest first; those that left connections unanswered after the others
 */
export const bySpeed = (a, b) =>
  standing(a) - standing(b) ||
  speedOf(b) - speedOf(a) ||
  (leftUnserved(a.summary) ?? 0) - (leftUnserved(b.summary) ?? 0);

/** @param {PageLeg[]} results @returns {string[]} those known, in the order of the run */
const languagesOf = (results) => [...new Set(results.flatMap((f) => f.summary.serverModel?.language ?? []))];

/** @param {PageLeg[]} results @returns {string[]} tests of the scenario, in the order of the run */
const testsOf = (results) => [...new Set(results.flatMap((f) => f.summary.axes.test ?? []))];

/**
 * Groups the legs of several rounds by round, those with compareAt by their load, those of a scenario with tests by
 * test, those of a sweep by its points; otherwise by language, if there are several. In each group those that served
 * all connections come first.
 * @param {PageLeg[]} results
 * @returns {Array<{ name: string, results: PageLeg[] }>} one group without a name where they
 *   are of one language
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

/** @param {PageLeg[]} ran @returns {{ part: PageLeg[], word?: string }} those that lines are chosen from */
function partOf(ran) {
  const groups = grouped(ran).map(({ results }) => results);
  if (testsOf(ran).length > 1) return { part: groups[0], word: 'of the first test' };
  if (pointsOf(ran).length > 1) return { part: groups[groups.length - 1], word: 'of the last point' };
  return { part: groups.flat() };
}

/**
 * The few that are drawn over one another: of several tests those of the first, of a sweep those of its last point. Of
 * these the fastest, the slowest, and those with failures; then the next ones in the order of speed.
 * @param {PageLeg[]} results
 * @returns {PageLeg[]} that ran
 */
export function drawnAsLines(results) {
  const sorted = partOf(results.filter((f) => f.ran)).part.sort(bySpeed);
  const first = new Set([...sorted.slice(0, 1), ...sorted.slice(-1), ...sorted.filter(hasFailures), ...sorted]);
  return [...first].slice(0, MOST_LINES);
}

/** Which are drawn where not all are. */
const FIRST = 'the fastest, the slowest and those with failures first';

/** @param {PageLeg[]} results @returns {string[]} by which rules some are drawn as lines */
export function rulesOfLines(results) {
  const { part, word } = partOf(results.filter((f) => f.ran));
  return [...(word ? [word] : []), ...(part.length > MOST_LINES ? [FIRST] : [])];
}

/** @param {PageLeg[]} cases @returns {string[]} by which rules some are drawn as rows */
export const rulesOfRows = (cases) => (cases.length > MOST_ROWS ? [FIRST] : []);

/**
 * Those that are drawn over time, each in a row of its own: the few that are drawn as lines, those with failures, then
 * the next ones.
 * @param {PageLeg[]} cases
 * @returns {PageLeg[]} in the order of a list of them
 */
export function drawnAsRows(cases) {
  const listed = areMany(cases) ? grouped(cases).flatMap((group) => group.results) : cases;
  const first = new Set([...drawnAsLines(cases), ...listed.filter(hasFailures), ...listed]);
  const drawn = [...first].slice(0, MOST_ROWS);
  return listed.filter((f) => drawn.includes(f));
}

/**
 * A server has the same colour in each of its legs, and in a sweep each of its lines, wherever it is shown. One server
 * alone has a colour for each of its tests.
 * @param {PageLeg[]} results
 * @returns {PageLeg[]} the same, with their colours
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
