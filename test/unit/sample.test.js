// The merge of intervals into samples: nothing counted is lost, whatever the workers do.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { mergedIntervalsWarning } from '../../client/results/merged-intervals.js';
import { ExpectedArrivals } from '../../client/run/cluster/expected-arrivals.js';
import { clientUse } from '../../client/results/client-use.js';
import { counterNames } from '../../client/results/counters.js';
import { toSample } from '../../client/results/sample.js';
import { SampleMerge } from '../../client/results/sample-merge.js';
import { interval, own, play, recorded, samplesOf, totals, usage, workerIntervals } from '../fixtures/intervals.js';

const schema = JSON.parse(readFileSync(new URL('../../config/schema/sample.json', import.meta.url), 'utf8'));

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

  it('counts a late interval of a replacement in the next sample', () => {
    const merge = new SampleMerge(2);
    for (const worker of [0, 1])
      merge.add(
        worker,
        interval({ second: 1, counters: { transfers: 1 }, gauges: { requested: 5, open: 5, inFlight: 4, waiting: 3 } }),
        usage,
      );
    assert.equal(merge.take().length, 1);
    assert.deepEqual(merge.lose(1), { open: 5, abandoned: 0, unfinished: 4, unsent: 3, rows: 0 });
    merge.add(0, interval({ second: 2, counters: { transfers: 1 }, gauges: { requested: 5, open: 5 } }), usage);
    const [second] = merge.take();
    assert.deepEqual([second.counters.unfinished, second.counters.unsent], [4, 3]);
    assert.deepEqual([second.gauges.open, second.gauges.requested], [5, 10]);
    merge.add(1, interval({ second: 2, counters: { transfers: 9 }, gauges: { requested: 5, open: 2 } }), usage);
    merge.add(0, interval({ second: 3, counters: { transfers: 1 }, gauges: { requested: 5, open: 5 } }), usage);
    assert.deepEqual(merge.take(), []);
    merge.add(1, interval({ second: 3, counters: { transfers: 1 }, gauges: { requested: 5, open: 3 } }), usage);
    const [third] = merge.take();
    assert.equal(third.counters.transfers, 11);
    assert.equal(third.gauges.open, 8);
  });

  it('puts late intervals of a past phase into a sample of their own, without a time span', () => {
    const merge = new SampleMerge(2);
    const of = (
      /** @type {number} */ second,
      /** @type {import('../../client/run/cluster/messages.js').Phase} */ phase,
    ) => interval({ second, phase, counters: { transfers: 10 ** second, opened: 1 }, gauges: { open: second } });
    merge.add(0, of(1, 'ramp'), usage);
    merge.add(0, of(2, 'steady'), usage);
    assert.deepEqual(
      merge.take(1).map(({ second, phase }) => [second, phase]),
      [[1, 'ramp']],
    );
    merge.add(1, of(1, 'ramp'), usage);
    merge.add(1, of(2, 'steady'), usage);
    const merged = merge.take();
    assert.deepEqual(
      merged.map(({ second, phase, fromNs, toNs, counters, gauges }) => [
        second,
        phase,
        fromNs,
        toNs,
        counters.transfers,
        gauges.open,
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
              parts.reduce((sum, one) => sum + (one.phase === phase ? (one.counters.transfers ?? 0) : 0), 0);
            assert.equal(transfers(merged), transfers(workers.flatMap(({ intervals }) => intervals)), phase);
          }
          const spans = merged.filter(({ fromNs, toNs }) => toNs > fromNs);
          assert.deepEqual(
            spans.map(({ second }) => second),
            spans.map(({ second }) => second).sort((a, b) => a - b),
          );
        },
      ),
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
  /** @param {import('../../client/results/sample-merge.js').Merged[]} merged @param {string} name */
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

  it('counts scheduled requests of a worker that is killed after too long a wait', () => {
    const merge = new SampleMerge(2, dues());
    for (const second of [1, 2]) for (const worker of [0, 1]) merge.add(worker, tenOf(second), usage);
    for (const second of [3, 4, 5, 6]) merge.add(0, tenOf(second), usage);
    merge.add(0, interval({ second: 7, phase: 'drain', last: true }), usage);
    merge.end(0);
    const merged = merge.take(7);
    assert.deepEqual(over(merged, 'due'), [0, 20, 10, 10, 10, 10, 0]);
    merge.lose(1);
    const [rest, ...none] = merge.finish();
    assert.deepEqual([none, rest.phase, rest.counters.due, rest.counters.unsent], [[], 'drain', 40, 44]);
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
      merged.map(({ gauges }) => gauges.withoutWorker),
      [undefined, undefined, undefined, 1],
    );
    assert.deepEqual(
      merged.map(({ gauges }) => gauges.open),
      [2, 2, 2, 1],
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

  it('emits an overdue sample without the silent worker, and counts its share later', () => {
    const merge = new SampleMerge(2);
    for (const second of [1, 2, 3]) merge.add(0, interval({ second, counters: { transfers: 1 } }), usage);
    merge.add(1, interval({ second: 1, counters: { transfers: 1 } }), usage);
    assert.deepEqual(
      merge.take(2).map(({ second, counters }) => [second, counters.transfers]),
      [
        [1, 2],
        [2, 1],
      ],
    );
    for (const second of [2, 3]) merge.add(1, interval({ second, counters: { transfers: 10 } }), usage);
    assert.deepEqual(
      merge.take().map(({ second, counters }) => [second, counters.transfers]),
      [[3, 21]],
    );
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

  it('reports busy polling separately, which does not count as load of the engine', () => {
    const at = (/** @type {number} */ share, /** @type {number} */ idlePollSeconds) => ({
      ...usage,
      share,
      engineCpuSeconds: 1,
      idlePollSeconds,
      waitSeconds: 0,
    });
    const use = clientUse([at(0, 0.75), at(1, 0.5), { ...usage, share: 2 }], own);
    assert.deepEqual([use.idlePollSeconds, use.engineCpuSeconds, use.busiestEngine], [1.25, 2.4, 0.5]);
    assert.deepEqual(
      use.engines.map(({ idlePoll }) => idlePoll),
      [0.75, 0.5, undefined],
    );
    const most = clientUse([at(0, 1.01)], own);
    assert.deepEqual([most.idlePollSeconds, most.busiestEngine], [1, 0], 'by other clocks');
    assert.equal(
      'idlePollSeconds' in
        clientUse(
          [usage].map((one) => ({ ...one, share: 0 })),
          own,
        ),
      false,
    );
  });

  it('becomes a line that matches its schema', () => {
    const validate = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false }).compile(schema);
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
    const [one, two] = merge.take();
    const whole = toSample(two, {
      client: clientUse(two.usages, own),
      busy: [1],
      kernel: { TcpOutRsts: 1 },
      server: { cpuSeconds: 1, rssBytes: 1, threads: 2, processes: 2, processCpu: [1.5, 0] },
      serverKernel: { TcpOutRsts: 2 },
      limitedBy: 'none',
    });
    assert.ok(validate(JSON.parse(JSON.stringify(whole))), JSON.stringify(validate.errors));
    assert.equal('idlePollSeconds' in whole.client, false);
    const spins = { ...whole, client: clientUse([{ ...usage, share: 0, idlePollSeconds: 0.1 }], own) };
    const line = toSample(two, { client: spins.client, busy: [1], kernel: {}, server: null, limitedBy: 'none' });
    assert.ok(validate(JSON.parse(JSON.stringify(line))), JSON.stringify(validate.errors));
    assert.equal(line.client.idlePollSeconds, 0.1);
    const broken = {
      ...toSample(one, {
        client: { ...usage, workers: 1, busiestEngine: 0, engines: [] },
        server: null,
        busy: [],
        kernel: {},
        limitedBy: 'none',
      }),
      phase: 'later',
    };
    assert.equal(validate(broken), false);
  });
});
