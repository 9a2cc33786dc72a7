// What is compared between servers, or between two runs, and the mark that one case gets against another by one figure.
// Pure. Nothing is claimed without an interval: two are equal within a margin, differ by so much, or it is not known.

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

/** Two are as good as each other where the whole interval of their ratio is this close to 1. */
export const MARGIN = 0.05;

/**
 * How servers of a run are compared.
 * @typedef {{ margin: number, level: number }} Rules  margin: within which two are as good as each other; level: how
 *   likely equal servers are to be told apart, when all comparisons are judged together
 *
 * @param {{ margin?: number, looks?: number }} config of a run's summary
 * @returns {Rules}
 */
export const rulesOf = ({ margin = MARGIN, looks = 1 }) => ({ margin, level: levelOf(looks) });

/**
 * @param {number | null} tolerance of a comparison of two runs
 * @returns {number} within which they are as good as each other
 */
export const marginOf = (tolerance) => Math.min(MARGIN, tolerance ?? MARGIN);

/** @param {Pick<Case, 'comparedAt'>} one @returns {boolean} whether compareAt has added it, for its response times */
export const isAtRate = ({ comparedAt }) => comparedAt !== undefined;

/** Where replies are not as requested, good ones are counted in place of all. */
const RATES = { all: 'perSecond', good: 'goodPerSecond' };

/** @param {Partial<LegSummary>[]} legs @returns {boolean} whether some have replies that are not as requested */
export const haveBadReplies = (legs) =>
  legs.some((leg) => {
    const { statuses } = figuresOf(leg) ?? {};
    return Object.entries(statuses ?? {}).some(([kind, n]) => kind !== 'total' && n > 0 && isFailure(kind));
  });

/**
 * The figures to compare, the most important first. A schedule or a pause decides how many transfers there are, so that
 * only the times tell servers apart.
 * @param {Load} load @param {{ legs?: LegSummary[], hasRate?: boolean }} [run] legs: that are compared; absent: not
 *   known yet; hasRate: compareAt
 *   has added cases: in place of the response times of a closed loop stand all that are compared in an open one
 * @returns {ComparedFigure[]}
 */
export function comparedOf({ workload, loop }, { legs, hasRate = false } = {}) {
  const left = legs && (haveBadReplies(legs) ? RATES.all : RATES.good);
  const all = /** @type {ComparedFigure[]} */ (comparedFigures(workload === 'hold' ? 'open' : loop));
  const own = all.filter(({ compared: { key } }) => key !== left);
  if (!hasRate) return own;
  const times = /** @type {ComparedFigure[]} */ (figures.filter(({ name }) => COMPARED.open.includes(name)));
  const [first] = own.filter(isTime);
  return own.flatMap((figure) => (figure === first ? times.filter(isTime) : isTime(figure) ? [] : figure));
}

/** @param {string} key in the cases of summary.json @returns {ComparedFigure} */
export const comparedFigure = (key) =>
  /** @type {ComparedFigure} */ (figures.find(({ compared }) => compared?.key === key) ?? fail(key));

/** @param {string} key @returns {never} */
function fail(key) {
  throw new Error(`no figure is compared by the name ${key}`);
}

/** @param {Pick<Case, 'figures'>} one @param {ComparedFigure} figure @returns {CaseFigure | undefined} */
export const figureIn = ({ figures: own }, { compared: { key } }) => own[key];

/**
 * @param {{ series?: string, label: string }} one
 * @returns {string} of the server, where the label also names the point
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
 * @returns {T[][]} those at the same point of the sweep, or in the same test, together
 */
export function pointsOf(cases) {
  const keys = [...new Set(cases.map(({ axes }) => JSON.stringify(axes)))];
  return keys.map((key) => cases.filter(({ axes }) => JSON.stringify(axes) === key));
}

/**
 * @param {(number | null)[]} values of each round @param {(number | null)[]} others likewise
 * @returns {[number | null, number | null][]} one of each round
 */
export const pairsOf = (values, others) =>
  Array.from({ length: Math.max(values.length, others.length) }, (_, i) => [values[i] ?? null, others[i] ?? null]);

/** @typedef {Pick<CaseFigure, 'values' | 'parts'>} Values  of a figure of a case */

/** @param {Values} figure in parts @returns {(number | null)[][][]} of each round, of each start in it */
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
 * @param {Values} own @param {Values} other of the same run @param {number} [level] of the interval
 * @returns {Interval} of the ratio, paired by round or block; of several starts, or rounds of blocks, from their levels
 */
export function ratioOf(own, other, level) {
  if (own.parts === undefined || other.parts === undefined)
    return ratioInterval(pairsOf(own.values, other.values), level);
  const others = startsOf(other);
  return nestedRatio(
    startsOf(own).map((starts, round) => ({ own: starts, other: others[round] ?? [] })),
    level,
  );
}

/**
 * @param {Pick<ComparedFigure, 'group'>} figure
 * @returns {boolean} whether it says nothing of connections without a reply
 */
export const isTime = ({ group }) => group === 'response time';

/**
 * @param {Pick<ComparedFigure, 'group' | 'compared'>} figure
 * @returns {boolean} whether the cases that compareAt adds have it in place of those given
 */
export const isOfEqualRate = ({ compared, ...figure }) => isTime(figure) || compared.atEqualRate === true;

/** @param {number} rounds that have a value, fewer than three @returns {Mark} */
export const unknownMark = (rounds) => ({
  code: 'not-known',
  why: rounds === 0 ? 'absent' : rounds === 1 ? 'once' : 'two-rounds',
});

/**
 * @param {ComparedFigure} figure @param {Interval} ratio of its value to that of the other
 * @param {number} [margin] within which they are as good as each other
 * @returns {Mark} smallestPercent: the smallest difference that would have been seen, half the width of the interval
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
 * Whether more time (key `budget`) could tell nothing more of the servers that are being measured.
 * @param {Pick<RunSummary, 'comparisons' | 'verdict'>} summary of what was measured until now
 * @param {string[]} cases those that are being measured
 * @returns {boolean} whether the marks by the figure that ranks them are known (the first one with blocks), and every
 *   condition
 */
export function isSettled({ comparisons = [], verdict }, cases) {
  const own = comparisons.filter(
    ({ case: id, figure, mark }) =>
      cases.includes(id) &&
      comparedFigure(figure).compared.ofBlocks &&
      mark.code !== 'not-compared' &&
      mark.why !== 'absent',
  );
  const ranking = own.filter(({ figure }) => figure === own[0].figure);
  const isKnown = ranking.every(({ mark }) => mark.code !== 'not-known');
  return own.length > 0 && isKnown && !verdict?.thresholds.some(({ undecided }) => undecided);
}
