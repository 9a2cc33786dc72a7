// One request of each protocol, and how to recognise its complete reply. Written from servers/PROTOCOLS.md alone: no code
// is shared with the client or the servers.

import { createHash, randomBytes, randomInt } from 'node:crypto';
import { quoted } from './exchange-errors.js';

/**
 * @typedef {import('../errors.js').Problem} Problem
 * @typedef {'incomplete' | 'complete' | Problem} Verdict incomplete: correct so far
 *
 * @typedef {object} Exchange
 * @property {Buffer} request
 * @property {(received: Buffer, ended: boolean) => Verdict} judge everything received so far; ended: the server has
 *   closed its side
 * @property {string} [replyEnd] how a reply ends, where the scenario defines it; shown in errors
 * @property {number} [quietMs] after this long without another byte the reply is not going to be completed
 */

const HTTP_REQUEST = 'GET / HTTP/1.1\r\nHost: broadside.invalid\r\nConnection: close\r\n\r\n';
/** More than this is not read of a reply to HTTP_REQUEST. */
const MAX_HTTP_REPLY = 1024 * 1024;
const HTTP_VERSION = 'HTTP/1.';
const RAW_QUIET_MS = 2000;
/** Of memcached's binary protocol. */
const MEMCACHED_HEADER_BYTES = 24;
const MEMCACHED_VERSION = 0x0b;
/** Appended to the key of a WebSocket upgrade: RFC 6455, section 1.3. */
const WEBSOCKET_GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

/** Protocols of the client that any server can be measured with, whichever protocol the server speaks. */
export const ANY_SERVER_PROTOCOLS = new Set(['raw', 'stream']);

/** @type {Record<string, (options?: any) => Exchange>} by protocol; options: the scenario's, see the client's protocols */
export const EXCHANGES = {
  echo() {
    const request = randomBytes(64);
    return { request, judge: (received) => judgeExact(received, request) };
  },

  volley() {
    const [request, reply] = [Buffer.alloc(4), Buffer.alloc(4)];
    const word = randomInt(1, 2 ** 32 - 1);
    request.writeUInt32BE(word);
    reply.writeUInt32BE(word + 1);
    return { request, judge: (received) => judgeExact(received, reply) };
  },

  /** One message of 64 bytes: the server sends two bytes with any content, then closes. */
  ace() {
    const header = Buffer.from([1, 0, 0, 0, 1, 0, 0, 0]);
    const length = Buffer.from([0, 0, 0, 64]);
    return {
      request: Buffer.concat([header, length, randomBytes(64)]),
      judge(received, ended) {
        if (received.length > 2) return surplus(received.length - 2);
        return received.length === 2 && ended ? 'complete' : 'incomplete';
      },
    };
  },

  redis() {
    const reply = Buffer.from('+PONG\r\n');
    return { request: Buffer.from('*1\r\n$4\r\nPING\r\n'), judge: (received) => judgeExact(received, reply) };
  },

  /** In the format of the scenario; text without options. */
  memcached({ format = 'text' } = {}) {
    if (format === 'binary') return memcachedBinaryVersion();
    return { request: Buffer.from('version\r\n'), judge: (received) => judgeLine(received, 'VERSION ') };
  },

  /** Without options nothing is sent. With options, anything that ends as they say is a reply. */
  raw(options) {
    if (options === undefined) return EXCHANGES.stream();
    const { content, lengthBytes, delimiterContent = '', silenceNs } = options;
    const delimiter = Buffer.from(delimiterContent, 'base64');
    const replyEnd =
      silenceNs !== undefined
        ? 'a reply ends when nothing more is received (raw.silence)'
        : delimiter.length > 0
          ? `a reply ends with ${quoted(delimiter)} (raw.delimiter)`
          : `a reply has ${lengthBytes} bytes (raw.length)`;
    return {
      request: Buffer.from(content, 'base64'),
      replyEnd,
      quietMs: RAW_QUIET_MS,
      judge: (received) => {
        if (silenceNs !== undefined) return received.length > 0 ? 'complete' : 'incomplete';
        const end = delimiter.length > 0 ? received.indexOf(delimiter) + delimiter.length : lengthBytes;
        if (received.length < end || (delimiter.length > 0 && end < delimiter.length)) return 'incomplete';
        return received.length === end ? 'complete' : surplus(received.length - end, received);
      },
    };
  },

  /** The upgrade only. */
  websocket(options = {}) {
    const { path = '/', host = 'broadside.invalid', headers = {} } = options;
    const key = randomBytes(16).toString('base64');
    const lines = [
      `GET ${path} HTTP/1.1`,
      `Host: ${host}`,
      'Upgrade: websocket',
      'Connection: Upgrade',
      `Sec-WebSocket-Key: ${key}`,
      'Sec-WebSocket-Version: 13',
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
      '',
      '',
    ];
    const accept = createHash('sha1').update(`${key}${WEBSOCKET_GUID}`).digest('base64');
    return { request: Buffer.from(lines.join('\r\n'), 'latin1'), judge: (received) => judgeUpgrade(received, accept) };
  },

  /** The server speaks first. `credentials` are the fields of CONNECT that the client has read from the secret's file. */
  nats({ credentials = {} } = {}) {
    const fields = JSON.stringify({ verbose: false, ...credentials });
    return { request: Buffer.from(`CONNECT ${fields}\r\nPING\r\n`), judge: judgeNats };
  },

  /** Nothing is sent and nothing expected: a successful connect is enough. */
  stream() {
    return { request: Buffer.alloc(0), judge: () => 'complete' };
  },

  /** With options any status is accepted: what the server thinks of the request is a result of the run. */
  http(options) {
    if (options === undefined) return { request: Buffer.from(HTTP_REQUEST), judge: judgeHttp };
    const { method, path, host = 'broadside.invalid' } = options;
    const body = method === 'POST' || method === 'PUT' ? 'Content-Length: 0\r\n' : '';
    const request = `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\n${body}Connection: close\r\n\r\n`;
    return { request: Buffer.from(request, 'latin1'), judge: judgeHttpHead };
  },
};

