// A sparse HDR histogram: the counts that the engine records densely in C are added, stored and read back here by
// bucket. Only counts are ever added; minimum, maximum and sum are exact, other figures come from buckets. Layout and
// encoding are HdrHistogram's (V2, compressed): https://github.com/HdrHistogram/HdrHistogram

import { deflateSync, inflateSync } from 'node:zlib';
import { damagedError } from './run-documents.js';

/**
 * @import { Times } from '../../config/types.js'
 * @import { UsageError } from '../errors.js'
 */

/** Lowest and highest trackable value (ns) and significant digits, shared with the engine. */
export const layout = Object.freeze({ lowest: 1, highest: 3.6e12, digits: 3 });

const halfMagnitude = 10;
const half = 1 << halfMagnitude;
const powersOfTwo = Float64Array.from({ length: 53 }, (_, exponent) => 2 ** exponent);
/** Buckets of a page of counts. */
const pageBits = 7;
const pageLength = 1 << pageBits;
const compressedCookie = 0x1c849304;
const encodingCookie = 0x1c849303 | 0x10;
const headerBytes = 40;
const lastBucket = bucketOf(layout.highest);
/** The chunk that zlib allocates for each histogram; most are smaller. */
const inflatedAtOnce = 4096;

/**
 * A report of the engine: lowest equivalent values, their counts, and the exact extremes and sum.
 * @typedef {{ values: ArrayLike<number>, counts: ArrayLike<number>, min: number, max: number, sum: number }} Recorded
 */

/**
 * A histogram as written in samples.ndjson.
 * @typedef {{ count: number, min: number, max: number, mean: number, p50: number, p90: number, p99: number,
 *   p99_9: number, hdr: string }} HistogramLine
 */

/** @param {number} value whole, >= 0 @returns {number} index of its bucket */
export function bucketOf(value) {
  const bounded = Math.min(value, layout.highest);
  if (bounded < 2 * half) return Math.floor(bounded);
  const exponent = bounded < 2 ** 31 ? 31 - Math.clz32(bounded) : 52 - Math.clz32(bounded / 2 ** 21);
  const bucket = exponent - halfMagnitude;
  return bucket * half + Math.floor(bounded / powersOfTwo[bucket]);
}

/** @param {number} index of a bucket @returns {number} its lowest value */
export function lowestOf(index) {
  if (index < 2 * half) return index;
  const bucket = (index >> halfMagnitude) - 1;
  return (index - bucket * half) * powersOfTwo[bucket];
}

/** @param {number} index @returns {{ low: number, width: number }} the values that share this bucket */
export function rangeOf(index) {
  const width = index < 2 * half ? 1 : powersOfTwo[(index >> halfMagnitude) - 1];
  return { low: lowestOf(index), width };
}

/**
 * Counts by bucket, in pages that are made when first written: a histogram fills few, and adding to it is fast.
 */
class Counts {
  constructor() {
    /** @type {(Float64Array | undefined)[]} */
    this.pages = [];
  }

  /** @param {number} index @param {number} times */
  add(index, times) {
    const number = index >> pageBits;
    const page = this.pages[number] ?? (this.pages[number] = new Float64Array(pageLength));
    page[index & (pageLength - 1)] += times;
  }

  /** @param {(index: number, times: number) => void} visit each bucket that is not zero, ascending */
  forEach(visit) {
    const { pages } = this;
    for (let number = 0; number < pages.length; number += 1) {
      const page = pages[number];
      if (page === undefined) continue;
      for (let i = 0; i < pageLength; i += 1) if (page[i] !== 0) visit(number * pageLength + i, page[i]);
    }
  }
}

/** Counts by bucket, exact extremes and sum. */
export class Histogram {
  constructor() {
    this.buckets = new Counts();
    this.count = 0;
    this.min = Infinity;
    this.max = -Infinity;
    this.sum = 0;
  }

  /** @param {number} value @param {number} [times] */
  record(value, times = 1) {
    if (times <= 0) return;
    this.buckets.add(bucketOf(value), times);
    this.count += times;
    this.min = Math.min(this.min, value);
    this.max = Math.max(this.max, value);
    this.sum += value * times;
  }

