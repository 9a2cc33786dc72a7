// The merge of intervals into samples: nothing counted is lost, whatever the workers do.
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { mergedIntervalsWarning } from '../../client/judge/disturbances.js';
import { clientUse } from '../../client/measure/client-use.js';
import { counterNames } from '../../client/measure/counters.js';
import { toSample } from '../../client/measure/sample.js';
import { SampleMerge } from '../../client/measure/sample-merge.js';
import { interval, own, play, recorded, samplesOf, totals, usage, workerIntervals } from '../fixtures/intervals.js';
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
    assert.deepEqual(
      merge.take().map(({ second, phase }) => [second, phase]),
      [
        [2, 'ramp'],
        [2, 'steady'],
      ],
    );
  });

  it('merges rows: the random ones by the smallest keys, and the slowest', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(1e6)), { maxLength: 80 }), {
          minLength: 1,
          maxLength: 4,
        }),
        (workers) => {
          const merge = new SampleMerge(workers.length);
          const bottom = (/** @type {number[][]} */ rows, /** @type {number} */ most) =>
            rows.sort((a, b) => a[0] - b[0]).slice(0, most);
          const top = (/** @type {number[][]} */ rows, /** @type {number} */ most) =>
            rows.sort((a, b) => b[2] - a[2]).slice(0, most);
          const rows = workers.map((pairs, w) => pairs.map(([key, ns], i) => [key, i, ns, w, 0]));
          rows.forEach((own, worker) =>
            merge.add(
              worker,
              interval({
                random: Float64Array.from(bottom([...own], 50).flat()),
                slowest: Float64Array.from(top([...own], 5).flat()),
              }),
              usage,
            ),
          );
          const [merged] = merge.take();
          assert.deepEqual(
            merged.random.map(([key]) => key),
            bottom(rows.flat(), 50).map(([key]) => key),
          );
          assert.deepEqual(
            merged.slowest.map((row) => row[2]),
            top(rows.flat(), 5).map((row) => row[2]),
          );
        },
      ),
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
        assert.deepEqual(
          merged.map(({ second }) => second),
          [...merged.map(({ second }) => second)].sort((a, b) => a - b),
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
        merge.add(
          worker,
          interval({ second: 1, last: true, histograms: { perConnection: recorded([worker, 5]) } }),
          usage,
        );
        merge.end(worker);
      }
      const [merged] = merge.take();
      assert.equal(merged.last, true);
      assert.deepEqual(
        merged.perConnection?.sorted(),
        lose
          ? undefined
          : [
              [0, 1],
              [1, 1],
              [5, 2],
            ],
      );
    }
  });

  it('adds up the client: with the primary, every second of CPU, and the memory of each worker once', () => {
    const merge = new SampleMerge(2);
    merge.add(0, interval({ second: 1 }), usage);
    merge.take(1);
    merge.add(1, interval({ second: 1 }), { ...usage, rssBytes: 700 });
    for (const worker of [0, 1]) merge.add(worker, interval({ second: 2 }), usage);
    const [{ usages }] = merge.take();
    const use = clientUse(usages, own);
    assert.deepEqual([usages.length, use.workers, use.rssBytes], [3, 2, 500 + 1000 + 1000]);
    assert.equal(use.cpuSeconds, 0.25 + 3 * 0.5);
    assert.ok(Math.abs(use.engineCpuSeconds - 3 * 0.4) < 1e-12);
    assert.deepEqual(clientUse([], own), {
      cpuSeconds: 0.25,
      rssBytes: 500,
      engineCpuSeconds: 0,
      waitSeconds: 0,
      workers: 0,
      busiestEngine: 0,
      busiestWait: 0,
      engines: [],
    });
  });

  it('keeps engines separate, and spreads one that reports twice over both spans', () => {
    const at = (/** @type {number} */ share, /** @type {number} */ busy, wallSeconds = 1) => ({
      ...usage,
      share,
      engineCpuSeconds: busy,
      waitSeconds: 0.1,
      wallSeconds,
    });
    const { engines } = clientUse([at(1, 0.5), at(0, 0.9), at(1, 0.3, 3), at(2, 0, 0)], own);
    assert.deepEqual(engines, [
      { worker: 0, cpu: 0.9, wait: 0.1 },
      { worker: 1, cpu: 0.2, wait: 0.05 },
    ]);
    assert.deepEqual(clientUse([at(0, 1.1)], own).engines, [{ worker: 0, cpu: 1, wait: 0.1 }], 'by other clocks');
  });

  it('counts the memory of a worker once, however many engines it has', () => {
    const use = clientUse(
      [0, 1, 2, 3].map((share) => ({ ...usage, share, rssBytes: 1000 + share })),
      own,
      2,
    );
    assert.deepEqual([use.workers, use.rssBytes], [2, own.rssBytes + 1002 + 1003]);
    assert.deepEqual(
      use.engines.map(({ worker, engine }) => [worker, engine]),
      [
        [0, 0],
        [1, 0],
        [0, 1],
        [1, 1],
      ],
    );
  });

  it('becomes a line that matches its schema', () => {
    const validate = validatorOf('sample');
    fc.assert(
      fc.property(fc.array(workerIntervals, { minLength: 1, maxLength: 3 }), (workers) => {
        for (const sample of samplesOf(play(workers).merged)) {
          assert.ok(validate(JSON.parse(JSON.stringify(sample))), JSON.stringify(validate.errors));
        }
      }),
      { numRuns: 20 },
    );
    const merge = new SampleMerge(1);
    merge.add(0, interval({}), usage);
    merge.add(0, interval({ second: 2 }), usage);
    const [, two] = merge.take();
    const whole = toSample(two, {
      client: clientUse(two.usages, own),
      busy: [1],
      kernel: { TcpOutRsts: 1 },
      server: { cpuSeconds: 1, rssBytes: 1, threads: 2, processes: 2, processCpu: [1.5, 0] },
      serverKernel: { TcpOutRsts: 2 },
      limitedBy: 'none',
    });
    assert.ok(validate(JSON.parse(JSON.stringify(whole))), JSON.stringify(validate.errors));
  });
});
