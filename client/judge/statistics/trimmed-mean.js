// The mean of many values without the most extreme tenth on either side, and its interval by Yuen (The Two-Sample
// Trimmed t for Unequal Population Variances, Biometrika 61, 1974), widened if neighbours resemble each other. It is
// for logarithms of ratios of blocks of slices: other programs disturb some blocks, and a disturbance may last.

import { meanOf, standardDeviationOf } from '../../measure/statistics.js';
import { unbiasedLagCorrelation } from './autocorrelation.js';
import { studentQuantile } from './block-test.js';

const TRIMMED = 0.1;
/** Highest correlation that is used: the interval is very wide then. */
const MAX_CORRELATION = 0.9;

/**
 * @param {number[]} values in order, at least 10 @param {number} level of the interval: 0.05 for one of 95 %
 * @returns {{ mean: number, half: number, error: number, degrees: number }} half: half the width of the interval;
 *   error: standard error of the mean; degrees: degrees of freedom of the error
 */
export function trimmedMean(values, level) {
  const n = values.length;
  const cut = Math.floor(TRIMMED * n);
  const sorted = values.toSorted((a, b) => a - b);
  const mean = meanOf(sorted.slice(cut, n - cut));
  const [lowest, highest] = [sorted[cut], sorted[n - cut - 1]];
  const winsorized = values.map((value) => Math.min(highest, Math.max(lowest, value)));
  const correlation = Math.min(MAX_CORRELATION, Math.max(0, unbiasedLagCorrelation(winsorized)));
  const inflation = (1 + correlation) / (1 - correlation);
  const kept = n - 2 * cut;
  const error = standardDeviationOf(winsorized) * Math.sqrt((inflation * (n - 1)) / (kept * (kept - 1)));
  const degrees = Math.max(2, Math.round(kept / inflation) - 1);
  return { mean, half: studentQuantile(level, degrees) * error, error, degrees };
}
