// Kernel timestamps in a scenario, in samples and in a summary: what is refused, how the parts of response times are
// added up, whose part of a percentile is whose, and when that is a finding.

import assert from 'node:assert/strict';
import { clientDelay } from '../../client/judge/findings/client-delay.js';
import { Histogram } from '../../client/measure/histogram.js';
import { largeClientParts, timestampsOf } from '../../client/measure/timestamps.js';
import { resolveScenario } from '../../client/scenario/scenario.js';
import { interval, play, recorded, samplesOf } from '../fixtures/intervals.js';
import { assertConforms } from '../fixtures/schemas.js';
import { foundIn } from '../fixtures/found.js';

/** @import { HistogramLine } from '../../client/measure/histogram.js' */

const US = 1e3;
const MS = 1e6;

/** @param {number[]} values @returns {HistogramLine | null} */
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
  const of = (
    /** @type {(transfer: { send: number, rest: number, receive: number, wait: number }) => number} */ part,
  ) => line(transfers.map((transfer) => part({ wait: 0, ...transfer })));
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
  it('is sample, and off where there is nothing to sample', () => {
    for (const [content, value] of /** @type {[Record<string, unknown>, string][]} */ ([
      [{}, 'sample'],
      [{ tls: true }, 'sample'],
      [{ timestamps: 'off' }, 'off'],
      [{ transport: 'sctp' }, 'off'],
      [{ transport: 'udp', protocol: 'memcached', servers: ['memcached'] }, 'off'],
      [{ listen: 'unix' }, 'off'],
      [{ servers: undefined, target: 'unix:/run/echo' }, 'off'],
      [{ protocol: 'stream' }, 'off'],
      [{ workload: 'hold' }, 'off'],
      [{ payload: '65KiB' }, 'off'],
      [{ payload: '70KiB-80KiB' }, 'off'],
    ])) {
      const scenario = resolveScenario({ content: { servers: ['epoll'], connections: 4, ...content } });
      assert.equal(scenario.timestamps, value, JSON.stringify(content));
    }
  });
});

describe('timestamps', () => {
  const slow = () => sample(many(1000, () => ({ send: 1 * MS, rest: 7 * MS, receive: 2 * MS })));

  it('have each part in the shape of the response time, and are absent where no transfer was to be split', () => {
    for (const samples of [[], [sample([])]]) assert.equal(timestampsOf(samples), undefined);
    const timestamps = timestampsOf([slow(), slow()]);
    assert.ok(timestamps);
    assert.equal(timestamps.sampled, 2000);
    assert.equal(timestamps.leftOut, undefined);
    assert.equal(timestamps.connectionWaitNs, undefined);
    assertNear(timestamps.responseTimeNs?.p50 ?? 0, 10 * MS);
    assertNear(timestamps.sendDelayNs?.p99 ?? 0, 1 * MS);
    assertNear(timestamps.networkAndServerNs?.p90 ?? 0, 7 * MS);
    assertNear(timestamps.receiveDelayNs?.max ?? 0, 2 * MS);
    const { p50, p99 } = timestamps.clientPart ?? {};
    assertNear(p50?.clientNs ?? 0, 3 * MS);
    assertNear(p50?.share ?? 0, 0.3);
    assertNear(p99?.share ?? 0, 0.3);
  });

  it('count what was left out, by cause', () => {
    const timestamps = timestampsOf([
      sample([{ send: 1, rest: 1, receive: 1 }], { leftOut: { noSendStamp: 2 } }),
      sample([], { leftOut: { noSendStamp: 1, readTogether: 4 } }),
    ]);
    assert.deepEqual(timestamps?.leftOut, { total: 7, noSendStamp: 3, readTogether: 4 });
    assert.equal(timestamps?.sampled, 1);
    assert.deepEqual(timestampsOf([sample([], { leftOut: { largeRequest: 5 } })]), {
      sampled: 0,
      leftOut: { total: 5, largeRequest: 5 },
    });
  });

  it('say nothing of a percentile that too few tell of', () => {
    for (const [n, percentiles] of /** @type {[number, string][]} */ ([
      [29, ''],
      [30, 'p50'],
      [999, 'p50'],
      [1000, 'p50,p99'],
    ])) {
      const timestamps = timestampsOf([sample(many(n, () => ({ send: 1, rest: 1, receive: 1 })))]);
      assert.equal(Object.keys(timestamps?.clientPart ?? {}).join(), percentiles);
    }
  });

  it("do not count a wait for a connection as the client's", () => {
    const timestamps = timestampsOf([
      sample(many(1000, () => ({ wait: 80 * MS, send: 1 * MS, rest: 10 * MS, receive: 9 * MS }))),
    ]);
    assertNear(timestamps?.clientPart?.p50?.clientNs ?? 0, 10 * MS);
    assertNear(timestamps?.clientPart?.p50?.share ?? 0, 0.1);
    assertNear(timestamps?.connectionWaitNs?.p50 ?? 0, 80 * MS);
    assert.deepEqual(largeClientParts(timestamps), []);
  });

  it('have parts of a percentile that add up, also where delays go with other transfers than long times', () => {
    // half are slow at the server, the other half waits to be read: without the client half would take 1 ms
    const timestamps = timestampsOf([
      sample(
        many(1000, (i) =>
          i % 2 ? { send: 0, rest: 20 * MS, receive: 0 } : { send: 0, rest: 1 * MS, receive: 19 * MS },
        ),
      ),
    ]);
    assertNear(timestamps?.clientPart?.p50?.responseNs ?? 0, 20 * MS);
    assertNear(timestamps?.clientPart?.p50?.clientNs ?? 0, 19 * MS);
    assert.equal(timestamps?.clientPart?.p99?.share, 0);
  });
});

