// volley: big-endian words of 4 bytes; the reply to n is n + 1 modulo 2^32. Up to 3 bytes of an incomplete word are
// kept between two reads.

/** @import { Codec } from './index.js' */

const WORD = 4;
const NONE = Buffer.alloc(0);

/** @param {{volleyStop: boolean}} options @returns {Codec} */
export function volley({ volleyStop }) {
  let begun = NONE;
  return (read) => {
    const bytes = begun.length === 0 ? read : Buffer.concat([begun, read]);
    const end = bytes.length - (bytes.length % WORD);
    begun = end === bytes.length ? NONE : Buffer.from(bytes.subarray(end));
    for (let at = 0; at < end; at += WORD) {
      const word = bytes.readUInt32BE(at);
      if (word === 0 && volleyStop) return { reply: bytes.subarray(0, at), requests: at / WORD, then: 'stop' };
      bytes.writeUInt32BE((word + 1) >>> 0, at);
    }
    return { reply: bytes.subarray(0, end), requests: end / WORD, then: 'more' };
  };
}
