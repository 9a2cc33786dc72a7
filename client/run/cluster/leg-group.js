// Legs that are measured side by side. They start together once every leg is ready or has ended. Their pilot shows how
// long the slices must be for their closed loops. With `budget` they end together once enough is known.

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
   * @param {number[]} [looksNs] times of the looks, at which the legs may end early; the time that each server has been
   *   loaded
   * @param {() => boolean} [isSettled] whether enough is known from the samples so far
   */
  constructor(looksNs = [], isSettled = () => false) {
    /** Of the looks to come. */
    this.looksNs = looksNs;
    this.isSettled = isSettled;
    /** @type {Set<LegWorkers>} */
    this.legs = new Set();
    /**
     * How long the server of each leg had been loaded at the leg's last sample of the steady state.
     * @type {Map<LegWorkers, number>}
     */
    this.loadedNs = new Map();
    /** Measures the pilot. */
    this.pilot = new PilotMeter();
    /** Legs whose pilot has been measured. @type {Set<LegWorkers>} */
    this.measured = new Set();
  }

  /** @param {LegWorkers} leg that becomes ready or leaves later */
  join(leg) {
    this.legs.add(leg);
  }

  /** Starts all legs if all are ready. A leg whose worker died meanwhile is waited for again. */
  startIfReady() {
    const legs = [...this.legs];
    const [first] = legs;
    if (first === undefined || first.clock.startNs !== null || !legs.every((leg) => leg.workers.canStart)) return;
    const startNs = first.clock.start(first.source.startLeadNs);
    for (const leg of legs) leg.begin(startNs);
  }

  /** @param {LegWorkers} leg @param {Sample} sample the leg's next sample */
  observe(leg, sample) {
    if (sample.phase === 'warmup') this.chooseSlices(leg, sample);
    else if (sample.phase === 'steady') this.look(leg, (sample.toNs - leg.leg.steadyFromNs) / timesAsLong(leg.leg));
  }

  /**
   * Ends all legs if enough is known at the next look. The last look is at the planned end.
   * @param {LegWorkers} leg
   * @param {number} loadedNs
   */
  look(leg, loadedNs) {
    this.loadedNs.set(leg, loadedNs);
    if (this.looksNs.length < 2) return;
    const shortestNs = Math.min(...[...this.legs].map((member) => this.loadedNs.get(member) ?? 0));
    if (shortestNs < this.looksNs[0]) return;
    // looks that are overdue are made as one
    this.looksNs = this.looksNs.filter((atNs) => atNs > shortestNs);
    if (this.looksNs.length === 0 || [...this.legs].some(({ isOver }) => isOver) || !this.isSettled()) return;
    for (const member of this.legs) member.drain('confident');
  }

  /**
   * Chooses the slices a second before the pilot ends.
   * @param {LegWorkers} leg
   * @param {Sample} sample of the leg's warm-up
   */
  chooseSlices(leg, sample) {
    const { slices } = leg.leg;
    if (!slices?.stages.some(({ phase }) => phase === 'pilot') || this.measured.has(leg)) return;
    this.pilot.add(leg.leg, leg.settings, sample);
    const { fromNs } = steadyStage(slices);
    if (sample.toNs < fromNs - LAST_SECOND_NS) return;
    this.measured.add(leg);
    if (![...this.legs].every((member) => this.measured.has(member))) return;
    // workers that learn of the slices too late would keep the old ones
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
    for (const member of this.legs) {
      if (member.leg.slices) member.changeSlices(withSteadyLengths(member.leg.slices, lengths));
    }
  }

  /** @param {LegWorkers} leg that has ended */
  leave(leg) {
    this.legs.delete(leg);
    this.startIfReady();
  }
}
