// Judges the replies of echo and volley, whose bytes are all known in advance.

import assert from 'node:assert/strict';

/** @import { Transfer, Vector } from './index.js' */

/**
 * @param {Buffer} bytes
 * @param {Transfer} transfer
 */
export function takeExact(bytes, { reply, what }) {
  assert.ok(reply);
  const length = Math.min(bytes.length, reply.length);
  if (!bytes.subarray(0, length).equals(reply.subarray(0, length))) {
    const at = bytes.findIndex((byte, i) => byte !== reply[i]);
    assert.fail(
      `the reply to ${what} differs from byte ${at} on: received ${hex(bytes, at)}, expected ${hex(reply, at)}`,
    );
  }
  return bytes.length < reply.length ? null : reply.length;
}

/**
 * @param {Buffer} bytes
 * @param {Vector} vector
 */
export function judgeExact(bytes, { name, receive }) {
  assert.equal(bytes.toString('hex'), receive, name);
}

/** @param {Buffer} bytes @param {number} at */
const hex = (bytes, at) => bytes.subarray(at, at + 8).toString('hex');
