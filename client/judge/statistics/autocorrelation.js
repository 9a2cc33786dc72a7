// The correlation of neighbouring values, and sums of neighbouring values.

import { meanOf } from '../../measure/statistics.js';

/** @param {number[]} values in order @returns {number} correlation of neighbours, -1..1; 0 if all values are equal */
export function lagCorrelation(values) {
  const mean = meanOf(values);
  let products = 0;
  let squares = 0;
  values.forEach((value, i) => {
    squares += (value - mean) ** 2;
    if (i > 0) products += (value - mean) * (values[i - 1] - mean);
  });
  return squares > 0 ? products / squares : 0;
}

/**
 * Corrects `lagCorrelation`, which is too low in a short series, on average (Kendall: Note on Bias in the Estimation of
 * Autocorrelation, 1954).
 * @param {number[]} values in order @returns {number}
 */
export function unbiasedLagCorrelation(values) {
  const correlation = lagCorrelation(values);
  return correlation + (1 + 3 * correlation) / values.length;
}

/**
 * @param {number[]} values in order @param {number} parts at most as many as values
 * @returns {number[]} sums of neighbours; the lengths of the parts differ by at most one value
 */
export function batchSums(values, parts) {
  const startOf = (/** @type {number} */ part) => Math.floor((part * values.length) / parts);
  return Array.from({ length: parts }, (_, part) =>
    values.slice(startOf(part), startOf(part + 1)).reduce((sum, value) => sum + value, 0),
  );
}
