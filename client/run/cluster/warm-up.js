// A warm-up by count: when enough transfers have been answered, and at what instant the steady state then begins. That
// is a whole second of the leg in the future, so that all workers share it. Pure.

import { warning } from '../../words/warnings.js';

/**
 * @import { Warning } from '../../../config/types.js'
 * @import { Phase } from '../../measure/sample-merge.js'
 */

/**
 * @typedef {{ fromNs: number, toNs: number }} Steady  relative to the leg's start
 */

/** Workers on this host learn of something this long before it. */
export const LOCAL_NOTICE_NS = 50e6;
const NS_PER_SECOND = 1e9;

/**
 * The first whole second that every worker can learn of in time.
 * @param {number} atNs @param {number} [noticeNs] how long before it
 * @returns {number}
 */
export function nextSecond(atNs, noticeNs = LOCAL_NOTICE_NS) {
  return Math.ceil((atNs + noticeNs) / NS_PER_SECOND) * NS_PER_SECOND;
}

export class WarmUp {
  /**
   * @param {{ warmupTransfers: number | null, steadyFromNs: number, steadyToNs: number }} leg as planned
   * @param {number} [noticeNs] how long before an instant the workers learn of it
   */
  constructor({ warmupTransfers, steadyFromNs, steadyToNs }, noticeNs = LOCAL_NOTICE_NS) {
    this.noticeNs = noticeNs;
    this.wanted = warmupTransfers;
    this.latest = { fromNs: steadyFromNs, toNs: steadyToNs };
    this.transfers = 0;
    /** Once it is known. @type {Steady | null} */
    this.steady = null;
    this.warned = false;
  }

  get reached() {
    return this.wanted === null || this.transfers >= this.wanted;
  }

  /**
   * @param {{ phase: Phase, counters: Record<string, number> }} interval of any worker
   * @param {number} atNs now
   * @returns {Steady | null} where the steady state begins and ends instead of as planned; only once
   */
  observe({ phase, counters }, atNs) {
    if (phase !== 'warmup' || this.wanted === null || this.steady !== null) return null;
    this.transfers += counters.transfers ?? 0;
    if (!this.reached) return null;
    const fromNs = Math.min(this.latest.fromNs, nextSecond(atNs, this.noticeNs));
    this.steady = { fromNs, toNs: fromNs + this.latest.toNs - this.latest.fromNs };
    return fromNs < this.latest.fromNs ? this.steady : null;
  }

  /**
   * @param {Phase} phase of a sample, to which all workers have contributed
   * @param {number} beganNs
   * @returns {Warning | null} once, when the steady state has begun before the count was reached
   */
  fellShort(phase, beganNs) {
    if (this.warned || this.wanted === null || this.reached || phase !== 'steady') return null;
    this.warned = true;
    const { transfers, wanted } = this;
    return warning('warmup-short', { elapsedNs: this.latest.fromNs - beganNs, transfers, wanted });
  }
}
