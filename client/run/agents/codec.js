// Messages between controller and agents as bytes: JSON, in which a BigInt, a Float64Array, a number that JSON has no word
// for, and a histogram are written as objects with a key of their own. Pure. A message of another version is refused, not
// guessed at.
import { packBuckets, unpackBuckets } from './packed-histogram.js';

/** Raised when an agent and a controller of different versions would misunderstand each other. */
export const PROTOCOL_VERSION = 4;

const INT = '$int';
const ARRAY = '$f64';
const NUMBER = '$num';
const HISTOGRAM = '$hdr';
const MOST_DIGITS = 40;
/** Except tabs and line ends: a terminal obeys them. */
// eslint-disable-next-line no-control-regex
export const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;

/** @param {string} _key @param {any} value */
function replace(_key, value) {
  if (typeof value === 'bigint') return { [INT]: String(value) };
  if (typeof value === 'number' && !Number.isFinite(value)) return { [NUMBER]: String(value) };
  if (value instanceof Float64Array) {
    return { [ARRAY]: Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64') };
  }
  const packed = value?.values instanceof Float64Array ? packBuckets(value) : null;
  if (packed === null) return value;
  const { values: _values, counts: _counts, ...rest } = value;
  return { [HISTOGRAM]: packed.toString('base64'), ...rest };
}

/** @param {string} text @returns {bigint} @throws {TypeError} when it has more digits than any time in ns */
function integerOf(text) {
  if (text.length > MOST_DIGITS) throw new TypeError('an integer is too long');
  return BigInt(text);
}

/** @param {string} _key @param {any} value */
function revive(_key, value) {
  if (value === null || typeof value !== 'object') return value;
  if (typeof value[INT] === 'string') return integerOf(value[INT]);
  if (typeof value[NUMBER] === 'string') return Number(value[NUMBER]);
  if (typeof value[HISTOGRAM] === 'string') {
    const { [HISTOGRAM]: packed, ...rest } = value;
    return { ...unpackBuckets(Buffer.from(packed, 'base64')), ...rest };
  }
  if (typeof value[ARRAY] !== 'string') return value;
  const bytes = Buffer.from(value[ARRAY], 'base64');
  const array = new Float64Array(Math.floor(bytes.byteLength / Float64Array.BYTES_PER_ELEMENT));
  bytes.copy(Buffer.from(array.buffer), 0, 0, array.byteLength);
  return array;
}

/** @param {unknown} message @returns {Uint8Array} */
export const encode = (message) => Buffer.from(JSON.stringify(message, replace));

/** @param {Uint8Array} bytes @returns {any} @throws {SyntaxError} */
export const decode = (bytes) => JSON.parse(Buffer.from(bytes).toString('utf8'), revive);

/**
 * What an agent says, as its controller reads it: people see its texts in a terminal.
 * @param {Uint8Array} bytes @returns {any} without control characters @throws {SyntaxError}
 */
export const decodeReport = (bytes) =>
  JSON.parse(Buffer.from(bytes).toString('utf8'), (key, value) =>
    typeof value === 'string' ? value.replace(CONTROLS, '') : revive(key, value),
  );
