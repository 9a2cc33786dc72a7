// Legs that are measured side by side: they start together, once all of them are ready or have ended before, get slices
// as long as their pilot shows that their closed loops need, and with `budget` end together, once enough is known of
// them.

import { steadyStage, timesAsLong, withSteadyLengths } from '../../measure/slices.js';
import { PilotMeter } from '../../measure/pilot.js';
import { measuredLengths } from '../../plan/slices.js';

/**
 * @import { Sample } from '../../../config/types.js'
 * @import { LegWorkers } from './primary.js'
 */

/** Workers learn of the slices in the last second of the pilot; a sample may end a moment early. */
const LAST_SECOND_NS = 1.001e9;

export class LegGroup {
  /**
   * @param {number[]} [looksNs] when it is asked whether enough is known: for how long each server has been loaded
   * @param {() => boolean} [isSettled] whether it is, by the samples taken until then
   */
  constructor(looksNs = [], isSettled = () => false) {
    /** Those to come. */
    this.looksNs = looksNs;
    this.isSettled = isSettled;
    /** @type {Set<LegWorkers>} */
    this.legs = new Set();
    /**
     * For how long the server of each was loaded until the last sample of its steady state.
     * @type {Map<LegWorkers, number>}
     */
    this.loadedNs = new Map();
    /** What the pilot has shown so far. */
    this.pilot = new PilotMeter();
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

  /** @param {LegWorkers} leg @param {Sample} sample its, the next one */
  observe(leg, sample) {
    if (sample.phase === 'warmup') this.chooseSlices(leg, sample);
    else if (sample.phase === 'steady') this.look(leg, (sample.toNs - leg.leg.steadyFromNs) / timesAsLong(leg.leg));
  }

  /**
   * Ends all legs if enough is known of them at the next look, which is the last one at the planned end.
   * @param {LegWorkers} leg
   * @param {number} loadedNs
   */
  look(leg, loadedNs) {
    this.loadedNs.set(leg, loadedNs);
    if (this.looksNs.length < 2) return;
    const least = Math.min(...[...this.legs].map((each) => this.loadedNs.get(each) ?? 0));
    if (least < this.looksNs[0]) return;
    // one that is late counts with what is known by then
    this.looksNs = this.looksNs.filter((atNs) => atNs > least);
    if (this.looksNs.length === 0 || [...this.legs].some(({ isOver }) => isOver) || !this.isSettled()) return;
    for (const each of this.legs) each.drain('confident');
  }

  /**
   * Chooses the slices a second before the pilot ends.
   * @param {LegWorkers} leg
   * @param {Sample} sample its, of the warm-up
   */
  chooseSlices(leg, sample) {
    const { slices } = leg.leg;
    if (!slices?.stages.some(({ phase }) => phase === 'pilot') || this.measured.has(leg)) return;
    this.pilot.add(leg.leg, leg.settings, sample);
    const { fromNs } = steadyStage(slices);
    if (sample.toNs < fromNs - LAST_SECOND_NS) return;
    this.measured.add(leg);
    if (![...this.legs].every((each) => this.measured.has(each))) return;
    // workers that learn of it too late would have other slices than the rest
    if (leg.clock.sinceStart() > fromNs - leg.source.noticeNs) return;
    const cycles = this.pilot.cycles();
    if (cycles === null) return;
    const { steadyFromNs, steadyToNs } = leg.leg;
    const lengths = measuredLengths(
      cycles,
      slices.of,
      (steadyToNs - steadyFromNs) / slices.of,
      leg.source.clockErrorNs,
    );
    for (const each of this.legs) if (each.leg.slices) each.changeSlices(withSteadyLengths(each.leg.slices, lengths));
  }

  /** @param {LegWorkers} leg that has ended */
  leave(leg) {
    this.legs.delete(leg);
    this.startIfReady();
  }
}
