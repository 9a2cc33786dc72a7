// The buckets of a histogram as bytes: of each, how many empty ones precede it and its count, both as LEB128. Pure. An engine's
// histogram of 10,000 transfers has about 3,000 buckets of 16 bytes; most of them take 2 bytes here.
import { bucketOf, layout, lowestOf } from '../../measure/histogram.js';

/** Bytes of a number below 2^53. */
const LONGEST = 8;
const LAST_BUCKET = bucketOf(layout.highest);
const NOT_BUCKETS = 'the bytes of a histogram are not those of buckets';

/** @typedef {{ values: ArrayLike<number>, counts: ArrayLike<number> }} Buckets  values: the lowest of each bucket, ascending */

/** @param {Buckets} buckets @returns {Buffer | null} null: values or counts are not those of buckets */
export function packBuckets({ values, counts }) {
  if (!(counts instanceof Float64Array) || counts.length !== values.length) return null;
  const bytes = Buffer.allocUnsafe(2 * LONGEST * values.length);
  let length = 0;
  let next = 0;
  for (let i = 0; i < values.length; i += 1) {
    const index = bucketOf(values[i]);
    if (!(index >= next && lowestOf(index) === values[i] && counts[i] >= 0 && Number.isSafeInteger(counts[i])))
      return null;
    length = write(bytes, length, index - next);
    length = write(bytes, length, counts[i]);
    next = index + 1;
  }
  return bytes.subarray(0, length);
}

/** @param {Uint8Array} bytes @param {number} at @param {number} number @returns {number} where it ends */
function write(bytes, at, number) {
  let end = at;
  let rest = number;
  for (; rest >= 128; end += 1) {
    bytes[end] = (rest % 128) | 128;
    rest = Math.floor(rest / 128);
  }
  bytes[end] = rest;
  return end + 1;
}

/**
 * @param {Uint8Array} bytes of packBuckets()
 * @returns {{ values: Float64Array, counts: Float64Array }}
 * @throws {TypeError} when they are not the bytes of buckets
 */
export function unpackBuckets(bytes) {
  let numbers = 0;
  for (let i = 0; i < bytes.length; i += 1) if (bytes[i] < 128) numbers += 1;
  if (numbers % 2 !== 0 || numbers > 2 * (LAST_BUCKET + 1) || (bytes.at(-1) ?? 0) >= 128)
    throw new TypeError(NOT_BUCKETS);
  const [values, counts] = [new Float64Array(numbers / 2), new Float64Array(numbers / 2)];
  let at = 0;
  const read = () => {
    let number = 0;
    let scale = 1;
    for (; bytes[at] >= 128; at += 1) {
      number += (bytes[at] - 128) * scale;
      scale *= 128;
    }
    number += bytes[at] * scale;
    at += 1;
    return number;
  };
  let next = 0;
  for (let i = 0; i < values.length; i += 1) {
    const index = next + read();
    values[i] = lowestOf(index);
    counts[i] = read();
    if (index > LAST_BUCKET || !Number.isSafeInteger(counts[i])) throw new TypeError(NOT_BUCKETS);
    next = index + 1;
  }
  return { values, counts };
}
