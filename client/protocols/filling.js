// The requests that fill a server with data before a leg, and the replies that they must get. Pure.

/**
 * `count` requests, sent one after another without waiting; answers come in the same order.
 * @typedef {object} Filling
 * @property {number} count
 * @property {(i: number) => Buffer} request
 * @property {(bytes: Buffer, i: number) => number | null} answer how many of the bytes received are the answer to
 *   request i; 0: it is not complete; null: it is not the one expected
 * @property {(bytes: Buffer) => string} [textOf] such an answer for people, where it is not a line of text
 */

const LINE_END = '\r\n';
const MAX_LINE_BYTES = 1024;

/**
 * @param {Buffer} bytes received
 * @param {RegExp} expected of the line, without its end
 * @returns {number | null} as Filling.answer
 */
export function lineAnswer(bytes, expected) {
  const end = bytes.indexOf(LINE_END);
  if (end < 0) return bytes.length > MAX_LINE_BYTES ? null : 0;
  return expected.test(bytes.toString('latin1', 0, end)) ? end + LINE_END.length : null;
}
