// One request of each protocol, and how to tell whether what came back is its whole reply. PROTOCOLS.md says the same
// in words; nothing is shared with client or servers.

import { createHash, randomBytes, randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { quoted } from './exchange-errors.js';

/**
 * @typedef {'more' | 'whole' | {wrong: string}} Verdict more: it is right so far
 *
 * @typedef {object} Exchange
 * @property {Buffer} request
 * @property {(got: Buffer, ended: boolean) => Verdict} judge what came so far; ended: nothing more will come
 * @property {string} [ends] how a reply ends, where the scenario says it
 * @property {number} [quietMs] so long without a byte after some, and the reply will not be whole any more
 */

const HTTP_REQUEST = 'GET / HTTP/1.1\r\nHost: broadside.invalid\r\nConnection: close\r\n\r\n';
/** A reply to HTTP_REQUEST that is longer goes beyond what is read here. */
const LARGEST_HTTP_REPLY = 1024 * 1024;
const HTTP_VERSION = 'HTTP/1.';
const RAW_QUIET_MS = 2000;

/** Of the client: bytes that a scenario names, to a server that speaks whatever it speaks first. */
export const OF_ANY_SERVER = new Set(['raw', 'stream']);

/** @type {Record<string, (options?: any) => Exchange>} those of a scenario, where it asks for something else */
export const EXCHANGES = {
  echo() {
    const request = randomBytes(64);
    return { request, judge: (got) => compared(got, request) };
  },

  volley() {
    const [request, reply] = [Buffer.alloc(4), Buffer.alloc(4)];
    const word = randomInt(1, 2 ** 32 - 1);
    request.writeUInt32BE(word);
    reply.writeUInt32BE(word + 1);
    return { request, judge: (got) => compared(got, reply) };
  },

  /** One message of 64 bytes: two bytes of any content come back, then the server closes. */
  ace() {
    const header = Buffer.from([1, 0, 0, 0, 1, 0, 0, 0]);
    const length = Buffer.from([0, 0, 0, 64]);
    return {
      request: Buffer.concat([header, length, randomBytes(64)]),
      judge(got, ended) {
        if (got.length > 2) return { wrong: `${got.length} bytes came, a reply has 2` };
        return got.length === 2 && ended ? 'whole' : 'more';
      },
    };
  },

  redis() {
    return { request: Buffer.from('*1\r\n$4\r\nPING\r\n'), judge: (got) => compared(got, Buffer.from('+PONG\r\n')) };
  },

  memcached() {
    return { request: Buffer.from('version\r\n'), judge: (got) => lineOf(got, 'VERSION ') };
  },

  /** Whatever ends a reply as its options say will do; without any, nothing is to be asked. */
  raw(options) {
    if (options === undefined) return EXCHANGES.stream();
    const { content, lengthBytes, delimiterContent = '', silenceNs } = options;
    const delimiter = Buffer.from(delimiterContent, 'base64');
    const ends =
      silenceNs !== undefined
        ? 'a reply ends when nothing more comes (raw.silence)'
        : delimiter.length > 0
          ? `a reply ends with ${quoted(delimiter)} (raw.delimiter)`
          : `a reply has ${lengthBytes} bytes (raw.length)`;
    return {
      request: Buffer.from(content, 'base64'),
      ends,
      quietMs: RAW_QUIET_MS,
      judge: (got) => {
        if (silenceNs !== undefined) return got.length > 0 ? 'whole' : 'more';
        const end = delimiter.length > 0 ? got.indexOf(delimiter) + delimiter.length : lengthBytes;
        if (got.length < end || (delimiter.length > 0 && end < delimiter.length)) return 'more';
        return got.length === end
          ? 'whole'
          : { wrong: `${got.length - end} bytes came beyond the reply: ${quoted(got)}` };
      },
    };
  },

  /** The upgrade alone. */
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
    const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
    return { request: Buffer.from(lines.join('\r\n'), 'latin1'), judge: (got) => judgeUpgrade(got, accept) };
  },

  /** The server speaks first. */
  nats(options) {
    const said = JSON.stringify({ verbose: false, ...natsSecret(options) });
    return { request: Buffer.from(`CONNECT ${said}\r\nPING\r\n`), judge: judgeNats };
  },

  /** Nothing is to come back: that it can be connected to is all. */
  stream() {
    return { request: Buffer.alloc(0), judge: () => 'whole' };
  },

  /** With options whatever it answers will do: what it thinks of the request is a result. */
  http(options) {
    if (options === undefined) return { request: Buffer.from(HTTP_REQUEST), judge: judgeHttp };
    const { method, path, host = 'broadside.invalid' } = options;
    const body = method === 'POST' || method === 'PUT' ? 'Content-Length: 0\r\n' : '';
    const request = `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\n${body}Connection: close\r\n\r\n`;
    return { request: Buffer.from(request, 'latin1'), judge: judgeHttpHead };
  },
};

