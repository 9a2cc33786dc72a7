// The steady state in summary.json, and what takes its place in legs that have none.

import assert from 'node:assert/strict';
import { heldAtEnd, heldTooFew } from '../../client/measure/leg-figures.js';
import { summariseLeg, summariseRun } from '../../client/judge/summary.js';
import { SampleMerge } from '../../client/measure/sample-merge.js';
import { interval, recorded, samplesOf, usage } from '../fixtures/intervals.js';
import { end, leg, run, validate } from '../fixtures/summary-inputs.js';

describe('the steady state of a summary', () => {
  it('includes replies that arrived during the drain in the response times of the steady state', () => {
    const merge = new SampleMerge(1);
    const times = (/** @type {number[]} */ ...values) => ({ histograms: { responseTime: recorded(values) } });
    merge.add(0, interval({ second: 1, counters: { transfers: 2 }, ...times(10, 20) }), usage);
    merge.add(0, interval({ second: 2, phase: 'drain', counters: { transfers: 1 }, ...times(5000) }), usage);
    /** @type {any} */
    const { steady } = summariseLeg(leg, samplesOf(merge.take()), end);
    assert.deepEqual([steady.transfers, steady.responseTimeNs.count, steady.responseTimeNs.max], [2, 3, 5000]);
  });

  it('counts what failed or was cut off in the drain as failed or unfinished in the steady state, and nothing else', () => {
    const merge = new SampleMerge(1);
    const counters = { transfers: 10, failed: 1, unfinished: 2 };
    merge.add(0, interval({ second: 1, phase: 'ramp', counters }), usage);
    merge.add(0, interval({ second: 2, phase: 'steady', counters }), usage);
    merge.add(0, interval({ second: 3, phase: 'steady', counters }), usage);
    merge.add(0, interval({ second: 4, phase: 'drain', counters: { transfers: 5, failed: 3, unfinished: 7 } }), usage);
    /** @type {any} */
    const { steady } = summariseLeg(leg, samplesOf(merge.take()), end);
    assert.deepEqual([steady.transfers, steady.failed, steady.unfinished], [20, 5, 11]);
  });

  it('states for how long each side was the limit in the steady state, and what each engine thread did', () => {
    const merge = new SampleMerge(2);
    for (const second of [1, 2, 3, 4]) {
      const busy = { ...usage, engineCpuSeconds: second / 10 };
      merge.add(0, interval({ second, phase: second === 1 ? 'ramp' : 'steady' }), busy);
      merge.add(1, interval({ second, phase: second === 1 ? 'ramp' : 'steady' }), usage);
    }
    const samples = samplesOf(merge.take());
    samples[1].limitedBy = 'server';
    samples[2].limitedBy = 'machine';
    const placed = { ...leg, pin: { client: '0', server: null } };
    /** @type {any} */
    const summary = summariseLeg(placed, samples, end);
    assert.deepEqual(summary.limitShares, { machine: 1 / 3, client: 0, server: 1 / 3, none: 1 / 3 });
    assert.equal(summary.limitedBy, 'none');
    assert.deepEqual(
      summary.steady.client.engines.map((/** @type {any} */ { worker, cpu, wait }) => [
        worker,
        cpu.toFixed(3),
        wait.toFixed(3),
      ]),
      [
        [0, '0.300', '0.100'],
        [1, '0.400', '0.100'],
      ],
    );
    assert.deepEqual(summary.pin, { client: '0', server: null });
    assert.ok(validate(summariseRun(run, [JSON.parse(JSON.stringify(summary))])), JSON.stringify(validate.errors));
    assert.equal('pin' in summariseLeg(leg, samples, end), false);
    /** @type {any} */
    const ramp = summariseLeg(leg, samples.slice(0, 1), end);
    assert.deepEqual([ramp.limitedBy, 'limitShares' in ramp], ['none', false]);
  });

  it('excludes the warm-up from the steady state, except for transfers that were still pending', () => {
    const merge = new SampleMerge(1);
    /** @type {[import('../../client/run/cluster/messages.js').Phase, number, number, number][]} */
    const seconds = [
      ['ramp', 0, 0, 0],
      ['warmup', 10, 4, 6],
      ['warmup', 10, 9, 7],
      ['steady', 10, 12, 5],
      ['drain', 0, 5, 0],
    ];
    seconds.forEach(([phase, due, transfers, waiting], i) =>
      merge.add(
        0,
        interval({
          second: i + 1,
          phase,
          last: i === 4,
          counters: { due, transfers, late: transfers, failed: 1, unfinished: 1 },
          gauges: { waiting, open: 1, requested: 1 },
          histograms: { responseTime: recorded(Array(transfers).fill(1000 * (i + 1))) },
        }),
        usage,
      ),
    );
    /** @type {any} */
    const summary = summariseLeg(leg, samplesOf(merge.take()), end, { rate: 10 });
    assert.deepEqual(summary.phases, { warmupFromNs: 1e9, steadyFromNs: 3e9, steadyToNs: 4e9, endNs: 5e9 });
    assert.deepEqual(summary.warmup, { fromNs: 1e9, toNs: 3e9, transfers: 13 });
    const { due, late, unsent, transfers, failed, unfinished, responseTimeNs } = summary.steady;
    assert.deepEqual(
      { due, late, unsent, transfers, failed, unfinished },
      { due: 17, late: 12, unsent: 0, transfers: 12, failed: 2, unfinished: 2 },
    );
    assert.deepEqual([responseTimeNs.count, responseTimeNs.min], [17, 4000]);
    assert.deepEqual([summary.transfers.count, summary.transfers.due], [30, 30]);
    assert.ok(validate(summariseRun(run, [JSON.parse(JSON.stringify(summary))])), JSON.stringify(validate.errors));
  });

  it('has the figures of the warm-up or of the ramp if there is no steady state', () => {
    const of = (/** @type {import('../../client/run/cluster/messages.js').Phase[]} */ phases, load = {}) => {
      const merge = new SampleMerge(1);
      phases.forEach((phase, i) =>
        merge.add(
          0,
          interval({
            second: i + 1,
            phase,
            last: i === phases.length - 1,
            counters: { transfers: i + 1 },
            histograms: { responseTime: recorded(Array(i + 1).fill(1000 * (i + 1))) },
          }),
          usage,
        ),
      );
      /** @type {any} */
      const summary = summariseLeg(leg, samplesOf(merge.take()), { ...end, endedBy: 'done' }, load);
      assert.ok(validate(summariseRun(run, [JSON.parse(JSON.stringify(summary))])), JSON.stringify(validate.errors));
      assert.equal(summary.complete, true);
      return summary;
    };
    const { steady, beforeSteady } = of(['ramp', 'ramp', 'drain']);
    assert.deepEqual(
      [steady, beforeSteady.phase, beforeSteady.transfers, beforeSteady.perSecond],
      [undefined, 'ramp', 3, 1.5],
    );
    assert.deepEqual([beforeSteady.responseTimeNs.count, beforeSteady.perConnection], [3, undefined]);
    const warm = of(['ramp', 'warmup', 'drain']).beforeSteady;
    assert.deepEqual([warm.phase, warm.transfers], ['warmup', 2]);
    assert.equal(of(['ramp', 'steady', 'drain']).beforeSteady, undefined);
    assert.equal(of(['ramp', 'drain'], { workload: 'once' }).beforeSteady, undefined);
  });

  it('has the figures of the whole leg in workload once, its rate over the time up to the last reply', () => {
    const of = (/** @type {{phase: any, toNs: number, transfers: number}[]} */ spans, endedBy = 'done') => {
      const merge = new SampleMerge(1);
      spans.forEach(({ phase, toNs, transfers }, i) =>
        merge.add(
          0,
          {
            ...interval({
              second: i + 1,
              phase,
              last: i === spans.length - 1,
              counters: { transfers, bytesReceived: 1000 * transfers },
              histograms: { responseTime: recorded(Array(transfers).fill(5000)) },
            }),
            fromNs: spans[i - 1]?.toNs ?? 0,
            toNs,
          },
          usage,
        ),
      );
      const samples = samplesOf(merge.take());
      const ended = /** @type {any} */ ({ ...end, endedBy });
      /** @type {any} */
      const summary = JSON.parse(JSON.stringify(summariseLeg(leg, samples, ended, { workload: 'once' })));
      assert.ok(validate(summariseRun(run, [summary])), JSON.stringify(validate.errors));
      assert.equal(summary.steady, undefined, 'never of a sliver after the ramp');
      return summary;
    };
    // a burst that ends just after its ramp: all but two replies came before the steady state
    const burst = of([
      { phase: 'ramp', toNs: 1e8, transfers: 98 },
      { phase: 'steady', toNs: 1.002e8, transfers: 2 },
    ]);
    assert.equal(Math.round(burst.wholeLeg.perSecond), Math.round(100 / 0.1002));
    assert.equal(burst.wholeLeg.responseTimeNs.count, 100);
    const inRamp = of([{ phase: 'ramp', toNs: 2e8, transfers: 100 }]);
    assert.deepEqual([inRamp.wholeLeg.perSecond, inRamp.wholeLeg.responseTimeNs.p50], [500, 5000]);
    // one that waits for those that are never answered
    const waits = of(
      [
        { phase: 'ramp', toNs: 1e9, transfers: 100 },
        { phase: 'steady', toNs: 2e9, transfers: 100 },
        { phase: 'steady', toNs: 10e9, transfers: 0 },
      ],
      'plan',
    );
    assert.deepEqual([waits.wholeLeg.perSecond, waits.wholeLeg.bytesPerSecond], [100, 100_000]);
    assert.deepEqual([waits.wholeLeg.answeredToNs, waits.wholeLeg.toNs], [2e9, 10e9]);
  });

  it("has the server's context switches a second, if every second of the leg has them", () => {
    const of = (/** @type {(object | undefined)[]} */ switches) => {
      const merge = new SampleMerge(1);
      switches.forEach((_, i) =>
        merge.add(0, interval({ second: i + 1, phase: 'steady', last: i === switches.length - 1 }), usage),
      );
      const samples = samplesOf(merge.take()).map((sample, i) => ({
        ...sample,
        server: {
          cpuSeconds: 1,
          rssBytes: 1,
          threads: 1,
          processes: 1,
          ...(switches[i] && { contextSwitches: switches[i] }),
        },
      }));
      /** @type {any} */
      const summary = JSON.parse(JSON.stringify(summariseLeg(leg, /** @type {any} */ (samples), end)));
      assert.ok(validate(summariseRun(run, [summary])), JSON.stringify(validate.errors));
      return summary.serverUse.contextSwitchesPerSecond;
    };
    const some = { voluntary: 10, involuntary: 2 };
    assert.deepEqual(of([some, { voluntary: 30, involuntary: 4 }]), { voluntary: 20, involuntary: 3 });
    assert.equal(of([some, undefined]), undefined);
  });

  it('of connections that are not reopened says how many opened, not how many are left', () => {
    const merge = new SampleMerge(1);
    const gauges = { requested: 10, open: 2, peakOpen: 10 };
    merge.add(
      0,
      interval({ second: 1, phase: 'steady', last: true, counters: { opened: 10, transfers: 5 }, gauges }),
      usage,
    );
    const load = { lifetime: { reopen: false } };
    /** @type {any} */
    const summary = summariseLeg(leg, samplesOf(merge.take()), end, load);
    assert.deepEqual(
      [summary.reopens, summary.churns, heldAtEnd(summary), heldTooFew(summary)],
      [false, undefined, 10, false],
    );
    assert.ok(validate(summariseRun(run, [JSON.parse(JSON.stringify(summary))])), JSON.stringify(validate.errors));
  });

  it('counts replies by kind, over the leg and in the steady state', () => {
    const merge = new SampleMerge(1);
    /** @type {import('../../client/run/cluster/messages.js').Phase[]} */
    const phases = ['ramp', 'warmup', 'steady', 'steady', 'drain'];
    phases.forEach((phase, i) =>
      merge.add(
        0,
        interval({
          second: i + 1,
          phase,
          last: i === 4,
          counters: { transfers: 5, 'statuses.ok': i === 1 ? 0 : 4, 'statuses.miss': i === 1 ? 5 : 1 },
        }),
        usage,
      ),
    );
    /** @type {any} */
    const summary = summariseLeg(leg, samplesOf(merge.take()), end);
    assert.deepEqual(
      [summary.statuses, summary.steady.statuses],
      [
        { total: 25, ok: 16, miss: 9 },
        { total: 10, ok: 8, miss: 2 },
      ],
    );
    assert.ok(validate(summariseRun(run, [JSON.parse(JSON.stringify(summary))])), JSON.stringify(validate.errors));
  });
});
