// A case compared with another by one figure, as code, data and a sentence: `epoll answers 2.1 times (1.9 to 2.4) as many
// transfers as multi-threaded at 10,000 connections`. Pure.
// The one thing to know: nothing is claimed without an interval, and a difference only where the interval excludes 1.

import { count, duration, percent, plain, rate } from '../format.js';
import { boundsText } from '../phrases/intervals.js';
import { ratioInterval } from './index.js';

/** @typedef {import('./index.js').Interval} Interval */
/** @typedef {import('./index.js').Figure} Figure */

/**
 * longer, shorter: of times; measured-once: one round; too-few-rounds: two; not-comparable: a value is 0 or absent.
 * @typedef {'more' | 'fewer' | 'longer' | 'shorter' | 'no-difference' | 'measured-once' | 'too-few-rounds' |
 *   'not-comparable'} ComparisonCode
 */

/**
 * @typedef {object} Comparison
 * @property {ComparisonCode} code
 * @property {FigureName} figure
 * @property {string} case  id of the case
 * @property {string} baseline  id of the case that it is compared with
 * @property {Interval} [ratio]  case / baseline, paired by round; absent where it is not known
 * @property {boolean} [better]  whether the case is the better one; absent without a difference
 * @property {{ at?: string, rounds: number, values: [Figure, Figure][] }} data  values: of case and baseline in each round
 * @property {string} text
 */

/**
 * @typedef {{ kind: 'count', name: string, verb: string, noun: string, text: (value: any) => string } |
 *   { kind: 'time', name: string, text: (value: any) => string }} FigureWords
 */

/** @param {string} name @returns {FigureWords} */
const time = (name) => ({ kind: 'time', name, text: duration });

/** The figures that can be compared, with their words. */
export const comparedFigures = {
  perSecond: /** @type {FigureWords} */ ({
    kind: 'count',
    name: 'throughput',
    verb: 'answers',
    noun: 'transfers',
    text: rate,
  }),
  served: /** @type {FigureWords} */ ({
    kind: 'count',
    name: 'connections served',
    verb: 'serves',
    noun: 'connections',
    text: count,
  }),
  p50Ns: time('p50'),
  p90Ns: time('p90'),
  p99Ns: time('p99'),
  p99_9Ns: time('p99.9'),
  networkP50Ns: time('network-and-server p50'),
  networkP99Ns: time('network-and-server p99'),
};

/** @typedef {keyof typeof comparedFigures} FigureName */

/** From this ratio on a difference is written as a multiple: 2.1 times; below it in percent: 12 % more. */
const MULTIPLE_FROM = 1.5;

/** @param {number} ratio @returns {string} 2.1, 13 */
const multiple = (ratio) => plain(ratio, 2);
/** @param {number} ratio @returns {string} its distance from 1: 5.2 % */
const change = (ratio) => percent(Math.abs(ratio - 1), 2);
/** A bound on the other side of 1, which rounding may leave there. @param {number} ratio @param {number} digits @returns {string} */
const bareChange = (ratio, digits) => plain(Math.abs(ratio - 1) * 100, digits);

/**
 * @param {number} low @param {number} high @param {(value: number, digits: number) => string} text
 * @param {string} [unit]
 * @returns {string} such as " (1.9 to 2.4)"; of a narrow one with more digits; empty where every round had the same ratio
 */
function rangeText(low, high, text, unit = '') {
  if (Math.abs(high / low - 1) < 1e-9) return '';
  const digits = text(low, 2) === text(high, 2) ? 3 : 2;
  return ` (${text(low, digits)} to ${text(high, digits)}${unit})`;
}

/**
 * @param {FigureWords} words @param {number} median @param {number} low @param {number} high all on one side of 1
 * @param {string} subject @param {string} object
 * @returns {string} such as "epoll answers 2.1 times (1.9 to 2.4) as many transfers as select"
 */
export function differenceText(words, median, low, high, subject, object) {
  const more = median > 1;
  if (more && median >= MULTIPLE_FROM) {
    const times = `${multiple(median)} times${rangeText(low, high, plain)}`;
    return words.kind === 'count'
      ? `${subject} ${words.verb} ${times} as many ${words.noun} as ${object}`
      : `the ${words.name} of ${subject} is ${times} that of ${object}`;
  }
  const [least, most] = more ? [low, high] : [high, low];
  const by = `${change(median)}${rangeText(least, most, bareChange, ' %')}`;
  return words.kind === 'count'
    ? `${subject} ${words.verb} ${by} ${more ? 'more' : 'fewer'} ${words.noun} than ${object}`
    : `the ${words.name} of ${subject} is ${by} ${more ? 'longer' : 'shorter'} than that of ${object}`;
}

/** @param {FigureWords} words @param {boolean} more @returns {ComparisonCode} */
function differenceCode({ kind }, more) {
  if (kind === 'count') return more ? 'more' : 'fewer';
  return more ? 'longer' : 'shorter';
}

/** @param {string} text @returns {string} with a capital, unless it begins with a label */
const sentence = (text) => `${text.startsWith('the ') ? `T${text.slice(1)}` : text}.`;

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
 */

/** @param {Question} question of rounds that were measured in turn @returns {Comparison} */
export const compareCases = (question) => stateComparison(question, ratioInterval(question.pairs));

/** @param {Question} question @param {Interval} ratio of its figures @returns {Comparison} */
export function stateComparison({ figure, case: one, baseline, pairs, at }, ratio) {
  const words = comparedFigures[figure];
  const { median, low, high, rounds } = ratio;
  const where = at === undefined ? '' : ` at ${at}`;
  const head = { figure, case: one.id, baseline: baseline.id };
  const data = { ...(at === undefined ? {} : { at }), rounds, values: pairs };
  const labels = [one.label, baseline.label];
  if (median === null) {
    const text = `${one.label} and ${baseline.label} cannot be compared by ${words.name}${where}: a value is 0 or absent.`;
    return { code: 'not-comparable', ...head, data, text };
  }
  if (low === null || high === null) {
    const once = rounds === 1;
    const text = `Measured ${once ? 'once' : 'twice'}${where}: ${valuesText(words, pairs, labels)}; whether they differ is not known.`;
    return { code: once ? 'measured-once' : 'too-few-rounds', ...head, ratio, data, text };
  }
  if (low <= 1 && high >= 1) {
    const range = `ratio ${boundsText([low, high], (value) => plain(value, 2))}`;
    const text = `No difference in ${words.name} was found between ${one.label} and ${baseline.label}${where} (${range}).`;
    return { code: 'no-difference', ...head, ratio, data, text };
  }
  const more = median > 1;
  return {
    code: differenceCode(words, more),
    ...head,
    ratio,
    better: more === (words.kind === 'count'),
    data,
    text: sentence(`${differenceText(words, median, low, high, one.label, baseline.label)}${where}`),
  };
}
