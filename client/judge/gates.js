// Whether a figure is worse, or better, than another's by more than a share: yes, no, or undecided where the interval
// of their ratio contains that share. Pure. The tolerance of two runs and the conditions between servers are judged by
// it.

import { ratioOf, rulesOf } from './comparisons.js';
import { MIN_ROUNDS } from './statistics/index.js';

/**
 * @import { ComparedFigure, Rules, Values } from './comparisons.js'
 * @import { Interval } from './statistics/index.js'
 */

/**
 * @typedef {'worse' | 'better'} Way
 * @typedef {Pick<Interval, 'median' | 'low' | 'high'>} Bounds
 */

/**
 * @param {Pick<ComparedFigure, 'better'>} figure
 * @param {Way} way
 * @param {number} share
 * @param {Bounds | undefined} ratio of its value to that of the other
 * @returns {boolean | null} null: undecided
 */
export function differsBy({ better }, way, share, ratio) {
  if (ratio === undefined || ratio.low === null || ratio.high === null) return null;
  const isHigher = (better === 'higher') === (way === 'better');
  const limit = isHigher ? 1 + share : 1 - share;
  const [isBeyond, isWithin] = isHigher
    ? [ratio.low > limit, ratio.high <= limit]
    : [ratio.high < limit, ratio.low >= limit];
  return isBeyond ? true : isWithin ? false : null;
}

/** @param {(number | null)[]} values @returns {number[]} */
const known = (values) => values.filter((value) => value !== null);

/**
 * Connections served are counted, not estimated: what was measured once has bounds too, and none served is a ratio of
 * 0.
 * @param {(number | null)[]} values of each round @param {(number | null)[]} others likewise
 * @returns {Bounds | undefined} undefined where one side has no value, or the other served none
 */
export function countedBounds(values, others) {
  const [own, its] = [known(values), known(others)];
  if (own.length === 0 || its.length === 0 || Math.min(...its) <= 0) return undefined;
  const [low, high] = [Math.min(...own) / Math.max(...its), Math.max(...own) / Math.min(...its)];
  return { median: Math.sqrt(low * high), low, high };
}

/**
 * There is no ratio to 0, such as to memory that did not grow. Where no value is worse than one of the other, it is not
 * worse.
 * @param {ComparedFigure} figure @param {(number | null)[]} values @param {(number | null)[]} others
 * @returns {Bounds | undefined}
 */
function orderedBounds({ better }, values, others) {
  const [own, its] = [known(values), known(others)];
  if (Math.min(own.length, its.length) < MIN_ROUNDS) return undefined;
  if (better === 'higher')
    return Math.min(...own) < Math.max(...its) ? undefined : { median: null, low: 1, high: Infinity };
  return Math.max(...own) > Math.min(...its) ? undefined : { median: null, low: 0, high: 1 };
}

/**
 * @param {ComparedFigure} figure
 * @param {Interval} ratio
 * @param {(number | null)[]} values that it was made from
 * @param {(number | null)[]} others likewise
 * @returns {Interval | Bounds} by which the gate is judged, also where the ratio has no interval
 */
export function gateBounds(figure, ratio, values, others) {
  if (ratio.low !== null) return ratio;
  const counted = figure.compared.isCount ? countedBounds(values, others) : undefined;
  return counted ?? (ratio.median === null ? orderedBounds(figure, values, others) : undefined) ?? ratio;
}

/**
 * @param {ComparedFigure} figure @param {Values} own @param {Values} other of the same run
 * @param {Rules} [rules]
 * @returns {Interval | Bounds} of the ratio, paired by round or block
 */
export const pairedBounds = (figure, own, other, { level } = rulesOf({})) =>
  gateBounds(figure, ratioOf(own, other, level), own.values, other.values);
