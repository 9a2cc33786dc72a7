// Whether every round of two cases points the same way, and the least and the most of what was counted in them. Pure.
// The one thing to know: that is what was seen, not a claim. Of two equal servers one does better in each of three rounds in
// one comparison of four.

import { MIN_ROUNDS } from './index.js';

/** @typedef {import('./index.js').Figure} Figure */
/** @typedef {'higher' | 'lower'} Direction  of the case, compared with its baseline */

/** @param {Figure} value @returns {value is number} */
const isNumber = (value) => typeof value === 'number' && Number.isFinite(value);

/** @param {[Figure, Figure][]} pairs @param {0 | 1} side @returns {number[]} its values that were measured */
const sideOf = (pairs, side) => pairs.map((pair) => pair[side]).filter(isNumber);

/** @param {[number, number][]} pairs @returns {Direction | undefined} undefined where they differ, or two values are the same */
function commonOf(pairs) {
  if (pairs.every(([value, baseline]) => value > baseline)) return 'higher';
  if (pairs.every(([value, baseline]) => value < baseline)) return 'lower';
  return undefined;
}

/**
 * @param {[value: Figure, baseline: Figure][]} pairs one of each round
 * @returns {Direction | undefined} undefined where the rounds do not agree, or too few have both values
 */
export function directionOf(pairs) {
  const known = pairs.flatMap(([value, baseline]) =>
    isNumber(value) && isNumber(baseline) ? [/** @type {[number, number]} */ ([value, baseline])] : [],
  );
  return known.length < MIN_ROUNDS ? undefined : commonOf(known);
}

/**
 * Of rounds that were not measured in turn: every value of one side is above every value of the other.
 * @param {[value: Figure, baseline: Figure][]} pairs
 * @returns {Direction | undefined}
 */
export function directionOfRuns(pairs) {
  const [own, other] = [sideOf(pairs, 0), sideOf(pairs, 1)];
  if (Math.min(own.length, other.length) < MIN_ROUNDS) return undefined;
  return commonOf([
    [Math.min(...own), Math.max(...other)],
    [Math.max(...own), Math.min(...other)],
  ]);
}

/**
 * @param {[value: Figure, baseline: Figure][]} pairs with a value on each side
 * @returns {[value: [number, number], baseline: [number, number]]} the least and the most of each side
 */
export function rangesOf(pairs) {
  const [own, other] = /** @type {const} */ ([0, 1]).map((side) => {
    const values = sideOf(pairs, side);
    return /** @type {[number, number]} */ ([Math.min(...values), Math.max(...values)]);
  });
  return [own, other];
}

/** @param {[value: Figure, baseline: Figure][]} pairs @returns {[number, number] | undefined} of the ratios of single rounds; undefined without any */
export function ratioRangeOf(pairs) {
  const ratios = pairs.flatMap(([value, baseline]) =>
    isNumber(value) && isNumber(baseline) && value > 0 && baseline > 0 ? [value / baseline] : [],
  );
  return ratios.length === 0 ? undefined : [Math.min(...ratios), Math.max(...ratios)];
}
