// Whether several servers that were measured in the same rounds differ at all: the F test of a randomised block design,
// on logarithms. Among many equal servers, some pair nearly always differs by chance. This is one test of all servers:
// it finds a false difference in 5 % of cases, whatever the number of servers.

import { meanOf } from '../../measure/statistics.js';

const EPSILON = 1e-12;
const MAX_TERMS = 500;

/** Lanczos' approximation, g = 7, n = 9. */
const LANCZOS = [
  ...[0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059],
  ...[12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7],
];

/** @param {number} x positive @returns {number} logarithm of the gamma function */
function logGamma(x) {
  const sum = LANCZOS.reduce((sum, term, i) => (i === 0 ? term : sum + term / (x - 1 + i)), 0);
  const t = x + 6.5;
  return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(t) - t + Math.log(sum);
}

/**
 * The regularised incomplete beta function by its continued fraction (Abramowitz and Stegun, 26.5.8; Lentz's
 * algorithm).
 * @param {number} x 0..1 @param {number} a positive @param {number} b positive
 * @returns {number} 0..1
 */
export function incompleteBeta(x, a, b) {
  if (x <= 0 || x >= 1) return x <= 0 ? 0 : 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta(1 - x, b, a);
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log(1 - x)) / a;
  const far = (/** @type {number} */ value) => (Math.abs(value) < 1e-300 ? 1e-300 : value);
  let c = 1;
  let d = 1 / far(1 - ((a + b) * x) / (a + 1));
  let fraction = d;
  for (let m = 1; m < MAX_TERMS; m += 1) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    let step = 1;
    for (const term of [even, odd]) {
      d = 1 / far(1 + term * d);
      c = far(1 + term / c);
      step = c * d;
      fraction *= step;
    }
    if (Math.abs(step - 1) < EPSILON) break;
  }
  return front * fraction;
}

/**
 * @param {number} mean @param {number} error its standard error @param {number} degrees of freedom of the error
 * @returns {number} probability that a mean is as far from 0, in either direction, if the true mean is 0 (Student's t)
 */
export function studentP(mean, error, degrees) {
  if (error < EPSILON) return Math.abs(mean) < EPSILON ? 1 : 0;
  return incompleteBeta(degrees / (degrees + (mean / error) ** 2), degrees / 2, 0.5);
}

/**
 * @param {number} level of a two-sided interval, such as 0.05 for one of 95 %
 * @param {number} degrees of freedom, at least 1
 * @returns {number} how many standard errors the interval reaches to either side (Student's t), to a millionth
 */
export function studentQuantile(level, degrees) {
  let [low, high] = [0, 1];
  while (studentP(high, 1, degrees) > level) high *= 2;
  while (high - low > 1e-6 * high) {
    const middle = (low + high) / 2;
    if (studentP(middle, 1, degrees) > level) low = middle;
    else high = middle;
  }
  return high;
}

/**
 * @param {number[][]} values of each server, one for each round, all positive
 * @returns {number} probability of such differences, or greater ones, between equal servers
 */
export function blockTest(values) {
  const [servers, rounds] = [values.length, values[0].length];
  const logs = values.map((serverLogs) => serverLogs.map(Math.log));
  const grandMean = meanOf(logs.flat());
  const serverMeans = logs.map(meanOf);
  const roundMeans = logs[0].map((_, round) => meanOf(logs.map((serverLogs) => serverLogs[round])));
  const between = rounds * serverMeans.reduce((sum, mean) => sum + (mean - grandMean) ** 2, 0);
  const residual = logs
    .flatMap((serverLogs, i) => serverLogs.map((value, k) => (value - serverMeans[i] - roundMeans[k] + grandMean) ** 2))
    .reduce((sum, square) => sum + square, 0);
  const [first, second] = [servers - 1, (servers - 1) * (rounds - 1)];
  if (residual < EPSILON) return between < EPSILON ? 1 : 0;
  const f = between / first / (residual / second);
  return incompleteBeta(second / (second + first * f), second / 2, first / 2);
}
