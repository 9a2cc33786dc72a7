// The figures by which servers, or two runs, are compared, and the mark that one case gets against another by a figure.
// Nothing is claimed without an interval: two cases are equal within a margin, differ, or the difference is not known.

import { figuresOf } from '../measure/leg-figures.js';
import { axisText, isOfTests } from '../words/axes.js';
import { isFailure } from '../words/replies.js';
import { COMPARED, comparedFigures, figures } from './figures.js';
import { levelOf } from './looks.js';
import { MIN_ROUNDS, ratioInterval } from './statistics/index.js';
import { nestedRatio } from './statistics/nested.js';

/**
 * @import { Axes, Case, CaseFigure, LegSummary, Mark, RunSummary } from '../../config/types.js'
 * @import { Compared, Figure } from './figures.js'
 * @import { Interval } from './statistics/index.js'
 */

/**
 * @typedef {Figure & { compared: Compared }} ComparedFigure
 * @typedef {{ workload: string, loop: 'open' | 'closed' }} Load  as the summary's config has it
 */

/** Two cases are as good as each other if the whole interval of their ratio is this close to 1. */
export const MARGIN = 0.05;

/**
 * How servers of a run are compared.
 * @typedef {{ margin: number, level: number }} Rules  margin: difference within which two servers are as good as each
 *   other; level: probability that equal servers are claimed to differ, over all comparisons
 *
 * @param {{ margin?: number, looks?: number }} config of a run's summary
 * @returns {Rules}
 */
export const rulesOf = ({ margin = MARGIN, looks = 1 }) => ({ margin, level: levelOf(looks) });

/**
 * @param {number | null} tolerance of a comparison of two runs
 * @returns {number} difference within which the runs are as good as each other
 */
export const marginOf = (tolerance) => Math.min(MARGIN, tolerance ?? MARGIN);

/** @param {Pick<Case, 'comparedAt'>} result of a server @returns {boolean} whether compareAt added the case */
export const isAtRate = ({ comparedAt }) => comparedAt !== undefined;

/** If some replies are not as requested, servers are compared by the rate of good replies. */
const RATES = { all: 'perSecond', good: 'goodPerSecond' };

/** @param {Partial<LegSummary>[]} legs @returns {boolean} whether a leg has replies that are not as requested */
export const haveBadReplies = (legs) =>
  legs.some((leg) => {
    const { statuses } = figuresOf(leg) ?? {};
    return Object.entries(statuses ?? {}).some(([kind, n]) => kind !== 'total' && n > 0 && isFailure(kind));
  });

/**
 * The figures to compare, the most important first. Under a schedule or a pause the number of transfers is given, so
 * that only times tell servers apart.
 * @param {Load} load @param {{ legs?: LegSummary[], hasRate?: boolean }} [run] legs: those to compare; absent if they
 *   are not known yet; hasRate: compareAt has added cases, so the response times of an open loop replace those of the
 *   closed loop
 * @returns {ComparedFigure[]}
 */
export function comparedOf({ workload, loop }, { legs, hasRate = false } = {}) {
  const droppedRate = legs && (haveBadReplies(legs) ? RATES.all : RATES.good);
  const candidates = /** @type {ComparedFigure[]} */ (comparedFigures(workload === 'hold' ? 'open' : loop));
  const compared = candidates.filter(({ compared: { key } }) => key !== droppedRate);
  if (!hasRate) return compared;
  const times = /** @type {ComparedFigure[]} */ (figures.filter(({ name }) => COMPARED.open.includes(name)));
  const [first] = compared.filter(isTime);
  return compared.flatMap((figure) => (figure === first ? times.filter(isTime) : isTime(figure) ? [] : figure));
}

/** @param {string} key in the cases of summary.json @returns {ComparedFigure} */
export const comparedFigure = (key) =>
  /** @type {ComparedFigure} */ (figures.find(({ compared }) => compared?.key === key) ?? fail(key));

/** @param {string} key @returns {never} */
function fail(key) {
  throw new Error(`no figure is compared by the name ${key}`);
}

/** @param {Pick<Case, 'figures'>} result @param {ComparedFigure} figure @returns {CaseFigure | undefined} */
export const figureIn = ({ figures: figureValues }, { compared: { key } }) => figureValues[key];

/**
 * @param {{ series?: string, label: string }} result
 * @returns {string} name of the server, without the point of the sweep
 */
export const nameOf = ({ series, label }) => series ?? label;

