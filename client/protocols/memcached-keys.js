// The keys of protocol memcached and the sizes of their values, for both formats.
// A key is a prefix and twelve digits, which the engine draws. The digits determine the size of the value, so that
// every reply can be verified.

import { parseSize } from '../words/units.js';

/** @import { MemcachedOptions } from './memcached.js' */

const KEY_DIGITS = 12;

/** @param {MemcachedOptions} options @returns {number[]} the weight of gets and that of sets */
export const weights = ({ ratio }) => ratio.split(':').map(Number);

/** @param {MemcachedOptions} options @returns {string} prefix of keys: "value:" in keys of 18 bytes */
export function prefixOf({ keyBytes }) {
  const letters = keyBytes - KEY_DIGITS - 1;
  return letters < 0 ? '' : `${'value'.slice(0, letters).padEnd(letters, '-')}:`;
}

/** @param {string} prefix @param {number} i @returns {string} */
export const keyOf = (prefix, i) => `${prefix}${String(i).padStart(KEY_DIGITS, '0')}`;

/** @param {MemcachedOptions} options @returns {number[] | undefined} bytes; undefined if payload is the only size */
export const memcachedSizes = ({ sizes }) => sizes?.map(parseSize);

/**
 * @param {number} keys
 * @param {number} keysPerGet
 * @returns {number[]} all keys in random order (Fisher-Yates with xorshift32), then the first keysPerGet - 1 once more
 */
export function shuffledKeys(keys, keysPerGet) {
  const order = Uint32Array.from({ length: keys }, (_, i) => i);
  let random = 0x2545f491;
  for (let i = keys - 1; i > 0; i -= 1) {
    random ^= random << 13;
    random ^= random >>> 17;
    random ^= random << 5;
    const j = (random >>> 0) % (i + 1);
    [order[i], order[j]] = [order[j], order[i]];
  }
  return Array.from({ length: keys + keysPerGet - 1 }, (_, i) => order[i % keys]);
}
