// The size of a memory page, in which the kernel counts TCP memory.
import { readFileSync } from 'node:fs';
import { endianness } from 'node:os';

/** Of the auxiliary vector (getauxval(3)): pairs of 64-bit words, type and value. */
const AT_PAGESZ = 6n;
const USUAL_BYTES = 4096;

/**
 * @param {Buffer} vector content of /proc/self/auxv
 * @param {'LE' | 'BE'} [order]
 * @returns {number} bytes; 4096 where the vector does not say
 */
export function parsePageBytes(vector, order = endianness()) {
  const word = (/** @type {number} */ at) => (order === 'LE' ? vector.readBigUInt64LE(at) : vector.readBigUInt64BE(at));
  for (let at = 0; at + 16 <= vector.length; at += 16) {
    if (word(at) === AT_PAGESZ) return Number(word(at + 8));
  }
  return USUAL_BYTES;
}

/** @returns {number} bytes of a page on this machine */
export function pageBytes() {
  try {
    return parsePageBytes(readFileSync('/proc/self/auxv'));
  } catch {
    return USUAL_BYTES;
  }
}
