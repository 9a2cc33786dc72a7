// The summary's invariants, for any intervals and any deaths of workers, and its schema.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { warning } from '../../client/results/warnings.js';
import { heldAtEnd, heldTooFew, percentileHolds } from '../../client/results/leg-figures.js';
import { summariseLeg, summariseRun } from '../../client/results/summary.js';
import { legTable } from '../../client/console/table.js';
import { SampleMerge } from '../../client/results/sample-merge.js';
import { interval, play, recorded, samplesOf, usage, workerIntervals } from '../fixtures/intervals.js';

const validate = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false }).compile(
  JSON.parse(readFileSync(new URL('../../config/schema/summary.json', import.meta.url), 'utf8')),
);
const leg = { id: '01-epoll', label: 'epoll' };
/** @type {import('../../client/results/summary.js').LegEnd} */
const end = {
  endedBy: 'plan',
  startNs: 1e9,
  targets: ['127.0.0.1:1'],
  server: 'epoll',
  logRows: 0,
  logKind: 'parquet',
  warnings: [],
};
const run = {
  run: 'r',
  scenario: 's',
  startedAt: 'a',
  endedAt: 'b',
  planned: 1,
  interrupted: false,
  warnings: [],
  config: { connections: 1, workload: 'continuous', protocol: 'echo', payloadBytes: 1 },
};

/** @param {Record<string, number>} parts */
const parts = ({ total: _total, ...rest }) => Object.values(rest).reduce((sum, n) => sum + n, 0);

