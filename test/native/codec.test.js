/**
 * The client's codecs against golden vectors (servers/conformance/vectors/client-*.json), options and all: the
 * request's bytes, and each reply whole, cut in two at every byte, and byte by byte.
 */
import assert from 'node:assert/strict';
import { statusNames } from '../../client/measure/fields.js';
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { prepareProtocol, protocolOf } from '../../client/protocols/index.js';
import { scenarioSchema } from '../../client/scenario/schema.js';
import { requireTool } from '../skip.js';
import { ADDRESS, CC, compile } from './core.js';

const run = promisify(execFile);
const WIRE = fileURLToPath(new URL('../../servers/conformance/vectors/', import.meta.url));
const ENDPOINT = { address: '127.0.0.1', port: 8080 };

/**
 * @typedef {object} Vector
 * @property {string} name
 * @property {Record<string, unknown>} [options]
 * @property {string} [payload]
 * @property {number} [payloadMinBytes]
 * @property {string} [random]
 * @property {string} [identity]
 * @property {string} [request]
 * @property {string} reply
 * @property {string} [surplus]
 * @property {boolean} [ended]
 * @property {string} expect
 * @property {string} [greeting]
 * @property {string} [welcome]  the greeting's reply
 * @property {string} [unasked]
 * @property {string} [answers]
 * @property {number} [requests]  in flight
 */
const files = readdirSync(WIRE).filter((name) => name.startsWith('client-'));
/**
 * @type {{protocol: string, options?: Record<string, unknown>, vectors: Vector[], welcome?: string}[]} options: of all
 *   vectors
 */
const suites = files.map((name) => JSON.parse(readFileSync(path.join(WIRE, name), 'utf8')));

/** In the order of `enum code`. */
const codes = ['none', ...statusNames];

/** @param {string} text @returns {Buffer} */
const bytesOf = (text) => Buffer.from(text, 'latin1');

/** @param {string} binary of codec.c @param {string} input @returns {Promise<string[]>} the lines that it prints */
async function answersOf(binary, input) {
  const running = run(binary, { maxBuffer: 1 << 26 });
  running.child.stdin?.end(input);
  const { stdout } = await running;
  return stdout.trimEnd().split('\n');
}

/** @param {Uint8Array} bytes */
const hex = (bytes) => (bytes.length === 0 ? '-' : Buffer.from(bytes).toString('hex'));

/** @param {string} protocol @returns {Record<string, unknown>} its options, where none are given */
function usual(protocol) {
  const keys = Object.entries(scenarioSchema.properties[protocol]?.properties ?? {});
  return Object.fromEntries(keys.flatMap(([key, { default: value }]) => (value === undefined ? [] : [[key, value]])));
}

/** @param {string} protocol @param {Vector} vector */
function prepared(protocol, { options = {}, payload = '', payloadMinBytes }) {
  const all = { ...usual(protocol), ...options };
  const complete = protocolOf(protocol).complete?.(all) ?? all;
  return prepareProtocol(protocol, complete, {
    payloadBytes: payload.length,
    payloadMinBytes,
    payload: bytesOf(payload),
    endpoint: ENDPOINT,
  });
}

/** @param {string} protocol @param {Vector} vector @returns {string} a line for codec.c */
function lineOf(protocol, vector) {
  const { payload = '', random = '0', identity = '0', reply, surplus = '', ended, welcome = '', unasked = '' } = vector;
  const { protocol: codec, protocolBytes, protocolParameters } = prepared(protocol, vector);
  const parameters = Object.entries(protocolParameters).map(([name, value]) => `${name}=${Number(value)}`);
  return [
    codec,
    hex(bytesOf(payload)),
    payload.length - (vector.payloadMinBytes ?? payload.length),
    hex(protocolBytes),
    parameters.join(',') || '-',
    random,
    identity,
    hex(bytesOf(reply + surplus)),
    ended ? 1 : 0,
    hex(bytesOf(welcome)),
    hex(bytesOf(unasked)),
    vector.requests ?? 1,
  ].join(' ');
}

/**
 * @param {string} said a line of codec.c
 * @returns {Record<'request' | 'is' | 'cuts' | 'greeting' | 'answers', string> & {consumed: number}}
 */
function understand(said) {
  const [request, verdict, kinds, closes, consumed, greeting, answers, ...cuts] = said.split(' ');
  const names = kinds.split(',').map((code) => (codes[Number(code)] === 'none' ? 'reply' : codes[Number(code)]));
  const last = verdict === 'reply' ? `${names.at(-1)}${closes === '1' ? ' closes' : ''}` : verdict;
  const is = [...names.slice(0, -1), last].join(' ');
  const [asked, greeted, answered] = [request, greeting, answers].map((text) =>
    text === '-' ? '' : Buffer.from(text, 'hex').toString('latin1'),
  );
  return { request: asked, is, consumed: Number(consumed), cuts: cuts.join(' '), greeting: greeted, answers: answered };
}

