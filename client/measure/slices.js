// Schedules the slices in which legs that are measured side by side are loaded, one leg at a time. In each period every
// leg has one slice; their order is random by the seed, so that every worker knows it without a message. A slice has
// three parts: it settles in, until the closed loop loops; it is measured; and it settles out, when no request begins
// and replies are awaited. Rates count the replies in the measured parts; times are those of the transfers that began
// in them.

import { seededRandom, shuffled } from './random.js';

/** @import { RatePoint, Sample, SliceLengths, Slices } from '../../config/types.js' */

/**
 * @typedef {{ fromNs: number, measuredFromNs: number, loadedToNs: number, endNs: number }} Slice  whole ns since the
 *   start of the leg: from when requests may begin, from when they are measured, until when they may begin, and until
 *   when replies are awaited
 */

/** @param {SliceLengths} lengths @returns {number} the length of the slice, ns */
export const sliceNs = ({ settleInNs, measuredNs, settleOutNs }) => settleInNs + measuredNs + settleOutNs;

/** @param {Pick<Slices, 'stages'>} slices @returns {Slices['stages'][number]} the stage of the steady state */
export const steadyStage = ({ stages }) => stages[stages.length - 1];

/**
 * @param {Pick<Slices, 'stages' | 'index'>} slices of a leg
 * @returns {SliceLengths} of its slices in the steady state
 */
export function ownLengths({ index, ...slices }) {
  const { lengths } = steadyStage(slices);
  return lengths[index % lengths.length];
}

/**
 * @param {SliceLengths[]} lengths of the slices of each server
 * @param {number} legCount
 * @returns {number} ns in which each leg has a slice
 */
export const periodNsOf = (lengths, legCount) =>
  (lengths.reduce((sum, length) => sum + sliceNs(length), 0) * legCount) / lengths.length;

/** @param {Pick<Slices, 'stages' | 'of'>} slices @returns {number} the length of a period of the steady state, ns */
export const steadyPeriodNs = ({ of, ...slices }) => periodNsOf(steadyStage(slices).lengths, of);

/**
 * @param {Slices} slices @param {SliceLengths[]} lengths of each server, in the steady state
 * @returns {Slices} with these lengths
 */
export const withSteadyLengths = (slices, lengths) => ({
  ...slices,
  stages: [...slices.stages.slice(0, -1), { ...steadyStage(slices), lengths }],
});

/**
 * @param {{ slices?: { of: number } }} leg planned
 * @returns {number} legs that are open at once: this leg, and those that it takes turns with
 */
export const legsAtOnce = ({ slices }) => slices?.of ?? 1;

/**
 * The factor by which the steady state of a leg that takes turns is longer than that of a leg by itself: it lasts until
 * every server of its group, in all its starts together, has been loaded for as long as a leg by itself.
 * @param {{ slices?: { of: number, starts: number } }} leg planned @returns {number} the number of servers
 */
export const timesAsLong = ({ slices }) => (slices === undefined ? 1 : slices.of / slices.starts);

/**
 * The most connections of all starts together, unless the scenario gives the number of starts: each start has
 * connections of its own.
 */
const MOST_CONNECTIONS_OF_STARTS = 2_000;

/**
 * @param {{ connections: number }[]} legs that are open at once, of several starts
 * @returns {boolean} whether they have few enough connections to be started several times unasked
 */
export const haveFewConnections = (legs) =>
  legs.reduce((sum, { connections }) => sum + connections, 0) <= MOST_CONNECTIONS_OF_STARTS;

/** @typedef {{ steadyFromNs: number, steadyToNs: number, endNs: number, slices?: Slices }} Planned  leg */

/**
 * @param {Pick<Planned, 'steadyFromNs' | 'steadyToNs' | 'slices'>} leg
 * @returns {number} whole slices of the steady state of all starts of its server; Infinity if it takes no turns
 */
export const plannedSlices = ({ steadyFromNs, steadyToNs, slices }) =>
  slices === undefined
    ? Infinity
    : slices.starts * Math.floor((steadyToNs - steadyFromNs) / steadyPeriodNs(slices) + 1e-6);

/**
 * @param {Pick<Planned, 'endNs' | 'slices'>[]} legs
 * @param {number} gapNs between two legs
 * @returns {number} of all legs; legs that share their time count once
 */
export function secondsOf(legs, gapNs) {
  const firsts = legs.filter(({ slices }) => (slices?.index ?? 0) === 0);
  return firsts.reduce((sum, { endNs }) => sum + endNs, (firsts.length - 1) * gapNs) / 1e9;
}

/**
 * @param {Slices} slices
 * @param {number} untilNs since the start of the leg
 * @returns {Slice[]} the leg's slices, one in each period, ascending; all begin before untilNs
 */
