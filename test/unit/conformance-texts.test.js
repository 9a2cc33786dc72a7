// The conformance checks: valid and invalid HTTP replies, replies that only browsers accept, and the texts of failed
// checks.

import assert from 'node:assert/strict';
import { failureText } from '../../servers/conformance/index.js';
import { http, PAGE, splitReply } from '../../servers/conformance/protocols/http.js';

const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: keep-alive\r\n';
const GOOD = `${HEAD}Content-Length: ${PAGE.length}\r\n\r\n${PAGE}`;

/** @param {string} text @param {boolean} [ended] */
const split = (text, ended) => splitReply(Buffer.from(text, 'latin1'), { ended });

describe('HTTP replies, as the conformance checks parse them,', () => {
  it('end exactly where Content-Length says', () => {
    const reply = split(`${GOOD}HTTP/1.1 200`);
    assert.deepEqual([reply?.status, reply?.length, reply?.body], [200, GOOD.length, PAGE]);
    for (let length = 0; length < GOOD.length; length++) assert.equal(split(GOOD.slice(0, length)), null, `${length}`);
    assert.equal(split(`${HEAD}Content-Length: 0\r\n\r\nx`)?.length, `${HEAD}Content-Length: 0\r\n\r\n`.length);
  });

  it('may spell names in any case and have white space around values', () => {
    const reply = split('HTTP/1.1 404 \r\nCONTENT-length:\t 2 \r\nX-Empty:\r\n\r\nno');
    assert.equal(reply?.fields.get('content-length'), '2');
    assert.equal(reply?.fields.get('x-empty'), '');
  });

  it('may end with the connection if they announce it', () => {
    const text = 'HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\nwhy';
    assert.equal(split(text), null);
    assert.equal(split(text, true)?.body, 'why');
    assert.throws(() => split('HTTP/1.1 400 Bad Request\r\n\r\nwhy', true), { problem: 'no-length' });
  });

  /** @type {[string, string, string][]} */
  const wrong = [
    ['another version', GOOD.replace('1.1', '1.0'), 'status-line'],
    ['no status', GOOD.replace(' 200 OK', ' OK'), 'status-line'],
    ['no blank after the status', GOOD.replace('200 OK', '200'), 'status-line'],
    ['lines that end with a line feed only', GOOD.replaceAll('\r\n', '\n').replace('\n\n', '\r\n\r\n'), 'status-line'],
    ['a line without a colon', GOOD.replace('Connection: ', 'Connection '), 'field'],
    ['white space before a colon', GOOD.replace('Connection:', 'Connection :'), 'field'],
    ['a folded line', GOOD.replace('Connection: ', 'Connection:\r\n '), 'field'],
    ['two lengths', GOOD.replace('\r\n\r\n', '\r\nContent-Length: 42\r\n\r\n'), 'duplicate-field'],
    ['a length that is no number', GOOD.replace(': 42', ': +42'), 'content-length'],
    ['a negative length', GOOD.replace(': 42', ': -1'), 'content-length'],
    ['a transfer encoding', GOOD.replace('Content-Length: 42', 'Transfer-Encoding: chunked'), 'transfer-encoding'],
    ['a head without an end', `${HEAD}X: ${'x'.repeat(9000)}`, 'endless-head'],
  ];
  it('are rejected if they are not exactly so', () => {
    for (const [what, text, problem] of wrong) assert.throws(() => split(text), { problem }, what);
  });

  it('are parsed together when several were requested, each compared with the page', () => {
    const transfer = http.burst(200);
    const reply = Buffer.from(GOOD);
    const replies = Buffer.concat(Array.from({ length: transfer.replies }, () => reply));
    assert.ok(transfer.replies > 1);
    assert.equal(http.take(replies, transfer), replies.length);
    assert.equal(http.take(Buffer.concat([replies, reply]), transfer), replies.length);
    assert.equal(http.take(replies.subarray(0, -1), transfer), null);
    const last = Buffer.from(GOOD.replace('Aye', 'Nay'));
    assert.throws(() => http.take(Buffer.concat([replies.subarray(reply.length), last]), transfer), {
      problem: 'body',
    });
    const closes = Buffer.from(GOOD.replace('keep-alive', 'close'));
    assert.throws(() => http.take(closes, http.transfer()), { problem: 'connection' });
  });

  it('with status 405 name the allowed method', () => {
    const vector = { name: 'v', send: [], replies: [{ status: 405, connection: 'close' }] };
    const text = 'HTTP/1.1 405 No\r\nConnection: close\r\nAllow: GET\r\nContent-Length: 0\r\n\r\n';
    http.judge(Buffer.from(text), vector, true);
    assert.throws(() => http.judge(Buffer.from(text.replace('Allow: GET\r\n', '')), vector, true), {
      problem: 'allow',
    });
    assert.throws(() => http.judge(Buffer.from(`${text}x`), vector, true), { problem: 'surplus' });
  });
});

describe('the message of a failed check', () => {
  it("abridges what a server wrote, keeps short texts, and has no assertion's internals", () => {
    const traceback = Array.from({ length: 2000 }, (_, i) => `line ${i}`).join('\n');
    const lines = failureText(new Error(`it must be reported once:\n${traceback}`)).split('\n');
    assert.ok(lines.length <= 12, `${lines.length} lines`);
    assert.deepEqual([lines[0], lines.at(-1)], ['it must be reported once:', 'line 1999']);
    assert.equal(failureText(new Error('a\nb')), 'a\nb');
    const internal = new assert.AssertionError({ actual: 2466, expected: 1, operator: 'strictEqual' });
    assert.equal(failureText(internal), 'expected 1, received 2466');
    assert.equal(failureText(new assert.AssertionError({ message: 'mine', actual: 1, expected: 2 })), 'mine');
    const port = Object.assign(new RangeError('options.port should be >= 0'), { code: 'ERR_SOCKET_BAD_PORT' });
    assert.ok(!failureText(port).includes('options.port'));
  });
});
