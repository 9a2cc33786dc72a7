// The cells and marks of a table of servers as text, and the explanation of their intervals.

import { plain } from '../words/format.js';
import { joinNames } from '../words/lists.js';
import { boundsText, isTooWide } from '../words/intervals.js';
import { isTime, marginOf, rulesOf } from './comparisons.js';
import { cellText } from './figure-values.js';
import { MIN_ROUNDS, MIN_ROUNDS_BY_ORDER, MIN_SLICES } from './statistics/index.js';

/**
 * @import { Mark, RunSummary } from '../../config/types.js'
 * @import { ComparedFigure } from './comparisons.js'
 * @import { Compared } from './conditions/against-first.js'
 * @import { Bounds } from './gates.js'
 * @import { Cell, RankingTable } from './ranking-table.js'
 */

/** A difference is written as a multiple (2.1×) from this ratio on, and in percent (12 %) below it. */
const MULTIPLE_FROM = 2;

/**
 * @param {number} ratio
 * @returns {number} significant digits; more below a hundredth, which would otherwise read as "100 % less"
 */
const digitsOf = (ratio) => (ratio > 0 && ratio < 0.01 ? 2 - Math.floor(Math.log10(ratio) + 1) : 2);

/** @param {number} ratio @returns {string} its distance from 1 in percent, without the sign and the unit */
const changeText = (ratio) => plain(100 * Math.abs(ratio - 1), digitsOf(ratio));

/**
 * @param {NonNullable<Mark['ratio']>} ratio
 * @returns {{ isMultiple: boolean, text: string, range: string }} range: empty if both bounds read the same
 */
function differenceParts(ratio) {
  const [median, ...bounds] = [ratio.median, ratio.low, ratio.high].map(Number);
  const isMultiple = median >= MULTIPLE_FROM;
  const text = (/** @type {number} */ value) => (isMultiple ? plain(value, 2) : changeText(value));
  const [nearest, farthest] = bounds.sort((a, b) => Math.abs(Math.log(a)) - Math.abs(Math.log(b))).map(text);
  return { isMultiple, text: text(median), range: nearest === farthest ? '' : ` (${nearest} to ${farthest})` };
}

/** @param {NonNullable<Mark['ratio']>} ratio @returns {string} such as "15 % (2.2 to 42)", "2.1× (1.9 to 2.4)" */
export function differenceText(ratio) {
  const { isMultiple, text, range } = differenceParts(ratio);
  return `${text}${isMultiple ? '×' : ' %'}${range}`;
}

/**
 * The words for a difference in a figure, by the short names of compared figures: verb, less and what for a changed
 * version; leads for the best of several servers; by and times for the others.
 * @typedef {{ verb: string, less: string, what: string, called: string, leads: string, by: string, times?: string }}
 *   Change
 * @type {Readonly<Record<string, Change>>}
 */
const CHANGES = {
  cost: {
    ...{ verb: 'needs', less: 'less', what: 'CPU per request', called: 'CPU' },
    ...{ leads: 'needs the least CPU', by: 'more', times: 'times as much' },
  },
  memory: {
    ...{ verb: 'needs', less: 'less', what: 'memory per connection', called: 'memory' },
    ...{ leads: 'needs the least memory', by: 'more', times: 'times as much' },
  },
  throughput: {
    ...{ verb: 'answers', less: 'fewer', what: 'requests/s', called: 'throughput' },
    ...{ leads: 'is the fastest', by: 'slower' },
  },
  served: {
    ...{ verb: 'serves', less: 'fewer', what: 'connections', called: 'connections served' },
    ...{ leads: 'serves the most connections', by: 'fewer' },
  },
};

/** @param {ComparedFigure} figure @returns {Change | undefined} */
const changeOf = ({ name, compared }) => CHANGES[compared.called ?? name];

/** @param {ComparedFigure} figure @returns {string} in a sentence, such as "CPU", "throughput", "response p99" */
export const calledText = (figure) => changeOf(figure)?.called ?? figure.title ?? figure.name;

/** @param {ComparedFigure} figure @returns {string} what the best does, such as "needs the least CPU" */
export const leadsText = (figure) => changeOf(figure)?.leads ?? `has the best ${calledText(figure)}`;

/**
 * @param {ComparedFigure} figure @param {Mark['ratio']} [ratio] of a worse server to the best
 * @returns {string} such as "43 % more", "2.1 times as much"; "more" without a ratio
 */
export function behindText(figure, ratio) {
  const { by = figure.better === 'lower' ? 'more' : 'less', times = 'times as much' } = changeOf(figure) ?? {};
  if (!ratio) return by;
  const { isMultiple, text } = differenceParts(ratio);
  return isMultiple ? `${text} ${times}` : `${text} % ${by}`;
}

/** @param {ComparedFigure} figure @returns {string} such as "CPU per request", "response p99" */
export const changedWhat = (figure) => changeOf(figure)?.what ?? figure.title ?? figure.name;

/**
 * @param {ComparedFigure} figure
 * @param {NonNullable<Mark['ratio']>} ratio
 * @returns {string} such as "needs 92 % more CPU per request (80 to 105)"
 */
