// The steady state of a leg, cut into seconds or into a bounded number of longer slices, for comparisons between them.

import { Histogram } from '../../measure/histogram.js';
import { whileMeasured } from '../../measure/slices.js';

/** @import { Sample } from '../../../config/types.js' */

/**
 * @typedef {{ fromNs: number, toNs: number, transfers: number, measuredNs: number, times: Histogram }} Slice
 *   transfers: while the leg was measured; measuredNs: how long that was; times: response times
 */

/**
 * A shorter sample, such as one at the edge of a phase, is added to the sample before it, and so is a sample in which
 * only other legs had their turn.
 */
const MIN_SLICE_NS = 5e8;
/** A longer steady state has slices of 2, 4, 8 ... seconds, counted from its begin. */
const MAX_SLICES = 512;

/** @param {Slice} slice @param {Slice} next is added to it */
function join(slice, next) {
  slice.toNs = next.toNs;
  slice.transfers += next.transfers;
  slice.measuredNs += next.measuredNs;
  slice.times.merge(next.times);
}

/** The slices of a leg, built from its samples. */
export class SteadySlices {
  /** @param {number} [maxSlices] */
  constructor(maxSlices = MAX_SLICES) {
    this.maxSlices = maxSlices;
    /** Seconds of a slice. */
    this.width = 1;
    /** Number of the last slice. */
    this.group = 0;
    /** The second in which the steady state begins. */
    this.begin = 0;
    /** @type {Slice[]} */
    this.slices = [];
    /** All response times. */
    this.all = new Histogram();
  }

  /**
   * Adds a sample. Replies in the drain belong to the last slice, as they belong to the figures of the steady state.
   * @param {Sample} sample the leg's next sample
   */
  add(sample) {
    const { phase, fromNs, toNs } = sample;
    if (phase !== 'steady' && phase !== 'drain') return;
    const last = this.slices.at(-1);
    if (last === undefined && phase !== 'steady') return;
    const times = Histogram.fromLine(sample.histograms.responseTime);
    this.all.merge(times);
    if (phase === 'drain') return void last?.times.merge(times);
    const { transfers, ns: measuredNs } = whileMeasured([sample]);
    const slice = { fromNs, toNs, transfers, measuredNs, times };
    if (last === undefined) this.begin = Math.floor(fromNs / 1e9);
    while (this.groupOf(toNs) > this.maxSlices) this.widen();
    const group = this.groupOf(toNs);
    const previous = this.slices.at(-1);
    const isPart = toNs - fromNs < MIN_SLICE_NS || measuredNs === 0 || previous?.measuredNs === 0;
    if (previous !== undefined && (group === this.group || isPart)) join(previous, slice);
    else {
      this.slices.push(slice);
      this.group = group;
    }
  }

  /** Response times of each slice. */
  get times() {
    return this.slices.map(({ times }) => times);
  }

  /** @param {number} toNs end of a slice @returns {number} */
  groupOf(toNs) {
    return Math.ceil((Math.ceil(toNs / 1e9) - this.begin) / this.width);
  }

  widen() {
    this.width *= 2;
    /** @type {Slice[]} */
    const wider = [];
    let group = -1;
    for (const slice of this.slices) {
      const sliceGroup = this.groupOf(slice.toNs);
      const last = wider.at(-1);
      if (last !== undefined && sliceGroup === group) join(last, slice);
      else wider.push(slice);
      group = sliceGroup;
    }
    this.slices = wider;
    this.group = group;
  }
}

/** @param {Iterable<Sample>} samples of a leg, in order @param {number} [maxSlices] @returns {SteadySlices} */
export function steadySlices(samples, maxSlices) {
  const slices = new SteadySlices(maxSlices);
  for (const sample of samples) slices.add(sample);
  return slices;
}
