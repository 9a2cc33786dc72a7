// Key `untilConfident`: whether the percentiles of a steady state are known as well as asked for. Pure.
// The one thing to know: it is looked at every 10 seconds, not each second, because to stop at the first narrow interval out
// of many favours those that are narrow by chance.

import { duration, percent } from '../../words/format.js';
import { MIN_SLICES, intervalPercentiles, percentileInterval } from '../statistics/slices.js';
import { finding } from './finding.js';
import { SteadySlices } from './steady-slices.js';

/**
 * @typedef {{ shares: { [name: string]: number }, minNs: number }} UntilConfident  shares: by percentile (p50, p90, p99), of
 *   its value, that the 95 % interval may reach to either side; minNs: least length of the steady state
 * @typedef {{ percentile: string, wanted: number, reached: number | null }} Precision  reached: null: no interval is known
 * @typedef {import('../../measure/sample.js').Sample} Sample
 */

const SLICES_BETWEEN_LOOKS = 10;
/** The first sample may begin a little after the steady state. */
const SLACK_NS = 1e8;

/**
 * @param {Pick<SteadySlices, 'times' | 'all'>} steady @param {UntilConfident['shares']} shares
 * @returns {Precision[]}
 */
export function precisionsOf({ times: slices, all }, shares) {
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
    this.steady = new SteadySlices();
    this.samples = 0;
    this.fromNs = 0;
  }

  /** @param {Sample} sample the next one @returns {boolean} whether the steady state may end now */
  observe(sample) {
    if (this.rule === null || sample.phase !== 'steady') return false;
    if (this.samples === 0) this.fromNs = sample.fromNs;
    this.samples += 1;
    this.steady.add(sample);
    const lastedNs = sample.toNs - this.fromNs;
    if (lastedNs < this.rule.minNs - SLACK_NS || this.samples % SLICES_BETWEEN_LOOKS !== 0) return false;
    return precisionsOf(this.steady, this.rule.shares).every(isReached);
  }
}

/**
 * @param {SteadySlices} steady the whole of it @param {UntilConfident | null | undefined} rule
 * @returns {import('./finding.js').Finding[]} empty where nothing was asked for, or it was reached
 */
export function confidenceFindings(steady, rule) {
  if (!rule) return [];
  const missed = precisionsOf(steady, rule.shares).filter((one) => !isReached(one));
  return missed.length === 0 ? [] : [finding('not-confident', { missed, seconds: steady.seconds })];
}

/**
 * @param {UntilConfident} rule
 * @returns {string} such as "until p99 is known to ±5 %, at least 30 s"
 */
export const confidenceText = ({ shares, minNs }) =>
  `until ${Object.entries(shares)
    .map(([name, share]) => `${name} is known to ±${percent(share, 2)}`)
    .join(' and ')}, at least ${duration(minNs)}`;
