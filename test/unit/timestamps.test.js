// Kernel timestamps in a scenario, in samples and in a summary: what is refused, how the parts of response times are added
// up, whose part of a percentile is whose, and when that is a finding.

import assert from 'node:assert/strict';
import { checkSteadyState } from '../../client/judge/findings/steady-state.js';
import { Histogram } from '../../client/measure/histogram.js';
import { clientPartText } from '../../client/words/timestamps.js';
import { largeClientParts, timestampsOf } from '../../client/measure/timestamps.js';
import { resolveScenario } from '../../client/scenario/scenario.js';
import { mistakesOf } from '../fixtures/codes.js';
import { interval, play, recorded, samplesOf } from '../fixtures/intervals.js';
import { validatorOf } from '../fixtures/schemas.js';

const US = 1e3;
const MS = 1e6;

/** @param {number[]} values @returns {import('../../client/measure/histogram.js').HistogramLine | null} */
const line = (values) => {
  const histogram = new Histogram();
  for (const value of values) histogram.record(value);
  return histogram.toLine();
};

/**
 * @param {{ send: number, rest: number, receive: number, wait?: number }[]} transfers
 * @param {{ phase?: string, leftOut?: Record<string, number> }} [given]
 * @returns {any} a sample of one second
 */
function sample(transfers, { phase = 'steady', leftOut } = {}) {
  const isOpen = transfers.some(({ wait }) => wait !== undefined);
  const of = (/** @type {(one: { send: number, rest: number, receive: number, wait: number }) => number} */ part) =>
    line(transfers.map((one) => part({ wait: 0, ...one })));
  return {
    phase,
    fromNs: 0,
    toNs: 1e9,
    counters: { transfers: transfers.length },
    ...(leftOut ? { timestampsLeftOut: leftOut } : {}),
    histograms: {
      splitResponse: of(({ send, rest, receive, wait }) => send + rest + receive + wait),
      sendDelay: of(({ send }) => send),
      networkAndServer: of(({ rest }) => rest),
      receiveDelay: of(({ receive }) => receive),
      ...(isOpen ? { connectionWait: of(({ wait }) => wait), withoutClient: of(({ rest, wait }) => rest + wait) } : {}),
    },
  };
}

/** @template T @param {number} n @param {(i: number) => T} make @returns {T[]} */
const many = (n, make) => Array.from({ length: n }, (_, i) => make(i));

/** @param {number} actual @param {number} expected to a bucket of the histogram */
const assertNear = (actual, expected) =>
  assert.ok(Math.abs(actual - expected) <= expected * 0.002, `${actual} is not about ${expected}`);

describe('key timestamps', () => {
  const scenario = (/** @type {Record<string, unknown>} */ content) =>
    resolveScenario({ content: { servers: ['epoll'], connections: 4, ...content } });

  it('is sample, unless it is given', () => {
    assert.equal(scenario({}).timestamps, 'sample');
    assert.equal(scenario({ tls: true }).timestamps, 'sample');
    assert.equal(scenario({ timestamps: 'off' }).timestamps, 'off');
  });

  /** @type {[string, Record<string, unknown>, string][]} */
  const obstacles = [
    ['SCTP', { transport: 'sctp' }, 'timestamps-without-tcp'],
    ['UDP', { transport: 'udp', protocol: 'memcached', servers: ['memcached'] }, 'timestamps-without-tcp'],
    ['unix sockets', { listen: 'unix' }, 'timestamps-of-unix-socket'],
    ['a unix target', { servers: undefined, target: 'unix:/run/echo' }, 'timestamps-of-unix-socket'],
    ['a stream without replies', { protocol: 'stream' }, 'timestamps-without-replies'],
    ['connections that are only held', { workload: 'hold' }, 'timestamps-without-transfers'],
    ['requests that are too large', { payload: '65KiB' }, 'timestamps-of-large-requests'],
    ['a range of them', { payload: '70KiB-80KiB' }, 'timestamps-of-large-requests'],
  ];
  for (const [what, content, code] of obstacles) {
    it(`is off with ${what}, and a sample is refused`, () => {
      assert.equal(scenario(content).timestamps, 'off');
      assert.equal(scenario({ ...content, timestamps: 'off' }).timestamps, 'off');
      assert.throws(
        () => scenario({ ...content, timestamps: 'sample' }),
        (error) => {
          assert.deepEqual(mistakesOf(error), [`timestamps ${code}`]);
          return true;
        },
      );
    });
  }

  it('may be given where some requests are small enough, or connections are pinged', () => {
    assert.equal(scenario({ payload: '1KiB-80KiB', timestamps: 'sample' }).timestamps, 'sample');
    assert.equal(scenario({ workload: 'hold', heartbeat: '1s', timestamps: 'sample' }).timestamps, 'sample');
  });

  it('has one of two values', () => {
    assert.throws(
      () => scenario({ timestamps: 'some' }),
      (error) => {
        assert.deepEqual(mistakesOf(error), ['timestamps wrong-value']);
        return true;
      },
    );
  });
});

