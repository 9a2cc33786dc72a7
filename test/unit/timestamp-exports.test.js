// What kernel timestamps say of a run, in the exports for other tools: each with the figures of its samples or its
// summary.

import assert from 'node:assert/strict';
import { metricsOf } from '../../client/exports/metrics.js';
import { Histogram } from '../../client/measure/histogram.js';
import { timestampsOf } from '../../client/measure/timestamps.js';

/** @import { HistogramLine } from '../../client/measure/histogram.js' */

const US = 1e3;

/** @param {number} n @param {number} value @returns {HistogramLine | null} */
function line(n, value) {
  const histogram = new Histogram();
  histogram.record(value, n);
  return histogram.toLine();
}

/** @param {number} second @param {Record<string, unknown>} more @returns {any} a sample without kernel timestamps */
const sampleOf = (second, more = {}) => ({
  phase: 'steady',
  fromNs: second * 1e9,
  toNs: (second + 1) * 1e9,
  ...{ counters: { transfers: 1000 }, gauges: {}, rejects: {}, errors: {} },
  histograms: { responseTime: line(1000, 100 * US) },
  ...more,
});

/** 1,000 transfers of 100 us: 10 us to leave, 60 us in network and server, 30 us until the reply was read. */
const split = sampleOf(1, {
  timestampsLeftOut: { sentTogether: 3, noSendStamp: 4 },
  histograms: {
    responseTime: line(1000, 100 * US),
    splitResponse: line(1000, 100 * US),
    sendDelay: line(1000, 10 * US),
    networkAndServer: line(1000, 60 * US),
    receiveDelay: line(1000, 30 * US),
  },
});

/** @param {any[]} samples @returns {any} */
function summaryOf(samples) {
  const timestamps = timestampsOf(samples);
  const times = Histogram.ofLines(samples.map(({ histograms }) => histograms.responseTime));
  const [p50, p99] = times.percentiles([50, 99]);
  const responseTimeNs = { count: times.count, mean: p50, p50, p99, max: times.max };
  const steady = {
    ...{ fromNs: 0, toNs: 1e9, transfers: 1000, failed: 0, unfinished: 0, perSecond: 1000 },
    ...{ responseTimeNs, client: {} },
  };
  const leg = {
    ...{ id: '01-epoll', label: 'epoll', server: 'epoll', round: 1, complete: true, warnings: [], findings: [] },
    steady: { ...steady, ...(timestamps ? { timestamps } : {}) },
  };
  return {
    ...{ run: 'r', scenario: 's', complete: true, startedAt: '2026-01-01T00:00:00Z', endedAt: '2026-01-01T00:00:09Z' },
    ...{ legs: [leg], warnings: [], config: { loop: 'closed' } },
  };
}

/** @param {number | undefined} actual @param {number} expected to a bucket of the histogram */
const assertNear = (actual, expected) =>
  assert.ok(Math.abs(Number(actual) - expected) <= expected * 0.002, `${actual} is not about ${expected}`);

describe('exports of kernel timestamps', () => {
  it('metrics have the time of network and server, and the share of the client, where they are known', () => {
    const points = (/** @type {any} */ sample, /** @type {string} */ name) =>
      metricsOf(summaryOf([sample])).find((metric) => metric.name === name)?.points ?? [];
    const [p50, p99] = points(split, 'client_part');
    assert.deepEqual([p50.labels.quantile, p99.labels.quantile], ['0.5', '0.99']);
    assertNear(Number(p50.value), 0.4);
    const [{ labels, value }] = points(split, 'network_server_time');
    assert.equal(labels.case, 'epoll');
    assertNear(Number(value), 60e-6);
    assert.deepEqual([...points(sampleOf(0), 'client_part'), ...points(sampleOf(0), 'network_server_time')], []);
  });
});
