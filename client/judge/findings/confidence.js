// Key `untilConfident`: whether the percentiles of a steady state are known as well as asked for. Pure.
// The one thing to know: it is looked at every 10 seconds, not each second, because to stop at the first narrow interval out
// of many favours those that are narrow by chance.

import { duration, percent } from '../../words/format.js';
import { Histogram } from '../../measure/histogram.js';
import { MIN_SLICES, intervalPercentiles, percentileInterval } from '../statistics/slices.js';
import { finding } from './finding.js';
import { steadySlices } from './steady-slices.js';

/**
 * @typedef {{ shares: { [name: string]: number }, minNs: number }} UntilConfident  shares: by percentile (p50, p90, p99), of
 *   its value, that the 95 % interval may reach to either side; minNs: least length of the steady state
 * @typedef {{ percentile: string, wanted: number, reached: number | null }} Precision  reached: null: no interval is known
 * @typedef {import('../../measure/sample.js').Sample} Sample
 */

const SLICES_BETWEEN_LOOKS = 10;
/** The first sample may begin a little after the steady state. */
const SLACK_NS = 1e8;

/** @param {Histogram[]} slices @param {UntilConfident['shares']} shares @returns {Precision[]} */
export function precisionsOf(slices, shares) {
  const all = new Histogram();
  for (const slice of slices) all.merge(slice);
  return Object.entries(shares).map(([name, wanted]) => {
    const percent = intervalPercentiles[/** @type {keyof typeof intervalPercentiles} */ (name)];
    const interval = slices.length < MIN_SLICES ? null : percentileInterval(slices, all, percent);
    const [value] = all.percentiles([percent]);
    const reached = interval && value > 0 ? Math.max(interval[1] - value, value - interval[0]) / value : null;
    return { percentile: name, wanted, reached };
  });
}

/** @param {Precision} precision */
const isReached = ({ wanted, reached }) => reached !== null && reached <= wanted;

/** Follows the samples of a leg until its percentiles are known well enough. */
export class ConfidenceRule {
  /** @param {UntilConfident | null | undefined} rule null: nothing to wait for */
  constructor(rule) {
    this.rule = rule ?? null;
    /** @type {Sample[]} */
    this.steady = [];
  }

  /** @param {Sample} sample the next one @returns {boolean} whether the steady state may end now */
  observe(sample) {
    if (this.rule === null || sample.phase !== 'steady') return false;
    this.steady.push(sample);
    const lastedNs = sample.toNs - this.steady[0].fromNs;
    if (lastedNs < this.rule.minNs - SLACK_NS || this.steady.length % SLICES_BETWEEN_LOOKS !== 0) return false;
    const slices = steadySlices(this.steady).map(({ times }) => times);
    return precisionsOf(slices, this.rule.shares).every(isReached);
  }
}

/**
 * @param {Histogram[]} slices of the whole steady state @param {UntilConfident | null | undefined} rule
 * @returns {import('./finding.js').Finding[]} empty where nothing was asked for, or it was reached
 */
export function confidenceFindings(slices, rule) {
  if (!rule) return [];
  const missed = precisionsOf(slices, rule.shares).filter((one) => !isReached(one));
  return missed.length === 0 ? [] : [finding('not-confident', { missed, seconds: slices.length })];
}

/**
 * @param {UntilConfident} rule
 * @returns {string} such as "until p99 is known to ±5 %, at least 30 s"
 */
export const confidenceText = ({ shares, minNs }) =>
  `until ${Object.entries(shares)
    .map(([name, share]) => `${name} is known to ±${percent(share, 2)}`)
    .join(' and ')}, at least ${duration(minNs)}`;
