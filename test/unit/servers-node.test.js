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
  /** @type {Buffer[]} */
  const replies = [];
  let requests = 0;
  for (const piece of pieces) {
    const answer = codec(Buffer.from(piece)); // a copy: it may answer in place
    replies.push(answer.reply);
    requests += answer.requests;
    if (answer.then !== 'more') return { reply: Buffer.concat(replies), requests, then: answer.then };
  }
  return { reply: Buffer.concat(replies), requests, then: 'more' };
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
    assert.deepEqual(parseWork('30ms-50ms'), { lowNs: 30e6, highNs: 50e6 });
    assert.deepEqual(parseWork('1.5ms'), { lowNs: 1.5e6, highNs: 1.5e6 });
    assert.deepEqual(parseWork('0ms-3600s'), { lowNs: 0, highNs: 3600e9 });
    assert.deepEqual(parseWork('999ns-1us'), { lowNs: 999, highNs: 1000 });
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
