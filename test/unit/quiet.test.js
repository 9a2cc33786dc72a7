// Stalls, from the quiet times that workers report; and the sends of an open loop, compared with the requested ones.
import assert from 'node:assert/strict';
import { arrivalsDistorted, arrivalsOf, areDistorted, latenessOf } from '../../client/judge/findings/arrivals.js';
import { stalls, stallsWaiting } from '../../client/judge/findings/stalls.js';
import { seenOf } from '../../client/judge/findings/steady-state.js';
import { Histogram } from '../../client/measure/histogram.js';
import { commonQuiet, stallsOf } from '../../client/measure/quiet.js';
import { foundIn } from '../fixtures/found.js';
import { exponential, uniform } from '../fixtures/random-numbers.js';

const MS = 1e6;

/** @param {[number, number][]} spans of each worker, in ms */
const workers = (...spans) => spans.map(([from, to]) => ({ quietFromNs: from * MS, quietToNs: to * MS }));

/**
 * @param {([number, number] | undefined)[]} quiets in ms, of each second
 * @param {number} [transfers] of each
 * @returns {any[]}
 */
const samples = (quiets, transfers = 1000) =>
  quiets.map((quiet, i) => ({
    phase: 'steady',
    fromNs: i * 1e9,
    toNs: (i + 1) * 1e9,
    counters: { transfers },
    histograms: { responseTime: null },
    client: { engines: [{ wait: 0.1 }, { wait: 0 }] },
    server: null,
    ...(quiet ? { quiet: quiet.map((ms) => ms * MS) } : {}),
  }));

/** @param {() => number} draw @param {number} n @returns {any} samples of one second with these times between sends */
function sends(draw, n, { delayNs = 0 } = {}) {
  const [sendGap, responseTime, serviceTime] = [new Histogram(), new Histogram(), new Histogram()];
  for (let i = 0; i < n; i += 1) sendGap.record(Math.round(draw()));
  serviceTime.record(1e6, n);
  responseTime.record(1e6 + delayNs, n);
  const [gaps, response, service] = [sendGap, responseTime, serviceTime].map((histogram) => histogram.toLine());
  const histograms = { sendGap: gaps, responseTime: response, serviceTime: service };
  const client = { engines: [{ worker: 0 }, { worker: 1 }] };
  return [{ phase: 'steady', fromNs: 0, toNs: 1e9, client, counters: { transfers: n, due: n, late: 0 }, histograms }];
}

const STALLS = [stalls, stallsWaiting];

describe('quiet times', () => {
  it('are those that all workers have in common', () => {
    assert.deepEqual(commonQuiet(workers([100, 900], [300, 1200])), [300 * MS, 900 * MS]);
    assert.equal(commonQuiet(workers([100, 500], [600, 900])), null, 'one of them had replies at any time');
    assert.equal(commonQuiet(workers([100, 140])), null, 'too short');
    assert.equal(commonQuiet([{ quietFromNs: 0, quietToNs: 1e9 }, {}]), null, 'the other one awaited nothing');
    assert.equal(commonQuiet([]), null);
  });

  it('are stalls where they are long; one that lasts over several samples is one', () => {
    const long = samples([[500, 1000], [500, 2000], [500, 2100], undefined, [4100, 4200], [5100, 5400]]);
    assert.deepEqual(stallsOf(long), [
      [500 * MS, 2100 * MS],
      [5100 * MS, 5400 * MS],
    ]);
    assert.deepEqual(stallsOf(samples([[500, 1000]], 10)), [], 'replies are 100 ms apart anyway');
    const data = {
      count: 2,
      longestNs: 1600 * MS,
      longestAtNs: 500 * MS,
      totalNs: 1900 * MS,
      atNs: [500 * MS, 5100 * MS],
    };
    for (const load of [{}, { workload: 'once' }])
      assert.deepEqual(
        foundIn(STALLS, long, load).map((finding) => [finding.code, finding.severity, finding.data]),
        [['stalls', 'problem', data]],
      );
  });
});

describe('a stall', () => {
  /** @param {any[]} all samples @param {number} ms of every reply @param {object} [over] */
  const withTimes = (all, ms, over) => {
    const times = new Histogram();
    times.record(ms * MS, 1000);
    return all.map((sample) => ({ ...sample, histograms: { responseTime: times.toLine(), ...over } }));
  };
  const codes = (/** @type {any[]} */ all) => foundIn(STALLS, all).map(({ code }) => code);

  it('is none where connections that wait together wait no longer than a reply takes', () => {
    const together = samples(Array.from({ length: 5 }, (_, i) => [i * 1000 + 10, i * 1000 + 288]));
    assert.deepEqual(codes(withTimes(together, 300)), []);
    assert.deepEqual(codes(withTimes(together, 0.29)), ['stalls']);
  });

  it('is long against the times of most replies, in an open loop from when the requests were sent', () => {
    const second = samples([[500, 1000], [1000, 1500], undefined]);
    assert.deepEqual(codes(withTimes(second, 0.29)), ['stalls']);
    assert.deepEqual(codes(withTimes(second, 300)), ['stalls'], 'a second without a reply');
    const service = new Histogram();
    service.record(0.29 * MS, 1000);
    assert.deepEqual(codes(withTimes(second, 5000, { serviceTime: service.toLine() })), ['stalls']);
  });
});

