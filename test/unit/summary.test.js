// The summary of a leg: its invariants for any intervals and any deaths of workers, its schema, and what is of the
// steady state.
import assert from 'node:assert/strict';
import { figureOf } from '../../client/judge/figures.js';
import fc from 'fast-check';
import { warning } from '../../client/words/warnings.js';
import { heldAtEnd, heldTooFew, percentileHolds } from '../../client/measure/leg-figures.js';
import { summariseLeg, summariseRun } from '../../client/judge/summary.js';
import { SampleMerge } from '../../client/measure/sample-merge.js';
import { interval, play, recorded, samplesOf, usage, workerIntervals } from '../fixtures/intervals.js';
import { validatorOf } from '../fixtures/schemas.js';

/**
 * @import { LegEnd } from '../../client/measure/leg-summary.js'
 * @import { Phase } from '../../client/measure/sample-merge.js'
 * @import { Interval } from '../../client/run/cluster/messages.js'
 */

/**
 * @typedef {{ ended?: object, load?: object, planned?: object }} More
 */

const validate = validatorOf('summary');
const leg = { id: '01-epoll', label: 'epoll' };
/** @type {LegEnd} */
const end = {
  ...{ endedBy: 'plan', startNs: 1e9, targets: ['127.0.0.1:1'], server: 'epoll' },
  ...{ logRows: 0, logKind: 'parquet', warnings: [] },
};
const run = {
  ...{ run: 'r', scenario: 's', startedAt: 'a', endedAt: 'b', planned: 1, interrupted: false, warnings: [] },
  config: { connections: 1, workload: 'continuous', protocol: 'echo', payloadBytes: 1 },
};

/** @param {Record<string, number>} parts */
const parts = ({ total: _total, ...rest }) => Object.values(rest).reduce((sum, n) => sum + n, 0);

/** @param {any[]} samples @param {More} [more] @returns {any} the summary, which matches its schema */
function summaryOf(samples, { ended, load, planned } = {}) {
  const summary = JSON.parse(JSON.stringify(summariseLeg({ ...leg, ...planned }, samples, { ...end, ...ended }, load)));
  assert.ok(validate(summariseRun(run, [summary])), JSON.stringify(validate.errors));
  return summary;
}

/** @param {Partial<Interval>[]} seconds of one worker, one after another @returns {any[]} */
function samplesIn(seconds) {
  const merge = new SampleMerge(1);
  seconds.forEach((given, i) =>
    merge.add(0, interval({ second: i + 1, last: i === seconds.length - 1, ...given }), usage),
  );
  return samplesOf(merge.take());
}

/** @param {Partial<Interval>[]} seconds @param {More} [more] */
const summarised = (seconds, more) => summaryOf(samplesIn(seconds), more);

/** @param {number} n @param {number} ns @returns {Partial<Interval>} n transfers of that time */
const transfers = (n, ns) => ({
  counters: { transfers: n },
  histograms: { responseTime: recorded(Array(n).fill(ns)) },
});

const step = (/** @type {number} */ atNs, /** @type {number} */ slots) => ({ atNs, slots, line: false });
const line = (/** @type {number} */ atNs, /** @type {number} */ slots) => ({ atNs, slots, line: true });

