// The keys of protocol memcached and the sizes of their values, whichever format carries them. Pure.
// A key is a prefix and twelve digits, which the engine draws. The number determines the size of the value, so that
// every reply can be compared.

import { parseSize } from '../words/units.js';

/** @import { MemcachedOptions } from './memcached.js' */

const KEY_DIGITS = 12;

/** @param {MemcachedOptions} options @returns {number[]} weights of gets and sets */
export const weights = ({ ratio }) => ratio.split(':').map(Number);

/** @param {MemcachedOptions} options @returns {string} what a key begins with: "value:" in keys of 18 bytes */
export function prefixOf({ keyBytes }) {
  const letters = keyBytes - KEY_DIGITS - 1;
  return letters < 0 ? '' : `${'value'.slice(0, letters).padEnd(letters, '-')}:`;
}

/** @param {string} prefix @param {number} i @returns {string} */
export const keyOf = (prefix, i) => `${prefix}${String(i).padStart(KEY_DIGITS, '0')}`;

/** @param {MemcachedOptions} options @returns {number[] | undefined} bytes, where payload does not say it */
export const memcachedSizes = ({ sizes }) => sizes?.map(parseSize);

/**
 * @param {number} keys
 * @param {number} each of a get
 * @returns {number[]} all keys in random order (Fisher-Yates on xorshift32), the first ones again at the end
 */
export function shuffledKeys(keys, each) {
  const order = Uint32Array.from({ length: keys }, (_, i) => i);
  let random = 0x2545f491;
  for (let i = keys - 1; i > 0; i -= 1) {
    random ^= random << 13;
    random ^= random >>> 17;
    random ^= random << 5;
    const other = (random >>> 0) % (i + 1);
    [order[i], order[other]] = [order[other], order[i]];
  }
  return Array.from({ length: keys + each - 1 }, (_, i) => order[i % keys]);
}
