// When each of several legs that are measured side by side is loaded: one at a time, for a slice. In each period every leg has
// one slice; their order is random by the seed, so that every worker knows it without a message. Pure.

import { seededRandom, shuffled } from './random.js';

/**
 * @typedef {import('../../config/types.js').Slices} Slices  of a planned leg. index: of the leg, of those that share the
 *   time; of: how many these are; starts: of each server; lengthNs: of a slice; settleNs: its last part, in which no request begins and replies are awaited;
 *   fromNs: when slices of that length begin; pilot: those before
 * @typedef {import('../../config/types.js').RatePoint} RatePoint
 *
 * @typedef {{ fromNs: number, loadedToNs: number, endNs: number }} Slice  whole ns since the start of the leg: from when on its requests
 *   may begin, until when they may, and until when replies are awaited
 */

/** @param {{ slices?: { of: number } }} leg planned @returns {number} that are open at once: it, and those that it takes turns with */
export const legsAtOnce = ({ slices }) => slices?.of ?? 1;

/**
 * How many times as long as that of a leg by itself the steady state of one that takes turns lasts: until every server of its group,
 * in all its starts together, has been loaded for as long as a leg by itself.
 * @param {{ slices?: { of: number, starts: number } }} leg planned @returns {number} of servers
 */
export const timesAsLong = ({ slices }) => (slices === undefined ? 1 : slices.of / slices.starts);

/** Each start has connections of its own: a scenario that does not say how many starts has no more connections than these because of them. */
const MOST_CONNECTIONS_OF_STARTS = 2_000;

/** @param {{ connections: number }[]} legs that are open at once, of several starts @returns {boolean} whether they have few enough for the scenario not to ask for them */
export const haveFewConnections = (legs) =>
  legs.reduce((sum, { connections }) => sum + connections, 0) <= MOST_CONNECTIONS_OF_STARTS;

/** @typedef {{ steadyFromNs: number, steadyToNs: number, endNs: number, slices?: Slices }} Planned  leg */

/** @param {Pick<Planned, 'steadyFromNs' | 'steadyToNs' | 'slices'>} leg @returns {number} whole slices of the steady state of all starts of its server; Infinity where it takes no turns */
export const plannedSlices = ({ steadyFromNs, steadyToNs, slices }) =>
  slices === undefined
    ? Infinity
    : slices.starts * Math.floor((steadyToNs - steadyFromNs) / (slices.of * slices.lengthNs) + 1e-6);

/** @param {Pick<Planned, 'endNs' | 'slices'>[]} legs @param {number} gapNs between two legs @returns {number} of all; those that share their time count once */
export function secondsOf(legs, gapNs) {
  const firsts = legs.filter(({ slices }) => (slices?.index ?? 0) === 0);
  return firsts.reduce((sum, { endNs }) => sum + endNs, (firsts.length - 1) * gapNs) / 1e9;
}

/**
 * @param {Slices} slices
 * @param {number} untilNs since the start of the leg
 * @returns {Slice[]} those of the leg, one in each period, ascending; all begin before untilNs
 */
export function slicesUntil({ index, of, lengthNs, settleNs, seed, fromNs, pilot }, untilNs) {
  const main = { fromNs, toNs: untilNs, lengthNs, settleNs };
  const parts = fromNs === 0 ? [main] : [{ lengthNs, settleNs, ...pilot, fromNs: 0, toNs: fromNs }, main];
  const random = seededRandom(seed);
  const legs = Array.from({ length: of }, (_, leg) => leg);
  return parts.flatMap((part) => {
    const periodNs = of * part.lengthNs;
    return Array.from({ length: Math.max(0, Math.ceil((part.toNs - part.fromNs) / periodNs)) }, (_, period) => {
      const beginNs = part.fromNs + period * periodNs + shuffled(legs, random).indexOf(index) * part.lengthNs;
      return {
        fromNs: Math.round(beginNs),
        loadedToNs: Math.floor(beginNs + part.lengthNs - part.settleNs),
        endNs: Math.floor(beginNs + part.lengthNs),
      };
    }).filter(({ fromNs: beginNs, endNs }) => beginNs < part.toNs && (part === main || endNs <= part.toNs));
  });
}

/**
 * @param {Slices} slices @param {number} untilNs since the start of the leg
 * @returns {Float64Array} as the engine takes them: rows of fromNs, loadedToNs, endNs
 */
