// The servers of a run in one table: a row for each server, the best first, with a cell and a mark for each compared
// figure. Ratios are paired by round, or by block of slices, against the best server of the point; the starts of a
// server are a level of their own. A case is worse only if the interval of its ratio excludes 1, a test of all servers
// of the point finds a difference, and the difference remains when all comparisons of the run are judged together.

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
 * @typedef {object} Cell  a figure of a case; without median and moreThan, the case does not have the figure
 * @property {number} [median]
 * @property {number} [moreThan]  for a percentile above every measured time: the longest measured time
 * @property {number} [low]  of the 95 % interval
 * @property {number} [high]  likewise
 * @property {number} [before]  median of the earlier run, if two runs are compared
 * @property {Mark} [mark]  absent if there is nothing to compare with
 * @property {string} [case]  id of the case that has the figure, if compareAt added it; absent: the row's case
 *
 * @typedef {{ case: string, label: string, cells: Cell[] }} Row  label: of the server; cells: one for each figure of
 *   the table
 * @typedef {object} Point  of a sweep
 * @property {Axes} axes
 * @property {string} [at]  the point in words; absent if the run has one point
 * @property {ComparedFigure | undefined} leadBy  the figure that ranks: the first one in which a difference is known,
 *   otherwise the first one by which cases could be compared
 * @property {Record<string, string>} best  id of the case that the others are compared with, by the key of the figure
 * @property {Row[]} rows  the best first; with one or two rounds, in the order of the scenario
 *
 * @typedef {Rules & { rounds: number, unit: 'round' | 'block', figures: ComparedFigure[], points: Point[], starts: {
 *   figure: ComparedFigure, noise: StartNoise }[] }} RankingTable  starts: how much the starts of a server differ, if
 *   there are several; rounds: the largest number of values of a figure, from rounds or blocks
 */

/** The figure by which servers are compared if they left connections without a reply. */
const SERVED = 'served';

/** @param {Case} server @param {ComparedFigure} figure @returns {number} rounds that have the figure */
const roundsWith = (server, figure) => valuesIn(server, figure).values.filter((value) => value !== null).length;

/**
 * The probability that equal cases differ as much as these, by one test of all cases.
 * @param {Case[]} cases @param {ComparedFigure} figure
 * @returns {number} 0 also if the cases have too few rounds in common for the test: then their ratios decide
 */
function blockP(cases, figure) {
  const values = cases.map((server) => valuesIn(server, figure).values);
  const common = values[0].flatMap((_, round) =>
    values.every((serverValues) => Number(serverValues[round]) > 0)
      ? [values.map((serverValues) => Number(serverValues[round]))]
      : [],
  );
  if (common.length < MIN_ROUNDS) return 0;
  return blockTest(values.map((_, i) => common.map((row) => row[i])));
}

/**
 * The best cases between which no difference is found: the last case is dropped as long as they differ. Two cases are
 * told apart by their ratio alone.
 * @param {Case[]} sorted the best first @param {ComparedFigure} figure @param {Rules} rules
 * @returns {Set<Case>}
 */
function equalsOf(sorted, figure, { level }) {
  const top = [...sorted];
  while (top.length > 2 && blockP(top, figure) <= level) top.pop();
  return new Set(top.length > 2 ? top : top.slice(0, 1));
}

/** @param {Case} server @param {ComparedFigure} figure @returns {Values} */
const valuesIn = (server, figure) => figureIn(server, figure) ?? { values: [] };

/** @param {Case} a @param {Case} b @param {ComparedFigure} figure */
const pairsIn = (a, b, figure) => pairsOf(valuesIn(a, figure).values, valuesIn(b, figure).values);

/** @param {Case} a @param {Case} b @param {ComparedFigure} figure @param {Rules} rules @returns {Mark} of A */
const markAgainst = (a, b, figure, { margin, level }) =>
  markOf(figure, ratioOf(valuesIn(a, figure), valuesIn(b, figure), level), margin);

/**
 * Whether A served fewer connections than B in every round. A count needs no interval, and there is no ratio to 0.
 * @param {Case} a @param {Case} b @param {ComparedFigure} figure @returns {boolean}
 */
const servesFewer = (a, b, figure) =>
  figure.compared.key === SERVED &&
  pairsIn(a, b, figure).every(
    ([servedByA, servedByB]) => servedByA === null || servedByB === null || servedByA < servedByB,
  );

