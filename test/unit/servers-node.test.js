// The codecs of the Node servers: the golden vectors, whole and split at every byte; and the option work.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { codecs } from '../../servers/node/protocols/index.js';
import { drawer, parseWork } from '../../servers/node/work.js';

/** @param {string} protocol @returns {{name: string, send: string[], receive: string, closes?: boolean}[]} */
const vectorsOf = (protocol) =>
  JSON.parse(readFileSync(new URL(`../../servers/conformance/vectors/${protocol}.json`, import.meta.url), 'utf8'))
    .vectors;

/**
 * @param {string} protocol
 * @param {Buffer[]} pieces
 * @param {{volleyStop?: boolean}} [options]
 */
function speak(protocol, pieces, { volleyStop = false } = {}) {
  const codec = codecs[protocol]({ volleyStop });
  const all = { reply: Buffer.alloc(0), requests: 0, then: 'more' };
  for (const piece of pieces) {
    const { reply, requests, then } = codec(Buffer.from(piece)); // a copy: it may answer in place
    Object.assign(all, { reply: Buffer.concat([all.reply, reply]), requests: all.requests + requests, then });
    if (then !== 'more') break;
  }
  return all;
}

/** @param {Buffer} bytes @returns {Buffer[][]} whole, in two at every place, a byte at a time */
const waysToSplit = (bytes) => [
  [bytes],
  ...Array.from({ length: bytes.length }, (_, at) => [bytes.subarray(0, at), bytes.subarray(at)]),
  Array.from(bytes, (_, at) => bytes.subarray(at, at + 1)),
];

describe('the codecs of the Node servers', () => {
  for (const protocol of Object.keys(codecs)) {
    for (const { name, send, receive, closes = false } of vectorsOf(protocol)) {
      it(`${protocol}: ${name}`, () => {
        const expected = Buffer.from(receive, 'hex');
        for (const pieces of waysToSplit(Buffer.from(send.join(''), 'hex'))) {
          const { reply, then } = speak(protocol, pieces);
          assert.equal(reply.length, expected.length);
          if (protocol !== 'ace') assert.deepEqual(reply, expected);
          assert.equal(then, closes ? 'close' : 'more');
        }
      });
    }
  }

  it('count a word, a message, and the bytes of one echo read as a request', () => {
    const words = Buffer.from('000000010000000200', 'hex');
    for (const pieces of waysToSplit(words)) assert.equal(speak('volley', pieces).requests, 2);
    const messages = Buffer.from('0100000003000000' + '00000001ff' + '00000000' + '00000002ffff', 'hex');
    for (const pieces of waysToSplit(messages)) assert.equal(speak('ace', pieces).requests, 3);
    assert.equal(speak('echo', [Buffer.alloc(9), Buffer.alloc(1)]).requests, 2);
  });

  it('end the server at a word of zero with --volley-stop, after the words before it', () => {
    const words = Buffer.from('000000010000000000000002', 'hex');
    for (const pieces of waysToSplit(words)) {
      const { reply, requests, then } = speak('volley', pieces, { volleyStop: true });
      assert.deepEqual([reply.toString('hex'), requests, then], ['00000002', 1, 'stop']);
    }
  });

  it('store nothing of a message of 4 GiB', () => {
    const codec = codecs.ace({ volleyStop: false });
    codec(Buffer.from('0100000001000000ffffffff', 'hex'));
    const piece = Buffer.alloc(64 * 1024);
    for (let left = 2 ** 32 - 1; left > 0; left -= piece.length) {
      const { requests, then } = codec(piece.subarray(0, Math.min(left, piece.length)));
      const last = left <= piece.length;
      assert.deepEqual([requests, then], last ? [1, 'close'] : [0, 'more']);
    }
  });
});

describe('the work of the Node servers', () => {
  it('accepts one or two times with units, up to an hour', () => {
    for (const [text, lowNs, highNs] of /** @type {[string, number, number][]} */ ([
      ['30ms-50ms', 30e6, 50e6],
      ['1.5ms', 1.5e6, 1.5e6],
      ['0ms-3600s', 0, 3600e9],
      ['999ns-1us', 999, 1000],
    ])) {
      assert.deepEqual(parseWork(text), { lowNs, highNs });
    }
    const wrongs = ['', '30', '30-50ms', '30ms-50', '50ms-30ms', '-1ms', '1ms-', '1 ms', '1m', '3600.1s', '1e3ms'];
    for (const wrong of wrongs) assert.equal(parseWork(wrong), null, wrong);
  });

  it('is uniform between the two, and the same for the same seed', () => {
    const span = { lowNs: 1000, highNs: 2000, kind: 'wait' };
    const row = (/** @type {number} */ seed) => Array.from({ length: 10_000 }, drawer({ ...span, seed }));
    const draws = row(1);
    assert.deepEqual(draws, row(1));
    for (const seed of [0, 2, 2 ** 32 + 1, 2 ** 53]) assert.notDeepEqual(draws.slice(0, 9), row(seed).slice(0, 9));
    assert.ok(draws.every((ns) => ns >= 1000 && ns <= 2000));
    for (let low = 1000; low < 2000; low += 100) {
      const share = draws.filter((ns) => ns >= low && ns < low + 100).length / draws.length;
      assert.ok(Math.abs(share - 0.1) < 0.02, `${share} of them from ${low}`);
    }
  });
});