export function slicesUntil({ index, of, seed, stages }, untilNs) {
  const random = seededRandom(seed);
  const legs = Array.from({ length: of }, (_, leg) => leg);
  return stages.flatMap(({ fromNs, lengths }, stage) => {
    const isLast = stage === stages.length - 1;
    const toNs = isLast ? untilNs : stages[stage + 1].fromNs;
    const lengthOf = (/** @type {number} */ leg) => sliceNs(lengths[leg % lengths.length]);
    const { settleInNs, settleOutNs } = lengths[index % lengths.length];
    const periodNs = periodNsOf(lengths, of);
    return Array.from({ length: Math.max(0, Math.ceil((toNs - fromNs) / periodNs)) }, (_, period) => {
      const order = shuffled(legs, random);
      const before = order.slice(0, order.indexOf(index));
      const beginNs = before.reduce((sum, leg) => sum + lengthOf(leg), fromNs + period * periodNs);
      const endNs = Math.floor(beginNs + lengthOf(index));
      const loadedToNs = Math.floor(beginNs + lengthOf(index) - settleOutNs);
      return {
        fromNs: Math.round(beginNs),
        measuredFromNs: Math.min(Math.round(beginNs + settleInNs), loadedToNs),
        loadedToNs,
        endNs,
      };
    }).filter(({ fromNs: beginNs, endNs }) => beginNs < toNs && (isLast || endNs <= toNs));
  });
}

/**
 * @param {Slices} slices @param {number} untilNs since the start of the leg
 * @returns {Float64Array} the measured parts of the steady state, ascending: pairs of ns since the start of the leg,
 *   the second not included
 */
export const measuredParts = (slices, untilNs) =>
  Float64Array.from(
    slicesUntil(slices, untilNs)
      .filter(({ measuredFromNs }) => measuredFromNs >= steadyStage(slices).fromNs)
      .flatMap(({ measuredFromNs, loadedToNs }) => [measuredFromNs, loadedToNs]),
  );

/**
 * @param {Slices} slices @param {number} untilNs since the start of the leg
 * @returns {Float64Array} for the engine: rows of fromNs, measuredFromNs, loadedToNs, endNs
 */
export const sliceRows = (slices, untilNs) =>
  Float64Array.from(
    slicesUntil(slices, untilNs).flatMap((slice) => [
      slice.fromNs,
      slice.measuredFromNs,
      slice.loadedToNs,
      slice.endNs,
    ]),
  );

/**
 * @param {Slices} slices @param {number} untilNs since the start of the leg
 * @returns {(fromNs: number, toNs: number) => { turnNs: number, measuredNs: number }} the parts of that span in which
 *   the leg has its turn, and in which it is measured
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
    let [turnNs, measuredNs] = [0, 0];
    for (let i = firstEndingAfter(list, fromNs); i < list.length && list[i].fromNs < toNs; i += 1) {
      const { fromNs: beginNs, measuredFromNs, loadedToNs, endNs } = list[i];
      turnNs += overlap(beginNs, endNs, fromNs, toNs);
      measuredNs += overlap(measuredFromNs, loadedToNs, fromNs, toNs);
    }
    return { turnNs, measuredNs };
  };
}

/**
 * @param {Slices} slices @param {number} untilNs since the start of the leg
 * @returns {(fromNs: number, toNs: number) => { fromNs: number, toNs: number }} the longest part of that span outside
 *   of the leg's turns; of length 0 if the leg has its turn all the time
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

/**
 * @param {Slice[]} list ascending
 * @param {number} atNs
 * @returns {number} index of the first slice that ends after that moment
 */
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
 * The transfers of a leg in the measured parts of its slices; a leg that takes no turns is measured all the time.
 * @param {Pick<Sample, 'fromNs' | 'toNs' | 'counters' | 'slices'>[]} samples
 * @returns {{ transfers: number, ns: number }} of all samples
 */
export const whileMeasured = (samples) =>
  samples.reduce(
    (sum, { fromNs, toNs, counters, slices }) => ({
      transfers: sum.transfers + (slices?.transfers ?? counters.transfers),
      ns: sum.ns + (slices?.measuredNs ?? toNs - fromNs),
    }),
    { transfers: 0, ns: 0 },
  );

/** Less measured time says nothing about a rate. */
export const LEAST_MEASURED_NS = 20e6;

/**
 * @param {Parameters<typeof whileMeasured>[0]} samples of a leg @param {number} amount that came with their transfers
 * @returns {number | undefined} the amount a second of measured time; undefined if there is too little measured time
 */
export function rateWhileMeasured(samples, amount) {
  const { transfers, ns } = whileMeasured(samples);
  const total = samples.reduce((sum, { counters }) => sum + counters.transfers, 0);
  return ns >= LEAST_MEASURED_NS ? (amount * (total > 0 ? transfers / total : 1) * 1e9) / ns : undefined;
}

/**
 * @param {RatePoint[]} rates ascending, the first at 0
 * @param {number} atNs
 * @returns {number} the rate at that moment
 */
function rateAt(rates, atNs) {
  const after = rates.findIndex((point) => point.atNs > atNs);
  const [point, next] = after === -1 ? [rates[rates.length - 1], undefined] : [rates[after - 1], rates[after]];
  if (!next?.line) return point.rate;
  return point.rate + ((next.rate - point.rate) * (atNs - point.atNs)) / (next.atNs - point.atNs);
}

/**
 * The rates of an open loop whose requests are due only in the leg's slices, at the rate of the profile at that moment.
 * @param {{ rates?: RatePoint[], rampToNs: number, steadyToNs: number, slices?: Slices | null }} leg  rates: from
 *   rampToNs on
 * @returns {RatePoint[]} `rates` without slices; empty in a closed loop
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
