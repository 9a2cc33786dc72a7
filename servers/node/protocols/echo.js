// echo: every byte is sent back. There are no frames, so the bytes of one read count as one request.

/** @import { Codec } from './index.js' */

/** @returns {Codec} */
export function echo() {
  return (bytes) => ({ reply: bytes, requests: 1, then: 'more' });
}
