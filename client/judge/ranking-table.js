// The servers of a run in one table: a row for each, best first, and in each a cell for each compared figure with one
// mark. Pure data; console, page and Markdown show it, each by one renderer. Ratios are paired by round, or by block of
// slices, against the best of the point, with the starts of a server as a level of their own. A case is worse only
// where the interval of its ratio excludes 1, a test of all servers of the point finds a difference, and all
// comparisons of the run, judged together, do.

import { figuresOf, heldAtEnd, inFlight, isMeasured } from '../measure/leg-figures.js';
import { present } from '../measure/sums.js';
import { isInterrupted } from '../words/endings.js';
import { servedOnlySome } from '../words/figures.js';
import { count } from '../words/format.js';
import { casesOf, counts, isComparable } from './cases.js';
import {
  MARGIN,
  comparedOf,
  figureIn,
  isAtRate,
  isOfEqualRate,
  isTime,
  markOf,
  nameOf,
  pairsOf,
  pointsOf,
  pointText,
  ratioOf,
  startsOf,
  rulesOf,
  unknownMark,
} from './comparisons.js';
import { blockTest } from './statistics/block-test.js';
import { holm, MIN_ROUNDS, MIN_SLICES } from './statistics/index.js';
import { startNoise } from './statistics/nested.js';
import { isAbove } from './figure-values.js';
import { intervalOf, shownCase, valueOf } from './value-of.js';

/**
 * @import { Axes, Case, LegSummary, Mark, RunSummary } from '../../config/types.js'
 * @import { ComparedFigure, Rules, Values } from './comparisons.js'
 * @import { StartNoise } from './statistics/nested.js'
 */

/**
 * @typedef {object} Cell  what a case is compared by; without median and moreThan it does not have the figure
 * @property {number} [median]
 * @property {number} [moreThan]  of a percentile that is longer than every time that was measured
 * @property {number} [low]  of the 95 % interval
 * @property {number} [high]  likewise
 * @property {number} [before]  median of the earlier run that it is compared with
 * @property {Mark} [mark]  absent where there is nothing to compare with
 * @property {string} [case]  that it is of, where that is not the row's: one of compareAt
 *
 * @typedef {{ case: string, label: string, cells: Cell[] }} Row  label: of the server; cells: one of each figure of the
 *   table
 * @typedef {object} Point  of a sweep
 * @property {Axes} axes
 * @property {string} [at]  the point in words; absent where the run has one
 * @property {ComparedFigure | undefined} leadBy the figure that ranks: the first one by which it is known how some
 *   compare, otherwise the
 *   first one by which some could be compared
 * @property {Record<string, string>} best  by the key of the figure: the case that the others are compared with
 * @property {Row[]} rows  of one or two rounds in the order of the scenario, for then nothing is ranked
 *
 * @typedef {Rules & { rounds: number, unit: 'round' | 'block', figures: ComparedFigure[], points: Point[], starts: {
 *   figure: ComparedFigure, noise: StartNoise }[] }} RankingTable  starts: how much those of a server differ from each
 *   other, where there are several; rounds: or blocks of slices, the most that a figure has a value of
 */

/** The figure by which servers are compared that left connections without a reply. */
const SERVED = 'served';

/** @param {Case} one @param {ComparedFigure} figure @returns {number} rounds that have it */
const roundsWith = (one, figure) => valuesIn(one, figure).values.filter((value) => value !== null).length;

/**
 * How likely cases that are equal are to differ as much, by one test of all of them.
 * @param {Case[]} cases @param {ComparedFigure} figure
 * @returns {number} 0 also where they have too few rounds in common for that: then their ratios decide
 */
function blockP(cases, figure) {
  const values = cases.map((one) => valuesIn(one, figure).values);
  const common = values[0].flatMap((_, round) =>
    values.every((own) => Number(own[round]) > 0) ? [values.map((own) => Number(own[round]))] : [],
  );
  if (common.length < MIN_ROUNDS) return 0;
  return blockTest(values.map((_, i) => common.map((row) => row[i])));
}

/**
 * The cases at the top between which no difference is found: the last is taken off for as long as they differ. Two are
 * told apart by their ratio alone.
 * @param {Case[]} sorted the best first @param {ComparedFigure} figure @param {Rules} rules
 * @returns {Set<Case>}
 */