/** @param {Mark[]} marks against the leader @returns {Mark} of the leader: "best" only if another server is worse */
function leaderMark(marks) {
  if (marks.some(({ code }) => code === 'worse')) return { code: 'best' };
  if (marks.some(({ code }) => code === 'as-good')) return { code: 'as-good' };
  const smallest = marks.flatMap(({ smallestPercent }) => smallestPercent ?? []);
  return {
    ...{ code: 'not-known', why: 'rounds-differ' },
    ...(smallest.length === 0 ? {} : { smallestPercent: Math.min(...smallest) }),
  };
}

/** @param {Mark} mark @returns {boolean} whether it says that two servers differ */
const isClaim = ({ code }) => code === 'worse' || code === 'better';

/** @param {Mark} mark @returns {Mark} */
const asChance = (mark) => ({ ...mark, code: 'not-known', why: 'chance' });

/**
 * @typedef {object} Ranked  the cases at one point by one figure
 * @property {Case} [best]  absent if fewer than two cases have the figure in enough rounds
 * @property {Map<Case, Mark>} marks  of all cases except the best
 * @property {number} [p]  probability that equal cases differ as much; absent if nothing is compared
 */

/**
 * @param {Case[]} cases at one point @param {ComparedFigure} figure @param {Rules} [rules]
 * @returns {Ranked}
 */
export function rankBy(cases, figure, rules = rulesOf({})) {
  const marks = new Map(
    cases.map((server) => [server, unknownMark(Math.min(roundsWith(server, figure), MIN_ROUNDS - 1))]),
  );
  const measured = cases.filter((server) => roundsWith(server, figure) >= MIN_ROUNDS);
  if (measured.length < 2) {
    measured.forEach((server) => marks.delete(server));
    return { marks };
  }
  const sorted = measured.sort(byMedian(figure));
  // a case that was not measured in all rounds may have the best median, and yet be worse in the rounds of another
  const isBeaten = (/** @type {Case} */ server) =>
    sorted.some((rival) => markAgainst(rival, server, figure, rules).code === 'better');
  const best = sorted.find((server) => !isBeaten(server)) ?? sorted[0];
  const others = sorted.filter((server) => server !== best);
  const rankedMarks = new Map(others.map((server) => [server, markAgainst(server, best, figure, rules)]));
  const { p, isChance } = judgeTogether([best, ...others], figure, rankedMarks, rules);
  for (const [server, mark] of rankedMarks) {
    const judgedMark = isClaim(mark) && isChance(server) ? asChance(mark) : mark;
    marks.set(
      server,
      judgedMark.code === 'not-known' && servesFewer(server, best, figure) ? { code: 'worse' } : judgedMark,
    );
  }
  marks.delete(best);
  return { best, marks, p };
}

/**
 * Judges whether differences may be chance: among many equal servers, some pair nearly always differs. With few rounds
 * of one value each, a single test over all servers decides, because a ratio alone says little. Otherwise the intervals
 * are corrected for the number of pairs from which the best was chosen.
 * @param {Case[]} cases the best first
 * @param {ComparedFigure} figure
 * @param {Map<Case, Mark>} marks against the best
 * @param {Rules} rules
 * @returns {{ p: number, isChance: (server: Case) => boolean }}
 */
function judgeTogether(cases, figure, marks, rules) {
  const ratios = [...marks.values()].flatMap(({ ratio }) => ratio ?? []);
  const isOfMany = ratios.every(({ method }) => method !== 'student-t-log');
  const pairs = (cases.length * (cases.length - 1)) / 2;
  const pOf = (/** @type {Mark | undefined} */ mark) => Math.min(1, pairs * (mark?.ratio?.p ?? 1));
  if (cases.length === 2 || isOfMany) {
    return {
      p: Math.min(1, ...[...marks.values()].map(pOf)),
      isChance: (server) => pOf(marks.get(server)) > rules.level,
    };
  }
  const equals = equalsOf(cases, figure, rules);
  return { p: blockP(cases, figure), isChance: (server) => equals.has(server) };
}

/**
 * @param {ComparedFigure} figure @param {(server: Case) => Case | undefined} [caseFor] the case that has the figure
 * @returns {(a: Case, b: Case) => number} order: the better case first, cases without the figure last
 */
function byMedian(figure, caseFor = (server) => server) {
  const sign = figure.better === 'lower' ? 1 : -1;
  const placeOf = (/** @type {Case} */ server) => {
    const measured = caseFor(server);
    return sign * ((measured && figureIn(measured, figure)?.median) ?? sign * Number.MAX_VALUE);
  };
  return (a, b) => placeOf(a) - placeOf(b);
}

