// The primary with real cluster workers whose engine is a script: deaths, silence, early ends, warm-ups.
import assert from 'node:assert/strict';
import path from 'node:path';
import { dataOf, factsOf } from '../fixtures/codes.js';
import { leg, scriptedLegs } from '../fixtures/scripted-leg.js';

describe('the primary, with workers whose engine is scripted', () => {
  const play = scriptedLegs();

  it('replaces a dead worker, and counts what was lost with it', async () => {
    const { outcome, summary } = await play('die');
    assert.equal(outcome.endedBy, 'plan');
    assert.deepEqual(outcome.files.map(({ path: file, whole }) => [path.basename(file), whole]).sort(), [
      ['transfers-0-1.arrows', true],
      ['transfers-0.arrows', false],
      ['transfers-1.arrows', true],
    ]);
    assert.equal(summary.transfers.unfinished, 2);
    assert.equal(summary.log.missing, 2);
    assert.equal(summary.steady.perConnection, undefined);
    const { code, data } = summary.warnings[0];
    assert.equal(code, 'worker-lost');
    assert.deepEqual(
      [data.worker, data.how, data.started, data.open, data.unfinished, data.abandoned],
      [0, 'SIGKILL', true, 3, 2, 0],
    );
  });

  it('does not call a leg complete if a replacement came after the steady state', async () => {
    const { outcome, summary } = await play('die', { times: { steadyToNs: 2e9 }, patience: { restartMs: 5000 } });
    assert.equal(outcome.endedBy, 'workers');
    assert.deepEqual([outcome.failure?.code, outcome.failure?.data], ['worker-replaced-late', { worker: 0 }]);
    assert.equal(summary.complete, false);
    assert.equal(summary.attempts.total, 5 + 2, 'the replacement does not connect');
  });

  it('starts no replacement during the drain', async () => {
    const times = { steadyToNs: 2000e9 };
    // time enough that the others have told three seconds before the replacement is forked
    const { outcome, summary } = await play('die', {
      times,
      patience: { restartMs: 1000 },
      act: (workers) => {
        workers.on('worker', ({ event }) => {
          if (event === 'forked') setImmediate(() => workers.drain());
        });
      },
    });
    assert.deepEqual([outcome.endedBy, summary.complete], ['interrupted', false]);
    assert.equal(summary.attempts.total, 5 + 2, 'no further attempts');
    assert.deepEqual(outcome.warnings.length, 1);
  });

  it('gives up a worker that dies repeatedly, and ends the leg with the others', async () => {
    const { outcome, summary } = await play('die-always', { act: () => {} });
    assert.equal(outcome.endedBy, 'workers');
    assert.ok(outcome.failure);
    const { code, data } = outcome.failure;
    assert.deepEqual([code, data.started, data.times], ['worker-lost-repeatedly', true, 6]);
    assert.equal(summary.complete, false);
    assert.equal(summary.log.rows > 0, true);
  });

  it('excludes the warm-up from the steady state', async () => {
    const { outcome, summary } = await play('echo', { times: { steadyFromNs: 5e9 } });
    assert.deepEqual([outcome.endedBy, outcome.warnings], ['plan', []]);
    assert.deepEqual(summary.warmup, { fromNs: 1e9, toNs: 5e9, transfers: 5 * 3 * 4 });
    assert.deepEqual([summary.steady.fromNs, summary.steady.toNs, summary.steady.transfers], [5e9, 20e9, 5 * 3 * 15]);
    assert.deepEqual([summary.transfers.count, summary.log.rows], [300, 300]);
  });

  it('ends a warm-up at the same instant in all workers once its count is reached, and the leg that much earlier', async () => {
    const times = { warmupTransfers: 40, steadyFromNs: 20_000e9, steadyToNs: 20_010e9 };
    const { outcome, summary, samples } = await play('echo', { times, patience: { restartMs: 5 } });
    assert.deepEqual([outcome.endedBy, outcome.warnings], ['plan', []]);
    const { steady, warmup, phases } = summary;
    // the scripted seconds fly by: whoever hears of the instant late begins then
    assert.ok(steady.fromNs >= 1e9 && steady.fromNs < times.steadyFromNs, JSON.stringify(phases));
    assert.ok(warmup.toNs >= steady.fromNs, JSON.stringify(phases));
    assert.ok(warmup.transfers >= 40);
    assert.equal(summary.transfers.count, 15 + warmup.transfers + steady.transfers);
    assert.ok(samples.every(({ phase }) => ['ramp', 'warmup', 'steady', 'drain'].includes(phase)));
  });

  it('passes the instant on to a replacement too', async () => {
    const times = { warmupTransfers: 20, steadyFromNs: 1000e9, steadyToNs: 1010e9 };
    const { outcome, summary } = await play('die', { times });
    assert.equal(outcome.endedBy, 'plan');
    assert.deepEqual([outcome.warnings[0].code, outcome.warnings[0].data.worker], ['worker-lost', 0]);
    // who does not hear of it is in its warm-up for a thousand seconds
    assert.ok(summary.warmup.toNs < 500e9, JSON.stringify(summary.phases));
    assert.ok(summary.steady.transfers > 0 && summary.steady.toNs < 500e9, JSON.stringify(summary.phases));
  });

  it('reports a warm-up that was ended by its timeout before its count was reached', async () => {
    const { outcome, summary } = await play('echo', { times: { warmupTransfers: 1000, steadyFromNs: 5e9 } });
    assert.equal(outcome.endedBy, 'plan');
    assert.deepEqual(factsOf(summary.warnings), [['warmup-short', { elapsedNs: 4e9, transfers: 60, wanted: 1000 }]]);
    assert.equal(summary.steady.transfers, 5 * 3 * 15);
  });

  it('drains early on request, and keeps the results', async () => {
    const times = { steadyToNs: 2000e9 };
    const { outcome, summary } = await play('echo', { times, act: (workers) => workers.drain() });
    assert.equal(outcome.endedBy, 'interrupted');
    assert.equal(summary.complete, false);
    assert.equal(summary.transfers.count > 0, true);
  });

  it('ends immediately when killed', async () => {
    let since = 0;
    // an engine that never ends, and a primary that would wait longer than the test may take
    const { outcome, samples } = await play('silent', {
      patience: { graceMs: 60_000 },
      act: (workers) => {
        since = performance.now();
        workers.kill();
      },
    });
    const tookMs = performance.now() - since;
    assert.ok(tookMs < 20_000, `it took ${tookMs} ms`);
    assert.equal(outcome.endedBy, 'interrupted');
    assert.ok(samples.length < leg.steadyToNs / 1e9, `${samples.length} samples`);
  });

  it('kills a worker that neither reports nor ends', async () => {
    const { outcome, summary } = await play('silent', { times: { steadyToNs: 2e9 }, patience: { graceMs: 100 } });
    assert.equal(outcome.endedBy, 'plan');
    assert.deepEqual(dataOf(summary.warnings, 'worker-silent'), { worker: 0, graceMs: 100 });
    assert.equal(summary.transfers.unfinished, 4);
  });

  it('gives up when the workers cannot be started', async () => {
    const { outcome } = await play('echo', { patience: { readyMs: 1 } });
    assert.equal(outcome.endedBy, 'workers');
    assert.deepEqual([outcome.failure?.code, outcome.failure?.data.readyMs], ['workers-not-ready', 1]);
    assert.deepEqual(outcome.files, [], 'no log is missed of a worker that had opened none');
  });

  it('writes no log if none is requested', async () => {
    const { outcome, summary } = await play('echo', { logging: false });
    assert.deepEqual(outcome.files, []);
    assert.deepEqual([summary.log.rows, summary.log.missing], [0, 300]);
  });
});
