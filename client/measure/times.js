// What a summary says of a histogram of times. Pure.

/** @typedef {import('./histogram.js').Histogram} Histogram */

/**
 * @typedef {{ count: number, min: number, max: number, mean: number, stddev: number, p50: number, p90: number,
 *   p95: number, p99: number, p99_9: number, p99_99: number }} Times
 */

/** @param {Histogram} histogram @returns {Times | undefined} undefined when nothing was recorded */
export function timesOf(histogram) {
  if (histogram.count === 0) return undefined;
  const { count, min, max, mean, stddev } = histogram;
  const [p50, p90, p95, p99, p999, p9999] = histogram.percentiles([50, 90, 95, 99, 99.9, 99.99]);
  return { count, min, mean, stddev, p50, p90, p95, p99, p99_9: p999, p99_99: p9999, max };
}