function equalsOf(sorted, figure, { level }) {
  const top = [...sorted];
  while (top.length > 2 && blockP(top, figure) <= level) top.pop();
  return new Set(top.length > 2 ? top : top.slice(0, 1));
}

/** @param {Case} one @param {ComparedFigure} figure @returns {Values} */
const valuesIn = (one, figure) => figureIn(one, figure) ?? { values: [] };

/** @param {Case} one @param {Case} other @param {ComparedFigure} figure */
const pairsIn = (one, other, figure) => pairsOf(valuesIn(one, figure).values, valuesIn(other, figure).values);

/** @param {Case} one @param {Case} other @param {ComparedFigure} figure @param {Rules} rules @returns {Mark} */
const markAgainst = (one, other, figure, { margin, level }) =>
  markOf(figure, ratioOf(valuesIn(one, figure), valuesIn(other, figure), level), margin);

/**
 * Connections served are counted, not estimated: fewer in every round is fewer, also where none makes a ratio
 * impossible.
 * @param {Case} one @param {Case} other @param {ComparedFigure} figure @returns {boolean}
 */
const servesFewer = (one, other, figure) =>
  figure.compared.key === SERVED &&
  pairsIn(one, other, figure).every(([own, its]) => own === null || its === null || own < its);

/** @param {Mark[]} others marks against the best @returns {Mark} its own: it is the best only where some are worse */
function leaderMark(others) {
  if (others.some(({ code }) => code === 'worse')) return { code: 'best' };
  if (others.some(({ code }) => code === 'as-good')) return { code: 'as-good' };
  const smallest = others.flatMap(({ smallestPercent }) => smallestPercent ?? []);
  return {
    ...{ code: 'not-known', why: 'rounds-differ' },
    ...(smallest.length === 0 ? {} : { smallestPercent: Math.min(...smallest) }),
  };
}

/** @param {Mark} mark @returns {boolean} whether it says that two differ */
const isClaim = ({ code }) => code === 'worse' || code === 'better';

/** @param {Mark} mark @returns {Mark} */
const asChance = (mark) => ({ ...mark, code: 'not-known', why: 'chance' });

/**
 * @typedef {object} Ranked  the cases at one point by one figure
 * @property {Case} [best]  absent where fewer than two have the figure in enough rounds
 * @property {Map<Case, Mark>} marks  of all but the best
 * @property {number} [p]  how likely equal cases are to differ as much; absent where nothing is compared
 */

/**
 * @param {Case[]} cases at one point @param {ComparedFigure} figure @param {Rules} [rules]
 * @returns {Ranked}
 */
export function rankBy(cases, figure, rules = rulesOf({})) {
  const marks = new Map(cases.map((one) => [one, unknownMark(Math.min(roundsWith(one, figure), MIN_ROUNDS - 1))]));
  const measured = cases.filter((one) => roundsWith(one, figure) >= MIN_ROUNDS);
  if (measured.length < 2) {
    measured.forEach((one) => marks.delete(one));
    return { marks };
  }
  const sorted = measured.sort(byMedian(figure));
  // medians of different rounds may say otherwise, where one was not measured in all of them
  const isBeaten = (/** @type {Case} */ one) =>
    sorted.some((other) => markAgainst(other, one, figure, rules).code === 'better');
  const best = sorted.find((one) => !isBeaten(one)) ?? sorted[0];
  const others = sorted.filter((one) => one !== best);
  const found = new Map(others.map((one) => [one, markAgainst(one, best, figure, rules)]));
  const { p, isChance } = judgeTogether([best, ...others], figure, found, rules);
  for (const [one, mark] of found) {
    const own = isClaim(mark) && isChance(one) ? asChance(mark) : mark;
    marks.set(one, own.code === 'not-known' && servesFewer(one, best, figure) ? { code: 'worse' } : own);
  }
  marks.delete(best);
  return { best, marks, p };
}

/**
 * Among many equal servers some pair nearly always differs by chance. With few rounds of one value each, a single test
 * over all servers says whether they differ at all, because each ratio by itself tells little. Otherwise the intervals
 * are corrected for the number of pairs from which the best was chosen.
 * @param {Case[]} cases the best first
 * @param {ComparedFigure} figure
 * @param {Map<Case, Mark>} found marks against the best
 * @param {Rules} rules
 * @returns {{ p: number, isChance: (one: Case) => boolean }}
 */
