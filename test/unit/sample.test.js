// The merge of intervals into samples: nothing counted is lost, whatever the workers do.
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { mergedIntervalsWarning } from '../../client/judge/disturbances.js';
import { clientUse } from '../../client/measure/client-use.js';
import { counterNames } from '../../client/measure/fields.js';
import { SampleMerge } from '../../client/measure/sample-merge.js';
import {
  interval,
  primaryUse,
  play,
  recorded,
  samplesOf,
  totals,
  usage,
  workerIntervals,
} from '../fixtures/intervals.js';
import { validatorOf } from '../fixtures/schemas.js';

describe('sample merge', () => {
  it('waits for every living worker, and adds counters and gauges', () => {
    const merge = new SampleMerge(2);
    merge.add(0, interval({ second: 1, counters: { transfers: 3 }, gauges: { open: 2 } }), usage);
    assert.deepEqual(merge.take(), []);
    merge.add(1, interval({ second: 1, counters: { transfers: 4 }, gauges: { open: 5 } }), usage);
    const [merged] = merge.take();
    assert.equal(merged.counters.transfers, 7);
    assert.equal(merged.gauges.open, 7);
    assert.equal(merged.usages.length, 2);
  });

  it('keeps the phases of one second separate and in order', () => {
    const merge = new SampleMerge(1);
    merge.add(0, interval({ second: 2, phase: 'steady', fromNs: 1.5e9 }), usage);
    merge.add(0, interval({ second: 2, phase: 'ramp', fromNs: 1e9, toNs: 1.5e9 }), usage);
    const phases = merge.take().map(({ second, phase }) => `${second} ${phase}`);
    assert.deepEqual(phases, ['2 ramp', '2 steady']);
  });

  it('merges rows: the random ones by the smallest keys, and the slowest', () => {
    const pairs = fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(1e6)), { maxLength: 80 });
    const random = (/** @type {number[][]} */ rows) => [...rows].sort((a, b) => a[0] - b[0]).slice(0, 50);
    const slowest = (/** @type {number[][]} */ rows) => [...rows].sort((a, b) => b[2] - a[2]).slice(0, 5);
    fc.assert(
      fc.property(fc.array(pairs, { minLength: 1, maxLength: 4 }), (workers) => {
        const merge = new SampleMerge(workers.length);
        const rows = workers.map((each, w) => each.map(([key, ns], i) => [key, i, ns, w, 0]));
        rows.forEach((some, worker) => {
          const kept = { random: random(some), slowest: slowest(some) };
          const flat = Object.entries(kept).map(([name, list]) => [name, Float64Array.from(list.flat())]);
          merge.add(worker, interval(Object.fromEntries(flat)), usage);
        });
        const [merged] = merge.take();
        const keyOf = (/** @type {number[]} */ [key]) => key;
        const timeOf = (/** @type {number[]} */ [, , ns]) => ns;
        assert.deepEqual(merged.random.map(keyOf), random(rows.flat()).map(keyOf));
        assert.deepEqual(merged.slowest.map(timeOf), slowest(rows.flat()).map(timeOf));
      }),
    );
  });

  it('loses nothing: the sum over samples is the sum over intervals, whichever workers die when', () => {
    fc.assert(
      fc.property(fc.array(workerIntervals, { minLength: 1, maxLength: 4 }), (workers) => {
        const { merged } = play(workers);
        const told = workers.flatMap(({ intervals, diesAfter }) => intervals.slice(0, diesAfter ?? undefined));
        const gone = workers.flatMap(({ intervals, diesAfter }) =>
          diesAfter !== null && diesAfter < intervals.length ? [intervals[diesAfter - 1].gauges] : [],
        );
        const expected = totals(told);
        expected.abandoned += gone.reduce((sum, { connecting }) => sum + connecting, 0);
        expected.unfinished += gone.reduce((sum, { inFlight }) => sum + inFlight, 0);
        expected.lostWithWorker += gone.reduce((sum, { open }) => sum + open, 0);
        for (const name of counterNames) {
          assert.equal(
            merged.reduce((sum, { counters }) => sum + (counters[name] ?? 0), 0),
            expected[name],
            name,
          );
        }
        const times = merged.reduce((sum, { histograms }) => sum + histograms.responseTime.count, 0);
        assert.equal(times, expected.transfers);
        const seconds = merged.map(({ second }) => second);
        assert.deepEqual(
          seconds,
          [...seconds].sort((a, b) => a - b),
        );
      }),
    );
  });

  it('marks a sample that contains an interval of several seconds, and warns about the leg', () => {
    const merge = new SampleMerge(2);
    merge.add(0, interval({ second: 5, fromNs: 1e9, merged: true, counters: { transfers: 7 } }), usage);
    merge.add(1, interval({ second: 5, fromNs: 4e9 }), usage);
    merge.add(0, interval({ second: 6 }), usage);
    merge.add(1, interval({ second: 6 }), usage);
    const samples = samplesOf(merge.take());
    assert.deepEqual(
      samples.map(({ mergedIntervals }) => mergedIntervals),
      [1, undefined],
    );
    assert.deepEqual(mergedIntervalsWarning(samples)?.data, { intervals: 1 });
    assert.equal(mergedIntervalsWarning(samples.slice(1)), null);
  });

  it('keeps the lasting gauges of an ended worker, and nothing else', () => {
    const merge = new SampleMerge(2);
    merge.add(0, interval({ second: 1, last: true, gauges: { requested: 3, open: 3, neverAnswered: 2 } }), usage);
    merge.end(0);
    merge.add(1, interval({ second: 1, gauges: { requested: 4, open: 4 } }), usage);
    merge.add(1, interval({ second: 2, last: true, gauges: { requested: 4, open: 1, neverAnswered: 1 } }), usage);
    const [first, second] = merge.take();
    assert.equal(first.gauges.open, 7);
    assert.deepEqual([second.gauges.requested, second.gauges.open, second.gauges.neverAnswered], [7, 1, 3]);
  });

  it('has transfers per connection in the last sample, unless a worker was lost', () => {
    for (const lose of [false, true]) {
      const merge = new SampleMerge(2);
      if (lose) merge.lose(0);
      for (const worker of [0, 1]) {
        const histograms = { perConnection: recorded([worker, 5]) };
        merge.add(worker, interval({ second: 1, last: true, histograms }), usage);
        merge.end(worker);
      }
      const [{ last, perConnection }] = merge.take();
      assert.deepEqual([last, perConnection?.sorted().join(' ')], [true, lose ? undefined : '0,1 1,1 5,2']);
    }
  });

  it('adds up the client: with the primary, every second of CPU, and the memory of each worker once', () => {
    const merge = new SampleMerge(2);
    merge.add(0, interval({ second: 1 }), usage);
    merge.take(1);
    merge.add(1, interval({ second: 1 }), { ...usage, rssBytes: 700 });
    for (const worker of [0, 1]) merge.add(worker, interval({ second: 2 }), usage);
    const [{ usages }] = merge.take();
    const use = clientUse(usages, primaryUse);
    assert.deepEqual([use.workers, use.rssBytes, use.cpuSeconds], [2, 500 + 1000 + 1000, 0.25 + 3 * 0.5]);
    assert.ok(Math.abs(use.engineCpuSeconds - 3 * 0.4) < 1e-12);
  });

  it('keeps engines separate, and spreads one that reports twice over both spans', () => {
    const at = (/** @type {number} */ share, /** @type {number} */ busy, wallSeconds = 1) => ({
      ...usage,
      share,
      engineCpuSeconds: busy,
      waitSeconds: 0.1,
      wallSeconds,
    });
    const { engines } = clientUse([at(1, 0.5), at(0, 0.9), at(1, 0.3, 3), at(2, 0, 0)], primaryUse);
    assert.deepEqual(engines, [
      { worker: 0, cpu: 0.9, wait: 0.1 },
      { worker: 1, cpu: 0.2, wait: 0.05 },
    ]);
    assert.deepEqual(
      clientUse([at(0, 1.1)], primaryUse).engines,
      [{ worker: 0, cpu: 1, wait: 0.1 }],
      'by other clocks',
    );
  });

  it('counts the memory of a worker once, however many engines it has', () => {
    const four = [0, 1, 2, 3].map((share) => ({ ...usage, share, rssBytes: 1000 + share }));
    const { workers, rssBytes, engines } = clientUse(four, primaryUse, 2);
    assert.deepEqual([workers, rssBytes], [2, primaryUse.rssBytes + 1002 + 1003]);
    const names = engines.map(({ worker, engine }) => `${worker}/${engine}`);
    assert.deepEqual(names, ['0/0', '1/0', '0/1', '1/1']);
  });

  it('becomes a line that matches its schema', () => {
    const validate = validatorOf('sample');
    const all = fc.array(workerIntervals, { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(all, (workers) => {
        for (const sample of samplesOf(play(workers).merged)) {
          assert.ok(validate(JSON.parse(JSON.stringify(sample))), JSON.stringify(validate.errors));
        }
      }),
      { numRuns: 20 },
    );
  });
});
