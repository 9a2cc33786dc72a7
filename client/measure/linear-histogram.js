// A histogram with bins of equal width between two limits, and the first values outside of them: the kind that ACE's
// round-trip test prints. Pure. Values have any unit, the same as the limits.

/** @typedef {{ min: number, max: number, bins: number, outliers: number }} LinearBins  outliers: how many to keep */

export class LinearHistogram {
  /** @param {LinearBins} bins */
  constructor({ min, max, bins, outliers }) {
    this.min = min;
    this.max = max;
    this.bins = bins;
    this.maxOutliers = outliers;
    /** Values in each bin; the first element counts those below `min`, the last those from `max`. */
    this.counts = new Float64Array(bins + 2);
    this.count = 0;
    this.least = Infinity;
    this.greatest = -Infinity;
    this.sum = 0;
    /** Sum of the squared distances from the mean (Welford's algorithm). */
    this.squares = 0;
    /** @type {number[]} values outside of the limits, in order of arrival */
    this.outliers = [];
  }

  /** @param {number} value */
  record(value) {
    const before = this.mean;
    this.count += 1;
    this.sum += value;
    this.squares += this.count === 1 ? 0 : (value - before) * (value - this.mean);
    this.least = Math.min(this.least, value);
    this.greatest = Math.max(this.greatest, value);
    const { min, max, bins } = this;
    const inside = value >= min && value < max;
    if (!inside && this.outliers.length < this.maxOutliers) this.outliers.push(value);
    const bin = inside ? 1 + Math.floor(((value - min) * bins) / (max - min)) : value < min ? 0 : bins + 1;
    this.counts[bin] += 1;
  }

  /** NaN without a value. */
  get mean() {
    return this.sum / this.count;
  }

  /** Of the sample (n - 1); NaN with fewer than two values. */
  get variance() {
    return this.squares / (this.count - 1);
  }
}
