// Variances of many quantities, each known from few values, moderated by each other: every variance is drawn towards
// what is expected of all, the more the less they differ (G. K. Smyth: Linear Models and Empirical Bayes Methods for
// Assessing Differential Expression in Microarray Experiments, Statistical Applications in Genetics and Molecular
// Biology 3, 2004).

import { meanOf } from '../../measure/statistics.js';

/** With fewer, nothing is known of how variances differ. */
const LEAST_QUANTITIES = 4;
/** A variance that is 0, of values that are equal by chance. */
const SMALLEST_RATIO = 1e-6;
/** From where the asymptotic series are exact to ten digits. */
const SERIES_FROM = 8;

/** @param {number} x positive @returns {number} derivative of the logarithm of the gamma function */
function digamma(x) {
  if (x < SERIES_FROM) return digamma(x + 1) - 1 / x;
  const square = 1 / (x * x);
  return Math.log(x) - 1 / (2 * x) - square * (1 / 12 - square * (1 / 120 - square / 252));
}

/** @param {number} x positive @returns {number} derivative of digamma */
function trigamma(x) {
  if (x < SERIES_FROM) return trigamma(x + 1) + 1 / (x * x);
  const square = 1 / (x * x);
  return 1 / x + square / 2 + (square / x) * (1 / 6 - square * (1 / 30 - square / 42));
}

/** @param {number} y positive @returns {number} the x whose trigamma is y, to a millionth */
function trigammaInverse(y) {
  let [low, high] = [1e-4, 1e8]; // trigamma falls
  while (high / low > 1 + 1e-6) {
    const middle = Math.sqrt(low * high);
    if (trigamma(middle) > y) low = middle;
    else high = middle;
  }
  return low;
}

/**
 * @typedef {{ variance: number, expected: number }} Known  variance: of the values of a quantity; expected: what it
 *   would be if only the reasons that all quantities share mattered, up to a factor
 *
 * @param {Known[]} known @param {number} degrees of freedom of each variance
 * @returns {{ variance: number, degrees: number }[]} in the same order; degrees: of Student's t
 */
export function moderatedVariances(known, degrees) {
  if (known.length < LEAST_QUANTITIES) return known.map(({ variance }) => ({ variance, degrees }));
  const logs = known.map(
    ({ variance, expected }) =>
      Math.log(Math.max(SMALLEST_RATIO, variance / expected)) - digamma(degrees / 2) + Math.log(degrees / 2),
  );
  const mean = meanOf(logs);
  const spread = logs.reduce((sum, log) => sum + (log - mean) ** 2, 0) / (logs.length - 1) - trigamma(degrees / 2);
  const all = (known.length - 1) * degrees;
  const estimated = spread > 0 ? Math.min(all, 2 * trigammaInverse(spread)) : all;
  const factor = Math.exp(mean + digamma(estimated / 2) - Math.log(estimated / 2));
  const prior = Math.min(estimated, degrees); // an estimate, which counts no more than the values themselves
  return known.map(({ variance, expected }) => ({
    variance: (prior * factor * expected + degrees * variance) / (prior + degrees),
    degrees: prior + degrees,
  }));
}