/**
 * The cases that are compared with each other. A server that leaves some connections without a reply serves the others
 * faster. If another server served all connections, such a server is compared only by the number of connections served;
 * if no server did, all are compared by throughput too.
 * @param {Case[]} point @param {ComparedFigure} figure @param {Set<Case>} short cases that served only some connections
 * @returns {Case[]}
 */
function comparable(point, figure, short) {
  if (figure.compared.key === SERVED) return short.size > 0 ? point : [];
  return short.size === point.length && !isTime(figure) ? point : point.filter((server) => !short.has(server));
}

/**
 * @param {Cell} cell
 * @returns {boolean} whether the case does not have the figure
 */
const isEmpty = ({ median, moreThan }) => median === undefined && moreThan === undefined;

/**
 * @param {Case} server @param {ComparedFigure} figure @param {LegSummary[]} legs of the case
 * @returns {Cell} empty unless a leg counts or was interrupted; an interrupted leg has the figures until then, which
 *   are compared only if it took turns
 */
function cellIn(server, figure, legs) {
  if (!legs.some((leg) => counts(leg) || isInterrupted(leg.endedBy))) return {};
  const shown = shownCase(legs, server);
  const { value } = valueOf(figure, shown);
  const [low, high] = intervalOf(figure, shown) ?? [];
  if (typeof value === 'number') return { median: value, ...present('low', low), ...present('high', high) };
  return isAbove(value) && value.above > 0 ? { moreThan: value.above } : {};
}

/**
 * From this multiple of the shortest response time on, a request of a closed loop mostly waits for the requests before
 * it.
 */
const MOSTLY_QUEUED = 2;
/** With a request in flight on this share of the connections, they are busy most of the time. */
const MOSTLY_BUSY = 0.5;

/**
 * Whether a closed loop is saturated: then the response time is the number of connections divided by the throughput
 * (Little's law), and says nothing more about a server.
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
 * @returns {number} slices in which the case was loaded; Infinity if the legs took no turns
 */
export function slicesIn(legs) {
  const turns = legs.flatMap(({ slices }) => (slices ? Math.round(slices.turnNs / slices.lengthNs) : []));
  return turns.length === 0 ? Infinity : turns.reduce((sum, slices) => sum + slices, 0);
}

/**
 * @param {Case[]} cases of an open loop
 * @returns {Set<Case>} cases whose rate is below the highest rate by more than the margin
 */
function slowerThanRate(cases) {
  const rateOfCase = (/** @type {Case} */ { figures }) => figures.perSecond?.median ?? 0;
  const highestRate = Math.max(0, ...cases.map(rateOfCase));
  return new Set(cases.filter((server) => rateOfCase(server) < (1 - MARGIN) * highestRate));
}

/**
 * @typedef {object} Load  the cases under one load
 * @property {Case[]} cases
 * @property {Case[]} measured  cases that have figures
 * @property {Set<Case>} short  cases that served only some of their connections
 * @property {Set<Case>} brief  cases with too few slices to be compared
 * @property {boolean} isSaturated  whether it is a saturated closed loop
 * @property {Set<Case>} uneven  cases whose servers get requests at different rates: all of a closed loop; of an open
 *   loop, those that cannot keep up
 *
 * @param {Case[]} cases at one point @param {LegSummary[]} legs @param {boolean} isClosed
 * @returns {Load}
 */
export function loadOf(cases, legs, isClosed) {
  const legsOf = (/** @type {Case} */ server) => legs.filter(({ id }) => server.legs.includes(id));
  const short = new Set(
    cases.filter((server) => legsOf(server).some((leg) => isComparable(leg) && servedOnlySome(leg) !== undefined)),
  );
  const measured = cases.filter((server) => Object.keys(server.figures).length > 0);
  const brief = new Set(measured.filter((server) => slicesIn(legsOf(server)) < MIN_SLICES));
  return {
    ...{ cases, measured, short, brief, uneven: isClosed ? new Set(cases) : slowerThanRate(measured) },
    isSaturated: isClosed && measured.some((server) => isSaturated(legsOf(server))),
  };
}

/**
 * @param {Load} load
 * @param {Case} server under this load
 * @param {ComparedFigure} figure
 * @returns {'few-slices' | 'served-some' | 'follows-from-throughput' | 'rates-differ' | undefined} undefined if it is
 *   compared
 */