describe('the finding client-delay', () => {
  const findingsOf = (/** @type {any[]} */ samples, load = {}) => foundIn([clientDelay], samples, load);
  const parts = (/** @type {number} */ client) => [
    sample(many(1000, () => ({ send: 0, rest: 100 * MS - client, receive: client }))),
  ];

  const percentilesOf = (/** @type {any} */ { parts: all }) =>
    all.map((/** @type {any} */ { percentile }) => percentile).join();

  it("is given where the client's part of p50 or p99 is more than a fifth", () => {
    assert.deepEqual(findingsOf(parts(19 * MS)), []);
    const [{ severity, data }] = findingsOf(parts(22 * MS));
    assert.deepEqual([severity, data.sampled, percentilesOf(data)], ['caution', 1000, 'p50,p99']);
    assertNear(data.parts[0].share, 0.22);
    assertNear(data.receiveDelayNs, 22 * MS);
  });

  it('names only the percentile in question', () => {
    const tail = [sample(many(1000, (i) => ({ send: 0, rest: 1 * MS, receive: i < 20 ? 9 * MS : 10 * US })))];
    assert.equal(percentilesOf(findingsOf(tail)[0].data), 'p99');
  });

  it('is given whatever the load, of the steady state and its drain', () => {
    assert.equal(findingsOf(parts(50 * MS), { workload: 'once' }).length, 1);
    const inRamp = parts(50 * MS).map((sample) => ({ ...sample, phase: 'ramp' }));
    assert.deepEqual(findingsOf(inRamp), []);
    assert.equal(findingsOf(inRamp, { workload: 'once' }).length, 1, 'whose figures are of the whole leg');
  });
});

describe('samples with timestamps', () => {
  it('add up those of all workers', () => {
    const worker = () =>
      interval({
        last: true,
        counters: { transfers: 3, 'timestampsLeftOut.noSendStamp': 1 },
        histograms: {
          ...{ responseTime: recorded([10, 20, 30]), splitResponse: recorded([10, 20]), sendDelay: recorded([1, 2]) },
          ...{ networkAndServer: recorded([8, 16]), receiveDelay: recorded([1, 2]) },
        },
      });
    const [sample] = samplesOf(
      play([worker(), worker()].map((last) => ({ intervals: [last], diesAfter: null }))).merged,
    );
    assert.deepEqual(sample.timestampsLeftOut, { noSendStamp: 2 });
    const timestamps = timestampsOf([sample]);
    assert.deepEqual([timestamps?.sampled, timestamps?.networkAndServerNs?.max], [4, 16]);
    assert.equal(sample.histograms.connectionWait, undefined);
    assertConforms('sample', JSON.parse(JSON.stringify(sample)));
  });
});