/** @param {Axes} axes @returns {string | undefined} such as "10,000 connections" */
export function pointText(axes) {
  const texts = Object.entries(axes).map(([key, value]) => (isOfTests(key) ? `${key} ${value}` : axisText(key, value)));
  return texts.length === 0 ? undefined : texts.join(', ');
}

/**
 * @template {{ axes: Axes }} T
 * @param {T[]} cases
 * @returns {T[][]} the cases of each point of the sweep, or of each test
 */
export function pointsOf(cases) {
  const keys = [...new Set(cases.map(({ axes }) => JSON.stringify(axes)))];
  return keys.map((key) => cases.filter(({ axes }) => JSON.stringify(axes) === key));
}

/**
 * @param {(number | null)[]} values of A in each round @param {(number | null)[]} others of B in each round
 * @returns {[number | null, number | null][]} one pair for each round
 */
export const pairsOf = (values, others) =>
  Array.from({ length: Math.max(values.length, others.length) }, (_, i) => [values[i] ?? null, others[i] ?? null]);

/** @typedef {Pick<CaseFigure, 'values' | 'parts'>} Values  of a figure of a case */

/** @param {Values} figure in parts @returns {(number | null)[][][]} the values of each start of each round */
export function startsOf({ values, parts = [] }) {
  /** @type {Map<number, (number | null)[][]>} */
  const rounds = new Map();
  let from = 0;
  for (const { round, values: count } of parts) {
    rounds.set(round, [...(rounds.get(round) ?? []), values.slice(from, from + count)]);
    from += count;
  }
  return [...rounds.values()];
}

/**
 * @param {Values} a @param {Values} b of the same run @param {number} [level] of the interval
 * @returns {Interval} of the ratio of A to B, paired by round or block; nested for several starts or rounds of blocks
 */
export function ratioOf(a, b, level) {
  if (a.parts === undefined || b.parts === undefined) return ratioInterval(pairsOf(a.values, b.values), level);
  const roundsOfB = startsOf(b);
  return nestedRatio(
    startsOf(a).map((starts, round) => ({ own: starts, other: roundsOfB[round] ?? [] })),
    level,
  );
}

/**
 * @param {Pick<ComparedFigure, 'group'>} figure
 * @returns {boolean} whether it is a response time, which says nothing about connections without a reply
 */
export const isTime = ({ group }) => group === 'response time';

/**
 * @param {Pick<ComparedFigure, 'group' | 'compared'>} figure
 * @returns {boolean} whether it is read from the cases that compareAt added, if there are any
 */
export const isOfEqualRate = ({ compared, ...figure }) => isTime(figure) || compared.atEqualRate === true;

/** @param {number} rounds that have a value, fewer than three @returns {Mark} */
export const unknownMark = (rounds) => ({
  code: 'not-known',
  why: rounds === 0 ? 'absent' : rounds === 1 ? 'once' : 'two-rounds',
});

/**
 * @param {ComparedFigure} figure @param {Interval} ratio of A to B
 * @param {number} [margin] within which they are as good as each other
 * @returns {Mark} of A; smallestPercent: the smallest difference that would have been seen, half the width of the
 *   interval
 */
export function markOf(figure, ratio, margin = MARGIN) {
  const { median, low, high, rounds } = ratio;
  if (median === null) return unknownMark(0);
  if (low === null || high === null) return unknownMark(Math.min(rounds, MIN_ROUNDS - 1));
  if (low >= 1 - margin && high <= 1 + margin) return { code: 'as-good', ratio };
  if (low <= 1 && high >= 1)
    return { code: 'not-known', why: 'rounds-differ', ratio, smallestPercent: 50 * (high - low) };
  return { code: low > 1 === (figure.better === 'higher') ? 'better' : 'worse', ratio };
}

/**
 * Whether more time (key `budget`) would not change the result.
 * @param {Pick<RunSummary, 'comparisons' | 'verdict'>} summary of the run so far
 * @param {string[]} cases ids of the cases that are being measured
 * @returns {boolean} whether every condition is decided, and every mark by the figure that ranks the cases: the first
 *   figure that has blocks
 */
export function isSettled({ comparisons = [], verdict }, cases) {
  const known = comparisons.filter(
    ({ case: id, figure, mark }) =>
      cases.includes(id) &&
      comparedFigure(figure).compared.ofBlocks &&
      mark.code !== 'not-compared' &&
      mark.why !== 'absent',
  );
  const ranking = known.filter(({ figure }) => figure === known[0].figure);
  const isKnown = ranking.every(({ mark }) => mark.code !== 'not-known');
  return known.length > 0 && isKnown && !verdict?.thresholds.some(({ undecided }) => undecided);
}
