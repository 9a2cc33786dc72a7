// Legs that are measured side by side: they start together, once all of them are ready or have ended before, and get slices as
// long as the response times of their pilot ask for.

import { measuredLengths } from '../../plan/slices.js';

/**
 * @typedef {import('./primary.js').LegWorkers} LegWorkers
 * @typedef {import('../../measure/sample.js').Sample} Sample
 */

export class LegGroup {
  constructor() {
    /** @type {Set<LegWorkers>} */
    this.legs = new Set();
    /** The median response time of each leg in the pilot; 0: it had no reply. @type {Map<LegWorkers, number>} */
    this.p50s = new Map();
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

  /** Chooses the slices once every leg has a second of the pilot. @param {LegWorkers} leg @param {Sample} sample its */
  observe(leg, { phase, histograms: { responseTime } }) {
    const { slices } = leg.leg;
    if (phase !== 'warmup' || slices?.pilot === undefined || this.p50s.has(leg)) return;
    this.p50s.set(leg, responseTime?.p50 ?? 0);
    if (![...this.legs].every((each) => this.p50s.has(each))) return;
    // workers that learn of it too late would have other slices than the rest
    if (leg.clock.sinceStart() > slices.fromNs - leg.source.noticeNs) return;
    const { steadyFromNs, steadyToNs } = leg.leg;
    const lengths = measuredLengths(Math.max(...this.p50s.values()), slices.of, steadyToNs - steadyFromNs);
    for (const each of this.legs) if (each.leg.slices) each.changeSlices({ ...each.leg.slices, ...lengths });
  }

  /** @param {LegWorkers} leg that has ended */
  leave(leg) {
    this.legs.delete(leg);
    this.startIfReady();
  }
}
