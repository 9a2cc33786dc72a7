// What the merge counts when a worker dies, reports late, or ends before the others.

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ExpectedArrivals } from '../../client/run/cluster/expected-arrivals.js';
import { SampleMerge } from '../../client/measure/sample-merge.js';
import { interval, usage, workerIntervals } from '../fixtures/intervals.js';

/** @import { Merged, Phase } from '../../client/measure/sample-merge.js' */

describe('sample merge, of workers that die or are late', () => {
  it('counts a late interval of a replacement in the next sample', () => {
    const merge = new SampleMerge(2);
    /** @param {number} worker @param {number} second @param {number} transfers @param {object} gauges */
    const add = (worker, second, transfers, gauges) =>
      merge.add(worker, interval({ second, counters: { transfers }, gauges: { requested: 5, ...gauges } }), usage);
    for (const worker of [0, 1]) add(worker, 1, 1, { open: 5, inFlight: 4, waiting: 3 });
    assert.equal(merge.take().length, 1);
    assert.deepEqual(merge.lose(1), { open: 5, abandoned: 0, unfinished: 4, unsent: 3, rows: 0 });
    add(0, 2, 1, { open: 5 });
    const [second] = merge.take();
    assert.deepEqual([second.counters.unfinished, second.counters.unsent], [4, 3]);
    assert.deepEqual([second.gauges.open, second.gauges.requested], [5, 10]);
    add(1, 2, 9, { open: 2 });
    add(0, 3, 1, { open: 5 });
    assert.deepEqual(merge.take(), []);
    add(1, 3, 1, { open: 3 });
    const [third] = merge.take();
    assert.deepEqual([third.counters.transfers, third.gauges.open], [11, 8]);
  });

  it('has no connections open of a worker that died, also while its replacement has begun but not reported', () => {
    const merge = new SampleMerge(2);
    const of = (/** @type {number} */ second) => interval({ second, counters: {}, gauges: { requested: 5, open: 5 } });
    for (const worker of [0, 1]) merge.add(worker, of(1), usage);
    assert.equal(merge.take()[0].gauges.open, 10);
    merge.lose(1);
    merge.begin(1);
    merge.add(0, of(2), usage);
    const [overdue] = merge.take(2);
    assert.deepEqual([overdue.counters.lostWithWorker, overdue.gauges.open, overdue.gauges.withoutWorker], [5, 5, 5]);
  });

  it('puts late intervals of a past phase into a sample of their own, without a time span', () => {
    const merge = new SampleMerge(2);
    /** @type {[number, Phase][]} */
    const seconds = [
      [1, 'ramp'],
      [2, 'steady'],
    ];
    const report = (/** @type {number} */ worker) => {
      for (const [second, phase] of seconds) {
        const counters = { transfers: 10 ** second, opened: 1 };
        merge.add(worker, interval({ second, phase, counters, gauges: { open: second } }), usage);
      }
    };
    report(0);
    assert.deepEqual(
      merge.take(1).map(({ second, phase }) => [second, phase]),
      [[1, 'ramp']],
    );
    report(1);
    assert.deepEqual(
      merge
        .take()
        .map(({ second, phase, fromNs, toNs, counters, gauges }) => [
          ...[second, phase, fromNs, toNs],
          ...[counters.transfers, gauges.open],
        ]),
      [
        [1, 'ramp', 1e9, 1e9, 10, 2],
        [2, 'steady', 1e9, 2e9, 200, 4],
      ],
    );
  });

  it('keeps the counts of each phase, however late a worker reports', () => {
    fc.assert(
      fc.property(
        fc.array(workerIntervals, { minLength: 2, maxLength: 4 }),
        fc.array(fc.nat(12), { minLength: 4, maxLength: 4 }),
        (workers, delays) => {
          const merge = new SampleMerge(workers.length);
          const merged = [];
          for (let turn = 0; turn < 20; turn += 1) {
            workers.forEach(({ intervals }, worker) => {
              const next = intervals[turn - delays[worker]];
              if (next) merge.add(worker, next, usage);
              if (next?.last) merge.end(worker);
            });
            merged.push(...merge.take(turn - 5));
          }
          merged.push(...merge.finish());
          for (const phase of ['ramp', 'steady', 'drain']) {
            const transfers = (/** @type {{phase: string, counters: Record<string, number>}[]} */ parts) =>
              parts.reduce((sum, part) => sum + (part.phase === phase ? (part.counters.transfers ?? 0) : 0), 0);
            assert.equal(transfers(merged), transfers(workers.flatMap(({ intervals }) => intervals)), phase);
          }
          const seconds = merged.filter(({ fromNs, toNs }) => toNs > fromNs).map(({ second }) => second);
          assert.deepEqual(
            seconds,
            seconds.toSorted((a, b) => a - b),
          );
        },
      ),
    );
  });

  const dues = () =>
    new ExpectedArrivals(
      { rates: [{ atNs: 0, rate: 20, line: false }], rampToNs: 1e9, steadyToNs: 6e9, workers: 2, connections: 2 },
      { connections: 2, arrivals: 'constant' },
    );
  /** @param {number} second @param {number} [fromNs] where it began */
  const tenOf = (second, fromNs = (second - 1) * 1e9) =>
    interval({
      second,
      fromNs,
      phase: second === 1 ? 'ramp' : 'steady',
      counters: { due: second === 1 ? 0 : Math.round((second * 1e9 - fromNs) / 1e8), transfers: second === 1 ? 0 : 1 },
      gauges: { requested: 1, open: 1, waiting: 4 },
    });
  /** @param {Merged[]} merged @param {string} name */
  const over = (merged, name) => merged.map(({ counters }) => counters[name] ?? 0);

  it('counts scheduled requests of a worker without an engine as unsent, each second', () => {
    const merge = new SampleMerge(2, dues());
    for (const second of [1, 2]) for (const worker of [0, 1]) merge.add(worker, tenOf(second), usage);
    const merged = merge.take();
    merge.lose(1);
    for (const second of [3, 4]) merge.add(0, tenOf(second), usage);
    merged.push(...merge.take());
    merge.begin(1);
    merge.add(0, tenOf(5), usage);
    assert.deepEqual(merge.take(), [], 'the replacement is waited for');
    merge.add(1, tenOf(5, 4.7e9), usage);
    merged.push(...merge.take());
    for (const worker of [0, 1]) merge.add(worker, tenOf(6), usage);
    merged.push(...merge.take(), ...merge.finish());
    assert.deepEqual(over(merged, 'due'), [0, 20, 20, 20, 20, 20]);
    assert.deepEqual(over(merged, 'unsent'), [0, 0, 4 + 10, 10, 7, 0]);
  });

  it('counts scheduled requests of a worker that never comes back until the end of the steady state, and no further', () => {
    const merge = new SampleMerge(2, dues());
    const merged = [];
    for (const second of [1, 2, 3, 4, 5, 6]) {
      merge.add(0, tenOf(second), usage);
      if (second === 1) merge.lose(1); // before its first report
      merged.push(...merge.take());
    }
    merge.add(0, interval({ second: 7, phase: 'drain', last: true }), usage);
    merge.end(0);
    merged.push(...merge.take(), ...merge.finish());
    assert.deepEqual(over(merged, 'due'), [0, 20, 20, 20, 20, 20, 0]);
    assert.deepEqual(over(merged, 'unsent'), [0, 10, 10, 10, 10, 10, 0]);
  });

  it('counts the loss of a worker after the seconds that it has reported', () => {
    const merge = new SampleMerge(2, dues());
    for (const second of [1, 2, 3]) merge.add(1, tenOf(second), usage);
    merge.lose(1);
    for (const second of [1, 2, 3, 4]) merge.add(0, tenOf(second), usage);
    const merged = merge.take();
    assert.deepEqual(over(merged, 'lostWithWorker'), [0, 0, 0, 1]);
    assert.deepEqual(over(merged, 'unsent'), [0, 0, 0, 4 + 10]);
    assert.deepEqual(
      merged.map(({ gauges }) => [gauges.open, gauges.withoutWorker].join()),
      ['2,', '2,', '2,', '1,1'],
    );
  });

  it('counts a slot as reopened if an earlier engine had opened it', () => {
    const merge = new SampleMerge(1);
    /** @param {number} second @param {number} opened @param {number} reopened */
    const opens = (second, opened, reopened) =>
      merge.add(0, interval({ second, counters: { opened, reopened }, gauges: { open: opened - reopened } }), usage);
    opens(1, 5, 1);
    const merged = merge.take();
    merge.lose(0);
    merge.begin(0);
    opens(2, 3, 0); // all of them open before
    opens(3, 4, 1); // one again, one of those before, two new ones
    merged.push(...merge.take());
    merge.lose(0);
    merge.begin(0);
    opens(4, 6, 0);
    merged.push(...merge.take());
    assert.deepEqual(over(merged, 'opened'), [5, 3, 4, 6]);
    assert.deepEqual(over(merged, 'reopened'), [1, 3, 2, 6]);
    assert.deepEqual(over(merged, 'lostWithWorker'), [0, 4, 0, 3]);
  });

  it('puts intervals that arrive after the last sample into a sample of their own', () => {
    const merge = new SampleMerge(1);
    merge.add(0, interval({ second: 4, phase: 'drain', gauges: { connecting: 3, inFlight: 2 } }), usage);
    assert.equal(merge.take().length, 1);
    merge.lose(0);
    const [rest, ...none] = merge.finish();
    assert.deepEqual(none, []);
    assert.deepEqual([rest.second, rest.phase, rest.fromNs, rest.toNs], [5, 'drain', 4e9, 4e9]);
    assert.deepEqual([rest.counters.abandoned, rest.counters.unfinished], [3, 2]);
  });
});
