// http: GET requests and the returned page. Replies are parsed strictly by RFC 9112: status line, header fields and
// Content-Length; deviations that a browser tolerates are errors.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';

/** @import { Expected, Protocol, Transfer } from './index.js' */

const KIB = 1024;
export const PAGE = '<html><title>Broadside</title>Aye.</html>\n';
const STATUS_LINE = /^HTTP\/1\.1 ([1-5]\d\d) [\t\x20-\x7e\x80-\xff]*$/;
const FIELD = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\t\x20-\x7e\x80-\xff]*?)[ \t]*$/;
const HEAD_END = '\r\n\r\n';
/** The maximum size of the head of a reply. */
const HEAD_LIMIT = 8 * KIB;
/** A lower bound for status line, Content-Length, Content-Type, Connection and the page. */
const MIN_REPLY_BYTES = 100;

/**
 * @typedef {object} Reply
 * @property {number} status
 * @property {Map<string, string>} fields by name in lower case
 * @property {string} body
 * @property {number} length of the whole reply in bytes
 */

/** A fault of a reply. */
class ReplyError extends assert.AssertionError {
  /** @param {string} problem @param {string} message */
  constructor(problem, message) {
    super({ message });
    this.problem = problem;
  }
}

/** @param {string} problem @param {string} message @returns {never} */
function fail(problem, message) {
  throw new ReplyError(problem, message);
}

/**
 * Parses the first reply in these bytes.
 * @param {Buffer} bytes
 * @param {{ended?: boolean, head?: boolean}} [options] ended: whether the stream has ended, so that a body without
 *   Content-Length is complete; head: whether it is the reply to HEAD, without a body
 * @returns {Reply | null} null: it is incomplete
 */
export function splitReply(bytes, { ended = false, head = false } = {}) {
  const headEnd = bytes.indexOf(HEAD_END);
  if (headEnd < 0) {
    if (bytes.length > HEAD_LIMIT) fail('endless-head', `the head of a reply does not end within ${HEAD_LIMIT} bytes`);
    return null;
  }
  const [statusLine, ...lines] = bytes.toString('latin1', 0, headEnd).split('\r\n');
  const [, status] = STATUS_LINE.exec(statusLine) ?? fail('status-line', `invalid status line ${quoted(statusLine)}`);
  /** @type {Map<string, string>} */
  const fields = new Map();
  for (const line of lines) {
    const [, name, value] = FIELD.exec(line) ?? fail('field', `invalid header field ${quoted(line)}`);
    const key = name.toLowerCase();
    if (fields.has(key)) fail('duplicate-field', `duplicate header field ${name}`);
    fields.set(key, value);
  }
  if (fields.has('transfer-encoding')) fail('transfer-encoding', 'the reply has a Transfer-Encoding');
  const start = headEnd + HEAD_END.length;
  if (head && status === '200') return { status: Number(status), fields, body: '', length: start };
  const declared = fields.get('content-length');
  if (declared === undefined) {
    const closes = fields.get('connection')?.toLowerCase() === 'close';
    if (!closes) fail('no-length', 'the reply has neither Content-Length nor Connection: close');
    if (!ended) return null;
    return { status: Number(status), fields, body: bytes.toString('latin1', start), length: bytes.length };
  }
  if (!/^\d{1,9}$/.test(declared)) fail('content-length', `invalid Content-Length ${quoted(declared)}`);
  const length = start + Number(declared);
  if (bytes.length < length) return null;
  return { status: Number(status), fields, body: bytes.toString('latin1', start, length), length };
}

/**
 * @param {Reply} reply
 * @param {Expected} expected
 * @param {string} what
 */
