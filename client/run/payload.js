// The bytes that every transfer of a worker carries: made from a seed, shared by all its connections, never written to.
// A worker's JavaScript is not optimised, so a long payload repeats one block, copied natively.

import { readFileSync } from 'node:fs';
import { checksum } from '../scenario/keys/payload.js';

/** @import { PayloadFile } from '../scenario/keys/payload.js' */

/** A prime, so that data shifted by whole pages or buffers never compares equal. */
const BLOCK_BYTES = 1_048_573;

/**
 * @param {{ payloadBytes: number, seed: number, payloadFile?: PayloadFile | null }} settings
 * @returns {Uint8Array} the file's bytes; without a file, bytes made from the seed
 * @throws {Error} when the file is not what it was when the run was planned
 */
export function payloadOf({ payloadBytes, seed, payloadFile = null }) {
  if (payloadFile === null || payloadBytes === 0) return makePayload(payloadBytes, seed);
  const bytes = new Uint8Array(readFileSync(payloadFile.path));
  if (checksum(bytes) !== payloadFile.sha256)
    throw new Error(`${payloadFile.path} has changed since the run was planned`);
  return bytes;
}

/**
 * @param {number} bytes length @param {number} seed any whole number
 * @returns {Uint8Array} the same bytes for the same seed (xorshift32, Marsaglia 2003)
 */
export function makePayload(bytes, seed) {
  const payload = new Uint8Array(bytes);
  const block = Math.min(bytes, BLOCK_BYTES);
  let state = (seed ^ 0x9e3779b9) >>> 0 || 1;
  for (let i = 0; i < block; i += 1) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    payload[i] = state >>> 11;
  }
  for (let made = block; made < bytes; made *= 2) payload.copyWithin(made, 0, Math.min(made, bytes - made));
  return payload;
}