export function whyNotCompared({ cases, measured, short, brief, uneven, isSaturated: follows }, server, figure) {
  if (brief.has(server) && !figure.compared.isCount) return 'few-slices';
  if (cases.length > 1 && short.has(server) && !comparable(measured, figure, short).includes(server))
    return 'served-some';
  if (figure.compared.atEqualRate && uneven.has(server)) return 'rates-differ';
  return follows && isTime(figure) ? 'follows-from-throughput' : undefined;
}

/**
 * @typedef {object} Situation  the cases of a point
 * @property {Load} given  by the scenario: a case of each server
 * @property {Load} [atRate]  added by compareAt, for response times and memory; absent in a run without compareAt
 * @property {(server: Case, figure: ComparedFigure) => Case | undefined} caseFor  the case of the same server that has
 *   the figure
 * @property {(server: Case) => LegSummary[]} legsOf
 *
 * @param {Case[]} cases at one point
 * @param {LegSummary[]} legs
 * @param {{ isClosed: boolean, hasRate: boolean }} run  hasRate: compareAt has added cases, perhaps only at other
 *   points
 * @returns {Situation}
 */
function situationOf(cases, legs, { isClosed, hasRate }) {
  const legsOf = (/** @type {Case} */ server) => legs.filter(({ id }) => server.legs.includes(id));
  const given = loadOf(
    cases.filter((server) => !isAtRate(server)),
    legs,
    isClosed,
  );
  if (!hasRate) return { given, caseFor: (server) => server, legsOf };
  const atRate = loadOf(cases.filter(isAtRate), legs, false);
  const caseFor = (/** @type {Case} */ server, /** @type {ComparedFigure} */ figure) =>
    isOfEqualRate(figure) ? atRate.cases.find((atEqualRate) => nameOf(atEqualRate) === nameOf(server)) : server;
  return { given, atRate, caseFor, legsOf };
}

/** @param {Situation} situation @returns {number | undefined} the rate at which its response times are compared */
const rateOf = ({ atRate }) => atRate?.cases[0]?.comparedAt;

/**
 * @param {Situation} situation @param {ComparedFigure} figure @returns {Load} under which servers are compared by it
 */
const loadFor = ({ given, atRate }, figure) => (atRate && isOfEqualRate(figure) ? atRate : given);

/**
 * @param {Situation} situation @param {ComparedFigure} figure @param {Rules} rules @param {RankingTable['unit']} unit
 * @returns {Ranked} without marks if a table of blocks has a figure without blocks, in too few rounds
 */
function rankAt(situation, figure, rules, unit) {
  const { measured, short, brief, uneven, isSaturated: follows } = loadFor(situation, figure);
  if (follows && isTime(figure)) return { marks: new Map() };
  const isUneven = (/** @type {Case} */ server) => figure.compared.atEqualRate && uneven.has(server);
  const long = measured.filter((server) => !brief.has(server) && !isUneven(server));
  const ranked = rankBy(comparable(long, figure, short), figure, rules);
  const isOfLeg = unit === 'block' && !figure.compared.ofBlocks;
  return isOfLeg && ranked.best === undefined ? { marks: new Map() } : ranked;
}

/** @param {Ranked} ranked @returns {Mark} of the best case */
const markOfBest = ({ marks }) =>
  leaderMark([...marks.values()].filter(({ ratio, code }) => ratio || code === 'worse'));

/** The figure that ranks two versions first: noise of the machine changes CPU time the least. */
const FIRST_OF_CHANGES = 'cost';

/**
 * @param {ComparedFigure[]} figures
 * @param {Ranked[]} ranked by each figure
 * @param {boolean} isChange
 * @returns {ComparedFigure | undefined} the figure that ranks
 */
function leadingFigure(figures, ranked, isChange) {
  const compared = figures.filter((_, i) => ranked[i].best !== undefined);
  const isFirst = (/** @type {ComparedFigure} */ figure) => isChange && figure.compared.called === FIRST_OF_CHANGES;
  const order = [...compared.filter(isFirst), ...compared.filter((figure) => !isFirst(figure))];
  return order.find((figure) => markOfBest(ranked[figures.indexOf(figure)]).code !== 'not-known') ?? order[0];
}

/**
 * @param {Situation} situation @param {ComparedFigure[]} figures @param {Ranked[]} ranked by each figure
 * @param {{ isJudged: boolean, isChange: boolean }} run isJudged: cells have marks; isChange: the run compares versions
 *   of one program
 * @returns {Point}
 */
