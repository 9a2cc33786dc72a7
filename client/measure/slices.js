// When each of several legs that are measured side by side is loaded: one at a time, for a slice. In each period every leg has
// one slice; their order is random by the seed, so that every worker knows it without a message. Pure.

import { seededRandom, shuffled } from './random.js';

/**
 * @typedef {import('../../config/types.js').Slices} Slices  of a planned leg. index: of the leg, of those that share the
 *   time; of: how many these are; lengthNs: of a slice; settleNs: its last part, in which no request begins and replies are awaited
 */

/**
 * @param {Pick<Slices, 'index' | 'of' | 'lengthNs' | 'seed'>} slices
 * @param {number} untilNs since the start of the leg
 * @returns {number[]} when the leg's slices begin, ns since its start, ascending, all before untilNs
 */
export function sliceStarts({ index, of, lengthNs, seed }, untilNs) {
  const random = seededRandom(seed);
  const legs = Array.from({ length: of }, (_, leg) => leg);
  const periodNs = of * lengthNs;
  return Array.from(
    { length: Math.ceil(untilNs / periodNs) },
    (_, period) => period * periodNs + shuffled(legs, random).indexOf(index) * lengthNs,
  ).filter((startNs) => startNs < untilNs);
}

/**
 * @param {Slices} slices @param {number} untilNs since the start of the leg
 * @returns {(fromNs: number, toNs: number) => number} for how long of that span the leg is loaded, ns: without the ends of
 *   slices, in which only replies are awaited
 */
export function loadedTime(slices, untilNs) {
  const starts = sliceStarts(slices, untilNs);
  const loadedNs = slices.lengthNs - slices.settleNs;
  return (fromNs, toNs) =>
    starts.reduce(
      (sum, startNs) => sum + Math.max(0, Math.min(toNs, startNs + loadedNs, untilNs) - Math.max(fromNs, startNs)),
      0,
    );
}