  /** Adds a report of an engine. @param {Recorded | null | undefined} recorded @returns {this} */
  add(recorded) {
    if (!recorded) return this;
    const { values, counts } = recorded;
    let added = 0;
    for (let i = 0; i < values.length; i += 1) {
      this.buckets.add(bucketOf(values[i]), counts[i]);
      added += counts[i];
    }
    if (added === 0) return this;
    this.count += added;
    this.min = Math.min(this.min, recorded.min);
    this.max = Math.max(this.max, recorded.max);
    this.sum += recorded.sum;
    return this;
  }

  /** @param {Histogram | null | undefined} other @returns {this} */
  merge(other) {
    if (!other || other.count === 0) return this;
    other.buckets.forEach((index, count) => this.buckets.add(index, count));
    this.count += other.count;
    this.min = Math.min(this.min, other.min);
    this.max = Math.max(this.max, other.max);
    this.sum += other.sum;
    return this;
  }

  /**
   * @param {HistogramLine | null | undefined} line
   * @returns {this}
   * @throws {UsageError} when it is damaged
   */
  addLine(line) {
    if (!line) return this;
    let added = 0;
    try {
      readBuckets(line.hdr, (index, count) => {
        this.buckets.add(index, count);
        added += count;
      });
    } catch (error) {
      throw damagedError('samples.ndjson', `a histogram cannot be read (${/** @type {Error} */ (error).message})`);
    }
    if (added !== line.count) {
      throw damagedError('samples.ndjson', `a histogram has ${added} values, and its count is ${line.count}`);
    }
    this.count += line.count;
    this.min = Math.min(this.min, line.min);
    this.max = Math.max(this.max, line.max);
    this.sum += line.mean * line.count;
    return this;
  }

  /** @param {Array<HistogramLine | null | undefined>} lines @returns {Histogram} the sum of all */
  static ofLines(lines) {
    const histogram = new Histogram();
    for (const line of lines) histogram.addLine(line);
    return histogram;
  }

  /**
   * @returns {[number, number][]} [value, count], ascending; the value is the highest of its bucket, within the exact
   *   extremes
   */
  values() {
    return this.sorted().map(([index, count]) => [this.highestOf(index), count]);
  }

  /** @param {number} index of a bucket @returns {number} its highest value, within the exact extremes */
  highestOf(index) {
    const { low, width } = rangeOf(index);
    return Math.min(Math.max(low + width - 1, this.min), this.max);
  }

  /** @returns {[number, number][]} [bucket index, count], ascending */
  sorted() {
    /** @type {[number, number][]} */
    const sorted = [];
    this.buckets.forEach((index, count) => void sorted.push([index, count]));
    return sorted;
  }

  get mean() {
    return this.count === 0 ? 0 : this.sum / this.count;
  }

  /** Standard deviation of the bucket middles about the exact mean. */
  get stddev() {
    if (this.count === 0) return 0;
    const mean = this.mean;
    let squares = 0;
    this.buckets.forEach((index, count) => {
      const { low, width } = rangeOf(index);
      squares += count * (low + Math.floor(width / 2) - mean) ** 2;
    });
    return Math.sqrt(squares / this.count);
  }

  /**
   * The values at the given percentiles: the highest value of the bucket, never above the exact maximum.
   * @param {number[]} percents ascending, 0..100
   * @returns {number[]}
   */
  percentiles(percents) {
    const ranks = percents.map((percent) => Math.max(1, Math.ceil((percent / 100) * this.count * (1 - 1e-12))));
    /** @type {number[]} */
    const values = [];
    let reached = 0;
    let last = -1;
    this.buckets.forEach((index, count) => {
      reached += count;
      last = index;
      while (values.length < ranks.length && ranks[values.length] <= reached) values.push(this.highestOf(index));
    });
    return ranks.map((_, i) => values[i] ?? (last < 0 ? 0 : this.highestOf(last)));
  }

  /**
   * @param {number} from @param {number} to
   * @returns {number} the number of values with from <= value < to; like percentiles, by the highest of their bucket
   */
  countBetween(from, to) {
    let counted = 0;
    this.buckets.forEach((index, count) => {
      const value = this.highestOf(index);
      if (value >= from && value < to) counted += count;
    });
    return counted;
  }

