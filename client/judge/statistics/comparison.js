// A case compared with another by one figure, as code, data and a sentence: `epoll answers 2.1 times (1.9 to 2.4) as many
// transfers as multi-threaded at 10,000 connections`. Pure.
// The one thing to know: nothing is claimed without an interval, and a difference only where the interval excludes 1. Where
// it does not, but every round points the same way or the rounds are too different to tell, that is said instead of "no difference".

import { count, duration, plain, rate } from '../../words/format.js';
import { ABOUT_TOO_WIDE, isTooWide } from '../../words/intervals.js';
import { directionOf, directionOfRuns, rangesOf, ratioRangeOf } from './direction.js';
import { ratioInterval } from './index.js';

/** @typedef {import('./index.js').Interval} Interval */
/** @typedef {import('./index.js').Figure} Figure */

/**
 * longer, shorter: of times; undecided: the interval contains 1, but every round points the same way (data.direction), or it is
 * too wide to say anything; measured-once: one round; too-few-rounds: two; not-comparable: a value is 0 or absent.
 * @typedef {'more' | 'fewer' | 'longer' | 'shorter'} DifferenceCode
 * @typedef {DifferenceCode | 'no-difference' | 'undecided' | 'measured-once' | 'too-few-rounds' | 'not-comparable'} ComparisonCode
 */

/**
 * @typedef {object} Comparison
 * @property {ComparisonCode} code
 * @property {FigureName} figure
 * @property {string} case  id of the case
 * @property {string} baseline  id of the case that it is compared with
 * @property {Interval} [ratio]  case / baseline, paired by round; absent where it is not known
 * @property {boolean} [better]  whether the case is the better one; absent without a difference
 * @property {{ at?: string, rounds: number, values: [Figure, Figure][], direction?: DifferenceCode }} data  values: of case and
 *   baseline in each round; direction: what every round shows, where no difference is certain
 * @property {string} text
 */

/**
 * @typedef {{ kind: 'count', name: string, verb: string, did: string, noun: string, text: (value: any) => string } |
 *   { kind: 'time', name: string, text: (value: any) => string }} FigureWords
 */

/** @param {string} name @returns {FigureWords} */
const time = (name) => ({ kind: 'time', name, text: duration });

/** The figures that can be compared, with their words. @type {Record<string, FigureWords>} */
export const comparedFigures = {
  perSecond: {
    kind: 'count',
    name: 'throughput',
    verb: 'answers',
    did: 'answered',
    noun: 'transfers',
    text: rate,
  },
  served: {
    kind: 'count',
    name: 'connections served',
    verb: 'serves',
    did: 'served',
    noun: 'connections',
    text: count,
  },
  p50Ns: time('p50'),
  p99Ns: time('p99'),
  networkP50Ns: time('network-and-server p50'),
  networkP99Ns: time('network-and-server p99'),
};

/** @typedef {string} FigureName  the key of a figure in the cases of summary.json */

/** From this ratio on a difference is written as a multiple: 2.1 times; below it in percent: 12 % more. */
const MULTIPLE_FROM = 1.5;

/** Of that which is less than a hundredth, 100 % less would be all. @param {number} ratio @returns {number} significant digits */
const digitsOf = (ratio) => (ratio > 0 && ratio < 0.01 ? 2 - Math.floor(Math.log10(ratio) + 1) : 2);
/** A bound on the other side of 1, which rounding may leave there. @param {number} ratio @param {number} digits @returns {string} */
const bareChange = (ratio, digits) => plain(Math.abs(ratio - 1) * 100, Math.max(digits, digitsOf(ratio)));

/**
 * @param {[median: number, low: number, high: number]} values @param {(value: number, digits: number) => string} text
 * @param {string} unit of the value @param {string} [after] the range
 * @returns {string} such as "2.1 times (1.9 to 2.4)"; of a narrow range with more digits; without one where every round had the same ratio
 */
function withRange([median, low, high], text, unit, after = '') {
  if (Math.abs(high / low - 1) < 1e-9) return `${text(median, 2)}${unit}`;
  const digits = text(low, 2) === text(high, 2) ? 3 : 2;
  return `${text(median, digits)}${unit} (${text(low, digits)} to ${text(high, digits)}${after})`;
}

