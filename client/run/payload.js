// The bytes that every transfer of a worker carries: made from a seed, shared by all its connections, never written to.

/**
 * @param {number} bytes length @param {number} seed any whole number
 * @returns {Uint8Array} the same bytes for the same seed (xorshift32, Marsaglia 2003)
 */
export function makePayload(bytes, seed) {
  const payload = new Uint8Array(bytes);
  let state = (seed ^ 0x9e3779b9) >>> 0 || 1;
  for (let i = 0; i < bytes; i += 1) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    payload[i] = state >>> 11;
  }
  return payload;
}
