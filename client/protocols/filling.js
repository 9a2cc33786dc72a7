// Requests that store data in a server before a leg, and the replies expected to them.

/**
 * `count` requests, sent without waiting for replies; replies come in the same order.
 * @typedef {object} Filling
 * @property {number} count
 * @property {(i: number) => Buffer} request
 * @property {(bytes: Buffer, i: number) => number | null} answer how many of the received bytes are the reply to
 *   request i; 0 if the reply is incomplete; null if it is not the expected reply
 * @property {(bytes: Buffer) => string} [textOf] a reply as people read it; absent if replies are lines of text
 */

const LINE_END = '\r\n';
const MAX_LINE_BYTES = 1024;

/**
 * @param {Buffer} bytes received
 * @param {RegExp} expected the reply, without its line end
 * @returns {number | null} as Filling.answer
 */
export function lineAnswer(bytes, expected) {
  const end = bytes.indexOf(LINE_END);
  if (end < 0) return bytes.length > MAX_LINE_BYTES ? null : 0;
  return expected.test(bytes.toString('latin1', 0, end)) ? end + LINE_END.length : null;
}