/**
 * @param {FigureWords} words @param {number} median @param {number} low @param {number} high all on one side of 1
 * @param {string} subject @param {string} object
 * @returns {string} such as "epoll answers 2.1 times (1.9 to 2.4) as many transfers as select"
 */
export function differenceText(words, median, low, high, subject, object) {
  const more = median > 1;
  if (more && median >= MULTIPLE_FROM) {
    const times = withRange([median, low, high], plain, ' times');
    return words.kind === 'count'
      ? `${subject} ${words.verb} ${times} as many ${words.noun} as ${object}`
      : `the ${words.name} of ${subject} is ${times} that of ${object}`;
  }
  const [least, most] = more ? [low, high] : [high, low];
  const by = withRange([median, least, most], bareChange, ' %', ' %');
  return words.kind === 'count'
    ? `${subject} ${words.verb} ${by} ${more ? 'more' : 'fewer'} ${words.noun} than ${object}`
    : `the ${words.name} of ${subject} is ${by} ${more ? 'longer' : 'shorter'} than that of ${object}`;
}

/** @param {FigureWords} words @param {boolean} more @returns {DifferenceCode} */
function differenceCode({ kind }, more) {
  if (kind === 'count') return more ? 'more' : 'fewer';
  return more ? 'longer' : 'shorter';
}

/** @param {string} text @returns {string} with a full stop, and a capital unless it begins with a label */
const sentence = (text) => `${text.startsWith('the ') ? `T${text.slice(1)}` : text}${text.endsWith('.') ? '' : '.'}`;

/** @param {FigureWords} words @param {[Figure, Figure][]} values @param {string[]} labels @returns {string} */
function valuesText({ name, text }, values, labels) {
  const measured = (/** @type {number} */ i) => values.map((pair) => pair[i]).filter((value) => value !== null);
  const each = labels.map(
    (label, i) =>
      `of ${label} ${measured(i)
        .map((value) => text(value))
        .join(' and ')}`,
  );
  return `${name} ${each.join(', ')}`;
}

/**
 * @typedef {object} Question
 * @property {FigureName} figure
 * @property {{ id: string, label: string }} case
 * @property {{ id: string, label: string }} baseline
 * @property {[value: Figure, baseline: Figure][]} pairs one of each round, in order
 * @property {string} [at] where both were measured, such as "10,000 connections"
 * @property {boolean} [apart]  their rounds are those of two runs, so that no two belong together
 */

/** @param {Question} question of rounds that were measured in turn @returns {Comparison} */
export const compareCases = (question) => stateComparison(question, ratioInterval(question.pairs));

/**
 * What was seen, in the past tense: it is not said to be so in general.
 * @param {FigureWords} words @param {boolean} more @param {string} subject @param {string} object
 * @param {boolean} [apart] of two runs
 * @returns {string} such as "epoll answered more transfers than select"
 */
export function seenText(words, more, subject, object, apart = false) {
  const [each, any] = apart ? [' in each of its rounds', ' in any'] : ['', ''];
  return words.kind === 'count'
    ? `${subject} ${words.did} ${more ? 'more' : 'fewer'} ${words.noun}${each} than ${object}${any}`
    : `the ${words.name} of ${subject} was ${more ? 'longer' : 'shorter'}${each} than that of ${object}${any}`;
}

/** @param {[number, number]} range @returns {string} such as "300", "0 to 2" */
const rangeOfCounts = ([least, most]) => (least === most ? count(least) : `${count(least)} to ${count(most)}`);

/** @param {[Figure, Figure][]} pairs @returns {string} what was counted in the rounds, such as "300 against 0 to 2" */
export const countsText = (pairs) => rangesOf(pairs).map(rangeOfCounts).join(' against ');

/** @param {Interval} ratio @param {[Figure, Figure][]} pairs @param {boolean} apart @returns {string} its bounds, or those of the single rounds */
export function ratioText({ low, high }, pairs, apart = false) {
  const known = [Number(low), Number(high)];
  const single = apart || !isTooWide(known) ? undefined : ratioRangeOf(pairs);
  const [from, to] = (single ?? known).map((value) => plain(value, 2));
  return `${single ? 'ratios of single rounds' : 'ratio'} ${from} to ${to}`;
}