function judgeTogether(cases, figure, found, rules) {
  const ratios = [...found.values()].flatMap(({ ratio }) => ratio ?? []);
  const isOfMany = ratios.every(({ method }) => method !== 'student-t-log');
  const pairs = (cases.length * (cases.length - 1)) / 2;
  const pOf = (/** @type {Mark | undefined} */ mark) => Math.min(1, pairs * (mark?.ratio?.p ?? 1));
  if (cases.length === 2 || isOfMany) {
    return { p: Math.min(1, ...[...found.values()].map(pOf)), isChance: (one) => pOf(found.get(one)) > rules.level };
  }
  const equals = equalsOf(cases, figure, rules);
  return { p: blockP(cases, figure), isChance: (one) => equals.has(one) };
}

/**
 * @param {ComparedFigure} figure @param {(one: Case) => Case | undefined} [caseFor] the case that has it
 * @returns {(a: Case, b: Case) => number} the better one first, those without the figure last
 */
function byMedian(figure, caseFor = (one) => one) {
  const sign = figure.better === 'lower' ? 1 : -1;
  const placeOf = (/** @type {Case} */ one) => {
    const own = caseFor(one);
    return sign * ((own && figureIn(own, figure)?.median) ?? sign * Number.MAX_VALUE);
  };
  return (a, b) => placeOf(a) - placeOf(b);
}

/**
 * A server that leaves connections without a reply is fast for the others. Where some served all, the rest are compared
 * by the number of connections served alone; where none did, by throughput too.
 * @param {Case[]} point @param {ComparedFigure} figure @param {Set<Case>} short those that served only some
 * @returns {Case[]} those that are compared with each other
 */
function comparable(point, figure, short) {
  if (figure.compared.key === SERVED) return short.size > 0 ? point : [];
  return short.size === point.length && !isTime(figure) ? point : point.filter((one) => !short.has(one));
}

/**
 * @param {Cell} cell
 * @returns {boolean} whether the case does not have that figure, so that there is nothing to compare
 */
const isEmpty = ({ median, moreThan }) => median === undefined && moreThan === undefined;

/**
 * @param {Case} one @param {ComparedFigure} figure @param {LegSummary[]} legs its own
 * @returns {Cell} empty where none of its legs ran to its end, or until the run was interrupted: then its figures until
 *   then, which are compared only where it took turns
 */
function cellIn(one, figure, legs) {
  if (!legs.some((leg) => counts(leg) || isInterrupted(leg.endedBy))) return {};
  const shown = shownCase(legs, one);
  const { value } = valueOf(figure, shown);
  const [low, high] = intervalOf(figure, shown) ?? [];
  if (typeof value === 'number') return { median: value, ...present('low', low), ...present('high', high) };
  return isAbove(value) && value.above > 0 ? { moreThan: value.above } : {};
}

/**
 * In a closed loop a request waits for those before it: from this multiple of the shortest response time on, mostly for
 * them.
 */
const MOSTLY_QUEUED = 2;
/** With a request in flight on this share of the connections they do not pause most of the time. */
const MOSTLY_BUSY = 0.5;

/**
 * In a saturated closed loop the response time is the number of connections divided by the throughput (Little's law):
 * it says nothing of its own about a server.
 * @param {LegSummary[]} legs of a closed loop @returns {boolean}
 */
export const isSaturated = (legs) =>
  legs.some((leg) => {
    const { responseTimeNs: times } = figuresOf(leg) ?? {};
    if (!isMeasured(leg) || times === undefined || times.p50 < MOSTLY_QUEUED * times.min) return false;
    return Number(inFlight(figuresOf(leg))) >= MOSTLY_BUSY * heldAtEnd(leg);
  });

/**
 * @param {LegSummary[]} legs of a case
 * @returns {number} slices in which they were loaded; Infinity where they took no turns
 */
export function slicesIn(legs) {
  const turns = legs.flatMap(({ slices }) => (slices ? Math.round(slices.turnNs / slices.lengthNs) : []));
  return turns.length === 0 ? Infinity : turns.reduce((sum, own) => sum + own, 0);
}

/**
 * @param {Case[]} cases of an open loop
 * @returns {Set<Case>} those that answer certainly less than the one that answers most
 */
function slowerThanRate(cases) {
  const rateOfCase = (/** @type {Case} */ { figures }) => figures.perSecond?.median ?? 0;
  const most = Math.max(0, ...cases.map(rateOfCase));
  return new Set(cases.filter((one) => rateOfCase(one) < (1 - MARGIN) * most));
}

