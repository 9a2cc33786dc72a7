// Legs that are measured side by side: they start together, once all of them are ready or have ended before, and get slices as
// long as the response times of their pilot ask for.

import { measuredLengths } from '../../plan/slices.js';

/**
 * @typedef {import('./primary.js').LegWorkers} LegWorkers
 * @typedef {import('../../measure/sample.js').Sample} Sample
 */

/** Workers learn of the slices in the last second of the pilot; a sample may end a moment early. */
const LAST_SECOND_NS = 1.001e9;

export class LegGroup {
  constructor() {
    /** @type {Set<LegWorkers>} */
    this.legs = new Set();
    /** The longest median response time of a second of the pilot. */
    this.p50Ns = 0;
    /** Legs whose pilot has been measured. @type {Set<LegWorkers>} */
    this.measured = new Set();
  }

  /** @param {LegWorkers} leg that will be ready, or leaves */
  join(leg) {
    this.legs.add(leg);
  }

  /** Starts all legs if none has to be waited for. A worker that died meanwhile is waited for again. */
  startIfReady() {
    const legs = [...this.legs];
    const [first] = legs;
    if (first === undefined || first.clock.startNs !== null || !legs.every((leg) => leg.workers.canStart)) return;
    const startNs = first.clock.start(first.source.startLeadNs);
    for (const leg of legs) leg.begin(startNs);
  }

  /** Chooses the slices a second before the pilot ends. @param {LegWorkers} leg @param {Sample} sample its */
  observe(leg, { phase, toNs, histograms: { responseTime } }) {
    const { slices } = leg.leg;
    if (phase !== 'warmup' || slices?.pilot === undefined || this.measured.has(leg)) return;
    this.p50Ns = Math.max(this.p50Ns, responseTime?.p50 ?? 0);
    if (toNs < slices.fromNs - LAST_SECOND_NS) return;
    this.measured.add(leg);
    if (![...this.legs].every((each) => this.measured.has(each))) return;
    // workers that learn of it too late would have other slices than the rest
    if (leg.clock.sinceStart() > slices.fromNs - leg.source.noticeNs) return;
    const { steadyFromNs, steadyToNs } = leg.leg;
    const lengths = measuredLengths(this.p50Ns, slices.of, steadyToNs - steadyFromNs);
    for (const each of this.legs) if (each.leg.slices) each.changeSlices({ ...each.leg.slices, ...lengths });
  }

  /** @param {LegWorkers} leg that has ended */
  leave(leg) {
    this.legs.delete(leg);
    this.startIfReady();
  }
}
