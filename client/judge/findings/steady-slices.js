// The steady state of a leg cut into its seconds, for what compares them with each other. Pure.

import { Histogram } from '../../measure/histogram.js';
import { whileLoaded } from '../../measure/slices.js';

/** @typedef {import('../../measure/sample.js').Sample} Sample */
/**
 * @typedef {{ fromNs: number, toNs: number, transfers: number, loadedNs: number, times: Histogram }} Slice  transfers: while the leg
 *   was loaded, which was for loadedNs; times: response times
 */

/** A shorter sample, such as one at the edge of a phase, is added to the one before it. */
const MIN_SLICE_NS = 5e8;

/**
 * What was in flight at the end of the steady state is part of its last slice, as it is part of its figures.
 * @param {Sample[]} samples of a leg, in order
 * @returns {Slice[]}
 */
export function steadySlices(samples) {
  /** @type {Slice[]} */
  const slices = [];
  for (const sample of samples) {
    const { phase, fromNs, toNs } = sample;
    if (phase !== 'steady' && phase !== 'drain') continue;
    const times = Histogram.fromLine(sample.histograms.responseTime);
    const { transfers, ns: loadedNs } = whileLoaded([sample]);
    const last = slices.at(-1);
    if (phase === 'steady' && (!last || toNs - fromNs >= MIN_SLICE_NS)) {
      slices.push({ fromNs, toNs, transfers, loadedNs, times });
      continue;
    }
    last?.times.merge(times);
    if (last && phase === 'steady')
      Object.assign(last, { toNs, transfers: last.transfers + transfers, loadedNs: last.loadedNs + loadedNs });
  }
  return slices;
}
