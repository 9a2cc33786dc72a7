// Where a figure of one case changed from run to run: E-divisive, a test on the distances between values (D. S. Matteson and
// N. A. James, "A nonparametric approach for multiple change point analysis of multivariate data", JASA 109, 2014). Pure.
// The one thing to know: a point is accepted if at most 4 % of random orders of the values have one as clear. So a series
// without a change has a false one in at most 5 % of cases, whatever the distribution; one odd run is no change.

import { seededRandom, shuffled } from './random.js';

/**
 * @typedef {object} ChangePoint
 * @property {number} index  of the first value after the change
 * @property {number} ratio  of the geometric mean after it, up to the next change, to the one before it
 */

/** Values on each side of a change, at least: a change is confirmed by the runs after it. */
const MIN_SEGMENT = 3;
const SIGNIFICANCE = 0.04;
/** Random orders to compare with. */
const ORDERS = 199;
const SEED = 1;

/**
 * @param {number[]} values
 * @returns {Float64Array} sums of the distances of the first i values to the first j, at i * (n + 1) + j
 */
function distanceSums(values) {
  const n = values.length;
  const width = n + 1;
  const sums = new Float64Array(width * width);
  for (let i = 0; i < n; i += 1) {
    let row = 0;
    for (let j = 0; j < n; j += 1) {
      row += Math.abs(values[i] - values[j]);
      sums[(i + 1) * width + j + 1] = sums[i * width + j + 1] + row;
    }
  }
  return sums;
}

/**
 * The values before it are compared with those after it up to some later one, so that a fall is found that recovers.
 * @param {number[]} values
 * @returns {{ index: number, statistic: number }} where the two sides differ most
 */
function clearestSplit(values) {
  const n = values.length;
  const width = n + 1;
  const sums = distanceSums(values);
  const block = (/** @type {number} */ from, /** @type {number} */ to) =>
    sums[to * width + to] - 2 * sums[from * width + to] + sums[from * width + from];
  let best = { index: MIN_SEGMENT, statistic: -Infinity };
  for (let k = MIN_SEGMENT; k <= n - MIN_SEGMENT; k += 1) {
    const left = sums[k * width + k];
    for (let end = k + MIN_SEGMENT; end <= n; end += 1) {
      const between = sums[k * width + end] - left;
      const [a, b] = [k, end - k];
      const energy = (2 * between) / (a * b) - left / (a * (a - 1)) - block(k, end) / (b * (b - 1));
      const statistic = ((a * b) / (a + b)) * energy;
      if (statistic > best.statistic) best = { index: k, statistic };
    }
  }
  return best;
}

/** @param {number[]} values @param {number} offset of the first @param {() => number} random @returns {number[]} indexes of changes, ascending */
function splits(values, offset, random) {
  if (values.length < 2 * MIN_SEGMENT) return [];
  const { index, statistic } = clearestSplit(values);
  const allowed = Math.floor(SIGNIFICANCE * (ORDERS + 1)) - 1;
  let asClear = 0;
  for (let i = 0; i < ORDERS; i += 1) {
    // rounding differs with the order of the sums
    if (clearestSplit(shuffled(values, random)).statistic >= statistic * (1 - 1e-9)) asClear += 1;
    if (asClear > allowed) return [];
  }
  return [
    ...splits(values.slice(0, index), offset, random),
    offset + index,
    ...splits(values.slice(index), offset + index, random),
  ];
}

/** @param {number[]} logs */
const meanOf = (logs) => logs.reduce((sum, one) => sum + one, 0) / logs.length;

/**
 * @param {number[]} values of one case in consecutive runs, the oldest first; all positive
 * @param {number} [seed]
 * @returns {ChangePoint[]} in order; none with fewer than six values
 */
export function changePoints(values, seed = SEED) {
  if (values.some((value) => !(value > 0))) throw new RangeError('changePoints takes positive values');
  const logs = values.map(Math.log);
  const found = splits(logs, 0, seededRandom(seed));
  const bounds = [0, ...found, values.length];
  return found.map((index, i) => ({
    index,
    ratio: Math.exp(meanOf(logs.slice(index, bounds[i + 2])) - meanOf(logs.slice(bounds[i], index))),
  }));
}
