// volley: words of 4 bytes, each answered by the next number. Random words are never zero, because zero may end a
// server.

import { randomBytes } from 'node:crypto';
import { judgeExact, takeExact } from './exact.js';

/** @import { Protocol, Transfer } from './index.js' */

const KIB = 1024;
const MIB = 1024 * KIB;
const WORD = 4;

/**
 * @param {number[]} numbers
 * @returns {Transfer}
 */
export function words(numbers) {
  const request = Buffer.alloc(WORD * numbers.length);
  const reply = Buffer.alloc(request.length);
  numbers.forEach((n, i) => {
    request.writeUInt32BE(n, WORD * i);
    reply.writeUInt32BE((n + 1) % 2 ** 32, WORD * i);
  });
  const what = numbers.length === 1 ? `the word ${request.toString('hex')}` : `${numbers.length} words`;
  return { what, request, replies: numbers.length, minBytes: reply.length, reply };
}

/** @param {number} size */
function burst(size) {
  const random = randomBytes(WORD * Math.max(1, Math.floor(size / WORD)));
  return words(Array.from({ length: random.length / WORD }, (_, i) => random.readUInt32BE(WORD * i) || 1));
}

/** @type {Protocol} */
export const volley = {
  name: 'volley',
  greeting: Buffer.alloc(0),
  half: Buffer.from([0, 1]),
  sizes: [WORD, 2 * WORD, 4 * KIB, 32 * KIB, 32 * KIB + WORD, MIB],
  bulk: 2 * MIB,
  transfer: (size = WORD) => burst(size),
  burst,
  take: takeExact,
  judge: judgeExact,
};
