/** Converts a histogram into the curve of a percentile plot. */

/** @import { Histogram } from '../../client/measure/histogram.js' */

/** Points for each halving of the distance to 100 %. */
const PER_HALVING = 12;
/** The curve ends at p = 99.99 %. */
const MAX_X = 10_000;
/**
 * The curve of a percentile plot: x = 1/(1-p), from the minimum (x = 1) on. It ends where the maximum is reached, or at
 * `until`: beyond it the percentile is unknown.
 * @param {Histogram} histogram @param {number} [until] the last p known, 0..1
 * @returns {Array<[x: number, y: number]>}
 */
export function percentileCurve(histogram, until = 1) {
  const last = Math.min(MAX_X, 1 / Math.max(1e-9, 1 - until));
  const xs = [];
  for (let step = 1; (xs.at(-1) ?? 0) < last; step += 1) xs.push(Math.min(last, 2 ** (step / PER_HALVING)));
  const ys = histogram.percentiles(xs.map((x) => 100 * (1 - 1 / x)));
  const endIndex = ys.findIndex((y) => y >= histogram.max);
  /** @type {Array<[number, number]>} */
  const points = xs.map((x, i) => [Number(x.toPrecision(6)), ys[i]]);
  const shown = endIndex < 0 ? points : points.slice(0, endIndex + 1);
  return [[1, histogram.min], ...shown.filter(([x]) => x > 1)];
}
