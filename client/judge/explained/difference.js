// Which functions need more CPU time per request on one side of a comparison than on the other. The values of a
// function are those of each start; their spread includes what starts differ in.

import { meanOf } from '../../measure/statistics.js';
import { studentP, studentQuantile } from '../statistics/block-test.js';
import { moderatedVariances } from '../statistics/moderated.js';

/**
 * @typedef {object} Unit  a start of a server; or a stretch of time, where servers were started once
 * @property {number} costNs  CPU time per request
 * @property {number} sampleNs  CPU time per request of one sample of the profile
 * @property {number} samples  of the profile
 * @property {Map<string, number>} self  samples in which a function was on the CPU, by its key
 * @property {Map<string, number>} total  samples in which a function was on the stack
 * @property {Map<string, Map<string, number>>} callers  samples of `self`, by what called the function
 *
 * @typedef {{ ns: number, low: number, high: number }} Difference  of CPU time per request, and its interval
 * @typedef {Difference & { key: string, head: number, base: number }} FunctionDifference  head, base: ns per request
 */

/** The share of claims that may be false, over all functions of a comparison. */
const FALSE_DISCOVERY_RATE = 0.05;
/** Functions below this share of the samples, or this number, are not tested: they explain little. */
const LEAST_SHARE = 0.005;
const LEAST_SAMPLES = 20;

/** @param {number[]} values @returns {number} */
function squaresOf(values) {
  const mean = meanOf(values);
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
}

/**
 * @typedef {object} Compared  of one value of each unit
 * @property {number} ns  head - base
 * @property {number} head  mean
 * @property {number} base  mean
 * @property {number} variance  of the values of a side, the same for both
 * @property {number} degrees  of freedom of the variance
 *
 * @param {Unit[]} head @param {Unit[]} base @param {(unit: Unit) => number} valueOf ns
 * @returns {Compared}
 */
function compared(head, base, valueOf) {
  const sides = [head, base].map((units) => units.map(valueOf));
  const [headMean, baseMean] = sides.map(meanOf);
  const degrees = head.length + base.length - 2;
  const variance = (squaresOf(sides[0]) + squaresOf(sides[1])) / degrees;
  return { ns: headMean - baseMean, head: headMean, base: baseMean, variance, degrees };
}

/**
 * How much the values of a function vary between units: by the numbers of samples, as those of Poisson, and by a share
 * of themselves, which is that of all functions.
 * @param {Unit[]} units of both sides @param {string[]} keys of functions @param {Compared[]} all of them, in the same
 *   order
 * @returns {{ counted: number, expected: number }[]} variances; counted: as far as the numbers of samples explain it
 */
function expectedVariances(units, keys, all) {
  const parts = all.map(({ variance, head, base }, i) => {
    const counted = meanOf(units.map(({ sampleNs, self }) => sampleNs ** 2 * (self.get(keys[i]) ?? 0)));
    return { counted, excess: variance / counted - 1, square: (head ** 2 + base ** 2) / 2 };
  });
  const [products, squares] = parts.reduce(
    ([sum, weights], { counted, excess, square }) => [
      sum + (excess * square) / counted,
      weights + (square / counted) ** 2,
    ],
    [0, 0],
  );
  const share = Math.max(0, products / squares); // by least squares, in units of the counted variance
  return parts.map(({ counted, square }) => ({ counted, expected: counted + share * square }));
}

/**
 * How many tests find a difference, so that a share of at most FALSE_DISCOVERY_RATE of them is false (Y. Benjamini, Y.
 * Hochberg: Controlling the False Discovery Rate, Journal of the Royal Statistical Society B 57, 1995).
 * @param {number[]} ps ascending @returns {number}
 */
const discoveries = (ps) => ps.findLastIndex((p, i) => p <= (FALSE_DISCOVERY_RATE * (i + 1)) / ps.length) + 1;

/**
 * @param {Unit[]} units @returns {string[]} functions that are tested, which are those that may explain something
 */
function testedFunctions(units) {
  const samples = units.reduce((sum, unit) => sum + unit.samples, 0);
  return [...new Set(units.flatMap(({ self }) => [...self.keys()]))].filter((key) => {
    const count = units.reduce((sum, { self }) => sum + (self.get(key) ?? 0), 0);
    return count >= LEAST_SAMPLES && count >= LEAST_SHARE * samples;
  });
}

/**
 * @param {Unit[]} head at least two @param {Unit[]} base at least two @param {number} [most] functions
 * @returns {{ all: Difference, functions: FunctionDifference[], rest: Difference }} functions: those that differ, the
 *   largest difference first; their intervals hold together (Y. Benjamini, D. Yekutieli: False Discovery Rate-Adjusted
 *   Multiple Confidence Intervals, Journal of the American Statistical Association 100, 2005); rest: what they leave
 */
export function differenceOf(head, base, most = Infinity) {
  const units = [...head, ...base];
  const perUnit = 1 / head.length + 1 / base.length;
  const keys = testedFunctions(units);
  const all = keys.map((key) => compared(head, base, ({ sampleNs, self }) => sampleNs * (self.get(key) ?? 0)));
  const expected = expectedVariances(units, keys, all);
  const moderated = moderatedVariances(
    all.map(({ variance }, i) => ({ variance, expected: expected[i].expected })),
    head.length + base.length - 2,
  );
  const tests = all
    .map(({ ns, head: headNs, base: baseNs }, i) => {
      const { variance, degrees } = moderated[i];
      const error = Math.sqrt(Math.max(variance, expected[i].counted) * perUnit); // a few starts may agree by chance
      const p = studentP(ns, error, degrees);
      return { key: keys[i], ns, error, degrees, p, head: headNs, base: baseNs };
    })
    .sort((a, b) => a.p - b.p);
  const count = discoveries(tests.map(({ p }) => p));
  const level = (FALSE_DISCOVERY_RATE * count) / tests.length;
  const functions = tests
    .slice(0, count)
    .map(({ key, head: headNs, base: baseNs, ...test }) => ({
      ...{ key, head: headNs, base: baseNs },
      ...intervalOf(test, level),
    }))
    .sort((a, b) => Math.abs(b.ns) - Math.abs(a.ns))
    .slice(0, most);
  const differenceIn = (/** @type {(unit: Unit) => number} */ valueOf) => {
    const { variance, ...test } = compared(head, base, valueOf);
    return intervalOf({ ...test, error: Math.sqrt(variance * perUnit) }, FALSE_DISCOVERY_RATE);
  };
  return {
    all: differenceIn(({ costNs }) => costNs),
    functions,
    rest: differenceIn(({ costNs, sampleNs, self }) =>
      functions.reduce((left, { key }) => left - sampleNs * (self.get(key) ?? 0), costNs),
    ),
  };
}

/** @param {{ ns: number, error: number, degrees: number }} test @param {number} level @returns {Difference} */
function intervalOf({ ns, error, degrees }, level) {
  const half = error * studentQuantile(level, degrees);
  return { ns, low: ns - half, high: ns + half };
}
