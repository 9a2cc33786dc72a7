// Count, mean and spread of values that are not kept, and the normal confidence interval of the mean.

/**
 * @typedef {{ count: number, mean: number, squares: number }} Moments  squares: sum of squared distances from the mean
 */

/** 95 % of the standard normal distribution lies between -Z_95 and Z_95. */
const Z_95 = 1.96;

export const NO_VALUES = Object.freeze({ count: 0, mean: 0, squares: 0 });

/** @param {{ count: number, mean: number, stddev: number }} summary of a histogram @returns {Moments} */
export function momentsOf({ count, mean, stddev }) {
  return { count, mean, squares: stddev ** 2 * count };
}

/**
 * The moments of the values of both (Chan, Golub, LeVeque: Updating Formulae and a Pairwise Algorithm for Computing
 * Sample Variances, 1979).
 * @param {Moments} a
 * @param {Moments} b
 * @returns {Moments}
 */
export function mergeMoments(a, b) {
  const count = a.count + b.count;
  if (count === 0) return NO_VALUES;
  const distance = b.mean - a.mean;
  return {
    count,
    mean: a.mean + (distance * b.count) / count,
    squares: a.squares + b.squares + (distance ** 2 * a.count * b.count) / count,
  };
}

/** @param {Moments} moments @returns {number} sample standard deviation (n - 1); NaN with fewer than two values */
export const standardDeviation = ({ count, squares }) => Math.sqrt(squares / (count - 1));

/** @param {Moments} moments @returns {number} half the width of the 95 % confidence interval of the mean */
export const confidence95 = (moments) => (Z_95 * standardDeviation(moments)) / Math.sqrt(moments.count);

/**
 * @param {Moments} moments
 * @param {number} halfWidth
 * @returns {number} how many values the 95 % confidence interval needs to be that narrow, at this standard deviation
 */
export const countFor = (moments, halfWidth) => Math.ceil(((Z_95 * standardDeviation(moments)) / halfWidth) ** 2);
