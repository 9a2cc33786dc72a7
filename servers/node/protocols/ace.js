// ace: a header with the number of messages, then length-prefixed messages, each answered by 2 bytes. Messages are
// not stored; their bytes are counted down.

/** @import { Codec } from './index.js' */

const HEADER = 8;
const COUNT_AT = 4;
const LENGTH = 4;
const REPLY = 2;

/** @returns {Codec} */
export function ace() {
  let isHeader = true;
  let little = false;
  let have = 0; // received bytes of the header or the length
  let number = 0; // the number read so far
  let announced = 0; // remaining messages
  let body = 0; // remaining bytes of the current message

  /** @param {number} byte @returns {boolean} whether the header is incomplete or valid */
  const takeHeader = (byte) => {
    if (have === 0) {
      little = byte === 1;
      if (byte > 1) return false;
    } else if (have >= COUNT_AT) {
      number = little ? number + byte * 256 ** (have - COUNT_AT) : number * 256 + byte;
    }
    if (++have < HEADER) return true;
    announced = number;
    isHeader = false;
    have = number = 0;
    return announced > 0;
  };

  return (bytes) => {
    let done = 0;
    /** @param {'more' | 'close'} then */
    const answer = (then) => ({ reply: Buffer.alloc(REPLY * done), requests: done, then });
    for (let at = 0; at < bytes.length;) {
      if (isHeader) {
        if (!takeHeader(bytes[at++])) return answer('close');
        continue;
      }
      if (have < LENGTH) {
        number = number * 256 + bytes[at++];
        if (++have < LENGTH) continue;
        body = number;
      }
      const taken = Math.min(body, bytes.length - at);
      at += taken;
      body -= taken;
      if (body > 0) continue;
      have = number = 0;
      done++;
      if (--announced === 0) return answer('close');
    }
    return answer('more');
  };
}
