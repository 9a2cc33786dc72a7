// The lines of samples.ndjson as samples: a line that was cut is counted and left out. Pure.

import { isObject } from './objects.js';
import { checkSchema } from './schema.js';

/** @typedef {import('./sample.js').Sample} Sample */

const GROUPS = ['counters', 'rejects', 'errors', 'gauges'];

/**
 * @param {unknown} sample
 * @returns {sample is Sample} whether it has what every figure relies on; its histograms are decoded only where they are used
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

/** @param {string} line @returns {unknown} undefined when it is not JSON */
function parsed(line) {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/**
 * @param {string | Buffer} content of samples.ndjson
 * @returns {{ samples: Sample[], cutLines: number }} in the order of time
 * @throws {import('../errors.js').UsageError} when they are of another schema
 */
export function parseSamples(content) {
  /** @type {Sample[]} */
  const samples = [];
  let cutLines = 0;
  for (const line of typeof content === 'string' ? content.split('\n') : linesOf(content)) {
    if (line.trim() === '') continue;
    const sample = parsed(line);
    if (!isSample(sample)) cutLines += 1;
    else {
      checkSchema(sample, 'samples.ndjson');
      samples.push(sample);
    }
  }
  samples.sort((a, b) => a.fromNs - b.fromNs || a.toNs - b.toNs);
  return { samples, cutLines };
}
