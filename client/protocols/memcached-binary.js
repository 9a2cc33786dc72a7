// Requests of memcached's binary protocol, made once for all transfers of a leg, and the values set before the leg. A
// header has 24 bytes; the reply repeats its opaque field.

import { keyOf, memcachedSizes, prefixOf, shuffledKeys, weights } from './memcached-keys.js';

/**
 * @import { Filling } from './filling.js'
 * @import { LegFacts, Prepared } from './index.js'
 * @import { MemcachedOptions } from './memcached.js'
 */

const HEADER_BYTES = 24;
/** Flags and expiry of a set, both 0. */
const SET_EXTRAS_BYTES = 8;
const MAGIC_REQUEST = 0x80;
const MAGIC_REPLY = 0x81;
/** Maximum length of the server's reason for refusing a set. */
const MAX_TEXT_BYTES = 1024;
const OPCODES = { set: 0x01, getk: 0x0c, getkq: 0x0d };

/**
 * @param {keyof typeof OPCODES} name
 * @param {{keyBytes: number, extrasBytes?: number, valueBytes?: number, opaque?: number}} sizes
 * @returns {Buffer} header of a request
 */
function header(name, { keyBytes, extrasBytes = 0, valueBytes = 0, opaque = 0 }) {
  const bytes = Buffer.alloc(HEADER_BYTES);
  bytes[0] = MAGIC_REQUEST;
  bytes[1] = OPCODES[name];
  bytes.writeUInt16BE(keyBytes, 2);
  bytes[4] = extrasBytes;
  bytes.writeUInt32BE(extrasBytes + keyBytes + valueBytes, 8);
  bytes.writeUInt32BE(opaque, 12);
  return bytes;
}

/**
 * @param {number} keyBytes
 * @param {number} valueBytes
 * @param {number} [opaque]
 * @returns {Buffer} header and extras of a set, which precede its key
 */
const setHead = (keyBytes, valueBytes, opaque) =>
  Buffer.concat([
    header('set', { keyBytes, extrasBytes: SET_EXTRAS_BYTES, valueBytes, opaque }),
    Buffer.alloc(SET_EXTRAS_BYTES),
  ]);

/**
 * @param {MemcachedOptions} options
 * @param {LegFacts} leg
 * @returns {Prepared} see engine/core/protocol/memcached_binary.c
 */
export function prepareMemcachedBinary(options, { payload }) {
  const { keys, keysPerGet, keyBytes } = options;
  const [gets, sets] = weights(options);
  const keysOfGet = gets === 0 ? 1 : keysPerGet;
  const sizes = memcachedSizes(options) ?? [payload.length];
  const prefix = prefixOf(options);
  const getHead = Buffer.concat([header('getk', { keyBytes }), Buffer.from(prefix)]);
  const setHeads = sizes.flatMap((bytes) => [setHead(keyBytes, bytes), Buffer.from(prefix)]);
  const order = keysOfGet === 1 ? [] : shuffledKeys(keys, keysOfGet);
  const entryBytes = HEADER_BYTES + keyBytes;
  const entries = Buffer.alloc(order.length * entryBytes);
  order.forEach((key, opaque) => {
    header('getkq', { keyBytes, opaque }).copy(entries, opaque * entryBytes);
    entries.write(keyOf(prefix, key), opaque * entryBytes + HEADER_BYTES, 'latin1');
  });
  return {
    codec: 'memcached-binary',
    bytes: Buffer.concat([new Uint8Array(BigUint64Array.from(sizes, BigInt).buffer), getHead, ...setHeads, entries]),
    parameters: {
      getWeight: gets,
      setWeight: sets,
      keys,
      keysPerGet: keysOfGet,
      sizes: sizes.length,
      prefixBytes: prefix.length,
    },
  };
}

/**
 * @param {MemcachedOptions} options
 * @param {Uint8Array} payload
 * @returns {Filling} sets all keys
 */
export function fillMemcachedBinary(options, payload) {
  const { keys, keyBytes } = options;
  const values = (memcachedSizes(options) ?? [payload.length]).map((bytes) => payload.subarray(0, bytes));
  const prefix = prefixOf(options);
  return {
    count: keys,
    answer: setAnswer,
    textOf,
    request: (i) => {
      const value = values[i % values.length];
      return Buffer.concat([setHead(keyBytes, value.length, i), Buffer.from(keyOf(prefix, i)), value]);
    },
  };
}

/**
 * @param {Buffer} bytes received
 * @param {number} i
 * @returns {number | null} as Filling.answer, for the set with opaque i
 */
function setAnswer(bytes, i) {
  if (bytes.length < HEADER_BYTES) return bytes[0] === MAGIC_REPLY ? 0 : null;
  const [magic, opcode] = bytes;
  const bodyBytes = bytes.readUInt32BE(8);
  if (magic !== MAGIC_REPLY || opcode !== OPCODES.set || bytes.readUInt32BE(12) !== i) return null;
  if (bytes.length < HEADER_BYTES + Math.min(bodyBytes, MAX_TEXT_BYTES)) return 0;
  return bytes.readUInt16BE(6) === 0 && bodyBytes === 0 ? HEADER_BYTES : null;
}

/** @param {Buffer} bytes of a reply @returns {string} the server's reason for an error, or the bytes as text */
const textOf = (bytes) =>
  bytes[0] === MAGIC_REPLY && bytes.length > HEADER_BYTES
    ? bytes.toString('latin1', HEADER_BYTES, HEADER_BYTES + Math.min(bytes.readUInt32BE(8), MAX_TEXT_BYTES))
    : bytes.toString('latin1');