/** @param {Buffer} request of websocket @returns {Buffer} the message */
function unmasked(request) {
  const [, second] = request;
  const [length, at] =
    second < 0xfe
      ? [second & 0x7f, 2]
      : second === 0xfe
        ? [request.readUInt16BE(2), 4]
        : [Number(request.readBigUInt64BE(2)), 10];
  assert.equal(request.length, at + 4 + length);
  return Buffer.from(request.subarray(at + 4).map((byte, i) => byte ^ request[at + (i % 4)]));
}

/** @param {Buffer} request of HTTP @returns {Buffer} the body */
function bodyOfHttp(request) {
  const [head] = request.toString('latin1').split('\r\n\r\n');
  const body = request.subarray(head.length + 4);
  assert.equal(/\r\nContent-Length: ([1-9][0-9]*)$/.exec(head)?.[1], String(body.length), head);
  return body;
}

/** @param {Buffer} request the first one of ace @returns {Buffer} the message */
function messageOfAce(request) {
  assert.equal(request.readUInt32BE(8), request.length - 12);
  return request.subarray(12);
}

/**
 * Protocols whose requests may vary: options, and what takes the payload out of a request and checks what frames it.
 */
const VARIED = /** @type {[string, Record<string, unknown>, (request: Buffer) => Buffer][]} */ ([
  ['echo', {}, (request) => request],
  ['ace', {}, messageOfAce],
  ['http', { method: 'POST' }, bodyOfHttp],
  ['websocket', {}, unmasked],
]);

const RANDOMS = Array.from({ length: 64 }, (_, i) => (BigInt(i + 1) * 0x9e3779b97f4a7c15n).toString(16).slice(-16));
const NAMELESS = { name: '', reply: '', expect: 'more' };
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g;

