// Encodes the messages between controller and agents as JSON. A BigInt, a Float64Array, NaN, an infinity, and a
// histogram are objects with special keys. A message of another version is refused. A histogram's buckets are bytes:
// for each bucket the number of empty buckets before it and its count, both as LEB128. An engine's histogram of 10,000
// transfers has about 3,000 buckets of 16 bytes; most of them take 2 bytes here.
import { bucketOf, layout, lowestOf } from '../measure/histogram.js';
import { isObject } from '../measure/objects.js';

const INT = '$int';
const ARRAY = '$f64';
const NUMBER = '$num';
const HISTOGRAM = '$hdr';
const MOST_DIGITS = 40;
/** Control characters, which a terminal obeys, except tabs and line ends. */
// eslint-disable-next-line no-control-regex
export const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;

/** @param {string} _key @param {unknown} value */
function replace(_key, value) {
  if (typeof value === 'bigint') return { [INT]: String(value) };
  if (typeof value === 'number' && !Number.isFinite(value)) return { [NUMBER]: String(value) };
  if (value instanceof Float64Array) {
    return { [ARRAY]: Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64') };
  }
  if (!isObject(value) || !(value.values instanceof Float64Array)) return value;
  const { values, counts, ...fields } = value;
  const packed = counts instanceof Float64Array ? packBuckets({ values, counts }) : null;
  if (packed === null) return value;
  return { [HISTOGRAM]: packed.toString('base64'), ...fields };
}

/** @param {string} text @returns {bigint} @throws {TypeError} when it has more digits than any time in ns */
function integerOf(text) {
  if (text.length > MOST_DIGITS) throw new TypeError('an integer is too long');
  return BigInt(text);
}

/** @param {string} _key @param {unknown} value */
function revive(_key, value) {
  if (!isObject(value)) return value;
  if (typeof value[INT] === 'string') return integerOf(value[INT]);
  if (typeof value[NUMBER] === 'string') return Number(value[NUMBER]);
  if (typeof value[HISTOGRAM] === 'string') {
    const { [HISTOGRAM]: packed, ...fields } = value;
    return { ...unpackBuckets(Buffer.from(String(packed), 'base64')), ...fields };
  }
  if (typeof value[ARRAY] !== 'string') return value;
  const bytes = Buffer.from(value[ARRAY], 'base64');
  const array = new Float64Array(Math.floor(bytes.byteLength / Float64Array.BYTES_PER_ELEMENT));
  bytes.copy(Buffer.from(array.buffer), 0, 0, array.byteLength);
  return array;
}

/** @param {unknown} message @returns {Uint8Array} */
export const encode = (message) => Buffer.from(JSON.stringify(message, replace));

/** @param {Uint8Array} bytes @returns {unknown} @throws {SyntaxError} */
export const decode = (bytes) => JSON.parse(Buffer.from(bytes).toString('utf8'), revive);

/**
 * Decodes an agent's message, without control characters: its texts are shown in terminals.
 * @param {Uint8Array} bytes @returns {unknown} @throws {SyntaxError}
 */
export const decodeReport = (bytes) =>
  JSON.parse(Buffer.from(bytes).toString('utf8'), (key, value) =>
    typeof value === 'string' ? value.replace(CONTROLS, '') : revive(key, value),
  );

/** Most bytes of a number below 2^53. */
const LONGEST = 8;
const LAST_BUCKET = bucketOf(layout.highest);
const NOT_BUCKETS = 'the bytes of a histogram are not buckets';

/**
 * @typedef {{ values: ArrayLike<number>, counts: ArrayLike<number> }} Buckets  values: the lowest value of each
 *   bucket, ascending
 */

/** @param {Buckets} buckets @returns {Buffer | null} null: these are not buckets */
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

/** @param {Uint8Array} bytes @param {number} at @param {number} number @returns {number} the position after it */
function write(bytes, at, number) {
  let end = at;
  let remaining = number;
  for (; remaining >= 128; end += 1) {
    bytes[end] = (remaining % 128) | 128;
    remaining = Math.floor(remaining / 128);
  }
  bytes[end] = remaining;
  return end + 1;
}

/**
 * @param {Uint8Array} bytes of packBuckets()
 * @returns {{ values: Float64Array, counts: Float64Array }}
 * @throws {TypeError} when they are not buckets
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