export const sliceRows = (slices, untilNs) =>
  Float64Array.from(
    slicesUntil(slices, untilNs).flatMap(({ fromNs, loadedToNs, endNs }) => [fromNs, loadedToNs, endNs]),
  );

/**
 * @param {Slices} slices @param {number} untilNs since the start of the leg
 * @returns {(fromNs: number, toNs: number) => { turnNs: number, loadedNs: number }} for how long of that span the leg has its turn, and
 *   for how long of that its requests may begin
 */
export function turnTimes(slices, untilNs) {
  const list = slicesUntil(slices, untilNs);
  const overlap = (
    /** @type {number} */ a,
    /** @type {number} */ b,
    /** @type {number} */ c,
    /** @type {number} */ d,
  ) => Math.max(0, Math.min(b, d, untilNs) - Math.max(a, c));
  return (fromNs, toNs) => {
    let [turnNs, loadedNs] = [0, 0];
    for (let i = firstEndingAfter(list, fromNs); i < list.length && list[i].fromNs < toNs; i += 1) {
      const { fromNs: beginNs, loadedToNs, endNs } = list[i];
      turnNs += overlap(beginNs, endNs, fromNs, toNs);
      loadedNs += overlap(beginNs, loadedToNs, fromNs, toNs);
    }
    return { turnNs, loadedNs };
  };
}

/**
 * @param {Slices} slices @param {number} untilNs since the start of the leg
 * @returns {(fromNs: number, toNs: number) => { fromNs: number, toNs: number }} the longest part of that span in which it is not the leg's
 *   turn; of no length where it is its turn all the time
 */
export function restTimes(slices, untilNs) {
  const list = slicesUntil(slices, untilNs);
  return (fromNs, toNs) => {
    let [longest, restNs] = [{ fromNs, toNs: fromNs }, fromNs];
    for (let i = firstEndingAfter(list, fromNs); restNs < toNs; i += 1) {
      const { fromNs: beginNs, endNs } = list[i] ?? { fromNs: Infinity, endNs: Infinity };
      const rest = { fromNs: restNs, toNs: Math.min(beginNs, toNs) };
      if (rest.toNs - rest.fromNs > longest.toNs - longest.fromNs) longest = rest;
      restNs = endNs;
    }
    return longest;
  };
}

/** @param {Slice[]} list ascending @param {number} atNs @returns {number} index of the first slice that ends after that moment */
function firstEndingAfter(list, atNs) {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle].endNs > atNs) high = middle;
    else low = middle + 1;
  }
  return low;
}

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

/**
 * @param {Parameters<typeof whileLoaded>[0]} samples of a leg @param {number} amount that came with their transfers
 * @returns {number | undefined} a second in which the leg was loaded; undefined where it was not
 */
export function rateWhileLoaded(samples, amount) {
  const { transfers, ns } = whileLoaded(samples);
  const all = samples.reduce((sum, { counters }) => sum + counters.transfers, 0);
  return ns > 0 ? (amount * (all > 0 ? transfers / all : 1) * 1e9) / ns : undefined;
}

/** @param {RatePoint[]} rates ascending, the first at 0 @param {number} atNs @returns {number} the rate at that moment */
function rateAt(rates, atNs) {
  const after = rates.findIndex((point) => point.atNs > atNs);
  const [point, next] = after === -1 ? [rates[rates.length - 1], undefined] : [rates[after - 1], rates[after]];
  if (!next?.line) return point.rate;
  return point.rate + ((next.rate - point.rate) * (atNs - point.atNs)) / (next.atNs - point.atNs);
}

/**
 * The rates of an open loop whose requests are due in the leg's slices alone, at the rate that the profile has at that moment.
 * @param {{ rates?: RatePoint[], rampToNs: number, steadyToNs: number, slices?: Slices | null }} leg  rates: from rampToNs on
 * @returns {RatePoint[]} as they are without slices; none in a closed loop
 */
export function turnRates({ rates = [], rampToNs, steadyToNs, slices = null }) {
  if (rates.length === 0 || slices === null) return rates;
  const turns = slicesUntil(slices, steadyToNs).flatMap((slice) => {
    const [fromNs, toNs] = [Math.max(0, slice.fromNs - rampToNs), slice.loadedToNs - rampToNs];
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
