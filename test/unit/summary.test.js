// The summary's invariants, for any intervals and any deaths of workers, and its schema.
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { warning } from '../../client/words/warnings.js';
import { percentileHolds } from '../../client/measure/leg-figures.js';
import { summariseLeg, summariseRun } from '../../client/judge/summary.js';
import { SampleMerge } from '../../client/measure/sample-merge.js';
import { interval, play, recorded, samplesOf, usage, workerIntervals } from '../fixtures/intervals.js';
import { end, leg, run, validate } from '../fixtures/summary-inputs.js';

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
    const of = (/** @type {Partial<import('../../client/measure/leg-summary.js').LegEnd>} */ given) => {
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
