// The summary's invariants, for any cuts and any deaths, and its schema.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { percentileHolds, summariseLeg, summariseRun } from '../../client/measure/summary.js';
import { legTable } from '../../client/console/table.js';
import { play, samplesOf, workerCuts } from '../fixtures/cuts.js';

const validate = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false })
  .compile(JSON.parse(readFileSync(new URL('../../config/schema/summary.json', import.meta.url), 'utf8')));
const leg = { id: '01-epoll', label: 'epoll' };
/** @type {import('../../client/measure/summary.js').LegEnd} */
const end = { endedBy: 'plan', startNs: 1e9, targets: ['127.0.0.1:1'], server: 'epoll', logRows: 0, logKind: 'parquet',
  warnings: [] };
const run = { run: 'r', scenario: 's', startedAt: 'a', endedAt: 'b', planned: 1, interrupted: false, warnings: [],
  config: { connections: 1, workload: 'continuous', protocol: 'echo', payloadBytes: 1 } };

/** @param {Record<string, number>} parts */
const parts = ({ total: _total, ...rest }) => Object.values(rest).reduce((sum, n) => sum + n, 0);

describe('summary', () => {
  it('keeps the invariants whatever the workers did and whoever died', () => {
    fc.assert(fc.property(fc.array(workerCuts, { minLength: 1, maxLength: 4 }), (workers) => {
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
      assert.equal(steady?.transfers ?? 0,
        inSteady.reduce((/** @type {number} */ sum, /** @type {any} */ one) => sum + one.counters.transfers, 0));
      assert.equal(steady?.responseTimeNs?.count ?? 0, steady?.transfers ?? 0);
      const whole = summariseRun(run, [JSON.parse(JSON.stringify(summary))]);
      assert.ok(validate(whole), JSON.stringify(validate.errors));
    }));
  });

  it('leaves out what was not measured', () => {
    const summary = summariseLeg(leg, [],
      { ...end, endedBy: 'server-start', message: 'no', startNs: undefined, targets: [] });
    assert.deepEqual(summary, { id: '01-epoll', label: 'epoll', server: 'epoll', axes: {}, round: 1, targets: [],
      complete: false,
      endedBy: 'server-start', message: 'no', warnings: [] });
    assert.ok(validate(summariseRun(run, [summary])), JSON.stringify(validate.errors));
  });

  it('is complete only when every planned leg is, and says what ended it', () => {
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
  });

  it('shows a percentile only where failures leave it standing', () => {
    assert.equal(percentileHolds({ count: 99, failed: 1, unfinished: 0 }, 99), true);
    assert.equal(percentileHolds({ count: 98, failed: 1, unfinished: 1 }, 99), false);
    assert.equal(percentileHolds({ count: 1, failed: 0, unfinished: 0 }, 99.99), true);
    assert.equal(percentileHolds({ count: 0, failed: 0, unfinished: 0 }, 50), true);
    const [{ cuts }] = fc.sample(workerCuts, 1);
    const samples = samplesOf(play([{ cuts, diesAfter: null }]).merged);
    const summary = { ...summariseLeg(leg, samples, end), transfers: { count: 1, failed: 99, unfinished: 0 },
      steady: { fromNs: 0, toNs: 1e9, transfers: 1, perSecond: 1, bytesPerSecond: 1, client: { cpuSeconds: 1 },
        responseTimeNs: { p50: 5, p90: 5, p99: 5, p99_9: 5, max: 7e6 } } };
    assert.match(legTable([summary], Infinity), /response p50 +> 7\.00 ms/);
  });
});
