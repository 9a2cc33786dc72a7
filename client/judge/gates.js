// Whether a figure of A is worse, or better, than that of B by more than a share: yes, no, or undecided if the interval
// of their ratio contains the share. The tolerance between runs and the conditions between servers are judged by it.

import { ratioOf, rulesOf } from './comparisons.js';
import { MIN_ROUNDS } from './statistics/index.js';

/**
 * @import { Baseline } from '../../config/types.js'
 * @import { ComparedFigure, Rules, Values } from './comparisons.js'
 * @import { Interval } from './statistics/index.js'
 * @import { RowOutcome } from './verdict.js'
 */

/**
 * @typedef {'worse' | 'better'} Way
 * @typedef {Pick<Interval, 'median' | 'low' | 'high'>} Bounds
 */

/**
 * @param {Pick<ComparedFigure, 'better'>} figure
 * @param {Way} way
 * @param {number} share
 * @param {Bounds | undefined} ratio of A to B
 * @returns {boolean | null} null if undecided
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
 * Bounds of the ratio of two counts, such as connections served. A count is exact, so one round is enough.
 * @param {(number | null)[]} values of A in each round @param {(number | null)[]} others of B in each round
 * @returns {Bounds | undefined} undefined if A or B has no value, or B has a 0
 */
export function countedBounds(values, others) {
  const [valuesA, valuesB] = [known(values), known(others)];
  if (valuesA.length === 0 || valuesB.length === 0 || Math.min(...valuesB) <= 0) return undefined;
  const [low, high] = [Math.min(...valuesA) / Math.max(...valuesB), Math.max(...valuesA) / Math.min(...valuesB)];
  return { median: Math.sqrt(low * high), low, high };
}

/**
 * Bounds where there is no ratio, because B has a 0, such as memory that did not grow. If every value of A is at least
 * as good as every value of B, A is not worse.
 * @param {ComparedFigure} figure @param {(number | null)[]} values @param {(number | null)[]} others
 * @returns {Bounds | undefined}
 */
function orderedBounds({ better }, values, others) {
  const [valuesA, valuesB] = [known(values), known(others)];
  if (Math.min(valuesA.length, valuesB.length) < MIN_ROUNDS) return undefined;
  if (better === 'higher')
    return Math.min(...valuesA) < Math.max(...valuesB) ? undefined : { median: null, low: 1, high: Infinity };
  return Math.max(...valuesA) > Math.min(...valuesB) ? undefined : { median: null, low: 0, high: 1 };
}

/**
 * @param {ComparedFigure} figure
 * @param {Interval} ratio
 * @param {(number | null)[]} values of A, from which the ratio was computed
 * @param {(number | null)[]} others of B, likewise
 * @returns {Interval | Bounds} by which the gate is judged; also if the ratio has no interval
 */
export function gateBounds(figure, ratio, values, others) {
  if (ratio.low !== null) return ratio;
  const counted = figure.compared.isCount ? countedBounds(values, others) : undefined;
  return counted ?? (ratio.median === null ? orderedBounds(figure, values, others) : undefined) ?? ratio;
}

/**
 * @param {ComparedFigure} figure @param {Values} a @param {Values} b of the same run
 * @param {Rules} [rules]
 * @returns {Interval | Bounds} of the ratio of A to B, paired by round or block
 */
export const pairedBounds = (figure, a, b, { level } = rulesOf({})) =>
  gateBounds(figure, ratioOf(a, b, level), a.values, b.values);

/**
 * @param {Pick<Baseline, 'outcome'>} comparison
 * @returns {RowOutcome} outcome of two runs as a condition; passed without a tolerance
 */
export const gateOutcome = ({ outcome }) =>
  outcome === 'worse' ? 'failed' : outcome === 'undecided' ? 'undecided' : 'passed';
