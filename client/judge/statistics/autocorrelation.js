// How much a value resembles the one before it, and the sums of neighbouring values. Pure.

import { meanOf } from '../../measure/statistics.js';

/** @param {number[]} values in order @returns {number} correlation of neighbours, -1..1; 0 where all are equal */
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
 * The estimate above is too low in a short series, on average (Kendall: Note on Bias in the Estimation of
 * Autocorrelation, 1954).
 * @param {number[]} values in order @returns {number}
 */
export function unbiasedLagCorrelation(values) {
  const correlation = lagCorrelation(values);
  return correlation + (1 + 3 * correlation) / values.length;
}

/**
 * @param {number[]} values in order @param {number} parts at most as many as values
 * @returns {number[]} sums of neighbours: parts of equal length, up to one
 */
export function batchSums(values, parts) {
  const at = (/** @type {number} */ part) => Math.floor((part * values.length) / parts);
  return Array.from({ length: parts }, (_, part) =>
    values.slice(at(part), at(part + 1)).reduce((sum, value) => sum + value, 0),
  );
}
