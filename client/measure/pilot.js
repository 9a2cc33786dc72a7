// Measures, in the pilot of legs that take turns, how long the connections of each server need for one reply each. This
// determines the length of slices in the steady state (plan/slices.js).

import { Histogram } from './histogram.js';

/** @import { Sample } from '../../config/types.js' */

/**
 * @typedef {{ cycleNs: number, times: Histogram, pauseNs: number }} Pilot  of all starts of a server; cycleNs: the
 *   shortest of its seconds
 */

/** Replies in less measured time say little about a rate. */
const LEAST_MEASURED_NS = 50e6;

export class PilotMeter {
  constructor() {
    /** By the server's place in the group; undefined if it did not start. @type {(Pilot | undefined)[]} */
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
    // disturbances of the machine make seconds slower: the fastest second shows the server best
    pilot.cycleNs = Math.min(pilot.cycleNs, (connections * pipeline * turn.measuredNs) / turn.transfers);
  }

  /**
   * The cycle is connections / throughput. If no reply came in the measured time, later replies give a lower bound. A
   * server that did not start has the shortest slices: they are empty.
   * @returns {{ cycleNs: number, responseNs: number }[] | null} of each server; null if one has not replied
   */
  cycles() {
    const pilots = this.pilots.filter((pilot) => pilot !== undefined);
    if (pilots.length === 0 || pilots.some(({ times }) => times.count === 0)) return null;
    const cycleOf = (/** @type {Pilot} */ { cycleNs, times, pauseNs }) => {
      const lengthNs = Number.isFinite(cycleNs) ? cycleNs : times.mean + pauseNs;
      return { cycleNs: lengthNs, responseNs: pauseNs > 0 ? times.mean : lengthNs };
    };
    const [shortest] = pilots.map(cycleOf).sort((a, b) => a.cycleNs - b.cycleNs);
    return Array.from({ length: this.servers }, (_, server) => {
      const pilot = this.pilots[server];
      return pilot === undefined ? shortest : cycleOf(pilot);
    });
  }
}