/** @returns {Exchange} the command VERSION of memcached's binary protocol, which is answered by a text */
function memcachedBinaryVersion() {
  const request = Buffer.alloc(MEMCACHED_HEADER_BYTES);
  request.set([0x80, MEMCACHED_VERSION]);
  const replyStart = Buffer.from([0x81, MEMCACHED_VERSION]);
  return {
    request,
    judge(received) {
      const start = judgeExact(received.subarray(0, replyStart.length), replyStart);
      if (start !== 'complete') return start;
      if (received.length < MEMCACHED_HEADER_BYTES) return 'incomplete';
      const status = received.readUInt16BE(6);
      if (status !== 0) return unexpected(received.toString('latin1', MEMCACHED_HEADER_BYTES) || `status ${status}`);
      const end = MEMCACHED_HEADER_BYTES + received.readUInt32BE(8);
      if (received.length > end) return surplus(received.length - end, received);
      return received.length === end ? 'complete' : 'incomplete';
    },
  };
}

/** @param {number} bytes beyond the reply @param {Buffer} [received] @returns {Problem} */
function surplus(bytes, received) {
  const shown = received === undefined ? '' : `: ${quoted(received)}`;
  const text = `received ${bytes} ${bytes === 1 ? 'byte' : 'bytes'} beyond the end of the reply${shown}`;
  return { code: 'surplus', data: { bytes }, text };
}

/** @param {string} line @returns {Problem} */
function unexpected(line) {
  return { code: 'unexpected-reply', data: { line }, text: `unexpected reply ${JSON.stringify(line.slice(0, 80))}` };
}

/** @returns {Problem} */
const notHttp = () => ({ code: 'not-http', data: {}, text: 'the reply is not HTTP/1' });

/** @returns {Problem} */
const endlessHead = () => ({
  code: 'endless-head',
  data: { maxBytes: MAX_HTTP_REPLY },
  text: `the head of the reply does not end within ${MAX_HTTP_REPLY} bytes`,
});

/**
 * @param {Buffer} received
 * @param {Buffer} reply
 * @returns {Verdict}
 */