describe('summary', () => {
  it('keeps its invariants whatever the workers did and whichever died', () => {
    const count = (/** @type {any[]} */ samples) => samples.reduce((sum, { counters }) => sum + counters.transfers, 0);
    fc.assert(
      fc.property(fc.array(workerIntervals, { minLength: 1, maxLength: 4 }), (workers) => {
        const { merged, rows } = play(workers);
        const samples = JSON.parse(JSON.stringify(samplesOf(merged)));
        const summary = summaryOf(samples, { ended: { logRows: rows } });
        const { attempts, rejects, errors, transfers: all, log, steady } = summary;
        assert.equal(attempts.total, attempts.opened + attempts.rejected + attempts.abandoned);
        assert.equal(log.rows + log.missing, all.count + all.failed + all.unfinished);
        assert.deepEqual([rejects.total, errors.total], [parts(rejects), parts(errors)]);
        assert.equal(attempts.rejected, rejects.total);
        assert.ok(log.rows >= 0 && log.missing >= 0);
        const of = (/** @type {RegExp} */ phases) =>
          samples.filter((/** @type {any} */ { phase }) => phases.test(phase));
        assert.equal(steady?.transfers ?? 0, count(of(/steady/)));
        assert.equal(steady?.responseTimeNs?.count ?? 0, steady ? count(of(/steady|drain/)) : 0);
      }),
    );
  });

  it('leaves out what was not measured', () => {
    const failure = warning('interrupted-before-start');
    const { complete, endedBy, ...rest } = summaryOf([], {
      ended: { endedBy: 'server-start', failure, startNs: undefined, targets: [] },
    });
    assert.deepEqual([complete, endedBy, rest.failure.code], [false, 'server-start', failure.code]);
    assert.deepEqual(Object.keys(rest).sort(), [
      ...['axes', 'failure', 'id', 'label', 'round', 'server', 'targets', 'warnings'],
    ]);
  });

  it('is complete only if every planned leg is, and states what ended it', () => {
    const whole = { complete: true, endedBy: 'plan' };
    const broken = { complete: false, endedBy: 'server-start' };
    for (const [legs, more, complete, endedBy] of /** @type {[any[], object, boolean, string][]} */ ([
      [[whole, whole], { planned: 2 }, true, 'plan'],
      [[whole, broken], { planned: 2 }, false, 'server-start'],
      [[whole], { planned: 2 }, false, 'plan'],
      [[whole], { planned: 2, interrupted: true }, false, 'interrupted'],
    ])) {
      const summary = summariseRun({ ...run, ...more }, legs);
      assert.deepEqual([summary.complete, summary.endedBy], [complete, endedBy]);
    }
    const first = warning('server-killed');
    const failure = warning('run-failed', { reason: 'no room' });
    const failed = summariseRun({ ...run, warnings: [first], failure }, []);
    assert.deepEqual([failed.complete, failed.endedBy, failed.warnings], [false, 'error', [first, failure]]);
    assert.ok(validate(failed), JSON.stringify(validate.errors));
  });

  it('shows a percentile only if failures allow it', () => {
    for (const [done, failed, unfinished, unsent, percentile, holds] of /** @type {const} */ ([
      [99, 1, 0, 0, 99, true],
      [98, 1, 1, 0, 99, false],
      [98, 1, 0, 1, 99, false],
      [1, 0, 0, 0, 99.99, true],
      [0, 0, 0, 0, 50, true],
    ])) {
      assert.equal(percentileHolds({ transfers: done, failed, unfinished, unsent }, percentile), holds);
    }
  });

  it("has the connects that needed a second SYN, and the counters of the server's own network namespace", () => {
    const samples = samplesIn(
      [[1e6, 1.02e9], [1.03e9], [], [4.1e9]].map((connects) => ({
        counters: { opened: connects.length },
        histograms: { connectTime: recorded(connects) },
      })),
    );
    const { connectSteps } = summaryOf(samples, { ended: { synRetryNs: [1e9, 2e9, 3e9] } });
    const steps = connectSteps.map((/** @type {any} */ { atNs, connections }) => `${atNs / 1e9}: ${connections}`);
    assert.deepEqual(steps, ['1: 2', '2: 0', '3: 1']);
    assert.ok(!('connectSteps' in summaryOf(samples, { ended: { synRetryNs: [5e9] } })));
    assert.ok(!('serverKernel' in summaryOf(samples)));
    samples[1].serverKernel = { TcpOutRsts: 3, TcpMemPages: 8 };
    samples[3].serverKernel = { TcpOutRsts: 4, TcpMemPages: 7 };
    assert.deepEqual(summaryOf(samples).serverKernel, { TcpOutRsts: 7, TcpMemPages: 8 });
  });

  it('has the steps of its ramp and the position of the knee', () => {
    const seconds = Array.from({ length: 14 }, (_, i) => {
      const refused = i >= 4 && i < 12 ? 1 : 0;
      return {
        phase: /** @type {Phase} */ (i < 12 ? 'ramp' : 'steady'),
        counters: { transfers: 9, attempts: refused, 'rejects.refused': refused },
        gauges: { open: 9, requested: 10 * (Math.floor(i / 4) + 1) },
      };
    });
    const planned = { rampToNs: 12e9, schedule: [step(0, 10), step(4e9, 20), step(8e9, 30)] };
    const { ramp } = summarised(seconds, { planned, load: { workload: 'continuous' } });
    const steps = ramp.steps.map((/** @type {any} */ { requested, rejects }) => `${requested}: ${rejects}`);
    assert.deepEqual(steps, ['10: 0', '20: 4', '30: 4']);
    assert.ok(ramp.tolerance > 0 && ramp.tolerance < 0.1, `${ramp.tolerance}: the throughput does not scatter`);
    assert.deepEqual(ramp.knee, {
      ...{ step: 2, requested: 20, why: ['failures'], best: { step: 1, perSecond: 9 }, perSecond: 9 },
      failures: { rejects: 4 },
    });
  });

  it('takes the requested connections of a profile from the plan, per interval, and the peak within a second', () => {
    const samples = samplesIn([
      { phase: 'ramp', gauges: { requested: 10, open: 10, peakOpen: 10 } },
      { phase: 'steady', gauges: { requested: 10, open: 10, peakOpen: 150 } },
    ]);
    for (const [profile, requested, atEnd] of /** @type {[object[], number, number][]} */ ([
      [[step(1.2e9, 150), step(1.7e9, 20), step(2e9, 900)], 150, 20],
      [[line(3e9, 210)], 143, 143],
      [[line(2e9, 70), step(2e9, 500)], 70, 70],
    ])) {
      const planned = { schedule: [step(0, 10)], profile };
      const { connections } = summaryOf(samples, { planned, load: { connectionsProfile: [{}] } });
      const counts = [connections.requested, connections.requestedAtEnd, connections.peakOpen];
      assert.deepEqual(counts, [requested, atEnd, 150]);
    }
  });

  it('takes the requested connections from the plan where a worker stalled until the leg was over', () => {
    const merge = new SampleMerge(2);
    for (const n of [0, 1]) {
      const open = n === 0 ? 10 : 0;
      merge.add(n, interval({ second: 1, gauges: { requested: open, open, peakOpen: open } }), usage);
    }
    const samples = samplesOf(merge.take());
    for (const [schedule, requested] of /** @type {[object[], number][]} */ ([
      [[step(0, 20)], 20],
      [[step(0, 15), step(1e9, 20)], 15], // but not what would have come after it
      [[step(0, 5), line(2e9, 15)], 10],
      [[step(0, 5)], 10], // what was seen counts
    ])) {
      assert.equal(summaryOf(samples, { planned: { schedule } }).connections.requested, requested);
    }
  });

  it('takes the connections open at the end from the last sample before the drain', () => {
    for (const [phases, open, unanswered] of /** @type {[Phase[], number, number][]} */ ([
      [['ramp', 'steady', 'steady', 'drain'], 7, 3],
      [['ramp', 'ramp', 'drain'], 6, 2],
      [['ramp', 'ramp'], 6, 2],
      [['drain'], 0, 0],
    ])) {
      const seconds = phases.map((phase, i) => ({
        phase,
        gauges: { requested: 9, open: phase === 'drain' ? 0 : i + 5, unanswered: phase === 'drain' ? 0 : i + 1 },
      }));
      const { connections } = summarised(seconds);
      assert.deepEqual([connections.openAtEnd, connections.unansweredAtEnd], [open, unanswered], phases.join());
    }
  });

  it('of connections that are not reopened says how many opened, not how many are left', () => {
    const gauges = { requested: 10, open: 2, peakOpen: 10 };
    const summary = summarised([{ counters: { opened: 10, transfers: 5 }, gauges }], {
      load: { lifetime: { reopen: false } },
    });
    const held = [summary.reopens, summary.churns, heldAtEnd(summary), heldTooFew(summary)];
    assert.deepEqual(held, [false, undefined, 10, false]);
  });
});