describe('timestamps', () => {
  const slow = () => sample(many(1000, () => ({ send: 1 * MS, rest: 7 * MS, receive: 2 * MS })));

  it('are absent where no transfer was to be split', () => {
    assert.equal(timestampsOf([]), undefined);
    assert.equal(timestampsOf([sample([])]), undefined);
  });

  it('have each part in the shape of the response time', () => {
    const found = timestampsOf([slow(), slow()]);
    assert.ok(found);
    assert.equal(found.sampled, 2000);
    assert.equal(found.leftOut, undefined);
    assert.equal(found.connectionWaitNs, undefined);
    assertNear(found.responseTimeNs?.p50 ?? 0, 10 * MS);
    assertNear(found.sendDelayNs?.p99 ?? 0, 1 * MS);
    assertNear(found.networkAndServerNs?.p90 ?? 0, 7 * MS);
    assertNear(found.receiveDelayNs?.max ?? 0, 2 * MS);
    const { p50, p99 } = found.clientPart ?? {};
    assertNear(p50?.clientNs ?? 0, 3 * MS);
    assertNear(p50?.share ?? 0, 0.3);
    assertNear(p99?.share ?? 0, 0.3);
  });

  it('count what was left out, by cause', () => {
    const found = timestampsOf([
      sample([{ send: 1, rest: 1, receive: 1 }], { leftOut: { noSendStamp: 2 } }),
      sample([], { leftOut: { noSendStamp: 1, readTogether: 4 } }),
    ]);
    assert.deepEqual(found?.leftOut, { total: 7, noSendStamp: 3, readTogether: 4 });
    assert.equal(found?.sampled, 1);
    assert.deepEqual(timestampsOf([sample([], { leftOut: { largeRequest: 5 } })]), {
      sampled: 0,
      leftOut: { total: 5, largeRequest: 5 },
    });
  });

  it('say nothing of a percentile that too few tell of', () => {
    const of = (/** @type {number} */ n) =>
      Object.keys(timestampsOf([sample(many(n, () => ({ send: 1, rest: 1, receive: 1 })))])?.clientPart ?? {});
    assert.deepEqual(of(29), []);
    assert.deepEqual(of(30), ['p50']);
    assert.deepEqual(of(999), ['p50']);
    assert.deepEqual(of(1000), ['p50', 'p99']);
  });

  it("do not count a wait for a connection as the client's", () => {
    const found = timestampsOf([
      sample(many(1000, () => ({ wait: 80 * MS, send: 1 * MS, rest: 10 * MS, receive: 9 * MS }))),
    ]);
    assertNear(found?.clientPart?.p50?.clientNs ?? 0, 10 * MS);
    assertNear(found?.clientPart?.p50?.share ?? 0, 0.1);
    assertNear(found?.connectionWaitNs?.p50 ?? 0, 80 * MS);
    assert.deepEqual(largeClientParts(found), []);
  });

  it('have parts of a percentile that add up, also where delays go with other transfers than long times', () => {
    // half are slow at the server, the other half waits to be read: without the client half would take 1 ms
    const found = timestampsOf([
      sample(
        many(1000, (i) =>
          i % 2 ? { send: 0, rest: 20 * MS, receive: 0 } : { send: 0, rest: 1 * MS, receive: 19 * MS },
        ),
      ),
    ]);
    assertNear(found?.clientPart?.p50?.responseNs ?? 0, 20 * MS);
    assertNear(found?.clientPart?.p50?.clientNs ?? 0, 19 * MS);
    assert.equal(found?.clientPart?.p99?.share, 0);
  });

  it("are a sentence about the client's part", () => {
    assert.equal(
      clientPartText({
        sampled: 1,
        clientPart: { p50: { responseNs: 172 * MS, clientNs: 96 * MS, share: 96 / 172 } },
      }),
      'the client itself caused 56 % of the p50 response time',
    );
    assert.equal(clientPartText({ sampled: 1 }), undefined);
    assert.equal(clientPartText(undefined), undefined);
  });
});