describe('stalls in which client or server waited for a core', () => {
  /** @param {any} use of each sample */
  const findingsOf = (use) => {
    const stalled = samples([[500, 1000], [500, 1500], undefined, [3100, 3400]]);
    for (const sample of stalled.slice(0, 2)) Object.assign(sample, use);
    return foundIn(STALLS, stalled).map(({ code, severity, data }) => [
      code,
      severity,
      data.count,
      data.longestNs / MS,
    ]);
  };

  it('are a finding of their own, of the machine', () => {
    const apart = [
      ['stalls', 'problem', 1, 300],
      ['stalls-waiting', 'caution', 1, 1000],
    ];
    assert.deepEqual(findingsOf({ client: { engines: [{ wait: 0 }, { wait: 0.6 }] } }), apart);
    assert.deepEqual(findingsOf({ server: { waitSeconds: 0.6 } }), apart);
    assert.deepEqual(findingsOf({ server: { waitSeconds: 0.4 } }), [['stalls', 'problem', 2, 1000]]);
    assert.deepEqual(foundIn(STALLS, samples([undefined])), []);
  });
});

describe('requests of a rate that were sent late', () => {
  const times = (/** @type {number} */ p99) => /** @type {any} */ ({ p50: 1e6, p99, max: 2 * p99 });
  /** @type {any} */
  const late = {
    ...{ due: 60_000, late: 11_806, unsent: 3, transfers: 59_997, failed: 0, unfinished: 0 },
    ...{ responseTimeNs: times(962e6), serviceTimeNs: times(15e6) },
  };

  it('are a problem where they make up most of the p99', () => {
    const expected = { due: 60_000, late: 11_806, unsent: 3, p99Ns: 962e6, serviceP99Ns: 15e6 };
    assert.deepEqual(latenessOf(late), expected);
    assert.equal(latenessOf({ ...late, serviceTimeNs: times(500e6) }), undefined, 'the server itself is slow');
    assert.equal(latenessOf({ ...late, late: 500, unsent: 0 }), undefined, 'few of them');
    assert.equal(latenessOf({ ...late, due: undefined }), undefined, 'closed loop');
    assert.equal(latenessOf(undefined), undefined);
  });

  it('have no p99 where the table has none: of those never sent, or of those sent, too many have no reply', () => {
    const { late: sentLate } = late;
    const unsent = latenessOf({ ...late, due: 90_000, unsent: 30_003 });
    const p99AboveNs = 1924e6;
    assert.deepEqual(unsent, { due: 90_000, late: sentLate, unsent: 30_003, p99AboveNs, serviceP99Ns: 15e6 });
    const failed = latenessOf({ ...late, transfers: 15_000, failed: 44_997 });
    assert.deepEqual(failed, { due: 60_000, late: sentLate, unsent: 3, p99AboveNs, serviceP99AboveNs: 30e6 });
  });
});

describe('arrivals', () => {
  const random = uniform(3);
  const wait = exponential(random);
  const load = /** @type {const} */ ({ rate: 2000, arrivals: 'poisson' });

  it('of a Poisson process are at little distance from it; bursts and even spacing are not', () => {
    const arrivals = arrivalsOf(
      sends(() => 1e6 * wait(), 5000),
      load,
    );
    assert.deepEqual([arrivals?.distribution, arrivals?.gaps, arrivals?.delayNs], ['poisson', 5000, 0]);
    for (const [draw, min, max] of /** @type {[() => number, number, number][]} */ ([
      [() => 1e6 * wait(), 0, 0.03],
      [() => 1e6, 0.622, 0.642], // 1 - 1/e
      [() => (random() < 0.9 ? 0 : 1e7 * wait()), 0.8, 1],
    ])) {
      const distance = Number(arrivalsOf(sends(draw, 5000), load)?.distance);
      assert.ok(distance >= min && distance <= max, `${distance}`);
    }
  });

  it('evenly spaced are those that differ by less than half', () => {
    const constant = /** @type {const} */ ({ rate: 2000, arrivals: 'constant' });
    const some = arrivalsOf(
      sends(() => (random() < 0.25 ? 1e5 : 1.2e6), 4000),
      constant,
    );
    assert.ok(some && Math.abs(some.distance - 0.25) < 0.03, `${some?.distance}`);
    assert.equal(
      arrivalsOf(
        sends(() => 1e6, 99),
        constant,
      ),
      undefined,
      'too few to tell',
    );
  });

  it('are a finding where they are distorted and that matters', () => {
    for (const [distance, delayNs, expected] of /** @type {const} */ ([
      [0.3, 2e5, true],
      [0.3, 1e4, false],
      [0.05, 2e5, false],
    ]))
      assert.equal(areDistorted({ distribution: 'poisson', gaps: 1000, distance, delayNs }, 1e6), expected);
    const late = sends(() => 1e5, 5000, { delayNs: 1e6 });
    const { arrivals } = seenOf({}, late, load);
    assert.deepEqual(
      foundIn([arrivalsDistorted], late, load).map(({ code, data }) => [code, data.delayNs, data.lateShare]),
      [['arrivals-distorted', arrivals?.delayNs, 0]],
    );
    assert.deepEqual(foundIn([arrivalsDistorted], late, { ...load, rateProfile: [] }), []);
    for (const sample of late) Object.assign(sample.counters, { due: 1e8, late: sample.histograms.sendGap?.count });
    const [{ data }] = foundIn([arrivalsDistorted], late, load);
    assert.equal(data.lateShare, 1, 'of those sent, not of those due');
  });
});