/**
 * @typedef {object} Load  what is compared under one load
 * @property {Case[]} cases
 * @property {Case[]} measured  those that have figures
 * @property {Set<Case>} short  those that served only some of their connections
 * @property {Set<Case>} brief  those that took turns in too few slices to be compared
 * @property {boolean} isSaturated  a closed loop
 * @property {Set<Case>} uneven those whose servers get requests at another rate than most: in a closed loop all, in an
 *   open one those that
 *   cannot keep up
 *
 * @param {Case[]} cases at one point @param {LegSummary[]} legs @param {boolean} isClosed
 * @returns {Load}
 */
export function loadOf(cases, legs, isClosed) {
  const legsOf = (/** @type {Case} */ one) => legs.filter(({ id }) => one.legs.includes(id));
  const short = new Set(
    cases.filter((one) => legsOf(one).some((leg) => isComparable(leg) && servedOnlySome(leg) !== undefined)),
  );
  const measured = cases.filter((one) => Object.keys(one.figures).length > 0);
  const brief = new Set(measured.filter((one) => slicesIn(legsOf(one)) < MIN_SLICES));
  return {
    ...{ cases, measured, short, brief, uneven: isClosed ? new Set(cases) : slowerThanRate(measured) },
    isSaturated: isClosed && measured.some((one) => isSaturated(legsOf(one))),
  };
}

/**
 * @param {Load} load
 * @param {Case} one under it
 * @param {ComparedFigure} figure
 * @returns {'few-slices' | 'served-some' | 'follows-from-throughput' | 'rates-differ' | undefined} undefined: it is
 *   compared
 */
export function whyNotCompared({ cases, measured, short, brief, uneven, isSaturated: follows }, one, figure) {
  if (brief.has(one) && !figure.compared.isCount) return 'few-slices';
  if (cases.length > 1 && short.has(one) && !comparable(measured, figure, short).includes(one)) return 'served-some';
  if (figure.compared.atEqualRate && uneven.has(one)) return 'rates-differ';
  return follows && isTime(figure) ? 'follows-from-throughput' : undefined;
}

/**
 * @typedef {object} Situation  of a point
 * @property {Load} given  by the scenario: a case of each server
 * @property {Load} [atRate]  that compareAt adds, whose response times and memory are compared; absent of a run without
 * @property {(one: Case, figure: ComparedFigure) => Case | undefined} caseFor  the case of the same server that has the
 *   figure
 * @property {(one: Case) => LegSummary[]} legsOf
 *
 * @param {Case[]} cases at one point
 * @param {LegSummary[]} legs
 * @param {{ isClosed: boolean, hasRate: boolean }} run  hasRate: compareAt has added cases, perhaps at other points
 *   alone
 * @returns {Situation}
 */
function situationOf(cases, legs, { isClosed, hasRate }) {
  const legsOf = (/** @type {Case} */ one) => legs.filter(({ id }) => one.legs.includes(id));
  const given = loadOf(
    cases.filter((one) => !isAtRate(one)),
    legs,
    isClosed,
  );
  if (!hasRate) return { given, caseFor: (one) => one, legsOf };
  const atRate = loadOf(cases.filter(isAtRate), legs, false);
  const caseFor = (/** @type {Case} */ one, /** @type {ComparedFigure} */ figure) =>
    isOfEqualRate(figure) ? atRate.cases.find((other) => nameOf(other) === nameOf(one)) : one;
  return { given, atRate, caseFor, legsOf };
}

/** @param {Situation} situation @returns {number | undefined} at which its response times are compared */
const rateOf = ({ atRate }) => atRate?.cases[0]?.comparedAt;

/** @param {Situation} situation @param {ComparedFigure} figure @returns {Load} under which it is compared */
const loadFor = ({ given, atRate }, figure) => (atRate && isOfEqualRate(figure) ? atRate : given);

/**
 * @param {Situation} situation @param {ComparedFigure} figure @param {Rules} rules @param {RankingTable['unit']} unit
 * @returns {Ranked} without marks in a table of blocks, where a leg has one value of the figure and there are too few
 *   rounds of it
 */
