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

/** @param {Buffer} request @param {number} more @returns {Buffer} a word, and how much more it is */
const plus = (request, more) => {
  const reply = Buffer.alloc(4);
  reply.writeUInt32BE((request.readUInt32BE() + more) >>> 0);
  return reply;
};
/** @param {Buffer} request @param {string} [given] @returns {Buffer} an upgrade with the accept value of its key, or another */
const upgraded = (request, given) => {
  const key = /Sec-WebSocket-Key: (\S+)/.exec(request.toString('latin1'))?.[1];
  const accept = given ?? createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
  const head = 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n';
  return latin(`${head}sec-websocket-accept: ${accept}\r\n\r\n`);
};
const INFO = 'INFO {"server_id":"x","max_payload":1048576} \r\n';
const OK = 'HTTP/1.1 200 OK\r\n';

/** The protocol, its reply to a request, the verdict on it, and whether the connection then ends. @type {[string, string | ((request: Buffer) => Buffer), string, boolean?][]} */
const ROWS = [
  ['echo', (request) => request, 'complete'],
  ['echo', (request) => Buffer.concat([request, request]), 'surplus'],
  ['echo', (request) => Buffer.from(request.map((byte) => byte ^ 1)), 'mismatch'],
  ['volley', (request) => plus(request, 1), 'complete'],
  ['volley', (request) => plus(request, 2), 'mismatch'],
  ['volley', (request) => request, 'mismatch'],
  ['memcached', 'VERSION 1.6.18\r\n', 'complete'],
  ['memcached', 'ERROR\r\n', 'unexpected-reply'],
  ['memcached', 'VERSION 1.6.18\r\nERROR\r\n', 'surplus'],
  ['websocket', (request) => upgraded(request), 'complete'],
  ['websocket', (request) => upgraded(request, 'AAAA'), 'websocket-accept'],
  ['websocket', 'HTTP/1.1 404 Not Found\r\n\r\n', 'unexpected-reply'],
  ['nats', `${INFO}PONG\r\n`, 'complete'],
  ['nats', `${INFO}-ERR 'Authorization Violation'\r\n`, 'unexpected-reply'],
  ['nats', 'HTTP/1.1 400 Bad Request\r\n', 'unexpected-reply'],
  ['ace', '\0\0', 'complete', true],
  ['ace', 'xy', 'complete', true],
  ['ace', 'xy', 'incomplete'],
  ['ace', 'x', 'incomplete', true],
  ['ace', 'xyz', 'surplus'],
  ['http', `${OK}Content-Length: 2\r\n\r\nhi`, 'complete'],
  ['http', `${OK}A: b\r\ncontent-length:0\r\nC: d\r\n\r\n`, 'complete'],
  ['http', 'HTTP/1.0 200\r\n\r\nhi', 'complete', true],
  ['http', `${OK}\r\nhi`, 'incomplete'],
  ['http', `${OK}Content-Length: 2\r\n\r\nhi!`, 'surplus'],
  ['http', 'HTTP/1.1 404 Not Found\r\n\r\n', 'unexpected-reply'],
  ['http', 'HTTP/1.1 2000 OK\r\n\r\n', 'unexpected-reply'],
  ['http', 'HTTP/1.1 500\r\n\r\n', 'unexpected-reply'],
  ['http', (request) => request, 'not-http'],
  ['http', () => Buffer.concat([latin(`${OK}\r\n`), Buffer.alloc(2 ** 20)]), 'long-reply'],
];

describe('an exchange', () => {
  for (const [protocol, reply, verdict, ended] of ROWS) {
    it(`of ${protocol} is ${verdict} with ${typeof reply === 'string' ? JSON.stringify(reply) : reply}`, () => {
      const made = typeof reply === 'string' ? () => latin(reply) : reply;
      assert.equal(verdictOn(protocol, made, ended), verdict);
    });
  }

  it('asks what its protocol allows', () => {
    for (let i = 0; i < 100; i++) {
      const { request } = EXCHANGES.volley();
      assert.notEqual(request.readUInt32BE(), 0, 'zero would end a server');
      assert.equal(request.length, 4);
    }
    const { request } = EXCHANGES.ace();
    assert.deepEqual([request[0], request.readUInt32LE(4), request.readUInt32BE(8)], [1, 1, request.length - 12]);
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
});
