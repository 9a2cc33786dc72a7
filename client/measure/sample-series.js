// Keeps the samples of a leg of any length in a bounded number: in a longer phase, neighbouring seconds are added. A
// phase of up to MOST_SAMPLES seconds is kept as it is. In longer ones, a span is a power of two of seconds, counted
// from the phase's begin, so that the spans of legs that take turns cover the same time.

import { firstOfEach, checkSample } from './books.js';
import { SampleSum } from './sample-sum.js';

/**
 * @import { Sample } from '../../config/types.js'
 * @import { Imbalance } from './books.js'
 * @import { SummedSample } from './sample-sum.js'
 */

/**
 * @typedef {{ place: number, sample: SummedSample }} Entry  place: in the leg, of its first sample
 */

/** The most samples of a phase: half an hour is kept as it is. */
export const MOST_SAMPLES = 2048;
/** Sums that are made each time a sample is added, so that adding never takes long. */
const SUMS_AT_A_TIME = 4;

/** The samples of one phase. */
class Phase {
  /** @param {number} maxSamples */
  constructor(maxSamples) {
    this.maxSamples = maxSamples;
    /** Seconds of a span. */
    this.width = 1;
    /** The second in which it begins. @type {number | null} */
    this.begin = null;
    /** @type {Entry[]} */
    this.entries = [];
    /** The entries before this index are as wide as they should be. */
    this.widened = 0;
    /** The last entry, which still grows. @type {{ place: number, sum: SampleSum } | null} */
    this.last = null;
  }

  /** @param {SummedSample} sample @returns {number} */
  groupOf({ toNs }) {
    return Math.ceil((Math.ceil(toNs / 1e9) - (this.begin ?? 0)) / this.width);
  }

  /** @param {SummedSample} sample @param {number} place */
  add(sample, place) {
    this.begin ??= Math.floor(sample.fromNs / 1e9);
    while (this.groupOf(sample) > this.maxSamples) this.widen();
    const { entries, last } = this;
    if (this.width === 1) entries.push({ place, sample });
    else if (last !== null && this.groupOf(last.sum.sum) === this.groupOf(sample)) last.sum.add(sample);
    else {
      this.close();
      this.open({ place, sample });
    }
    this.widenSome(SUMS_AT_A_TIME);
  }

  /** Begins a sum, with the entries that were added before the span became wider. @param {Entry} entry */
  open({ place, sample }) {
    const { entries } = this;
    let from = entries.length;
    while (from > 0 && this.groupOf(entries[from - 1].sample) === this.groupOf(sample)) from -= 1;
    const [first, ...later] = [...entries.splice(from), { place, sample }];
    this.widened = Math.min(this.widened, from);
    this.last = { place: first.place, sum: sumOf(first.sample, later) };
  }

  close() {
    if (this.last !== null) this.entries.push({ place: this.last.place, sample: this.last.sum.result() });
    this.last = null;
  }

  widen() {
    this.widenSome(Infinity);
    this.close();
    this.width *= 2;
    this.widened = 0;
  }

  /** @param {number} limit sums that are made */
  widenSome(limit) {
    const { entries } = this;
    if (this.width === 1) return;
    for (let sums = 0; this.widened < entries.length && sums < limit; sums += 1) {
      const at = this.widened;
      const { place, sample } = entries[at];
      let end = at + 1;
      while (end < entries.length && this.groupOf(entries[end].sample) === this.groupOf(sample)) end += 1;
      if (end - at > 1) {
        const sum = sumOf(sample, entries.slice(at + 1, end)).result();
        entries.splice(at, end - at, { place, sample: sum });
      }
      this.widened += 1;
    }
  }

  /** @returns {Entry[]} */
  all() {
    this.widenSome(Infinity);
    const { entries, last } = this;
    return last === null ? entries : [...entries, { place: last.place, sample: last.sum.result() }];
  }
}

/** @param {SummedSample} first @param {Entry[]} later @returns {SampleSum} */
function sumOf(first, later) {
  const sum = new SampleSum(first);
  for (const { sample } of later) sum.add(sample);
  return sum;
}

/** Collects the samples of a leg one by one. */
export class SampleSeries {
  /** @param {number} [maxSamples] of a phase */
  constructor(maxSamples = MOST_SAMPLES) {
    this.maxSamples = maxSamples;
    /** @type {Map<Sample['phase'], Phase>} */
    this.phases = new Map();
    this.count = 0;
    /** Violations in samples, the first of each kind. @type {Imbalance[]} */
    this.imbalances = [];
  }

  /** @param {Iterable<Sample>} samples in order @param {number} [maxSamples] of a phase @returns {SampleSeries} */
  static of(samples, maxSamples) {
    const series = new SampleSeries(maxSamples);
    for (const sample of samples) series.add(sample);
    return series;
  }

  /** @param {SummedSample} sample the next sample */
  add(sample) {
    const imbalances = checkSample(sample);
    if (imbalances.length > 0) this.imbalances = firstOfEach([...this.imbalances, ...imbalances]);
    const phase = this.phases.get(sample.phase) ?? new Phase(this.maxSamples);
    this.phases.set(sample.phase, phase);
    phase.add(sample, this.count);
    this.count += 1;
  }

  /** Seconds that a sample of the steady state covers. */
  get steadyWidth() {
    return this.phases.get('steady')?.width ?? 1;
  }

  /** @returns {SummedSample[]} in the order in which they were added */
  samples() {
    return [...this.phases.values()]
      .flatMap((phase) => phase.all())
      .sort((a, b) => a.place - b.place)
      .map(({ sample }) => sample);
  }
}