function rankAt(situation, figure, rules, unit) {
  const { measured, short, brief, uneven, isSaturated: follows } = loadFor(situation, figure);
  if (follows && isTime(figure)) return { marks: new Map() };
  const isUneven = (/** @type {Case} */ one) => figure.compared.atEqualRate && uneven.has(one);
  const long = measured.filter((one) => !brief.has(one) && !isUneven(one));
  const ranked = rankBy(comparable(long, figure, short), figure, rules);
  const isOfLeg = unit === 'block' && !figure.compared.ofBlocks;
  return isOfLeg && ranked.best === undefined ? { marks: new Map() } : ranked;
}

/** @param {Ranked} ranked with a best one @returns {Mark} of that one */
const markOfBest = ({ marks }) =>
  leaderMark([...marks.values()].filter(({ ratio, code }) => ratio || code === 'worse'));

/** What is asked of a change first: the noise of a machine moves CPU time least. */
const FIRST_OF_CHANGES = 'cost';

/**
 * @param {ComparedFigure[]} figures
 * @param {Ranked[]} ranked by each of them
 * @param {boolean} isChange
 * @returns {ComparedFigure | undefined} that ranks
 */
function leadingFigure(figures, ranked, isChange) {
  const compared = figures.filter((_, i) => ranked[i].best !== undefined);
  const isFirst = (/** @type {ComparedFigure} */ figure) => isChange && figure.compared.called === FIRST_OF_CHANGES;
  const order = [...compared.filter(isFirst), ...compared.filter((figure) => !isFirst(figure))];
  return order.find((figure) => markOfBest(ranked[figures.indexOf(figure)]).code !== 'not-known') ?? order[0];
}

/**
 * @param {Situation} situation @param {ComparedFigure[]} figures @param {Ranked[]} ranked by each of them
 * @param {{ isJudged: boolean, isChange: boolean }} run isJudged: cells have marks; isChange: it compares versions of
 *   one program
 * @returns {Point}
 */
function pointOf(situation, figures, ranked, { isJudged, isChange }) {
  const { given, caseFor, legsOf } = situation;
  const point = given.cases;
  const rate = rateOf(situation);
  const leadBy = leadingFigure(figures, ranked, isChange);
  const order = leadBy === undefined ? null : byMedian(leadBy, (one) => caseFor(one, leadBy));
  const standing = (/** @type {Case} */ one) => (!given.measured.includes(one) ? 2 : given.short.has(one) ? 1 : 0);
  const byServed = byMedian(figures.find(({ compared }) => compared.key === SERVED) ?? figures[0]);
  const sorted =
    order === null
      ? point
      : [...point].sort((a, b) => standing(a) - standing(b) || (standing(a) === 1 && byServed(a, b)) || order(a, b));
  const markAt = (/** @type {Case} */ one, /** @type {number} */ i) => {
    const { best, marks } = ranked[i];
    const why = whyNotCompared(loadFor(situation, figures[i]), one, figures[i]);
    if (why !== undefined) return /** @type {Mark} */ ({ code: 'not-compared', why });
    return one === best ? markOfBest(ranked[i]) : marks.get(one);
  };
  const { axes } = point[0];
  const at = [pointText(axes) ?? [], rate === undefined ? [] : `response times at ${count(rate)}/s`].flat().join('; ');
  return {
    axes,
    ...(Object.keys(axes).length === 0 ? {} : { at }),
    leadBy,
    best: Object.fromEntries(
      figures.flatMap(({ compared }, i) => (ranked[i].best ? [[compared.key, ranked[i].best.id]] : [])),
    ),
    rows: sorted.map((one) => ({
      case: one.id,
      label: nameOf(one),
      cells: figures.map((figure, i) => {
        const own = caseFor(one, figure);
        if (own === undefined) return {};
        const cell = { ...cellIn(own, figure, legsOf(own)), ...(own === one ? {} : { case: own.id }) };
        const mark = !isJudged || isEmpty(cell) || point.length === 1 ? undefined : markAt(own, i);
        return { ...cell, ...(mark ? { mark } : {}) };
      }),
    })),
  };
}

/**
 * @param {ComparedFigure[]} figures @param {(number | undefined)[]} rates of the points
 * @returns {ComparedFigure[]} whose response times and memory are named by their rate
 */
function namedByRate(figures, rates) {
  const known = new Set(rates.filter((rate) => rate !== undefined));
  if (known.size === 0) return figures;
  const at = known.size === 1 ? `${count([...known][0])}/s` : 'the same rate';
  const named = (/** @type {ComparedFigure} */ figure) => ({
    ...figure,
    title: `${figure.title ?? figure.name} at ${at}`,
    at,
  });
  return figures.map((figure) => (isOfEqualRate(figure) ? named(figure) : figure));
}

