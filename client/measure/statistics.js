// Mean, median and standard deviation of a few values, the quantile of Student's t, and the interval of a median.

/** @param {number[]} values at least one @returns {number} */
export function medianOf(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** @param {number} n @returns {number[]} by k: the probability that k of n values are below the median */
function binomials(n) {
  const probabilities = [0.5 ** n];
  for (let k = 1; k <= n; k += 1) probabilities.push((probabilities[k - 1] * (n - k + 1)) / k);
  return probabilities;
}

/**
 * The 95 % interval of a median, whatever the distribution: between two order statistics, interpolated to 95 %
 * (Hettmansperger and Sheather: Confidence intervals based on interpolated order statistics, 1986).
 * @param {number[]} values at least six
 * @returns {[number, number]}
 */
export function medianBounds(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const n = sorted.length;
  const below = binomials(n);
  const coverage = (/** @type {number} */ d) => below.slice(d, n - d + 1).reduce((sum, p) => sum + p, 0);
  let d = 1;
  while (coverage(d + 1) >= 0.95) d += 1;
  const excess = (coverage(d) - 0.95) / (coverage(d) - coverage(d + 1));
  const weight = ((n - d) * excess) / (d + (n - 2 * d) * excess);
  const between = (/** @type {number} */ outer, /** @type {number} */ inner) => outer + weight * (inner - outer);
  return [between(sorted[d - 1], sorted[d]), between(sorted[n - d], sorted[n - d - 1])];
}

/** Quantile 0.975 for 1 to 30 degrees of freedom; the first element is unused. */
const TABLE = [
  NaN,
  ...[12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.306, 2.2622, 2.2281],
  ...[2.201, 2.1788, 2.1604, 2.1448, 2.1314, 2.1199, 2.1098, 2.1009, 2.093, 2.086],
  ...[2.0796, 2.0739, 2.0687, 2.0639, 2.0595, 2.0555, 2.0518, 2.0484, 2.0452, 2.0423],
];
/** Quantile 0.975 of the standard normal distribution. */
const Z = 1.959964;

/**
 * Above the table, the first terms of the Cornish-Fisher expansion, accurate to 0.0001 there (Abramowitz and Stegun,
 * 26.7.5).
 * @param {number} degrees of freedom, whole, at least 1
 * @returns {number} the value x for which 95 % lie between -x and x
 */
export function quantile975(degrees) {
  if (degrees < TABLE.length) return TABLE[degrees];
  return Z + (Z ** 3 + Z) / (4 * degrees) + (5 * Z ** 5 + 16 * Z ** 3 + 3 * Z) / (96 * degrees ** 2);
}

/** @param {number[]} values @returns {number} */
export const meanOf = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** @param {number[]} values at least two @returns {number} of the sample (n - 1) */
export function standardDeviationOf(values) {
  const mean = meanOf(values);
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1));
}

/** @param {number[]} values at least two @returns {[number, number]} the 95 % interval of their mean */
export function meanInterval(values) {
  const mean = meanOf(values);
  const half = (quantile975(values.length - 1) * standardDeviationOf(values)) / Math.sqrt(values.length);
  return [mean - half, mean + half];
}