describe('the finding client-delay', () => {
  const found = (/** @type {any[]} */ samples, load = {}) =>
    checkSteadyState(samples, load).findings.filter(({ code }) => code === 'client-delay');
  const parts = (/** @type {number} */ client) => [
    sample(many(1000, () => ({ send: 0, rest: 100 * MS - client, receive: client }))),
  ];

  it("is given where the client's part of p50 or p99 is more than a fifth", () => {
    assert.deepEqual(found(parts(19 * MS)), []);
    const [{ severity, data, remedy }] = found(parts(22 * MS));
    assert.equal(severity, 'caution');
    assert.deepEqual(
      data.parts.map((/** @type {any} */ { percentile }) => percentile),
      ['p50', 'p99'],
    );
    assertNear(data.parts[0].share, 0.22);
    assertNear(data.receiveDelayNs, 22 * MS);
    assert.equal(data.sampled, 1000);
    assert.ok(remedy);
  });

  it('names only the percentile in question', () => {
    const tail = [sample(many(1000, (i) => ({ send: 0, rest: 1 * MS, receive: i < 20 ? 9 * MS : 10 * US })))];
    assert.deepEqual(
      found(tail)[0].data.parts.map((/** @type {any} */ { percentile }) => percentile),
      ['p99'],
    );
  });

  it('is given whatever the load, of the steady state and its drain', () => {
    assert.equal(found(parts(50 * MS), { workload: 'once' }).length, 1);
    const inRamp = parts(50 * MS).map((one) => ({ ...one, phase: 'ramp' }));
    assert.deepEqual(found(inRamp), []);
    assert.equal(found(inRamp, { workload: 'once' }).length, 1, 'whose figures are of the whole leg');
  });
});

describe('samples with timestamps', () => {
  const seconds = (/** @type {boolean} */ split) => {
    const own = () =>
      interval({
        last: true,
        counters: { transfers: 3, ...(split ? { 'timestampsLeftOut.noSendStamp': 1 } : {}) },
        histograms: {
          responseTime: recorded([10, 20, 30]),
          ...(split
            ? {
                splitResponse: recorded([10, 20]),
                sendDelay: recorded([1, 2]),
                networkAndServer: recorded([8, 16]),
                receiveDelay: recorded([1, 2]),
              }
            : {}),
        },
      });
    return samplesOf(play([own(), own()].map((one) => ({ intervals: [one], diesAfter: null }))).merged);
  };

  it('add up those of all workers', () => {
    const [one] = seconds(true);
    assert.deepEqual(one.timestampsLeftOut, { noSendStamp: 2 });
    const found = timestampsOf([one]);
    assert.equal(found?.sampled, 4);
    assert.equal(found?.networkAndServerNs?.max, 16);
    assert.equal(one.histograms.connectionWait, undefined);
    const validate = validatorOf('sample');
    assert.ok(validate(JSON.parse(JSON.stringify(one))), JSON.stringify(validate.errors));
  });

  it('have none where none was split', () => {
    const [one] = seconds(false);
    assert.equal(one.timestampsLeftOut, undefined);
    assert.equal(one.histograms.splitResponse, undefined);
  });
});