function judgeExact(received, reply) {
  if (received.length > reply.length && received.subarray(0, reply.length).equals(reply)) {
    return surplus(received.length - reply.length);
  }
  const offset = received.findIndex((byte, i) => byte !== reply[i]);
  if (offset >= 0) {
    const [actual, expected] = [received.subarray(offset), reply.subarray(offset, offset + 8)].map(quoted);
    const text = `the reply differs from byte ${offset + 1} on: received ${actual}, expected ${expected}`;
    return { code: 'mismatch', data: { offset }, text };
  }
  return received.length === reply.length ? 'complete' : 'incomplete';
}

/**
 * @param {Buffer} received
 * @param {string} start
 * @returns {Verdict} complete: one line that begins with `start`
 */
function judgeLine(received, start) {
  const text = received.toString('latin1');
  if (!text.startsWith(start.slice(0, text.length))) return unexpected(text);
  const beyond = text.includes('\n') ? text.length - text.indexOf('\n') - 1 : 0;
  if (beyond > 0) return surplus(beyond);
  return text.endsWith('\r\n') ? 'complete' : 'incomplete';
}

/** @param {Buffer} received @param {string} accept @returns {Verdict} on the head; frames may follow it */
function judgeUpgrade(received, accept) {
  const text = received.toString('latin1');
  const end = text.indexOf('\r\n\r\n');
  const [line] = text.split('\r\n', 1);
  if (!line.startsWith('HTTP/1.1 101'.slice(0, line.length))) return unexpected(line);
  if (end < 0) return received.length > MAX_HTTP_REPLY ? endlessHead() : 'incomplete';
  const [, actual = null] = /\r\nsec-websocket-accept:[ \t]*(\S*)/i.exec(text.slice(0, end)) ?? [];
  if (actual === accept) return 'complete';
  const why = `Sec-WebSocket-Accept is ${actual ?? 'missing'}, expected ${accept}`;
  return { code: 'websocket-accept', data: { actual, expected: accept }, text: why };
}

/** @param {Buffer} received @returns {Verdict} complete: INFO and PONG, a line each */
function judgeNats(received) {
  const lines = received.toString('latin1').split('\r\n');
  const wrong = lines.find((line, i) => !(i === 0 ? 'INFO ' : 'PONG').startsWith(line.slice(0, i === 0 ? 5 : 4)));
  if (wrong !== undefined) return unexpected(wrong);
  return lines[1] === 'PONG' && lines.length === 3 ? 'complete' : 'incomplete';
}

/** @param {Buffer} received @returns {Verdict} complete: the head of a reply with any status */
function judgeHttpHead(received) {
  const text = received.toString('latin1');
  if (!text.startsWith(HTTP_VERSION.slice(0, text.length))) return notHttp();
  if (!text.includes('\r\n\r\n')) return received.length > MAX_HTTP_REPLY ? endlessHead() : 'incomplete';
  const [line] = text.split('\r\n', 1);
  return /^HTTP\/1\.[01] [1-5][0-9][0-9]( |$)/.test(line) ? 'complete' : unexpected(line);
}

/**
 * @param {Buffer} received
 * @param {boolean} ended
 * @returns {Verdict} complete: status 200 and the whole body
 */
function judgeHttp(received, ended) {
  const text = received.toString('latin1');
  if (!text.startsWith(HTTP_VERSION.slice(0, text.length))) return notHttp();
  const head = text.indexOf('\r\n\r\n');
  const [line] = text.split('\r\n', 1);
  if (head >= 0 && !/^HTTP\/1\.[01] 200( |$)/.test(line)) return unexpected(line);
  if (received.length > MAX_HTTP_REPLY) {
    const why = `the reply is longer than ${MAX_HTTP_REPLY} bytes`;
    return { code: 'long-reply', data: { maxBytes: MAX_HTTP_REPLY }, text: why };
  }
  const [, length] = /\r\ncontent-length: *([0-9]+) *\r\n/i.exec(text.slice(0, head + 2)) ?? [];
  if (head < 0 || (length === undefined && !ended)) return 'incomplete';
  const missing = length === undefined ? 0 : head + 4 + Number(length) - received.length;
  return missing < 0 ? surplus(-missing) : missing === 0 ? 'complete' : 'incomplete';
}
