// Reads the lines of samples.ndjson as samples: a line that was cut or is damaged is counted and left out.

import { isObject } from './objects.js';
import { damageOf } from './run-documents.js';
import { checkSchema } from './schema.js';

/**
 * @import { Sample } from '../../config/types.js'
 * @import { UsageError } from '../errors.js'
 */

const NEW_LINE = 10;
/** The longest line of a file that is not damaged. */
const LONGEST_LINE = 2 ** 26;
/** Samples are written in the order of time; those of another host may be added later. */
const MOST_OUT_OF_PLACE = 8;

/**
 * @param {string} line
 * @returns {Sample | null} null when it is damaged; its histograms are decoded only where they are used
 * @throws {UsageError} when it is of another schema
 */
function sampleOf(line) {
  /** @type {unknown} */
  let sample;
  try {
    sample = JSON.parse(line);
  } catch {
    return null;
  }
  if (!isObject(sample) || sample.schema === undefined) return null;
  checkSchema(sample, 'samples.ndjson');
  return damageOf('sample', sample) === null ? /** @type {Sample} */ (sample) : null;
}

/** @param {Sample} a @param {Sample} b @returns {number} in the order of time */
const byTime = (a, b) => a.fromNs - b.fromNs || a.toNs - b.toNs;

/** Reads a file part by part, so that it may be larger than the memory. */
export class SampleLines {
  constructor() {
    this.cutLines = 0;
    /** The beginning of a line. @type {Buffer} */
    this.rest = Buffer.alloc(0);
    this.isTooLong = false;
    /** The last samples: a line may be out of place by a few. @type {Sample[]} */
    this.last = [];
  }

  /**
   * @param {Buffer} part the next part
   * @returns {Generator<Sample>} samples that are whole, in the order of time
   * @throws {UsageError} when they are of another schema
   */
  *add(part) {
    const bytes = this.rest.length === 0 ? part : Buffer.concat([this.rest, part]);
    let from = 0;
    for (let at = bytes.indexOf(NEW_LINE); at >= 0; at = bytes.indexOf(NEW_LINE, from)) {
      this.take(bytes.toString('utf8', from, at));
      from = at + 1;
      while (this.last.length > MOST_OUT_OF_PLACE) yield /** @type {Sample} */ (this.last.shift());
    }
    this.rest = bytes.subarray(from);
    if (this.rest.length > LONGEST_LINE) {
      this.isTooLong = true;
      this.rest = Buffer.alloc(0);
    }
  }

  /** @returns {Generator<Sample>} the last samples */
  *end() {
    this.take(this.rest.toString('utf8'));
    yield* this.last;
  }

  /** @param {string} line */
  take(line) {
    if (this.isTooLong) this.cutLines += 1;
    else if (line.trim() !== '') {
      const sample = sampleOf(line);
      if (sample === null) this.cutLines += 1;
      else {
        let at = this.last.length;
        while (at > 0 && byTime(this.last[at - 1], sample) > 0) at -= 1;
        this.last.splice(at, 0, sample);
      }
    }
    this.isTooLong = false;
  }
}

/**
 * @param {string | Buffer} content of samples.ndjson
 * @returns {{ samples: Sample[], cutLines: number }} in the order of time
 * @throws {UsageError} when they are of another schema
 */
export function parseSamples(content) {
  const lines = new SampleLines();
  const samples = [...lines.add(Buffer.from(content)), ...lines.end()].sort(byTime);
  return { samples, cutLines: lines.cutLines };
}
