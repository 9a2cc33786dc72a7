/**
 * HDR histograms of the samples: decoded, added, and read at percentiles. Counts are added; percentiles never are.
 * min and max come from the engine exactly, everything between from the buckets (three significant digits).
 */
import hdr from 'hdr-histogram-js';

/** The layout every histogram of a run has; counts as doubles, so that a sum cannot overflow 2^31. */
const LAYOUT = /** @type {const} */ ({
  lowestDiscernibleValue: 1,
  highestTrackableValue: 3.6e12,
  numberOfSignificantValueDigits: 3,
  bitBucketSize: 64,
  useWebAssembly: false,
});

/**
 * @typedef {{ buckets: Array<[value: number, count: number]>, count: number, min: number, max: number }} Merged
 *   buckets ascending, value = the highest value equivalent to the bucket, never above max
 */

/** @param {any} histogram of hdr-histogram-js (JavaScript build) @returns {Array<[number, number]>} */
function bucketsOf(histogram) {
  /** @type {Array<[number, number]>} */
  const buckets = [];
  let seen = 0;
  for (let i = 0; seen < histogram.totalCount && i < histogram.countsArrayLength; i++) {
    const count = histogram.getCountAtIndex(i);
    if (count === 0) continue;
    seen += count;
    buckets.push([histogram.highestEquivalentValue(histogram.valueFromIndex(i)), count]);
  }
  return buckets;
}

/**
 * @param {Array<import('../types.js').SampleHistogram | null | undefined>} parts
 * @returns {Merged | null} null when nothing was recorded
 */
export function merge(parts) {
  const full = /** @type {import('../types.js').SampleHistogram[]} */ (parts.filter((part) => part && part.count > 0));
  if (full.length === 0) return null;
  const all = /** @type {any} */ (hdr.build(LAYOUT));
  for (const part of full) all.add(hdr.decodeFromCompressedBase64(part.hdr, 64, false));
  const min = Math.min(...full.map((part) => part.min));
  const max = Math.max(...full.map((part) => part.max));
  const buckets = bucketsOf(all).map(
    ([value, count]) => /** @type {[number, number]} */ ([Math.min(value, max), count]),
  );
  return { buckets, count: all.totalCount, min, max };
}

/** @param {Merged} merged @param {number} p 0..1 @returns {number} the value at or below which p of the counts lie */
export function valueAt(merged, p) {
  const wanted = Math.max(1, Math.ceil(p * merged.count - 1e-9));
  let seen = 0;
  for (const [value, count] of merged.buckets) {
    seen += count;
    if (seen >= wanted) return value;
  }
  return merged.max;
}

/** @param {Merged} merged @returns {import('../types.js').Percentiles} in the shape of summary.json */
export function percentiles(merged) {
  let sum = 0;
  for (const [value, count] of merged.buckets) sum += value * count;
  return {
    count: merged.count,
    min: merged.min,
    mean: sum / merged.count,
    p50: valueAt(merged, 0.5),
    p90: valueAt(merged, 0.9),
    p99: valueAt(merged, 0.99),
    p99_9: valueAt(merged, 0.999),
    p99_99: valueAt(merged, 0.9999),
    max: merged.max,
  };
}

/**
 * The curve of a percentile plot: x = 1/(1-p), from the minimum (x = 1) to p = 99.99 %, 12 points for each halving of
 * the distance to 100 %. Ends where the maximum is reached, or where `until` is: beyond it the percentile is unknown.
 * @param {Merged} merged @param {number} [until] the last p that is known, 0..1
 * @returns {Array<[x: number, y: number]>}
 */
export function percentileCurve(merged, until = 1) {
  /** @type {Array<[number, number]>} */
  const points = [[1, merged.min]];
  const last = Math.min(10_000, 1 / Math.max(1e-9, 1 - until));
  for (let step = 1; ; step++) {
    const x = Math.min(last, 2 ** (step / 12));
    const y = valueAt(merged, 1 - 1 / x);
    if (x > 1) points.push([Number(x.toPrecision(6)), y]);
    if (y >= merged.max || x >= last) return points;
  }
}
