/**
 * What a page does with many legs: in which groups they are listed, which few are shown at first, and their colours.
 * Pure. Up to MAX_SIDE_BY_SIDE legs are shown side by side without any of this.
 */
import { isAtRate } from '../../client/judge/comparisons.js';
import { leftUnserved } from '../../client/measure/leg-figures.js';
import { MAX_SIDE_BY_SIDE, servedOnlySome } from '../../client/words/figures.js';
import { numberOf } from './page-leg.js';
import { coloursOf } from './server-colours.js';
import { languageName } from './server-words.js';
import { lineNames, pointsOf } from './sweep.js';

/** @import { Chart, PageLeg, Run } from '../types.js' */

/** Lines of more legs than these cannot be told apart at a glance. */
const DRAWN_AT_FIRST = 6;

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

/**
 * The few that are shown at first: of several tests those of the first, in a sweep those with the most connections. Of
 * these the fastest, the slowest, and those that failed or left connections unanswered; then the next ones in the order
 * of speed.
 * @param {PageLeg[]} results
 * @returns {PageLeg[]} that ran
 */
export function drawnFirst(results) {
  const groups = grouped(results.filter((f) => f.ran)).map((group) => group.results);
  const some =
    testsOf(results).length > 1 ? groups.slice(0, 1) : pointsOf(results).length > 1 ? groups.slice(-1) : groups;
  const sorted = some.flat().sort(bySpeed);
  const wrong = sorted.filter(
    (f) => standing(f) > 0 || Boolean(numberOf(f, 'rejects')) || Boolean(numberOf(f, 'errors')),
  );
  const first = new Set([...sorted.slice(0, 1), ...sorted.slice(-1), ...wrong, ...sorted]);
  return [...first].slice(0, DRAWN_AT_FIRST);
}

/**
 * A server has the same colour in each of its legs, and in a sweep each of its lines, wherever it is shown; their
 * dashes differ. One server alone has a colour for each of its tests.
 * @param {PageLeg[]} results
 * @returns {PageLeg[]} the same, with their colours, their places in a list, and whether they are drawn at first
 */
export function withColours(results) {
  const many = areMany(results);
  const first = many ? drawnFirst(results) : results;
  const listed = many ? grouped(results).flatMap((group) => group.results) : results;
  const lineOf = lineNames(results);
  const servers = new Set(results.map(({ summary }) => summary.series));
  const isOfTests = servers.size === 1 && testsOf(results).length > 1;
  const nameOf = (/** @type {PageLeg} */ f) =>
    isOfTests ? f.caseLabel : (lineOf(f) ?? f.summary.series ?? f.caseLabel);
  const names = [...new Set(results.map(nameOf))];
  const colours = coloursOf(names, first.map(nameOf));
  /** @type {Map<string, number>} */
  const repeats = new Map();
  return results.map((f) => {
    const name = nameOf(f);
    const colour = colours.get(name) ?? 0;
    const repeat = repeats.get(name) ?? 0;
    repeats.set(name, repeat + 1);
    return {
      ...{ ...f, drawn: first.includes(f), place: many ? listed.indexOf(f) : f.place, colour },
      // an odd step, so that no two of eight repeats of a server have the same dashes
      mark: colour + repeat * (names.length | 1),
    };
  });
}

/**
 * Of many legs only a few have rejects or errors. So that a reader need not search for them, a chart always shows those
 * with the most.
 * @param {Chart} chart @param {number} number of all legs
 * @returns {Chart}
 */
export function withOwn(chart, number) {
  if (chart.layout === 'overlay') {
    const legs = new Set(chart.panels[0].datasets.map(({ leg }) => leg));
    return legs.size > 0 && legs.size <= DRAWN_AT_FIRST && legs.size < number ? { ...chart, own: true } : chart;
  }
  // Nearly every leg has a few kernel events.
  const room = chart.kind === 'bar' ? DRAWN_AT_FIRST : DRAWN_AT_FIRST / 2;
  const most = chart.panels
    .filter(({ amount = 0, empty }) => amount > 0 && !empty)
    .sort((a, b) => (b.amount ?? 0) - (a.amount ?? 0))
    .slice(0, room);
  return { ...chart, panels: chart.panels.map((panel) => (most.includes(panel) ? { ...panel, own: true } : panel)) };
}
