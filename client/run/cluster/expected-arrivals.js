// Counts the requests of an open loop that are scheduled for a share until an instant, and while it had no engine. The
// count is the integral of the rate, as in engine/core/load/arrival_times.c: exact for evenly spaced requests, the
// expected number for random ones.
import { sharesOf } from './assignment.js';
import { slotsOf } from '../../measure/schedule.js';
import { turnRates } from '../../measure/slices.js';

/** @import { RatePoint, Slices } from '../../../config/types.js' */

/** Spans are half-open; the epsilon absorbs rounding at the end. */
const EPSILON = 1e-6;

/**
 * @param {RatePoint[]} rates @param {number} ns since the first rate
 * @returns {number} requests due by then, not rounded
 */
export function requestsUntil(rates, ns) {
  return rates.reduce((sum, { atNs, rate }, i) => {
    const next = rates[i + 1];
    const part = Math.min(ns, next?.atNs ?? Infinity) - atNs;
    if (part <= 0) return sum;
    const rise = next?.line ? ((next.rate - rate) * part) / (next.atNs - atNs) : 0;
    return sum + ((rate + rise / 2) * part) / 1e9;
  }, 0);
}

/** The requests scheduled for each of a leg's shares. */
export class ExpectedArrivals {
  /**
   * @param {{ rates?: RatePoint[], rampToNs: number, steadyToNs: number, connections?: number, workers: number,
   *   engines?: number, slices?: Slices }} leg  its times may still change; rates: of all workers together; absent in
   *   closed loop
   * @param {{ connections: number, arrivals: 'constant' | 'poisson' }} settings
   */
  constructor(leg, { connections, arrivals }) {
    this.leg = leg;
    this.connections = leg.connections ?? connections;
    this.random = arrivals === 'poisson';
    this.rates = turnRates(leg);
  }

  /** @param {number} share @param {number} ns since the leg's start @returns {number} due before that instant */
  before(share, ns) {
    const { rampToNs, steadyToNs } = this.leg;
    const shares = sharesOf(this.leg);
    const part = slotsOf(this.connections, share, shares) / this.connections;
    const requested = part * requestsUntil(this.rates, Math.min(ns, steadyToNs) - rampToNs);
    return Math.max(0, Math.ceil(requested - share / shares - EPSILON));
  }

  /**
   * @param {number} share that had no engine @param {number} fromNs @param {number} toNs
   * @param {number} counted  requests counted for the share before, by its engines and here; used if they are evenly
   *   spaced
   * @returns {number} requests that were scheduled meanwhile
   */
  missed(share, fromNs, toNs, counted) {
    if (this.leg.rates === undefined || toNs <= fromNs) return 0;
    return Math.max(0, this.before(share, toNs) - (this.random ? this.before(share, fromNs) : counted));
  }
}
