// ace: a header with the number of messages; each message is answered by two bytes of any content, so only the number
// of reply bytes is checked.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';

/** @import { Protocol, Transfer } from './index.js' */

const KIB = 1024;
const MIB = 1024 * KIB;
const HEADER = 8;
const LENGTH = 4;
const REPLY = 2;
/** Byte 0 of the header. */
export const BIG = 0;
export const LITTLE = 1;
/** The maximum count, for connections that stay open. */
const MANY = 0xffffffff;

/**
 * @param {number} count of messages
 * @param {number} [order] byte 0; the count is little-endian for 1, otherwise big-endian
 */
export function header(count, order = LITTLE) {
  const bytes = randomBytes(HEADER); // bytes 1 to 3 may have any value
  bytes[0] = order;
  if (order === LITTLE) bytes.writeUInt32LE(count, 4);
  else bytes.writeUInt32BE(count, 4);
  return bytes;
}

/**
 * @param {number} size of the payload
 * @returns {Transfer}
 */
export function message(size) {
  const request = randomBytes(LENGTH + size);
  request.writeUInt32BE(size, 0);
  return { what: `a message of ${size} bytes`, request, replies: 1, minBytes: REPLY };
}

/** @param {number} size */
function burst(size) {
  const replies = Math.max(1, Math.floor(size / LENGTH));
  const request = Buffer.alloc(LENGTH * replies);
  return { what: `${replies} empty messages`, request, replies, minBytes: REPLY * replies };
}

/** @type {Protocol} */
export const ace = {
  name: 'ace',
  greeting: header(MANY),
  half: header(1).subarray(0, 5),
  sizes: [LENGTH, LENGTH + 1, 4 * KIB, 32 * KIB, 32 * KIB + LENGTH, 65_537, MIB, 4 * MIB],
  bulk: 2 * MIB,
  transfer: (size = KIB) => message(Math.max(0, size - LENGTH)),
  burst,
  take: (bytes, { minBytes }) => (bytes.length < minBytes ? null : minBytes),
  judge(bytes, { name, receive = '' }) {
    assert.equal(bytes.length, receive.length / 2, `${name}: bytes received`);
  },
};
