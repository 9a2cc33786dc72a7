// One exchange of each protocol: which replies are complete, incomplete and wrong.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { EXCHANGES } from '../../servers/launcher/start/exchanges.js';

const latin = (/** @type {string} */ text) => Buffer.from(text, 'latin1');
/** @param {import('../../servers/launcher/start/exchanges.js').Verdict} verdict */
const word = (verdict) => (typeof verdict === 'string' ? verdict : verdict.code);

/**
 * @param {string} protocol
 * @param {(request: Buffer) => Buffer} reply
 * @param {boolean} [ended]
 * @param {any} [options]
 * @returns {string} the verdict on all of it; every prefix of a complete reply must be incomplete
 */
function verdictOn(protocol, reply, ended = false, options = undefined) {
  const { request, judge } = EXCHANGES[protocol](options);
  const bytes = reply(request);
  const verdict = word(judge(bytes, ended));
  if (verdict === 'complete') {
    for (let n = 0; n < bytes.length; n++)
      assert.equal(word(judge(bytes.subarray(0, n), false)), 'incomplete', `${n} bytes`);
  }
  return verdict;
}

describe('an exchange', () => {
  it('of echo is complete when the same bytes have been received', () => {
    assert.equal(
      verdictOn('echo', (request) => request),
      'complete',
    );
    assert.equal(
      verdictOn('echo', (request) => Buffer.concat([request, request])),
      'surplus',
    );
    assert.equal(
      verdictOn('echo', (request) => Buffer.from(request.map((byte) => byte ^ 1))),
      'mismatch',
    );
  });

  it('of volley is complete when the word plus one has been received', () => {
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
      'complete',
    );
    assert.equal(
      verdictOn('volley', (request) => plus(request, 2)),
      'mismatch',
    );
    assert.equal(
      verdictOn('volley', (request) => request),
      'mismatch',
    );
  });

  it('of memcached in the binary format is complete with a version', () => {
    /** @param {number} opcode @param {number} status @param {string} text */
    const reply = (opcode, status, text) => {
      const header = Buffer.alloc(24);
      header.set([0x81, opcode]);
      header.writeUInt16BE(status, 6);
      header.writeUInt32BE(text.length, 8);
      return Buffer.concat([header, latin(text)]);
    };
    const judge = (/** @type {Buffer} */ bytes) => {
      const { request, judge: verdict } = EXCHANGES.memcached({ format: 'binary' });
      assert.deepEqual([...request], [0x80, 0x0b, ...Array(22).fill(0)]);
      const found = verdict(bytes, false);
      return typeof found === 'string' ? found : found.code;
    };
    const version = reply(0x0b, 0, '1.6.18');
    for (let bytes = 1; bytes < version.length; bytes += 1)
      assert.equal(judge(version.subarray(0, bytes)), 'incomplete', `${bytes} bytes`);
    assert.equal(judge(version), 'complete');
    assert.equal(judge(Buffer.concat([version, latin('x')])), 'surplus');
    assert.equal(judge(reply(0x0b, 0x81, 'Unknown command')), 'unexpected-reply');
    assert.equal(judge(reply(0x0c, 0, '')), 'mismatch');
    assert.equal(judge(latin('ERROR\r\n')), 'mismatch');
  });

  it('of memcached is complete with one line that names a version', () => {
    assert.equal(
      verdictOn('memcached', () => latin('VERSION 1.6.18\r\n')),
      'complete',
    );
    assert.equal(
      verdictOn('memcached', () => latin('ERROR\r\n')),
      'unexpected-reply',
    );
    assert.equal(
      verdictOn('memcached', () => latin('VERSION 1.6.18\r\nERROR\r\n')),
      'surplus',
    );
  });

  it('of websocket is complete with the accept value that matches its key', () => {
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
      'complete',
    );
    assert.equal(
      verdictOn('websocket', () => upgraded('AAAA')),
      'websocket-accept',
    );
    assert.equal(
      verdictOn('websocket', () => latin('HTTP/1.1 404 Not Found\r\n\r\n')),
      'unexpected-reply',
    );
    assert.equal(
      verdictOn('websocket', (request) => upgraded(accepted(request)).subarray(0, -1)),
      'incomplete',
    );
  });

  it("of nats is complete with the PONG after the server's INFO", () => {
    const info = 'INFO {"server_id":"x","max_payload":1048576} \r\n';
    assert.equal(
      verdictOn('nats', () => latin(`${info}PONG\r\n`)),
      'complete',
    );
    assert.equal(
      verdictOn('nats', () => latin(`${info}-ERR 'Authorization Violation'\r\n`)),
      'unexpected-reply',
    );
    assert.equal(
      verdictOn('nats', () => latin('HTTP/1.1 400 Bad Request\r\n')),
      'unexpected-reply',
    );
    assert.equal(
      verdictOn('nats', () => latin(info)),
      'incomplete',
    );
  });

  it('of nats sends the credentials that the client has read', () => {
    const { request } = EXCHANGES.nats({ credentials: { user: 'me', pass: 'secret' }, login: '/never/read' });
    const [connect] = request.toString('latin1').split('\r\n', 1);
    assert.deepEqual(JSON.parse(connect.replace('CONNECT ', '')), { verbose: false, user: 'me', pass: 'secret' });
  });

  it('of raw is complete where its options define the end of the reply', () => {
    const [content, delimiterContent] = ['PING', '\r\n'].map((text) => latin(text).toString('base64'));
    const raw = (/** @type {string} */ text, /** @type {any} */ end) =>
      verdictOn('raw', () => latin(text), false, { content, ...end });
    assert.equal(EXCHANGES.raw({ content, lengthBytes: 1 }).request.toString(), 'PING');
    assert.equal(raw('12345', { lengthBytes: 5 }), 'complete');
    assert.equal(raw('123456', { lengthBytes: 5 }), 'surplus');
    assert.equal(raw('1\r2\n3\r\n', { delimiterContent }), 'complete');
    assert.equal(raw('1\r\n2', { delimiterContent }), 'surplus');
    assert.equal(raw('1\r', { delimiterContent }), 'incomplete');
    assert.equal(raw('1', { silenceNs: 1e6 }), 'complete');
    assert.equal(raw('', { silenceNs: 1e6 }), 'incomplete');
  });

  it('of stream, and of raw without options, sends nothing', () => {
    for (const protocol of ['stream', 'raw']) {
      const { request, judge } = EXCHANGES[protocol]();
      assert.deepEqual([request.length, judge(Buffer.alloc(0), false)], [0, 'complete']);
    }
  });

  it('of ace is complete with two bytes of any content and the end of the connection', () => {
    assert.equal(
      verdictOn('ace', () => latin('\0\0'), true),
      'complete',
    );
    assert.equal(
      verdictOn('ace', () => latin('xy'), true),
      'complete',
    );
    assert.equal(
      verdictOn('ace', () => latin('xy')),
      'incomplete',
      'the server closes after the announced number',
    );
    assert.equal(
      verdictOn('ace', () => latin('x'), true),
      'incomplete',
      'the end comes too early',
    );
    assert.equal(
      verdictOn('ace', () => latin('xyz')),
      'surplus',
    );
    const { request } = EXCHANGES.ace();
    assert.deepEqual([request[0], request.readUInt32LE(4), request.readUInt32BE(8)], [1, 1, request.length - 12]);
  });

  it('of http is complete with status 200 and its announced length, or the end of the connection', () => {
    const ok = 'HTTP/1.1 200 OK\r\n';
    assert.equal(
      verdictOn('http', () => latin(`${ok}Content-Length: 2\r\n\r\nhi`)),
      'complete',
    );
    assert.equal(
      verdictOn('http', () => latin(`${ok}A: b\r\ncontent-length:0\r\nC: d\r\n\r\n`)),
      'complete',
    );
    assert.equal(
      verdictOn('http', () => latin('HTTP/1.0 200\r\n\r\nhi'), true),
      'complete',
    );
    assert.equal(
      verdictOn('http', () => latin(`${ok}\r\nhi`)),
      'incomplete',
    );
    assert.equal(
      verdictOn('http', () => latin(`${ok}Content-Length: 2\r\n\r\nhi!`)),
      'surplus',
    );
    for (const status of ['404 Not Found', '2000 OK', '500']) {
      assert.equal(
        verdictOn('http', () => latin(`HTTP/1.1 ${status}\r\n\r\n`)),
        'unexpected-reply',
        status,
      );
    }
    assert.equal(
      verdictOn('http', (request) => request),
      'not-http',
      'an echo',
    );
    assert.equal(
      verdictOn('http', () => Buffer.concat([latin(`${ok}\r\n`), Buffer.alloc(2 ** 20)])),
      'long-reply',
    );
  });
});