function pointOf(situation, figures, ranked, { isJudged, isChange }) {
  const { given, caseFor, legsOf } = situation;
  const point = given.cases;
  const rate = rateOf(situation);
  const leadBy = leadingFigure(figures, ranked, isChange);
  const order = leadBy === undefined ? null : byMedian(leadBy, (server) => caseFor(server, leadBy));
  const standing = (/** @type {Case} */ server) =>
    !given.measured.includes(server) ? 2 : given.short.has(server) ? 1 : 0;
  const byServed = byMedian(figures.find(({ compared }) => compared.key === SERVED) ?? figures[0]);
  const sorted =
    order === null
      ? point
      : [...point].sort((a, b) => standing(a) - standing(b) || (standing(a) === 1 && byServed(a, b)) || order(a, b));
  const markAt = (/** @type {Case} */ server, /** @type {number} */ i) => {
    const { best, marks } = ranked[i];
    const why = whyNotCompared(loadFor(situation, figures[i]), server, figures[i]);
    if (why !== undefined) return /** @type {Mark} */ ({ code: 'not-compared', why });
    return server === best ? markOfBest(ranked[i]) : marks.get(server);
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
    rows: sorted.map((server) => ({
      case: server.id,
      label: nameOf(server),
      cells: figures.map((figure, i) => {
        const measured = caseFor(server, figure);
        if (measured === undefined) return {};
        const cell = {
          ...cellIn(measured, figure, legsOf(measured)),
          ...(measured === server ? {} : { case: measured.id }),
        };
        const mark = !isJudged || isEmpty(cell) || point.length === 1 ? undefined : markAt(measured, i);
        return { ...cell, ...(mark ? { mark } : {}) };
      }),
    })),
  };
}

/**
 * @param {ComparedFigure[]} figures @param {(number | undefined)[]} rates of the points
 * @returns {ComparedFigure[]} with the rate in the titles of response times and memory
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
 * @returns {RankingTable} without points for a search, whose legs are at different values; without marks for a run in
 *   progress, because a mark that is watched until it suits is chance
 */
export function rankingTable({ legs, cases = casesOf(legs), config, search, endedBy }) {
  const isClosed = config.loop === 'closed' && config.workload !== 'hold';
  const run = { isClosed, hasRate: cases.some(isAtRate) };
  const situations = (search ? [] : pointsOf(cases)).map((point) => situationOf(point, legs, run));
  const rates = situations.map(rateOf);
  // drop figures that no case has, such as the CPU of servers that were already running
  const compared = comparedOf(config, { ...run, legs }).filter((figure) =>
    situations.some(({ given, caseFor, legsOf }) =>
      given.cases.some((server) => {
        const measured = caseFor(server, figure);
        return measured !== undefined && !isEmpty(cellIn(measured, figure, legsOf(measured)));
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
  const values = (search ? [] : cases).flatMap((server) =>
    figures.map((figure) => figureIn(server, figure)?.values.length ?? 0),
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
            cases.flatMap((server) =>
              server.figures[figure.compared.key] ? [startsOf(valuesIn(server, figure))] : [],
            ),
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
 * Judges all comparisons of a run together (Holm), and marks claims that do not stand as chance.
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
    for (const [server, mark] of marks) if (isClaim(mark) && mark.ratio) marks.set(server, asChance(mark));
  }
}

/** @param {RankingTable} table @returns {boolean} whether it has several servers at a point */
export const hasSeveral = ({ points }) => points.some(({ rows }) => rows.length > 1);

/**
 * The marks of a run for summary.json.
 * @param {Parameters<typeof rankingTable>[0]} summary
 * @returns {NonNullable<RunSummary['comparisons']>} empty for a run of one round
 */
export function comparisonsOf(summary) {
  const { rounds, figures, points } = rankingTable(summary);
  if (rounds === 1) return [];
  const cases = new Map((summary.cases ?? casesOf(summary.legs)).map((server) => [server.id, server]));
  return points.flatMap(({ rows, best }) =>
    figures.flatMap((figure, i) =>
      rows.flatMap(({ case: row, cells }) => {
        const { mark, case: id = row } = cells[i];
        if (mark === undefined) return [];
        const { key } = figure.compared;
        const [server, leader] = [cases.get(id), cases.get(best[key] ?? '')];
        const baseline =
          server && leader && server !== leader ? { baseline: leader.id, values: pairsIn(server, leader, figure) } : {};
        return [{ figure: key, case: id, ...baseline, mark }];
      }),
    ),
  );
}
