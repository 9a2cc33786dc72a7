// The median of a few values, and its 95 % interval from their order alone. Pure.
// The one thing to know: it assumes nothing of the distribution; fewer than six values cannot reach 95 %.

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
 * The interval between two order statistics, interpolated to 95 % (Hettmansperger and Sheather: Confidence intervals based on
 * interpolated order statistics, 1986).
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