/**
 * @param {Buffer} got
 * @param {Buffer} reply
 * @returns {Verdict}
 */
function compared(got, reply) {
  if (got.length > reply.length && got.subarray(0, reply.length).equals(reply)) {
    return { wrong: `${got.length - reply.length} bytes came beyond the reply` };
  }
  const at = got.findIndex((byte, i) => byte !== reply[i]);
  if (at >= 0) {
    return {
      wrong: `the reply is wrong from byte ${at + 1} on: ${quoted(got.subarray(at))} came, and it is to be ${quoted(
        reply.subarray(at, at + 8),
      )}`,
    };
  }
  return got.length === reply.length ? 'whole' : 'more';
}

/**
 * @param {Buffer} got
 * @param {string} beginning
 * @returns {Verdict} on one line that begins so, whatever follows
 */
function lineOf(got, beginning) {
  const text = got.toString('latin1');
  if (!text.startsWith(beginning.slice(0, text.length)))
    return { wrong: `it answered ${JSON.stringify(text.slice(0, 80))}` };
  const beyond = text.includes('\n') ? text.length - text.indexOf('\n') - 1 : 0;
  if (beyond > 0) return { wrong: `${beyond} bytes came beyond the reply` };
  return text.endsWith('\r\n') ? 'whole' : 'more';
}

/** @param {Buffer} got @param {string} accept @returns {Verdict} on a head, behind which frames may come */
function judgeUpgrade(got, accept) {
  const text = got.toString('latin1');
  const end = text.indexOf('\r\n\r\n');
  const [line] = text.split('\r\n', 1);
  if (!line.startsWith('HTTP/1.1 101'.slice(0, line.length))) {
    return { wrong: `it answered ${JSON.stringify(line.slice(0, 80))}` };
  }
  if (end < 0) return got.length > LARGEST_HTTP_REPLY ? { wrong: 'its head does not end' } : 'more';
  const [, said] = /\r\nsec-websocket-accept:[ \t]*(\S*)/i.exec(text.slice(0, end)) ?? [];
  return said === accept ? 'whole' : { wrong: `its Sec-WebSocket-Accept is ${said ?? 'missing'}, not ${accept}` };
}

/** @param {{login?: string, token?: string}} [options] files @returns {Record<string, string>} what they hold */
function natsSecret({ login, token } = {}) {
  if (token !== undefined) return { auth_token: readFileSync(token, 'utf8').trim() };
  if (login === undefined) return {};
  const [user, ...rest] = readFileSync(login, 'utf8').trim().split(':');
  return { user, pass: rest.join(':') };
}

/** @param {Buffer} got @returns {Verdict} on INFO and PONG, each a line */
function judgeNats(got) {
  const lines = got.toString('latin1').split('\r\n');
  const wrong = lines.find((line, i) => !(i === 0 ? 'INFO ' : 'PONG').startsWith(line.slice(0, i === 0 ? 5 : 4)));
  if (wrong !== undefined) return { wrong: `it said ${JSON.stringify(wrong.slice(0, 80))}` };
  return lines[1] === 'PONG' && lines.length === 3 ? 'whole' : 'more';
}

/** @param {Buffer} got @returns {Verdict} on the head of any reply */
function judgeHttpHead(got) {
  const text = got.toString('latin1');
  if (!text.startsWith(HTTP_VERSION.slice(0, text.length))) return { wrong: 'what came is no reply of HTTP/1' };
  if (!text.includes('\r\n\r\n')) return got.length > LARGEST_HTTP_REPLY ? { wrong: 'its head does not end' } : 'more';
  const [line] = text.split('\r\n', 1);
  return /^HTTP\/1\.[01] [1-5][0-9][0-9]( |$)/.test(line) ? 'whole' : { wrong: `it answered ${JSON.stringify(line)}` };
}

/**
 * @param {Buffer} got
 * @param {boolean} ended
 * @returns {Verdict}
 */
function judgeHttp(got, ended) {
  const text = got.toString('latin1');
  if (!text.startsWith(HTTP_VERSION.slice(0, text.length))) return { wrong: 'what came is no reply of HTTP/1' };
  const head = text.indexOf('\r\n\r\n');
  const [line] = text.split('\r\n', 1);
  if (head >= 0 && !/^HTTP\/1\.[01] 200( |$)/.test(line)) return { wrong: `it answered ${JSON.stringify(line)}` };
  if (got.length > LARGEST_HTTP_REPLY) return { wrong: `the reply is longer than ${LARGEST_HTTP_REPLY} bytes` };
  const [, length] = /\r\ncontent-length: *([0-9]+) *\r\n/i.exec(text.slice(0, head + 2)) ?? [];
  if (head < 0 || (length === undefined && !ended)) return 'more';
  const missing = length === undefined ? 0 : head + 4 + Number(length) - got.length;
  return missing < 0 ? { wrong: `${-missing} bytes came beyond the reply` } : missing === 0 ? 'whole' : 'more';
}
