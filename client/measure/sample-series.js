// The samples of a leg of any length in a bounded number: of a phase that lasts longer, neighbouring seconds are added.
// A phase of up to MOST_SAMPLES seconds is kept as it is; of longer ones the spans are a power of two of seconds,
// counted from its begin, so that those of legs that take turns cover the same time.

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

/** Of a phase: half an hour is kept as it is. */
export const MOST_SAMPLES = 2048;
/** Sums that are made when a sample is added, so that none of them takes long. */
const SUMS_AT_A_TIME = 4;

/** The samples of one phase. */
class Phase {
  /** @param {number} most */
  constructor(most) {
    this.most = most;
    /** Seconds of a span. */
    this.width = 1;
    /** The second in which it begins. @type {number | null} */
    this.begin = null;
    /** @type {Entry[]} */
    this.entries = [];
    /** Those before it are as wide as they should be. */
    this.widened = 0;
    /** The last one, which is still added to. @type {{ place: number, sum: SampleSum } | null} */
    this.last = null;
  }

  /** @param {SummedSample} sample @returns {number} */
  groupOf({ toNs }) {
    return Math.ceil((Math.ceil(toNs / 1e9) - (this.begin ?? 0)) / this.width);
  }

  /** @param {SummedSample} sample @param {number} place */
  add(sample, place) {
    this.begin ??= Math.floor(sample.fromNs / 1e9);
    while (this.groupOf(sample) > this.most) this.widen();
    const { entries, last } = this;
    if (this.width === 1) entries.push({ place, sample });
    else if (last !== null && this.groupOf(last.sum.sum) === this.groupOf(sample)) last.sum.add(sample);
    else {
      this.close();
      this.open({ place, sample });
    }
    this.widenSome(SUMS_AT_A_TIME);
  }

  /** Begins a sum, with those that were added before the span became wider. @param {Entry} entry */
  open({ place, sample }) {
    const { entries } = this;
    let from = entries.length;
    while (from > 0 && this.groupOf(entries[from - 1].sample) === this.groupOf(sample)) from -= 1;
    const [first, ...others] = [...entries.splice(from), { place, sample }];
    this.widened = Math.min(this.widened, from);
    this.last = { place: first.place, sum: sumOf(first.sample, others) };
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

  /** @param {number} most sums that are made */
  widenSome(most) {
    const { entries } = this;
    if (this.width === 1) return;
    for (let sums = 0; this.widened < entries.length && sums < most; sums += 1) {
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

/** @param {SummedSample} first @param {Entry[]} others @returns {SampleSum} */
function sumOf(first, others) {
  const sum = new SampleSum(first);
  for (const { sample } of others) sum.add(sample);
  return sum;
}

/** Takes the samples of a leg one by one. */
export class SampleSeries {
  /** @param {number} [most] samples of a phase */
  constructor(most = MOST_SAMPLES) {
    this.most = most;
    /** @type {Map<Sample['phase'], Phase>} */
    this.phases = new Map();
    this.count = 0;
    /** What is wrong in a sample, the first of each kind. @type {Imbalance[]} */
    this.imbalances = [];
  }

  /** @param {Iterable<Sample>} samples in order @param {number} [most] of a phase @returns {SampleSeries} */
  static of(samples, most) {
    const series = new SampleSeries(most);
    for (const sample of samples) series.add(sample);
    return series;
  }

  /** @param {SummedSample} sample the next one */
  add(sample) {
    const found = checkSample(sample);
    if (found.length > 0) this.imbalances = firstOfEach([...this.imbalances, ...found]);
    const phase = this.phases.get(sample.phase) ?? new Phase(this.most);
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
