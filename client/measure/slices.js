// When each of several legs that are measured side by side is loaded: one at a time, for a slice. In each period every leg has
// one slice; their order is random by the seed, so that every worker knows it without a message. Pure.

import { seededRandom, shuffled } from './random.js';

/**
 * @typedef {import('../../config/types.js').Slices} Slices  of a planned leg. index: of the leg, of those that share the
 *   time; of: how many these are; lengthNs: of a slice; settleNs: its last part, in which no request begins and replies are awaited
 * @typedef {import('../../config/types.js').RatePoint} RatePoint
 */

/**
 * @param {Pick<Slices, 'index' | 'of' | 'lengthNs' | 'seed'>} slices
 * @param {number} untilNs since the start of the leg
 * @returns {number[]} when the leg's slices begin, whole ns since its start, one in each period, ascending, all before untilNs
 */
export function sliceStarts({ index, of, lengthNs, seed }, untilNs) {
  const random = seededRandom(seed);
  const legs = Array.from({ length: of }, (_, leg) => leg);
  const periodNs = of * lengthNs;
  return Array.from({ length: Math.ceil(untilNs / periodNs) }, (_, period) =>
    Math.round(period * periodNs + shuffled(legs, random).indexOf(index) * lengthNs),
  ).filter((startNs) => startNs < untilNs);
}

/** @param {Slices} slices @returns {number} ns of a slice in which requests may begin */
export const loadedNsOf = ({ lengthNs, settleNs }) => Math.floor(lengthNs - settleNs);

/**
 * @param {Slices} slices @param {number} untilNs since the start of the leg
 * @returns {(fromNs: number, toNs: number) => number} for how long of that span the leg is loaded, ns: without the ends of
 *   slices, in which only replies are awaited
 */
export function loadedTime(slices, untilNs) {
  const starts = sliceStarts(slices, untilNs);
  const loadedNs = loadedNsOf(slices);
  const periodNs = slices.of * slices.lengthNs;
  return (fromNs, toNs) => {
    // one that began in the period before may last into the span
    const first = Math.max(0, Math.floor(fromNs / periodNs) - 1);
    return starts
      .slice(first, Math.floor(toNs / periodNs) + 1)
      .reduce(
        (sum, startNs) => sum + Math.max(0, Math.min(toNs, startNs + loadedNs, untilNs) - Math.max(fromNs, startNs)),
        0,
      );
  };
}

/**
 * @param {Slices} slices @param {number} loadedNs of a span
 * @returns {number} for how long of it the leg had its turn: with the time in which its last replies are awaited
 */
export const turnTime = (slices, loadedNs) => (loadedNs * slices.lengthNs) / loadedNsOf(slices);

/**
 * What a leg did while requests of it could begin: all the time, unless it takes turns with others. Replies that come while they
 * are only awaited are none of a rate, for how many these are does not depend on how fast the server is.
 * @param {Pick<import('../../config/types.js').Sample, 'fromNs' | 'toNs' | 'counters' | 'slices'>[]} samples
 * @returns {{ transfers: number, ns: number }} of all samples
 */
export const whileLoaded = (samples) =>
  samples.reduce(
    (sum, { fromNs, toNs, counters, slices }) => ({
      transfers: sum.transfers + (slices?.transfers ?? counters.transfers),
      ns: sum.ns + (slices?.loadedNs ?? toNs - fromNs),
    }),
    { transfers: 0, ns: 0 },
  );

/** @param {RatePoint[]} rates ascending, the first at 0 @param {number} atNs @returns {number} the rate at that moment */
function rateAt(rates, atNs) {
  const after = rates.findIndex((point) => point.atNs > atNs);
  const [point, next] = after === -1 ? [rates[rates.length - 1], undefined] : [rates[after - 1], rates[after]];
  if (!next?.line) return point.rate;
  return point.rate + ((next.rate - point.rate) * (atNs - point.atNs)) / (next.atNs - point.atNs);
}

/**
 * The rates of an open loop whose requests are due in the leg's slices alone, at the rate that the profile has at that moment.
 * @param {{ rates?: RatePoint[], rampToNs: number, steadyToNs: number, slices?: Slices }} leg  rates: from rampToNs on
 * @returns {RatePoint[] | undefined} as they are without slices; undefined in a closed loop
 */
export function turnRates({ rates, rampToNs, steadyToNs, slices }) {
  if (rates === undefined || slices === undefined) return rates;
  const loadedNs = loadedNsOf(slices);
  const turns = sliceStarts(slices, steadyToNs).flatMap((startNs) => {
    const [fromNs, toNs] = [Math.max(0, startNs - rampToNs), startNs + loadedNs - rampToNs];
    if (toNs <= 0) return [];
    const inside = rates.filter(({ atNs }) => atNs > fromNs && atNs < toNs);
    const next = rates.find(({ atNs }) => atNs >= toNs);
    return [
      { atNs: fromNs, rate: rateAt(rates, fromNs), line: false },
      ...inside,
      ...(next?.line ? [{ atNs: toNs, rate: rateAt(rates, toNs), line: true }] : []),
      { atNs: toNs, rate: 0, line: false },
    ];
  });
  return turns[0]?.atNs === 0 ? turns : [{ atNs: 0, rate: 0, line: false }, ...turns];
}