describe('codecs', function () {
  this.timeout(600_000);

  for (const sanitizer of [false, true]) {
    const add = sanitizer ? it.sanitized : it;
    add(`ask and read as the vectors say, cut anywhere${sanitizer ? ', under sanitizers' : ''}`, async function () {
      requireTool(this, CC, 'gcc');
      const binary = await compile('codec', sanitizer ? ADDRESS : []);
      for (const { protocol, options, vectors, welcome } of suites) {
        const input = vectors
          .map((vector) => `${lineOf(protocol, { welcome, ...vector, options: { ...options, ...vector.options } })}\n`)
          .join('');
        const lines = await answersOf(binary, input);
        assert.equal(lines.length, vectors.length);
        vectors.forEach(({ name, request, reply, expect, greeting, answers = '' }, i) => {
          const what = `${protocol}: ${name}`;
          const { request: asked, is, consumed, cuts, greeting: greeted, answers: answered } = understand(lines[i]);
          assert.equal(is, expect, what);
          assert.equal(cuts, '', what);
          if (request !== undefined) assert.equal(asked, request, what);
          if (greeting !== undefined) assert.equal(greeted, greeting, what);
          assert.equal(answered, answers, what);
          if (!/(bad|wrong)$/.test(expect)) assert.equal(consumed, bytesOf(reply).length, what);
        });
      }
    });
  }

  it('draw a number independently of how much of the payload goes with it', async function () {
    requireTool(this, CC, 'gcc');
    const binary = await compile('codec', []);
    const options = { method: 'POST', path: '/{random:0-1}' };
    const vector = { ...NAMELESS, options, payload: 'x'.repeat(1000), payloadMinBytes: 1 };
    const input = RANDOMS.map((random) => `${lineOf('http', { ...vector, random })}\n`).join('');
    const lines = await answersOf(binary, input);
    const seen = lines.map((line) => {
      const [, number, bytes] = /** @type {RegExpExecArray} */ (
        /^POST \/([01]) .*\r\nContent-Length: ([0-9]+)\r\n/s.exec(understand(line).request)
      );
      return `${number} ${Number(bytes) > 500 ? 'long' : 'short'}`;
    });
    assert.deepEqual([...new Set(seen)].sort(), ['0 long', '0 short', '1 long', '1 short']);
  });

  it('draw a command independently of its key, also of the most keys', async function () {
    requireTool(this, CC, 'gcc');
    const binary = await compile('codec', []);
    const keys = 10 ** 12;
    const vector = { ...NAMELESS, options: { keys, mix: { GET: 1, SET: 1 } }, payload: 'x' };
    const input = RANDOMS.map((random) => `${lineOf('redis', { ...vector, random })}\n`).join('');
    const lines = await answersOf(binary, input);
    const seen = lines.map((line) => {
      const [, command, key] = /** @type {RegExpExecArray} */ (
        /\r\n([GS]ET)\r\n.*value:([0-9]{12})/s.exec(understand(line).request)
      );
      const lowest = ((BigInt(key) + 1n) << 64n) / BigInt(keys); // what is drawn below it has this key or a lower one
      return `${command} ${(lowest >> 31n) & 1n}`;
    });
    assert.deepEqual([...new Set(seen)].sort(), ['GET 0', 'GET 1', 'SET 0', 'SET 1']);
  });

  it('carry as much of the payload as each request draws, and say how much', async function () {
    requireTool(this, CC, 'gcc');
    const binary = await compile('codec', []);
    const payload = Array.from({ length: 70_000 }, (_, i) => String.fromCharCode((i * 7 + (i >> 8)) & 0xff)).join('');
    for (const [protocol, options, bodyOf] of VARIED) {
      const vector = { name: '', options, payload, payloadMinBytes: 1, reply: '', expect: 'more' };
      const input = RANDOMS.map((random) => `${lineOf(protocol, { ...vector, random })}\n`).join('');
      const lines = await answersOf(binary, input);
      const bodies = lines.map((line) => bodyOf(bytesOf(understand(line).request)));
      assert.equal(bodies.length, RANDOMS.length, protocol);
      for (const body of bodies) {
        assert.ok(body.length >= 1 && body.length <= payload.length, `${protocol}: ${body.length}`);
        assert.ok((payload + payload).includes(body.toString('latin1')), `${protocol}: not of the payload`);
      }
      const lengths = bodies.map((body) => body.length);
      assert.ok(Math.min(...lengths) < 10_000 && Math.max(...lengths) > 65_535, `${protocol}: ${lengths}`);
      assert.equal(new Set(lengths).size, lengths.length, `${protocol}: ${lengths}`);
    }
  });

  it('draw requests by their weights, and each number and UUID anew', async function () {
    requireTool(this, CC, 'gcc');
    const binary = await compile('codec', []);
    const body = '{"id": "{uuid}", "other": "{uuid}", "n": {random:8-1200}}';
    const requests = [
      { path: '/{random:0-9}', weight: 30 },
      { method: 'POST', path: '/{random:95-105}/{sequence}', headers: { 'X-Id': '{uuid}' }, body, weight: 10 },
      { path: '/rare', weight: 1 },
    ];
    const randoms = Array.from({ length: 4100 }, (_, i) =>
      BigInt.asUintN(64, BigInt(i + 1) * 0xd1342543de82ef95n)
        .toString(16)
        .padStart(16, '0'),
    );
    const input = randoms
      .map((random, i) => lineOf('http', { ...NAMELESS, options: { requests }, random, identity: i.toString(16) }))
      .join('\n');
    const asked = (await answersOf(binary, `${input}\n`)).map((line) => understand(line).request);
    const paths = asked.map((request) => request.split(' ')[1]);
    const posts = asked.filter((request) => request.startsWith('POST'));
    assert.ok(Math.abs(posts.length - 1000) < 5, `${posts.length} of weight 10 in 41`);
    assert.ok(Math.abs(paths.filter((each) => each === '/rare').length - 100) < 5);
    const digits = new Set(paths.filter((each) => each.length === 2));
    assert.equal(digits.size, 10);
    const uuids = posts.flatMap((post) => {
      assert.match(post.split(' ')[1], /^\/(9[5-9]|10[0-5])\/41$/);
      assert.ok(bodyOfHttp(bytesOf(post)).length > 0);
      const numbers = /"n": ([0-9]+)}$/.exec(post)?.[1];
      assert.ok(Number(numbers) >= 8 && Number(numbers) <= 1200, post);
      return post.match(UUID) ?? [];
    });
    assert.equal(new Set(uuids).size, 3 * posts.length);
  });

  it('repeat by the seed what they draw, and by no seed who they are', async function () {
    requireTool(this, CC, 'gcc');
    const binary = await compile('codec', []);
    const options = { requests: [{ path: '/{random:1-999999}/{uuid}', body: '{random:1-999999}' }, { path: '/b' }] };
    const lines = ['1', '1', '2'].map((identity) => lineOf('http', { ...NAMELESS, options, random: '7', identity }));
    const [first, again, other] = await answersOf(binary, `${lines.join('\n')}\n`);
    assert.equal(first, again);
    const [drawn, drawnAgain] = [first, other].map((line) => understand(line).request);
    assert.notEqual(drawn, drawnAgain);
    assert.equal(drawn.replace(UUID, ''), drawnAgain.replace(UUID, ''));
    assert.match(drawn, UUID);
    const subjects = ['1', '2'].map((identity) => lineOf('nats', { ...NAMELESS, random: '7', identity }));
    const greetings = (await answersOf(binary, `${subjects.join('\n')}\n`)).map((line) => understand(line).greeting);
    assert.match(greetings[0], /^CONNECT /);
    assert.notEqual(greetings[0], greetings[1]);
  });

  it('have vectors for every protocol with options', () => {
    const known = Object.keys(scenarioSchema.properties).filter((key) => protocolOf(key).prepare);
    const told = new Set(suites.map(({ protocol }) => protocol));
    assert.deepEqual(
      known.filter((protocol) => !told.has(protocol)),
      [],
    );
  });
});
