// Sums over samples, for the summary: counts and histograms are added, nothing is averaged.

import { Histogram } from './histogram.js';

/**
 * @import { Sample } from '../../config/types.js'
 * @import { histogramNames } from './fields.js'
 */

/**
 * @param {{ histograms: Partial<Sample['histograms']> }[]} samples
 * @param {typeof histogramNames[number]} name
 * @returns {Histogram}
 */
export function addHistograms(samples, name) {
  return Histogram.ofLines(samples.map(({ histograms }) => histograms[name]));
}

/**
 * @template {'counters' | 'rejects' | 'errors'} P
 * @template {keyof Sample[P] & string} K
 * @param {Sample[]} samples @param {P} part @param {readonly K[]} names
 * @returns {Record<K, number>}
 */
export function addUp(samples, part, names) {
  const sumOf = (/** @type {K} */ name) =>
    samples.reduce((sum, sample) => sum + /** @type {Record<K, number>} */ (sample[part])[name], 0);
  return /** @type {Record<K, number>} */ (Object.fromEntries(names.map((name) => [name, sumOf(name)])));
}

/**
 * @param {Record<string, number>} a
 * @param {Record<string, number>} [b]
 * @returns {Record<string, number>} the sum for each name that either has
 */
export const sumEach = (a, b = {}) =>
  Object.fromEntries(
    [...new Set([...Object.keys(a), ...Object.keys(b)])]
      .map((name) => /** @type {[string, number]} */ ([name, (a[name] ?? 0) + (b[name] ?? 0)]))
      .filter(([, n]) => n > 0),
  );

/**
 * @param {Sample[]} samples
 * @returns {Record<string, number> | undefined} replies by their status codes; undefined if the protocol has none
 */
export function codesOf(samples) {
  const codes = samples.reduce((sum, sample) => sumEach(sum, sample.codes), /** @type {Record<string, number>} */ ({}));
  return Object.keys(codes).length > 0 ? codes : undefined;
}

/**
 * @template {Record<string, number>} T
 * @param {T} parts @returns {T & { total: number }}
 */
export function withTotal(parts) {
  return { total: Object.values(parts).reduce((sum, n) => sum + n, 0), ...parts };
}

/**
 * @template {string} K
 * @template T
 * @param {K} name @param {T | undefined} value
 * @returns {{ [P in K]?: T }} empty if the value is absent
 */
export function present(name, value) {
  return value === undefined ? {} : /** @type {{ [P in K]?: T }} */ ({ [name]: value });
}