function judgeReply({ status, fields, body }, expected, what) {
  const isExpected = expected.status < 400 || expected.exactly ? status === expected.status : status >= 400;
  if (!isExpected) fail('status', `${what}: status ${status}, expected ${expected.status}`);
  const connection = fields.get('connection')?.toLowerCase();
  if (connection !== expected.connection) {
    fail('connection', `${what}: Connection is ${connection ?? 'missing'}, expected ${expected.connection}`);
  }
  if (status === 405 && !/\bGET\b/.test(fields.get('allow') ?? '')) fail('allow', `${what}: Allow must contain GET`);
  if (status !== 200) return;
  if (fields.get('content-length') !== String(PAGE.length)) fail('content-length', `${what}: not the page's length`);
  if (body !== (expected.head ? '' : PAGE)) fail('body', `${what}: the body is not the page`);
  if (!/^text\/html\b/.test(fields.get('content-type') ?? '')) fail('content-type', `${what}: not text/html`);
}

/** @param {number} size */
function get(size) {
  const plain = `GET /${randomBytes(4).toString('hex')} HTTP/1.1\r\nHost: broadside\r\n`;
  const padding = size - plain.length - 'X: \r\n\r\n'.length;
  return padding > 0 ? `${plain}X: ${'y'.repeat(padding)}\r\n\r\n` : `${plain}\r\n`;
}

/**
 * @param {string[]} heads
 * @returns {Transfer}
 */
function transferOf(heads) {
  const what = heads.length === 1 ? `a GET of ${heads[0].length} bytes` : `${heads.length} GETs`;
  const page = { status: 200, connection: 'keep-alive' };
  const expected = heads.map(() => page);
  const request = Buffer.from(heads.join(''), 'latin1');
  return { what, request, replies: heads.length, minBytes: MIN_REPLY_BYTES * heads.length, expected };
}

/** @type {Protocol} */
export const http = {
  name: 'http',
  greeting: Buffer.alloc(0),
  half: Buffer.from('GET / HTTP/1.1\r\nHo'),
  sizes: [40, 100, KIB, 4 * KIB, 7 * KIB],
  bulk: 256 * KIB,
  transfer: (size = 0) => transferOf([get(size)]),
  burst: (size) => transferOf(Array.from({ length: Math.max(1, Math.floor(size / get(0).length)) }, () => get(0))),
  take(bytes, { expected = [], what }) {
    let at = 0;
    // the last reply that was judged: identical bytes with the same expectation need not be parsed again
    /** @type {{bytes: Buffer, expected: Expected | null}} */
    let last = { bytes: Buffer.alloc(0), expected: null };
    for (const expectedReply of expected) {
      const { length } = last.bytes;
      if (expectedReply !== last.expected || !bytes.subarray(at, at + length).equals(last.bytes)) {
        const reply = splitReply(bytes.subarray(at));
        if (reply === null) return null;
        judgeReply(reply, expectedReply, what);
        last = { bytes: bytes.subarray(at, at + reply.length), expected: expectedReply };
      }
      at += last.bytes.length;
    }
    return at;
  },
  judge(bytes, { name, replies = [] }, exactly) {
    let remaining = bytes;
    replies.forEach((expected, i) => {
      const options = { ended: true, head: expected.head };
      const reply = splitReply(remaining, options) ?? assert.fail(`${name}: ${i} replies, expected ${replies.length}`);
      judgeReply(reply, { ...expected, exactly }, name);
      remaining = remaining.subarray(reply.length);
    });
    // an HTTP library may answer an incomplete head with an error
    if (remaining.length > 0 && replies.length === 0 && !exactly) {
      const reply =
        splitReply(remaining, { ended: true }) ??
        assert.fail(`${name}: not a reply: ${quoted(remaining.toString('latin1'))}`);
      assert.ok(reply.status >= 400, `${name}: status ${reply.status}`);
      remaining = remaining.subarray(reply.length);
    }
    if (remaining.length > 0) fail('surplus', `${name}: ${remaining.length} bytes beyond the replies`);
  },
};

/** @param {string} text */
const quoted = (text) => JSON.stringify(text.slice(0, 200));
