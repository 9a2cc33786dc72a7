// What the pilot of legs that take turns shows of each server: how long its connections need for one reply each. The
// slices of the steady state are as long as that asks for (plan/slices.js).

import { Histogram } from './histogram.js';

/** @import { Sample } from '../../config/types.js' */

/**
 * @typedef {{ cycleNs: number, times: Histogram, pauseNs: number }} Pilot  of all starts of a server; cycleNs: the
 *   shortest of its seconds
 */

/** What came in less measured time says little of a rate. */
const LEAST_MEASURED_NS = 50e6;

export class PilotMeter {
  constructor() {
    /** Of each server, by its place in the group; none of a server that did not start. @type {(Pilot | undefined)[]} */
    this.pilots = [];
    /** Servers of the group. */
    this.servers = 0;
  }

  /**
   * @param {{ connections?: number, slices?: { index: number, of: number, starts: number } }} leg that takes turns
   * @param {{ pipeline: number, pauseNs: number }} load
   * @param {Sample} sample of its pilot, in which all its connections are requested
   */
  add({ connections = 0, slices }, { pipeline, pauseNs }, { slices: turn, histograms: { responseTime } }) {
    if (slices === undefined || turn === undefined) return;
    this.servers = slices.of / slices.starts;
    const server = slices.index % this.servers;
    const pilot = (this.pilots[server] ??= { cycleNs: Infinity, times: new Histogram(), pauseNs });
    pilot.times.merge(Histogram.fromLine(responseTime));
    if (turn.measuredNs < LEAST_MEASURED_NS || turn.transfers === 0) return;
    // what disturbs the machine makes a second slower: the fastest one says the most of the server
    pilot.cycleNs = Math.min(pilot.cycleNs, (connections * pipeline * turn.measuredNs) / turn.transfers);
  }

  /**
   * The cycle is connections / throughput. Where no reply came in the measured time, those that came later say how long
   * it is at least. A server that did not start has the shortest slices: they are empty.
   * @returns {{ cycleNs: number, responseNs: number }[] | null} of each server; null where one has not replied
   */
  cycles() {
    const pilots = this.pilots.filter((pilot) => pilot !== undefined);
    if (pilots.length === 0 || pilots.some(({ times }) => times.count === 0)) return null;
    const cycleOf = (/** @type {Pilot} */ { cycleNs, times, pauseNs }) => {
      const ownNs = Number.isFinite(cycleNs) ? cycleNs : times.mean + pauseNs;
      return { cycleNs: ownNs, responseNs: pauseNs > 0 ? times.mean : ownNs };
    };
    const [shortest] = pilots.map(cycleOf).sort((a, b) => a.cycleNs - b.cycleNs);
    return Array.from({ length: this.servers }, (_, server) => {
      const pilot = this.pilots[server];
      return pilot === undefined ? shortest : cycleOf(pilot);
    });
  }
}
