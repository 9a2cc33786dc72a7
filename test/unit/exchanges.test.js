// One exchange of each protocol: what is whole, what is not yet, and what is wrong.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { EXCHANGES } from '../../servers/launcher/start/exchanges.js';

const latin = (/** @type {string} */ text) => Buffer.from(text, 'latin1');
const WRONG = 'wrong';

/** @param {import('../../servers/launcher/start/exchanges.js').Verdict} verdict */
const word = (verdict) => (typeof verdict === 'string' ? verdict : WRONG);

/**
 * @param {string} protocol
 * @param {(request: Buffer) => Buffer} reply
 * @param {boolean} [ended]
 * @param {any} [options]
 * @returns {string} the verdict on all of it; each part of a whole one must be more
 */
function verdictOn(protocol, reply, ended = false, options = undefined) {
  const { request, judge } = EXCHANGES[protocol](options);
  const bytes = reply(request);
  const whole = word(judge(bytes, ended));
  if (whole === 'whole') {
    for (let n = 0; n < bytes.length; n++) assert.equal(word(judge(bytes.subarray(0, n), false)), 'more', `${n} bytes`);
  }
  return whole;
}

describe('an exchange', () => {
  it('of echo is whole when the same bytes are back', () => {
    assert.equal(
      verdictOn('echo', (request) => request),
      'whole',
    );
    assert.equal(
      verdictOn('echo', (request) => Buffer.concat([request, request])),
      WRONG,
    );
    assert.equal(
      verdictOn('echo', (request) => Buffer.from(request.map((byte) => byte ^ 1))),
      WRONG,
    );
  });

  it('of volley is whole when the word is back, and one more', () => {
    /** @param {Buffer} request @param {number} more */
    const plus = (request, more) => {
      const reply = Buffer.alloc(4);
      reply.writeUInt32BE((request.readUInt32BE() + more) >>> 0);
      return reply;
    };
    for (let i = 0; i < 100; i++) {
      const { request } = EXCHANGES.volley();
      assert.notEqual(request.readUInt32BE(), 0, 'zero would end a server');
      assert.equal(request.length, 4);
    }
    assert.equal(
      verdictOn('volley', (request) => plus(request, 1)),
      'whole',
    );
    assert.equal(
      verdictOn('volley', (request) => plus(request, 2)),
      WRONG,
    );
    assert.equal(
      verdictOn('volley', (request) => request),
      WRONG,
    );
  });

  it('of memcached is whole with one line that names a version', () => {
    assert.equal(
      verdictOn('memcached', () => latin('VERSION 1.6.18\r\n')),
      'whole',
    );
    assert.equal(
      verdictOn('memcached', () => latin('ERROR\r\n')),
      WRONG,
    );
    assert.equal(
      verdictOn('memcached', () => latin('VERSION 1.6.18\r\nERROR\r\n')),
      WRONG,
    );
  });

  it('of websocket is whole with the word that accepts its key', () => {
    const accepted = (/** @type {Buffer} */ request) => {
      const key = /Sec-WebSocket-Key: (\S+)/.exec(request.toString('latin1'))?.[1];
      return createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
    };
    const upgraded = (/** @type {string} */ accept) =>
      latin(
        'HTTP/1.1 101 Switching Protocols\r\n' +
          `Upgrade: websocket\r\nConnection: Upgrade\r\nsec-websocket-accept: ${accept}\r\n\r\n`,
      );
    assert.equal(
      verdictOn('websocket', (request) => upgraded(accepted(request))),
      'whole',
    );
    assert.equal(
      verdictOn('websocket', () => upgraded('AAAA')),
      WRONG,
    );
    assert.equal(
      verdictOn('websocket', () => latin('HTTP/1.1 404 Not Found\r\n\r\n')),
      WRONG,
    );
    assert.equal(
      verdictOn('websocket', (request) => upgraded(accepted(request)).subarray(0, -1)),
      'more',
    );
  });

  it('of nats is whole with the PONG that follows what the server says first', () => {
    const info = 'INFO {"server_id":"x","max_payload":1048576} \r\n';
    assert.equal(
      verdictOn('nats', () => latin(`${info}PONG\r\n`)),
      'whole',
    );
    assert.equal(
      verdictOn('nats', () => latin(`${info}-ERR 'Authorization Violation'\r\n`)),
      WRONG,
    );
    assert.equal(
      verdictOn('nats', () => latin('HTTP/1.1 400 Bad Request\r\n')),
      WRONG,
    );
    assert.equal(
      verdictOn('nats', () => latin(info)),
      'more',
    );
  });

  it('of raw is whole where its options say that a reply ends', () => {
    const [content, delimiterContent] = ['PING', '\r\n'].map((text) => latin(text).toString('base64'));
    const raw = (/** @type {string} */ text, /** @type {any} */ end) =>
      verdictOn('raw', () => latin(text), false, { content, ...end });
    assert.equal(EXCHANGES.raw({ content, lengthBytes: 1 }).request.toString(), 'PING');
    assert.equal(raw('12345', { lengthBytes: 5 }), 'whole');
    assert.equal(raw('123456', { lengthBytes: 5 }), WRONG);
    assert.equal(raw('1\r2\n3\r\n', { delimiterContent }), 'whole');
    assert.equal(raw('1\r\n2', { delimiterContent }), WRONG);
    assert.equal(raw('1\r', { delimiterContent }), 'more');
    assert.equal(raw('1', { silenceNs: 1e6 }), 'whole');
    assert.equal(raw('', { silenceNs: 1e6 }), 'more');
  });

  it('of stream, and of raw without options, asks nothing', () => {
    for (const protocol of ['stream', 'raw']) {
      const { request, judge } = EXCHANGES[protocol]();
      assert.deepEqual([request.length, judge(Buffer.alloc(0), false)], [0, 'whole']);
    }
  });

  it('of ace is whole with two bytes of any content and the end', () => {
    assert.equal(
      verdictOn('ace', () => latin('\0\0'), true),
      'whole',
    );
    assert.equal(
      verdictOn('ace', () => latin('xy'), true),
      'whole',
    );
    assert.equal(
      verdictOn('ace', () => latin('xy')),
      'more',
      'the server closes after the announced number',
    );
    assert.equal(
      verdictOn('ace', () => latin('x'), true),
      'more',
      'the end comes too early',
    );
    assert.equal(
      verdictOn('ace', () => latin('xyz')),
      WRONG,
    );
    const { request } = EXCHANGES.ace();
    assert.deepEqual([request[0], request.readUInt32LE(4), request.readUInt32BE(8)], [1, 1, request.length - 12]);
  });

  it('of http is whole with the length it says, or with the end, and status 200', () => {
    const ok = 'HTTP/1.1 200 OK\r\n';
    assert.equal(
      verdictOn('http', () => latin(`${ok}Content-Length: 2\r\n\r\nhi`)),
      'whole',
    );
    assert.equal(
      verdictOn('http', () => latin(`${ok}A: b\r\ncontent-length:0\r\nC: d\r\n\r\n`)),
      'whole',
    );
    assert.equal(
      verdictOn('http', () => latin('HTTP/1.0 200\r\n\r\nhi'), true),
      'whole',
    );
    assert.equal(
      verdictOn('http', () => latin(`${ok}\r\nhi`)),
      'more',
    );
    assert.equal(
      verdictOn('http', () => latin(`${ok}Content-Length: 2\r\n\r\nhi!`)),
      WRONG,
    );
    for (const status of ['404 Not Found', '2000 OK', '500']) {
      assert.equal(
        verdictOn('http', () => latin(`HTTP/1.1 ${status}\r\n\r\n`)),
        WRONG,
        status,
      );
    }
    assert.equal(
      verdictOn('http', (request) => request),
      WRONG,
      'an echo',
    );
    assert.equal(
      verdictOn('http', () => Buffer.concat([latin(`${ok}\r\n`), Buffer.alloc(2 ** 20)])),
      WRONG,
    );
  });
});