/** @param {Question} question @param {Interval} ratio @param {boolean} more what each round shows @returns {string} */
function towardsText({ figure, case: one, baseline, pairs, at, apart = false }, ratio, more) {
  const seen = seenText(comparedFigures[figure], more, one.label, baseline.label, apart);
  const where = `${at === undefined ? '' : ` at ${at}`}${apart ? '' : ` in each of ${count(ratio.rounds)} rounds`}`;
  if (figure !== 'served')
    return `${seen}${where}, but the difference is not certain (${ratioText(ratio, pairs, apart)}); more rounds would tell.`;
  const times = ratio.median === null ? '' : ' By how much in general is not certain; more rounds would tell.';
  return `${seen}${where}: ${countsText(pairs)}.${times}`;
}

/** @param {Question} question @param {Interval} ratio that contains 1 @returns {string} */
function noDifferenceText({ figure, case: one, baseline, pairs, at, apart }, ratio) {
  const { name } = comparedFigures[figure];
  const where = at === undefined ? '' : ` at ${at}`;
  const found = figure === 'served' ? countsText(pairs) : ratioText(ratio, pairs, apart);
  return isTooWide([Number(ratio.low), Number(ratio.high)])
    ? `Whether ${one.label} and ${baseline.label} differ in ${name}${where} is not known: their rounds differ too much from each other (${found}); ${ABOUT_TOO_WIDE}.`
    : `No difference in ${name} was found between ${one.label} and ${baseline.label}${where} (${found}).`;
}

/**
 * Which way every round points. Of connections served, also where the ratio is not known: 0 is a number of connections.
 * @param {Question} question @param {Interval} ratio
 * @returns {DifferenceCode | undefined}
 */
function directionCode({ figure, pairs, apart }, ratio) {
  if (figure !== 'served' && ratio.low === null) return undefined;
  const direction = apart ? directionOfRuns(pairs) : directionOf(pairs);
  return direction && differenceCode(comparedFigures[figure], direction === 'higher');
}

/** @param {Question} question @param {Interval} ratio of its figures @returns {Comparison} */
export function stateComparison(question, ratio) {
  const { figure, case: one, baseline, pairs, at } = question;
  const words = comparedFigures[figure];
  const { median, low, high, rounds } = ratio;
  const where = at === undefined ? '' : ` at ${at}`;
  const head = { figure, case: one.id, baseline: baseline.id };
  const data = { ...(at === undefined ? {} : { at }), rounds, values: pairs };
  const labels = [one.label, baseline.label];
  const direction = directionCode(question, ratio);
  const undecided = (/** @type {string} */ text) =>
    /** @type {Comparison} */ ({
      ...{ code: 'undecided', ...head },
      ...(median === null ? {} : { ratio }),
      data: { ...data, ...(direction ? { direction } : {}) },
      text: sentence(text),
    });
  const isMore = direction === 'more' || direction === 'longer';
  if (median === null) {
    if (direction !== undefined) return undecided(towardsText(question, ratio, isMore));
    const text = `${one.label} and ${baseline.label} cannot be compared by ${words.name}${where}: a value is 0 or absent.`;
    return { code: 'not-comparable', ...head, data, text };
  }
  if (low === null || high === null) {
    const once = rounds === 1;
    const text = `Measured ${once ? 'once' : 'twice'}${where}: ${valuesText(words, pairs, labels)}; whether they differ is not known.`;
    return { code: once ? 'measured-once' : 'too-few-rounds', ...head, ratio, data, text };
  }
  if (low <= 1 && high >= 1) {
    if (direction !== undefined) return undecided(towardsText(question, ratio, isMore));
    const text = noDifferenceText(question, ratio);
    return isTooWide([low, high]) ? undecided(text) : { code: 'no-difference', ...head, ratio, data, text };
  }
  const more = median > 1;
  const counts = figure === 'served' ? ` (${countsText(pairs)})` : '';
  return {
    code: differenceCode(words, more),
    ...head,
    ratio,
    better: more === (words.kind === 'count'),
    data,
    text: sentence(`${differenceText(words, median, low, high, one.label, baseline.label)}${where}${counts}`),
  };
}
