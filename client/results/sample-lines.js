// The lines of samples.ndjson as samples: a line that was cut is counted and left out. Pure.

import { upgradeSample } from './schema-1.js';

/** @typedef {import('./sample.js').Sample} Sample */

const GROUPS = ['counters', 'rejects', 'errors', 'gauges'];

/** @param {any} value */
const isObject = (value) => Object(value) === value && !Array.isArray(value);

/**
 * @param {any} sample
 * @returns {boolean} whether it has what every figure relies on; its histograms are decoded only where they are used
 */
function isSample(sample) {
  return (
    isObject(sample) &&
    GROUPS.every((name) => isObject(sample[name])) &&
    Number.isFinite(sample.fromNs) &&
    Number.isFinite(sample.toNs) &&
    Object.values(sample.histograms ?? {}).every((histogram) => histogram === null || isObject(histogram))
  );
}

/**
 * @param {string} text of samples.ndjson, of schema 1 or 2
 * @returns {{ samples: Sample[], cutLines: number }} in the order of time
 */
export function parseSamples(text) {
  /** @type {Sample[]} */
  const samples = [];
  let cutLines = 0;
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue;
    try {
      const sample = /** @type {any} */ (upgradeSample(JSON.parse(line)));
      if (isSample(sample)) samples.push(sample);
      else cutLines += 1;
    } catch {
      cutLines += 1;
    }
  }
  samples.sort((a, b) => a.fromNs - b.fromNs || a.toNs - b.toNs);
  return { samples, cutLines };
}
