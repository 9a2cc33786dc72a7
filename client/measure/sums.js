// Sums over samples, for the summary: counts and histograms are added, nothing is averaged. Pure.

import { Histogram } from './histogram.js';

/** @typedef {import('./sample.js').Sample} Sample */

/**
 * @param {Sample[]} samples
 * @param {'responseTime' | 'serviceTime' | 'sendGap' | 'connectTime' | 'handshakeTime' | 'resumptionTime' | 'recoveryTime' |
 *   'rtt' | typeof import('./counters.js').splitNames[number]} name
 * @returns {Histogram}
 */
export function addHistograms(samples, name) {
  return Histogram.ofLines(samples.map(({ histograms }) => histograms[name]));
}

/**
 * @param {Sample[]} samples @param {'counters' | 'rejects' | 'errors'} part @param {readonly string[]} names
 * @returns {Record<string, number>}
 */
export function addUp(samples, part, names) {
  return Object.fromEntries(names.map((name) => [name, samples.reduce((sum, one) => sum + one[part][name], 0)]));
}

/** @param {Record<string, number>} parts @returns {Record<string, number> & { total: number }} */
export function withTotal(parts) {
  return { total: Object.values(parts).reduce((sum, n) => sum + n, 0), ...parts };
}

/**
 * @template T
 * @param {string} name @param {T | undefined} value
 * @returns {Record<string, T>} empty when there is nothing: absent rather than zero
 */
export function present(name, value) {
  return value === undefined ? {} : { [name]: value };
}