describe('the steady state of a summary', () => {
  it('includes what was pending at its end: replies, failures and what was cut off in the drain, and no other', () => {
    const counters = { transfers: 10, failed: 1, unfinished: 2 };
    const { steady } = summarised([
      { phase: 'ramp', counters },
      { counters, histograms: { responseTime: recorded([10, 20]) } },
      { counters },
      {
        ...{ phase: 'drain', counters: { transfers: 5, failed: 3, unfinished: 7 } },
        histograms: { responseTime: recorded([5000]) },
      },
    ]);
    assert.deepEqual([steady.transfers, steady.failed, steady.unfinished], [20, 5, 11]);
    assert.deepEqual([steady.responseTimeNs.count, steady.responseTimeNs.max], [3, 5000]);
  });

  it('has the times of the connections that were served, where others were not, whose wait is told apart', () => {
    const of = (/** @type {number} */ open, /** @type {number} */ unanswered) => {
      const gauges = { requested: open, open, peakOpen: open, unanswered, answered: open - unanswered };
      return summarised([
        { counters: { transfers: 300 }, histograms: { responseTime: recorded(Array(300).fill(2000)) }, gauges },
        {
          ...{ phase: 'drain', counters: { transfers: 90, unfinished: 4 }, gauges: { neverAnswered: 4 } },
          histograms: { responseTime: recorded(Array(90).fill(9e9)) },
          slowest: Float64Array.of(1, 0, 9e9, 17, 0, 2, 0, 9.2e9, 18, 6),
        },
      ]);
    };
    const some = of(100, 94);
    assert.deepEqual(some.unserved, { connections: 94, waitedNs: 9.2e9 });
    assert.deepEqual([some.steady.responseTimeNs.count, some.steady.responseTimeNs.max], [300, 2000]);
    const [p99, wait] = ['p99', 'longest wait'].map((name) => figureOf(name)?.of?.(some));
    assert.deepEqual([p99, wait], [2000, 9.2e9], 'a request without a reply is of a connection that was not served');
    // of none that was served, and of so few, the times are all there are
    for (const all of [of(94, 94), of(100, 1)]) {
      assert.equal(all.unserved, undefined);
      assert.equal(all.steady.responseTimeNs.count, 390);
    }
  });

  it('states for how long each side was the limit, and what each engine thread did', () => {
    const merge = new SampleMerge(2);
    for (const second of [1, 2, 3, 4]) {
      const phase = second === 1 ? 'ramp' : 'steady';
      merge.add(0, interval({ second, phase }), { ...usage, engineCpuSeconds: second / 10 });
      merge.add(1, interval({ second, phase }), usage);
    }
    const samples = samplesOf(merge.take());
    samples[1].limitedBy = 'server';
    samples[2].limitedBy = 'machine';
    const summary = summaryOf(samples, { planned: { pin: { client: '0', server: null } } });
    assert.deepEqual(summary.limitShares, { machine: 1 / 3, client: 0, server: 1 / 3, none: 1 / 3 });
    assert.equal(summary.limitedBy, 'none');
    const engines = summary.steady.client.engines.map(
      (/** @type {any} */ { worker, cpu, wait }) => `${worker}: ${cpu.toFixed(3)} ${wait.toFixed(3)}`,
    );
    assert.deepEqual(engines, ['0: 0.300 0.100', '1: 0.400 0.100']);
    const ramp = summaryOf(samples.slice(0, 1));
    assert.deepEqual([ramp.limitedBy, 'limitShares' in ramp], ['unknown', false]);
  });

  it('excludes the warm-up, except for transfers that were still pending', () => {
    const seconds = /** @type {[Phase, number, number, number][]} */ ([
      ['ramp', 0, 0, 0],
      ['warmup', 10, 4, 6],
      ['warmup', 10, 9, 7],
      ['steady', 10, 12, 5],
      ['drain', 0, 5, 0],
    ]).map(([phase, due, n, waiting], i) => ({
      ...{ ...transfers(n, 1000 * (i + 1)), phase, gauges: { waiting, open: 1, requested: 1 } },
      counters: { due, transfers: n, late: n, failed: 1, unfinished: 1 },
    }));
    const summary = summarised(seconds, { load: { rate: 10 } });
    assert.deepEqual(summary.phases, { warmupFromNs: 1e9, steadyFromNs: 3e9, steadyToNs: 4e9, endNs: 5e9 });
    assert.deepEqual(summary.warmup, { fromNs: 1e9, toNs: 3e9, transfers: 13 });
    const { due, late, unsent, failed, unfinished, responseTimeNs } = summary.steady;
    assert.deepEqual([due, late, unsent, summary.steady.transfers, failed, unfinished], [17, 12, 0, 12, 2, 2]);
    assert.deepEqual([responseTimeNs.count, responseTimeNs.min], [17, 4000]);
    assert.deepEqual([summary.transfers.count, summary.transfers.due], [30, 30]);
  });

  it('gives place to the figures of the warm-up or of the ramp if there is none', () => {
    const of = (/** @type {Phase[]} */ phases, load = {}) =>
      summarised(
        phases.map((phase, i) => ({ phase, ...transfers(i + 1, 1000) })),
        { load, ended: { endedBy: 'done' } },
      );
    const { steady, beforeSteady, complete } = of(['ramp', 'ramp', 'drain']);
    assert.deepEqual([complete, steady, beforeSteady.phase], [true, undefined, 'ramp']);
    const { transfers: n, perSecond, responseTimeNs, perConnection } = beforeSteady;
    assert.deepEqual([n, perSecond, responseTimeNs.count, perConnection], [3, 1.5, 3, undefined]);
    const warm = of(['ramp', 'warmup', 'drain']).beforeSteady;
    assert.deepEqual([warm.phase, warm.transfers], ['warmup', 2]);
    assert.equal(of(['ramp', 'steady', 'drain']).beforeSteady, undefined);
    assert.equal(of(['ramp', 'drain'], { workload: 'once' }).beforeSteady, undefined);
  });

  it('is the whole leg in workload once, its rate that up to the last reply', () => {
    const of = (/** @type {[Phase, number, number][]} */ ...spans) => {
      const seconds = spans.map(([phase, toNs, n], i) => ({
        ...{ phase, fromNs: spans[i - 1]?.[1] ?? 0, toNs, ...transfers(n, 5000) },
        counters: { transfers: n, bytesReceived: 1000 * n, bytesSent: 10 * n },
      }));
      const { steady, wholeLeg } = summarised(seconds, { load: { workload: 'once' } });
      assert.equal(steady, undefined, 'never a sliver after the ramp');
      return wholeLeg;
    };
    const burst = of(['ramp', 1e8, 98], ['steady', 1.002e8, 2]);
    assert.deepEqual([Math.round(burst.perSecond), burst.responseTimeNs.count], [Math.round(100 / 0.1002), 100]);
    const inRamp = of(['ramp', 2e8, 100]);
    assert.deepEqual([inRamp.perSecond, inRamp.responseTimeNs.p50], [500, 5000]);
    const waits = of(['ramp', 1e9, 100], ['steady', 2e9, 100], ['steady', 10e9, 0]);
    assert.deepEqual(
      [waits.perSecond, waits.bytesPerSecond, waits.bytesSentPerSecond, waits.answeredToNs, waits.toNs],
      [100, 100_000, 1000, 2e9, 10e9],
    );
  });

  it("has the server's context switches a second, if every second of the leg has them", () => {
    const of = (/** @type {(object | undefined)[]} */ ...switches) => {
      const samples = samplesIn(switches.map(() => ({}))).map((sample, i) => ({
        ...sample,
        server: { cpuSeconds: 1, rssBytes: 1, threads: 1, processes: 1, contextSwitches: switches[i] },
      }));
      return summaryOf(samples).serverUse.contextSwitchesPerSecond;
    };
    const some = { voluntary: 10, involuntary: 2 };
    assert.deepEqual(of(some, { voluntary: 30, involuntary: 4 }), { voluntary: 20, involuntary: 3 });
    assert.equal(of(some, undefined), undefined);
  });

  it('counts replies by kind, and by status code', () => {
    const seconds = /** @type {Phase[]} */ (['ramp', 'warmup', 'steady', 'steady', 'drain']).map((phase) => {
      const miss = phase === 'warmup' ? 5 : 1;
      const codes = { 'codes.200': 5 - miss, 'codes.404': miss };
      return { phase, counters: { transfers: 5, 'statuses.ok': 5 - miss, 'statuses.miss': miss, ...codes } };
    });
    const { statuses, codes, steady } = summarised(seconds);
    assert.deepEqual(statuses, { total: 25, ok: 16, miss: 9 });
    assert.deepEqual(codes, { 200: 16, 404: 9 });
    assert.deepEqual(steady.statuses, { total: 10, ok: 8, miss: 2 });
    assert.deepEqual(steady.codes, { 200: 8, 404: 2 });
  });
});