export function changeClause(figure, ratio) {
  const change = changeOf(figure);
  const what = changedWhat(figure);
  const { isMultiple, text, range } = differenceParts(ratio);
  if (isMultiple) return `${change?.verb ?? 'has'} ${text} times the ${what}${range}`;
  const isMore = Number(ratio.median) > 1;
  if (change === undefined) return `has a ${text} % ${isMore ? 'higher' : 'lower'} ${what}${range}`;
  return `${change.verb} ${text} % ${isMore ? 'more' : change.less} ${what}${range}`;
}

/** @param {number | null} ratio @returns {string} such as "+19", "−3.2", "0" */
function signedChange(ratio) {
  const text = changeText(Number(ratio));
  return Number(text) === 0 ? '0' : `${Number(ratio) < 1 ? '−' : '+'}${text}`;
}

/** @param {Bounds} ratio with bounds @returns {string} such as "+19 % (+18 to +20)" */
export const changeWithBounds = ({ median, low, high }) =>
  `${signedChange(median)} % (${signedChange(low)} to ${signedChange(high)})`;

/** @param {NonNullable<Mark['ratio']>} ratio @returns {string} such as "2.1 %": how far the interval reaches from 1 */
const withinText = ({ low, high }) => `${plain(100 * Math.max(1 - Number(low), Number(high) - 1), 2)} %`;

/** @type {Readonly<Record<NonNullable<Mark['why']>, string>>} */
const WHY = {
  once: 'one round',
  'two-rounds': 'two rounds',
  'rounds-differ': 'varies too much',
  chance: 'may be chance',
  absent: 'no ratio',
  'few-slices': `fewer than ${MIN_SLICES} slices`,
  'served-some': 'served only some',
  'follows-from-throughput': 'follows from throughput',
  'rates-differ': 'rates differ',
};

/** @param {Pick<Compared, 'why' | 'ratio'>} compared @returns {string} why no difference is known */
export const whyText = ({ why, ratio }) =>
  why !== undefined ? WHY[why] : ratio?.median === null ? WHY.absent : 'fewer than three rounds or blocks';

/**
 * @param {{ smallestPercent?: number }} mark
 * @returns {string | undefined} the smallest difference that would have been seen, such as "23 %"; undefined from 100 %
 *   on
 */
export const smallestText = ({ smallestPercent = Infinity }) =>
  smallestPercent < 100 ? `${plain(smallestPercent, 2)} %` : undefined;

/** @param {Mark} mark @returns {string} such as "best", "worse by 15 % (2.2 to 42)", "not known (< 23 %)" */
export function markText(mark) {
  const { code, why, ratio } = mark;
  if (code === 'best') return 'best';
  if (code === 'as-good') return ratio ? `as good (within ${withinText(ratio)})` : 'as good';
  if (ratio && (code === 'worse' || code === 'better')) return `${code} by ${differenceText(ratio)}`;
  const smallest = smallestText(mark);
  const reason = smallest === undefined ? why && WHY[why] : `< ${smallest}`;
  return `${code.replace('-', ' ')}${reason === undefined ? '' : ` (${reason})`}`;
}

/**
 * @param {Mark} mark
 * @returns {string} for a narrow column: "best", "−15 %", "2.1×", "not known (< 23 %)"; empty if nothing is compared
 */
export function shortMark(mark) {
  const { code, ratio } = mark;
  if (code === 'not-compared') return '';
  if (ratio && (code === 'worse' || code === 'better')) {
    const median = Number(ratio.median);
    return median >= MULTIPLE_FROM ? `${plain(median, 2)}×` : `${signedChange(median)} %`;
  }
  const smallest = code === 'not-known' ? smallestText(mark) : undefined;
  return `${code.replace('-', ' ')}${smallest === undefined ? '' : ` (< ${smallest})`}`;
}

/**
 * @param {Mark} mark
 * @returns {string} beside a drawn interval: "+43 % (+27 to +62)", "2.1× (1.9 to 2.4)"; "−29 to +3 %" if no difference
 *   is known; empty if nothing is compared
 */
export function markWithBounds(mark) {
  const { code, ratio } = mark;
  if (ratio && (code === 'worse' || code === 'better'))
    return Number(ratio.median) >= MULTIPLE_FROM ? differenceText(ratio) : changeWithBounds(ratio);
  if (code !== 'not-known') return shortMark(mark);
  const { low, high } = ratio ?? {};
  if (typeof low !== 'number' || typeof high !== 'number') return '';
  return isTooWide([low, high]) ? WHY['rounds-differ'] : `${signedChange(low)} to ${signedChange(high)} %`;
}

/**
 * @param {{ rounds: number }} table @param {Mark | undefined} mark
 * @returns {mark is Mark} false below three rounds: a note above the table says that servers are not ranked
 */
export const shownMark = ({ rounds }, mark) => mark !== undefined && rounds >= MIN_ROUNDS;

/** @param {ComparedFigure} figure @param {Cell} cell @returns {string} such as "73,200", "> 9 s" */
export const valueText = (figure, { median, moreThan }) =>
  cellText(figure, moreThan === undefined ? median : { above: moreThan, infinite: true });