/**
 * @param {Pick<RunSummary, 'legs' | 'cases' | 'search'> & { endedBy?: RunSummary['endedBy'], config:
 *   Pick<RunSummary['config'], 'workload' | 'loop' | 'margin' | 'looks' | 'versions'> }} summary of a run
 * @returns {RankingTable} without a point of a search, whose legs are at different values; without a mark of a run in
 *   progress: one that is looked at until it suits would be chance
 */
export function rankingTable({ legs, cases = casesOf(legs), config, search, endedBy }) {
  const isClosed = config.loop === 'closed' && config.workload !== 'hold';
  const run = { isClosed, hasRate: cases.some(isAtRate) };
  const situations = (search ? [] : pointsOf(cases)).map((point) => situationOf(point, legs, run));
  const rates = situations.map(rateOf);
  // nobody may have one, such as the CPU of servers that were running already
  const compared = comparedOf(config, { ...run, legs }).filter((figure) =>
    situations.some(({ given, caseFor, legsOf }) =>
      given.cases.some((one) => {
        const own = caseFor(one, figure);
        return own !== undefined && !isEmpty(cellIn(own, figure, legsOf(own)));
      }),
    ),
  );
  const figures = namedByRate(compared, rates);
  const rules = rulesOf(config);
  const unit = legs.some(({ slices }) => slices) ? 'block' : 'round';
  const isRunning = endedBy === 'running';
  const ranked = situations.map((situation) =>
    figures.map((figure) => (isRunning ? { marks: new Map() } : rankAt(situation, figure, rules, unit))),
  );
  withoutChance(ranked.flat(), rules);
  const values = (search ? [] : cases).flatMap((one) =>
    figures.map((figure) => figureIn(one, figure)?.values.length ?? 0),
  );
  return {
    ...{
      rounds: Math.max(1, ...values),
      ...rules,
      figures,
      starts: figures
        .filter((figure, i) => figure.compared.ofBlocks && (i === 0 || figure.compared.called === 'cost'))
        .flatMap((figure) => {
          const noise = startNoise(
            cases.flatMap((one) => (one.figures[figure.compared.key] ? [startsOf(valuesIn(one, figure))] : [])),
          );
          return noise === null ? [] : [{ figure, noise }];
        }),
      unit,
    },
    points:
      figures.length === 0
        ? []
        : situations.map((situation, i) =>
            pointOf(situation, figures, ranked[i], { isJudged: !isRunning, isChange: config.versions !== undefined }),
          ),
  };
}

/**
 * Of all comparisons of a run, those that stand when they are judged together (Holm); the claims of the others may be
 * chance.
 * @param {Ranked[]} ranked by each figure at each point; the marks are changed in place @param {Rules} rules
 */
function withoutChance(ranked, { level }) {
  const compared = ranked.filter(({ p }) => p !== undefined);
  const stands = holm(
    compared.map(({ p }) => Number(p)),
    level,
  );
  for (const [i, { marks }] of compared.entries()) {
    if (stands[i]) continue;
    for (const [one, mark] of marks) if (isClaim(mark) && mark.ratio) marks.set(one, asChance(mark));
  }
}

/** @param {RankingTable} table @returns {boolean} whether it has servers side by side */
export const hasSeveral = ({ points }) => points.some(({ rows }) => rows.length > 1);

/**
 * The marks of a run for summary.json.
 * @param {Parameters<typeof rankingTable>[0]} summary
 * @returns {NonNullable<RunSummary['comparisons']>} none of one round
 */
export function comparisonsOf(summary) {
  const { rounds, figures, points } = rankingTable(summary);
  if (rounds === 1) return [];
  const cases = new Map((summary.cases ?? casesOf(summary.legs)).map((one) => [one.id, one]));
  return points.flatMap(({ rows, best }) =>
    figures.flatMap((figure, i) =>
      rows.flatMap(({ case: row, cells }) => {
        const { mark, case: id = row } = cells[i];
        if (mark === undefined) return [];
        const { key } = figure.compared;
        const [one, other] = [cases.get(id), cases.get(best[key] ?? '')];
        const baseline =
          one && other && one !== other ? { baseline: other.id, values: pairsIn(one, other, figure) } : {};
        return [{ figure: key, case: id, ...baseline, mark }];
      }),
    ),
  );
}
