// A warm-up by count: it is over when enough transfers have been answered. The steady state then begins at the next
// whole second of the leg that all workers can learn of in time.

import { warning } from '../../words/warnings.js';

/**
 * @import { Warning } from '../../../config/types.js'
 * @import { Phase } from '../../measure/sample-merge.js'
 */

/**
 * @typedef {{ fromNs: number, toNs: number }} Steady  relative to the leg's start
 */

/** How long before a moment the workers on this host are told of it. */
export const LOCAL_NOTICE_NS = 50e6;
const NS_PER_SECOND = 1e9;

/**
 * The first whole second that every worker can learn of in time.
 * @param {number} atNs @param {number} [noticeNs] that they need
 * @returns {number}
 */
export function nextSecond(atNs, noticeNs = LOCAL_NOTICE_NS) {
  return Math.ceil((atNs + noticeNs) / NS_PER_SECOND) * NS_PER_SECOND;
}

export class WarmUp {
  /**
   * @param {{ warmupTransfers: number | null, steadyFromNs: number, steadyToNs: number }} leg as planned
   * @param {number} [noticeNs] that workers need before a time that concerns them
   */
  constructor({ warmupTransfers, steadyFromNs, steadyToNs }, noticeNs = LOCAL_NOTICE_NS) {
    this.noticeNs = noticeNs;
    this.wanted = warmupTransfers;
    this.latest = { fromNs: steadyFromNs, toNs: steadyToNs };
    this.transfers = 0;
    /** Null until the count is reached. @type {Steady | null} */
    this.steady = null;
    this.warned = false;
  }

  get reached() {
    return this.wanted === null || this.transfers >= this.wanted;
  }

  /**
   * @param {{ phase: Phase, counters: Record<string, number> }} interval of any worker
   * @param {number} atNs now
   * @returns {Steady | null} the steady state, if it begins earlier than planned; only once
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
   * @returns {Warning | null} if the steady state has begun before the count was reached; only once
   */
  shortWarning(phase, beganNs) {
    if (this.warned || this.wanted === null || this.reached || phase !== 'steady') return null;
    this.warned = true;
    const { transfers, wanted } = this;
    return warning('warmup-short', { elapsedNs: this.latest.fromNs - beganNs, transfers, wanted });
  }
}