/**
 * @param {ComparedFigure} figure
 * @param {Cell} cell
 * @returns {string | undefined} such as "71,000 to 75,000", "before: 69,000"
 */
export function rangeText(figure, { low, high, before, mark }) {
  const text = (/** @type {number} */ value) => cellText(figure, value);
  if (before !== undefined) return `before: ${text(before)}`;
  if (low === undefined || high === undefined || text(low) === text(high)) return undefined;
  // the mark says so
  if (isTooWide([low, high]) && mark?.code === 'not-known') return undefined;
  return boundsText([low, high], text);
}

/** Level of an interval of 95 %. */
const LEVEL = rulesOf({}).level;
/** @param {number} margin @returns {string} */
const asGood = (margin) => `"as good": the interval lies within ±${plain(100 * margin)} %`;
const SMALLER = 'a smaller difference could not have been seen';

/**
 * Words for the values of a table.
 * @type {Readonly<Record<RankingTable['unit'], [plural: string, paired: string]>>}
 */
const UNITS = { round: ['rounds', 'round'], block: ['blocks of slices', 'block'] };

/** @param {RankingTable} table @returns {string} how to read the marks of servers */
export function serversExplained({ unit, margin, level, figures, points }) {
  const [plural, paired] = UNITS[unit];
  const times = figures.filter(isTime).map(({ name }) => name);
  const ofAll = unit === 'block' && times.length > 0 ? `; ${joinNames(times)} of all transfers` : '';
  const marks = points.flatMap(({ rows }) => rows.flatMap(({ cells }) => cells.flatMap(({ mark }) => mark ?? [])));
  const hasSmallest = marks.some((mark) => mark.code === 'not-known' && smallestText(mark) !== undefined);
  const ofRatios = level === LEVEL ? '' : `, of ${plain(100 * (1 - level), 3)} %`;
  const texts = [
    `Medians of the ${plural}, 95 % intervals${ofAll}`,
    `marks: against the best, paired by ${paired}${ofRatios}, so not the ratio of two medians`,
    ...(marks.some(({ code }) => code === 'as-good') ? [`as good: within ±${plain(100 * margin)} %`] : []),
    ...(hasSmallest ? [`not known (< x %): ${SMALLER}`] : []),
  ];
  return `${texts.join('; ')}.`;
}

/** Smallest difference between starts that is given as a number. */
const LEAST_SHOWN = 0.001;

/**
 * @param {RankingTable} table
 * @returns {string | undefined} by how much the starts of a server differ; undefined if each server was started once
 */
export function startsText({ starts }) {
  if (starts.length === 0) return undefined;
  const texts = starts.map(({ figure: { name, compared }, noise: { deviation, isSeen } }) => {
    const isSmall = deviation < LEAST_SHOWN;
    const share = `${plain(100 * Math.max(deviation, LEAST_SHOWN), 2)} %`;
    return `${isSeen && !isSmall ? share : `less than ${share}`} in ${compared.called ?? name}`;
  });
  return `Starts of a server differ by ${joinNames(texts)} (standard deviation).`;
}

/**
 * @param {{ tolerance: number | null }} comparison of two runs
 * @returns {string} how to read its marks
 */
export const runsExplained = ({ tolerance }) =>
  `Medians of the rounds; differences from the earlier run with 95 % intervals. ${asGood(marginOf(tolerance))}; "not known (< x %)": ${SMALLER}. The runs were ` +
  'measured at different times: what changed the machine in between is in no interval.';

/**
 * @param {Pick<RunSummary, 'legs' | 'cases'>} summary of a run
 * @returns {{ code: string, text: string }[]} how the intervals of the run were computed; empty without intervals
 */
export function methodTexts({ legs, cases = [] }) {
  const overRounds = cases.some(({ figures }) => Object.values(figures).some(({ low }) => low !== undefined));
  const overTime = legs.some(({ steady }) => steady?.responseTimeNs?.intervals);
  return [
    ...(overRounds
      ? [
          {
            code: 'over-rounds',
            text: `Over rounds, or the blocks of slices of servers side by side: their median and its 95 % interval, by Student's t on the logarithms below ${MIN_ROUNDS_BY_ORDER} of them and by order statistics from there on. In slices the percentiles of times are those of all transfers, and compared by those of the blocks. Of servers that were started several times, and of several rounds of blocks, there are two intervals, by the scatter of the blocks and by that of the starts and rounds, and the wider one counts. Ratios are paired, which removes what slows the whole machine down for a while. Two are as good as each other where the interval of the ratio lies within the margin, one is worse where it excludes 1, also when all comparisons of the run are judged together (Holm), and otherwise it is not known. An interval whose upper bound is more than ten times the lower is replaced by “varies too much”; repeat the run on an idle machine, or for longer.`,
          },
        ]
      : []),
    ...(overTime
      ? [
          {
            code: 'over-time',
            text: 'Within a leg: percentiles of the whole steady state, and 95 % intervals from the spread between batches of three seconds or more, widened where neighbouring batches resemble each other. They say how well this leg determined its percentiles, not how much another run would differ.',
          },
        ]
      : []),
  ];
}