  /** @returns {HistogramLine | null} null when nothing was recorded */
  toLine() {
    if (this.count === 0) return null;
    const [p50, p90, p99, p999] = this.percentiles([50, 90, 99, 99.9]);
    const { count, min, max, mean } = this;
    return { count, min, max, mean, p50, p90, p99, p99_9: p999, hdr: encode(this) };
  }

  /** @param {HistogramLine | null | undefined} line @returns {Histogram} */
  static fromLine(line) {
    return new Histogram().addLine(line);
  }
}

/** @param {Histogram} histogram @returns {string} base64 of HdrHistogram V2, compressed */
export function encode(histogram) {
  /** @type {number[]} */
  const bytes = [];
  let next = 0;
  histogram.buckets.forEach((index, count) => {
    if (index > next) pushZigZag(bytes, next - index);
    pushZigZag(bytes, count);
    next = index + 1;
  });
  const payload = Buffer.alloc(headerBytes + bytes.length);
  payload.writeUInt32BE(encodingCookie, 0);
  payload.writeUInt32BE(bytes.length, 4);
  payload.writeUInt32BE(0, 8);
  payload.writeUInt32BE(layout.digits, 12);
  payload.writeBigUInt64BE(BigInt(layout.lowest), 16);
  payload.writeBigUInt64BE(BigInt(layout.highest), 24);
  payload.writeDoubleBE(1, 32);
  payload.set(bytes, headerBytes);
  const packed = deflateSync(payload);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(compressedCookie, 0);
  head.writeUInt32BE(packed.length, 4);
  return Buffer.concat([head, packed]).toString('base64');
}

/**
 * @param {string} hdr as encode() returns it
 * @param {(index: number, count: number) => void} visit each bucket, ascending
 */
function readBuckets(hdr, visit) {
  const bytes = Buffer.from(hdr, 'base64');
  if (bytes.length < 8 || bytes.readUInt32BE(0) !== compressedCookie) {
    throw new TypeError('not a compressed HdrHistogram V2');
  }
  const payload = inflateSync(bytes.subarray(8, 8 + bytes.readUInt32BE(4)), { chunkSize: inflatedAtOnce });
  if (payload.readUInt32BE(0) !== encodingCookie) throw new TypeError('not an HdrHistogram V2 payload');
  const end = headerBytes + payload.readUInt32BE(4);
  if (end > payload.length) throw new RangeError('its end is missing');
  let index = 0;
  let at = headerBytes;
  while (at < end) {
    let value = 0;
    let scale = 1;
    let byte;
    do {
      byte = payload[at];
      value += (byte & 0x7f) * scale;
      scale *= 128;
      at += 1;
    } while (byte & 0x80);
    if (value % 2 === 1) {
      index += (value + 1) / 2;
    } else {
      if (index > lastBucket) throw new RangeError('beyond the highest value');
      visit(index, value / 2);
      index += 1;
    }
  }
}

/** @param {string} hdr as encode() returns it @returns {Map<number, number>} counts by bucket index */
export function decode(hdr) {
  const buckets = new Map();
  readBuckets(hdr, (index, count) => void buckets.set(index, count));
  return buckets;
}

/** Appends one signed number as ZigZag LEB128 (exact to 2^52). @param {number[]} bytes @param {number} number */
function pushZigZag(bytes, number) {
  let remaining = number < 0 ? -2 * number - 1 : 2 * number;
  while (remaining >= 128) {
    bytes.push((remaining % 128) | 0x80);
    remaining = Math.floor(remaining / 128);
  }
  bytes.push(remaining);
}

/** @param {Histogram} histogram @returns {Times | undefined} undefined when nothing was recorded */
export function timesOf(histogram) {
  if (histogram.count === 0) return undefined;
  const { count, min, max, mean, stddev } = histogram;
  const [p50, p90, p95, p99, p999, p9999] = histogram.percentiles([50, 90, 95, 99, 99.9, 99.99]);
  return { count, min, mean, stddev, p50, p90, p95, p99, p99_9: p999, p99_99: p9999, max };
}
