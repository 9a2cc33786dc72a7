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
 * The lines of a file, which may be longer than a string can be (512 MiB).
 * @param {Buffer} bytes
 */
export function* linesOf(bytes) {
  for (let from = 0; from < bytes.length;) {
    const at = bytes.indexOf('\n', from);
    const to = at < 0 ? bytes.length : at;
    yield bytes.toString('utf8', from, to);
    from = to + 1;
  }
}

/**
 * @param {string | Buffer} content of samples.ndjson, of schema 1 or 2
 * @returns {{ samples: Sample[], cutLines: number }} in the order of time
 */
export function parseSamples(content) {
  /** @type {Sample[]} */
  const samples = [];
  let cutLines = 0;
  for (const line of typeof content === 'string' ? content.split('\n') : linesOf(content)) {
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
