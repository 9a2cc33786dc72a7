// The median of a few ratios and its interval. Pure. The interval is that of the sign test, between two of the values
// themselves; it assumes nothing about their distribution.

const LEVEL = 0.95;

/**
 * @typedef {object} Spread
 * @property {number} median
 * @property {number} min
 * @property {number} max
 * @property {number} low the lower end of an interval for the median
 * @property {number} high
 * @property {number} level how sure that interval is: the least that is at least 95 %, or all there is with few values
 */

/** @param {number[]} values @returns {Spread} */
export function spreadOf(values) {
  if (values.length === 0) throw new RangeError('no values: no median');
  const sorted = values.toSorted((a, b) => a - b);
  const last = sorted.length - 1;
  const at = (/** @type {number} */ i) => sorted[i] ?? NaN;
  let cut = 0;
  while (2 * (cut + 1) <= last && levelOf(sorted.length, cut + 1) >= LEVEL) cut += 1;
  return {
    median: (at(Math.floor(last / 2)) + at(Math.ceil(last / 2))) / 2,
    min: at(0),
    max: at(last),
    low: at(cut),
    high: at(last - cut),
    level: levelOf(sorted.length, cut),
  };
}

/**
 * How likely the median of what the values were drawn from lies between those `cut` from both ends: it lies outside
 * when at most `cut` of n fair coins show one side.
 * @param {number} n
 * @param {number} cut
 */
export function levelOf(n, cut) {
  let outside = 0;
  let ways = 1;
  for (let k = 0; k <= cut; k += 1) {
    outside += ways / 2 ** n;
    ways = (ways * (n - k)) / (k + 1);
  }
  return 1 - 2 * outside;
}
