// Detects a target that accepts no connection, so that a leg that ends after a number of transfers would never end.

/** @import { Merged } from '../../measure/sample-merge.js' */

export class DeadTarget {
  /** @param {number} patienceNs how long every attempt must have been rejected, with no connection open */
  constructor(patienceNs) {
    this.patienceNs = patienceNs;
    /** Since when there has been no connection; null: there is one. @type {number | null} */
    this.sinceNs = null;
  }

  /**
   * @param {Pick<Merged, 'fromNs' | 'toNs' | 'counters' | 'gauges'>} sample  the leg's next sample
   * @returns {boolean} whether the target has accepted nothing for that long
   */
  isDeadAfter({ fromNs, toNs, counters, gauges }) {
    if (toNs === fromNs) return false;
    if (isAlive(counters, gauges) || !isTrying(counters, gauges) || counters['rejects.local'] > 0) {
      this.sinceNs = null;
      return false;
    }
    this.sinceNs ??= fromNs;
    return toNs - this.sinceNs >= this.patienceNs;
  }
}

/** @param {Record<string, number>} counters @param {Record<string, number>} gauges */
const isAlive = (counters, gauges) => gauges.open > 0 || counters.opened > 0 || counters.transfers > 0;

/**
 * Connections in a planned pause, or held by the connect limiter, make no attempt.
 * @param {Record<string, number>} counters
 * @param {Record<string, number>} gauges
 */
const isTrying = (counters, gauges) => gauges.connecting > 0 || gauges.backingOff > 0 || counters.attempts > 0;
