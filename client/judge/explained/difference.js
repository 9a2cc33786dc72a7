// Which functions need more CPU time per request on one side of a comparison than on the other. The values of a
// function are those of each start; their spread includes what starts differ in. The time of a function is its share of
// the samples of the profile times the CPU time per request of its server, so that the functions add up to it.

import { meanOf } from '../../measure/statistics.js';
import { studentP, studentQuantile } from '../statistics/block-test.js';

/**
 * @typedef {object} Unit  a start of a server; or a stretch of time, where servers were started once
 * @property {number} costNs  CPU time per request
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

/**
 * @typedef {{ values: number[], variance: number }} Side  values: of each unit; variance: of their mean, as far as the
 *   number of samples explains it
 *
 * @param {Unit[]} units @param {(unit: Unit) => number} samplesOf a function
 * @returns {Side}
 */
function sideOf(units, samplesOf) {
  const values = units.map((unit) => (unit.samples === 0 ? 0 : (unit.costNs * samplesOf(unit)) / unit.samples));
  const variances = units.map((unit) => (unit.costNs / Math.max(1, unit.samples)) ** 2 * samplesOf(unit));
  return { values, variance: variances.reduce((sum, variance) => sum + variance, 0) / units.length ** 2 };
}

/** @param {number[]} values @returns {number} */
function squaresOf(values) {
  const mean = meanOf(values);
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
}

/**
 * Student's t with a pooled variance, which is at least that of the counts: a few starts may agree by chance.
 * @param {Side} head @param {Side} base
 * @returns {{ ns: number, error: number, degrees: number }}
 */
function compared(head, base) {
  const [n, m] = [head.values.length, base.values.length];
  const degrees = n + m - 2;
  const spread = ((squaresOf(head.values) + squaresOf(base.values)) / degrees) * (1 / n + 1 / m);
  return {
    ns: meanOf(head.values) - meanOf(base.values),
    error: Math.sqrt(Math.max(spread, head.variance + base.variance)),
    degrees,
  };
}

/**
 * How many tests find a difference, so that a share of at most FALSE_DISCOVERY_RATE of them is false (Y. Benjamini, Y.
 * Hochberg: Controlling the False Discovery Rate, Journal of the Royal Statistical Society B 57, 1995).
 * @param {number[]} ps ascending @returns {number}
 */
const discoveries = (ps) => ps.findLastIndex((p, i) => p <= (FALSE_DISCOVERY_RATE * (i + 1)) / ps.length) + 1;

/**
 * @param {Unit[]} head at least two @param {Unit[]} base at least two
 * @returns {{ all: Difference, functions: FunctionDifference[] }} functions: those that differ, the largest difference
 *   first; their intervals hold together (Y. Benjamini, D. Yekutieli: False Discovery Rate-Adjusted Multiple Confidence
 *   Intervals, Journal of the American Statistical Association 100, 2005)
 */
export function differenceOf(head, base) {
  const units = [...head, ...base];
  const samples = units.reduce((sum, unit) => sum + unit.samples, 0);
  const keys = [...new Set(units.flatMap(({ self }) => [...self.keys()]))].filter((key) => {
    const count = units.reduce((sum, { self }) => sum + (self.get(key) ?? 0), 0);
    return count >= LEAST_SAMPLES && count >= LEAST_SHARE * samples;
  });
  const tests = keys
    .map((key) => {
      const sides = [head, base].map((side) => sideOf(side, ({ self }) => self.get(key) ?? 0));
      const test = compared(sides[0], sides[1]);
      const [headNs, baseNs] = sides.map(({ values }) => meanOf(values));
      return { key, ...test, head: headNs, base: baseNs, p: studentP(test.ns, test.error, test.degrees) };
    })
    .sort((a, b) => a.p - b.p);
  const count = discoveries(tests.map(({ p }) => p));
  const level = (FALSE_DISCOVERY_RATE * count) / tests.length;
  const functions = tests.slice(0, count).map(({ key, head: headNs, base: baseNs, ...test }) => ({
    ...{ key, head: headNs, base: baseNs },
    ...intervalOf(test, level),
  }));
  const whole = compared(
    { values: head.map(({ costNs }) => costNs), variance: 0 },
    { values: base.map(({ costNs }) => costNs), variance: 0 },
  );
  return {
    all: intervalOf(whole, FALSE_DISCOVERY_RATE),
    functions: functions.sort((a, b) => Math.abs(b.ns) - Math.abs(a.ns)),
  };
}

/** @param {{ ns: number, error: number, degrees: number }} test @param {number} level @returns {Difference} */
function intervalOf({ ns, error, degrees }, level) {
  const half = error * studentQuantile(level, degrees);
  return { ns, low: ns - half, high: ns + half };
}
