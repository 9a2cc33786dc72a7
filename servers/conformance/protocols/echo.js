// echo: every byte is sent back. There are no frames; a request is any sequence of bytes.

import { randomBytes } from 'node:crypto';
import { judgeExact, takeExact } from './exact.js';

/** @import { Protocol, Transfer } from './index.js' */

const KIB = 1024;
const MIB = 1024 * KIB;

/** @param {Buffer} request @returns {Transfer} */
export const echoOf = (request) => ({
  what: `${request.length} bytes`,
  request,
  replies: 1,
  minBytes: request.length,
  reply: request,
});

const transfer = (size = KIB) => echoOf(randomBytes(size));

/** @type {Protocol} */
export const echo = {
  name: 'echo',
  greeting: Buffer.alloc(0),
  half: Buffer.from('half a word'),
  sizes: [1, 2, 1023, 4 * KIB, 32 * KIB, 32 * KIB + 1, 65_537, MIB, 4 * MIB],
  bulk: 2 * MIB,
  transfer,
  burst: transfer,
  take: takeExact,
  judge: judgeExact,
};