describe('summary', () => {
  it('keeps its invariants whatever the workers did and whichever died', () => {
    fc.assert(
      fc.property(fc.array(workerIntervals, { minLength: 1, maxLength: 4 }), (workers) => {
        const { merged, rows } = play(workers);
        const samples = JSON.parse(JSON.stringify(samplesOf(merged)));
        /** @type {any} */
        const summary = summariseLeg(leg, samples, { ...end, logRows: rows });
        const { attempts, rejects, errors, transfers, log, steady } = summary;
        assert.equal(attempts.total, attempts.opened + attempts.rejected + attempts.abandoned);
        assert.equal(log.rows + log.missing, transfers.count + transfers.failed + transfers.unfinished);
        assert.equal(rejects.total, parts(rejects));
        assert.equal(errors.total, parts(errors));
        assert.equal(attempts.rejected, rejects.total);
        assert.equal(log.rows >= 0 && log.missing >= 0, true);
        const inSteady = samples.filter((/** @type {any} */ { phase }) => phase === 'steady');
        assert.equal(
          steady?.transfers ?? 0,
          inSteady.reduce((/** @type {number} */ sum, /** @type {any} */ one) => sum + one.counters.transfers, 0),
        );
        const timed = samples.filter((/** @type {any} */ { phase }) => steady && phase !== 'ramp');
        assert.equal(
          steady?.responseTimeNs?.count ?? 0,
          timed.reduce((/** @type {number} */ sum, /** @type {any} */ one) => sum + one.counters.transfers, 0),
        );
        const whole = summariseRun(run, [JSON.parse(JSON.stringify(summary))]);
        assert.ok(validate(whole), JSON.stringify(validate.errors));
      }),
    );
  });

  it('leaves out what was not measured', () => {
    const summary = summariseLeg(leg, [], {
      ...end,
      endedBy: 'server-start',
      failure: warning('interrupted-before-start'),
      startNs: undefined,
      targets: [],
    });
    assert.deepEqual(summary, {
      id: '01-epoll',
      label: 'epoll',
      server: 'epoll',
      axes: {},
      round: 1,
      targets: [],
      complete: false,
      endedBy: 'server-start',
      failure: warning('interrupted-before-start'),
      warnings: [],
    });
    assert.ok(validate(summariseRun(run, [summary])), JSON.stringify(validate.errors));
  });

  it("contains the manifest's facts that readers need to judge the figures", () => {
    for (const serverModel of [
      { language: 'c', model: 'one at a time', concurrent: 1 },
      { language: 'c', model: 'threads', concurrent: 16, by: /** @type {const} */ ('threads') },
      { language: 'go', model: 'goroutines', concurrent: /** @type {const} */ ('unbounded') },
    ]) {
      const summary = summariseLeg({ ...leg, serverModel }, [], { ...end, endedBy: 'server-start' });
      assert.deepEqual(/** @type {any} */ (summary).serverModel, serverModel);
      assert.ok(validate(summariseRun(run, [summary])), JSON.stringify(validate.errors));
    }
  });

  it('is complete only if every planned leg is, and states what ended it', () => {
    const whole = { complete: true, endedBy: 'plan' };
    const broken = { complete: false, endedBy: 'server-start' };
    const of = (/** @type {any[]} */ legs, planned = legs.length, interrupted = false) => {
      const { complete, endedBy } = summariseRun({ ...run, planned, interrupted }, legs);
      return [complete, endedBy];
    };
    assert.deepEqual(of([whole, whole]), [true, 'plan']);
    assert.deepEqual(of([whole, broken]), [false, 'server-start']);
    assert.deepEqual(of([whole], 2), [false, 'plan']);
    assert.deepEqual(of([whole], 2, true), [false, 'interrupted']);
    const first = warning('server-killed');
    const failure = warning('run-failed', { reason: 'no room' });
    const failed = summariseRun({ ...run, warnings: [first], failure }, []);
    assert.deepEqual([failed.complete, failed.endedBy, failed.warnings], [false, 'error', [first, failure]]);
    assert.ok(validate(failed), JSON.stringify(validate.errors));
  });

  it('shows a percentile only if failures allow it', () => {
    assert.equal(percentileHolds({ transfers: 99, failed: 1, unfinished: 0 }, 99), true);
    assert.equal(percentileHolds({ transfers: 98, failed: 1, unfinished: 1 }, 99), false);
    assert.equal(percentileHolds({ transfers: 98, failed: 1, unfinished: 0, unsent: 1 }, 99), false);
    assert.equal(percentileHolds({ transfers: 1, failed: 0, unfinished: 0 }, 99.99), true);
    assert.equal(percentileHolds({ transfers: 0, failed: 0, unfinished: 0 }, 50), true);
    const [{ intervals }] = fc.sample(workerIntervals, 1);
    const samples = samplesOf(play([{ intervals, diesAfter: null }]).merged);
    const tableOf = (/** @type {any} */ shares, /** @type {any} */ transfers) =>
      legTable(
        [
          {
            ...summariseLeg(leg, samples, end),
            transfers,
            steady: {
              fromNs: 0,
              toNs: 1e9,
              perSecond: 1,
              bytesPerSecond: 1,
              client: { cpuSeconds: 1 },
              ...shares,
              responseTimeNs: { p50: 5e6, p90: 5e6, p99: 5e6, p99_9: 5e6, max: 7e6 },
            },
          },
        ],
        Infinity,
      );
    const failing = { count: 1, failed: 99, unfinished: 0 };
    assert.match(tableOf({ transfers: 1, failed: 99, unfinished: 0 }, failing), /response p50 +> 7 ms/);
    assert.match(
      tableOf({ transfers: 100, failed: 0, unfinished: 0 }, failing),
      /response p99 +5 ms/,
      'what failed outside the steady state is no part of its percentiles',
    );
  });

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
    const placed = { ...leg, io: 'epoll', pin: { client: '0', server: null } };
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
    assert.deepEqual([summary.io, summary.pin], ['epoll', { client: '0', server: null }]);
    assert.ok(validate(summariseRun(run, [JSON.parse(JSON.stringify(summary))])), JSON.stringify(validate.errors));
    assert.match(legTable([summary], 80), /limited by +machine 33 %\n +server 33 %\n +none 33 %/);
    assert.match(legTable([{ ...summary, limitShares: { none: 1 } }], 80), /limited by +none$/m);
    assert.equal('io' in summariseLeg(leg, samples, end), false);
    /** @type {any} */
    const ramp = summariseLeg(leg, samples.slice(0, 1), end);
    assert.deepEqual([ramp.limitedBy, 'limitShares' in ramp], ['none', false]);
  });

  it("has the connects that needed a second SYN, and the counters of the server's own network namespace", () => {
    const merge = new SampleMerge(1);
    [[1e6, 1.02e9], [1.03e9], [], [4.1e9]].forEach((connects, i) =>
      merge.add(
        0,
        interval({
          second: i + 1,
          counters: { opened: connects.length },
          histograms: { connectTime: recorded(connects) },
        }),
        usage,
      ),
    );
    const samples = samplesOf(merge.take());
    const of = (/** @type {Partial<import('../../client/results/summary.js').LegEnd>} */ given) => {
      /** @type {any} */
      const summary = summariseLeg(leg, samples, { ...end, ...given });
      assert.ok(validate(summariseRun(run, [JSON.parse(JSON.stringify(summary))])), JSON.stringify(validate.errors));
      return summary;
    };
    assert.deepEqual(of({ synRetryNs: [1e9, 2e9, 3e9] }).connectSteps, [
      { retry: 1, atNs: 1e9, connections: 2 },
      { retry: 2, atNs: 2e9, connections: 0 },
      { retry: 3, atNs: 3e9, connections: 1 },
    ]);
    assert.equal('connectSteps' in of({ synRetryNs: [5e9] }), false);
    assert.equal('connectSteps' in of({}), false);
    assert.equal('serverKernel' in of({}), false);
    samples[1].serverKernel = { TcpOutRsts: 3, TcpMemPages: 8 };
    samples[3].serverKernel = { TcpOutRsts: 4, TcpMemPages: 7 };
    assert.deepEqual(of({}).serverKernel, { TcpOutRsts: 7, TcpMemPages: 8 });
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
    const table = legTable([{ ...inRamp, serverUse: undefined }], Infinity, 'once');
    assert.match(table, /figures of +the whole leg/);
    assert.match(table, /transfers\/s +500/);
    assert.match(table, /response p50 +5 /);
    assert.match(table, /mean ± deviation +5 µs ± \d ns/);
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
    assert.match(legTable([summary], 80), /replies \(steady\) +ok 8\n +miss 2\n/);
    const seven = Array.from({ length: 7 }, () => summary);
    assert.match(legTable(seven, 200), / replies .*\n.* miss 20 % /);
    const none = { ...summary, statuses: undefined, steady: { ...summary.steady, statuses: undefined } };
    assert.doesNotMatch(legTable([none], 80), /replies/);
  });

  it('has the steps of its ramp and the position of the knee', () => {
    const merge = new SampleMerge(1);
    const refused = Array.from({ length: 14 }, (_, i) => (i >= 4 && i < 12 ? 1 : 0));
    refused.forEach((n, i) =>
      merge.add(
        0,
        interval({
          second: i + 1,
          phase: i < 12 ? 'ramp' : 'steady',
          counters: { transfers: 9, attempts: n, 'rejects.refused': n },
          gauges: { open: 9, requested: 10 * (Math.floor(i / 4) + 1) },
        }),
        usage,
      ),
    );
    const ramp = {
      rampToNs: 12e9,
      schedule: [0, 1, 2].map((n) => ({ atNs: 4 * n * 1e9, slots: 10 * (n + 1), line: false })),
    };
    /** @type {any} */
    const summary = summariseLeg({ ...leg, ...ramp }, samplesOf(merge.take()), end, { workload: 'continuous' });
    assert.deepEqual(
      summary.ramp.steps.map((/** @type {any} */ { requested, rejects }) => [requested, rejects]),
      [
        [10, 0],
        [20, 4],
        [30, 4],
      ],
    );
    const { tolerance, knee } = summary.ramp;
    assert.ok(tolerance > 0 && tolerance < 0.1, `${tolerance}: the throughput does not scatter`);
    assert.deepEqual(knee, {
      ...{ step: 2, stage: 2, requested: 20, why: ['failures'], best: { step: 1, perSecond: 9 }, perSecond: 9 },
      failures: { rejects: 4 },
    });
    assert.ok(validate(summariseRun(run, [JSON.parse(JSON.stringify(summary))])), JSON.stringify(validate.errors));
    assert.match(legTable([summary], 80), /knee at +20/);
    assert.match(legTable([{ ...summary, ramp: { ...summary.ramp, knee: null } }], 80), /knee at +none/);
    assert.doesNotMatch(legTable([{ ...summary, ramp: undefined }], 80), /knee/);
  });

  it('takes the requested connections of a profile from the plan, per interval, and the peak within a second', () => {
    const merge = new SampleMerge(1);
    merge.add(
      0,
      interval({ second: 1, phase: 'ramp', toNs: 1e9, gauges: { requested: 10, open: 10, peakOpen: 10 } }),
      usage,
    );
    merge.add(
      0,
      interval({ second: 2, phase: 'steady', toNs: 2e9, gauges: { requested: 10, open: 10, peakOpen: 150 } }),
      usage,
    );
    const samples = samplesOf(merge.take());
    const step = (/** @type {number} */ atNs, /** @type {number} */ slots) => ({ atNs, slots, line: false });
    const schedule = [step(0, 10), step(1.2e9, 150), step(1.7e9, 20), step(2e9, 900)];
    const requested = (/** @type {any} */ points) => {
      /** @type {any} */
      const { connections } = summariseLeg(
        { ...leg, schedule: points.slice(0, 1), profile: points.slice(1) },
        samples,
        end,
        { connectionsProfile: [{}] },
      );
      return [connections.requested, connections.requestedAtEnd, connections.peakOpen];
    };
    assert.deepEqual(requested(schedule), [150, 20, 150]);
    assert.deepEqual(requested([step(0, 10), { atNs: 3e9, slots: 210, line: true }]), [143, 143, 150], 'on a line');
    assert.deepEqual(requested([step(0, 10), { atNs: 2e9, slots: 70, line: true }, step(2e9, 500)]), [70, 70, 150]);
  });

  it('takes the requested connections from the plan where a worker stalled until the leg was over', () => {
    const merge = new SampleMerge(2);
    const at = (/** @type {any} */ more) => interval({ second: 1, phase: 'steady', toNs: 1e9, ...more });
    merge.add(0, at({ gauges: { requested: 10, open: 10, peakOpen: 10 } }), usage);
    merge.add(1, at({ gauges: { requested: 0, open: 0, peakOpen: 0 } }), usage);
    const samples = samplesOf(merge.take());
    const requested = (/** @type {any[]} */ ...schedule) => {
      /** @type {any} */
      const { connections } = summariseLeg({ ...leg, schedule }, samples, end, {});
      return connections.requested;
    };
    const step = (/** @type {number} */ atNs, /** @type {number} */ slots) => ({ atNs, slots, line: false });
    assert.equal(requested(step(0, 20)), 20);
    assert.equal(requested(step(0, 15), step(1e9, 20)), 15, 'but not what would have come after it');
    assert.equal(requested(step(0, 5), { atNs: 2e9, slots: 15, line: true }), 10, 'on a line');
    assert.equal(requested(step(0, 5)), 10, 'what was seen counts');
  });

  it('takes the connections open at the end from the last sample before the drain', () => {
    const at = (/** @type {('ramp' | 'steady' | 'drain')[]} */ ...of) => {
      const merge = new SampleMerge(1);
      of.forEach((phase, i) =>
        merge.add(
          0,
          interval({
            second: i + 1,
            phase,
            gauges: phase === 'drain' ? { requested: 9 } : { requested: 9, open: i + 5, unanswered: i + 1 },
          }),
          usage,
        ),
      );
      const merged = merge.take();
      merge.lose(0);
      /** @type {any} */
      const { connections } = summariseLeg(leg, samplesOf([...merged, ...merge.finish()]), end);
      return [connections.openAtEnd, connections.unansweredAtEnd];
    };
    assert.deepEqual(at('ramp', 'steady', 'steady', 'drain'), [7, 3]);
    assert.deepEqual(at('ramp', 'ramp', 'drain'), [6, 2], 'interrupted in its ramp');
    assert.deepEqual(at('ramp', 'ramp'), [6, 2], 'ended at once');
    assert.deepEqual(at('drain'), [0, 0]);
  });
});
