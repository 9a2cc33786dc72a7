// A sweep over numbers of connections, and legs that end after a number of transfers.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { assertBooks, modelOf } from '../fixtures/e2e-books.js';
import { CLI, sandbox } from '../fixtures/e2e-run.js';

const SWEPT = {
  connections: undefined,
  sweep: { connections: [1, 20] },
  ramp: { add: 1000, every: '1ms' },
  payload: undefined,
  pause: '0s',
  duration: '20s',
  protocol: 'http',
  http: { keepAlive: false },
};

/** Several legs, each of which is started and ended: on a busy machine that takes long. */
const END_MS = 170_000;

describe('a sweep', function () {
  this.timeout(180_000);
  const box = sandbox();

  it('has a leg for each server and number, with no more transfers in each than planned', async () => {
    const run = box.stress({ ...SWEPT, servers: ['epoll', 'multi-threaded'], transfers: 301 });
    assert.deepEqual(await run.ended(END_MS), { code: 0, signal: null }, run.story());
    const { legs, summary } = await assertBooks(run, { planned: true });
    assert.deepEqual(
      legs.map(({ leg }) => [leg.id, leg.label, leg.series, leg.axes]),
      [1, 20].flatMap((n, i) =>
        ['epoll', 'multi-threaded'].map((name, j) => [
          `0${2 * i + j + 1}-${name}-${n}-connection${n === 1 ? '' : 's'}`,
          `${name}, ${n} connection${n === 1 ? '' : 's'}`,
          name,
          { connections: n },
        ]),
      ),
    );
    assert.equal(summary.config.connections, 20);
    for (const { leg } of legs) {
      assert.deepEqual([leg.transfers.count, leg.errors.total, leg.endedBy, leg.complete], [301, 0, 'done', true]);
      assert.equal(leg.connections.requested, leg.axes.connections);
      assert.ok(leg.steady.toNs < 15e9, 'it ended with its transfers');
      const { transfers, fromNs, toNs, perSecond } = leg.steady;
      assert.ok(Math.abs(perSecond - (transfers * 1e9) / (toNs - fromNs)) < 1);
    }
    const { charts } = modelOf(join(run.report, `${summary.run}.html`));
    const [drawn] = charts.filter((/** @type {any} */ { id }) => id === 'sweep-throughput');
    assert.deepEqual(
      drawn.panels[0].datasets.map((/** @type {any} */ { label, points }) => [
        label,
        points.map((/** @type {number[]} */ [n]) => n),
      ]),
      [
        ['epoll', [1, 20]],
        ['multi-threaded', [1, 20]],
      ],
    );
    for (const title of ['transfers/s', 'response p50', 'response p99']) {
      assert.match(
        run.stdout,
        new RegExp(`^${title}, against connections\\n +1 +20\\n epoll .*\\n multi-threaded `, 'm'),
      );
    }
  });

  it.slow('ends by duration if that comes first, and counts timeouts', async () => {
    const run = box.stress({
      ...SWEPT,
      sweep: { connections: [1, 8] },
      transfers: 1000,
      duration: '2s',
      transferTimeout: '1200ms',
      drainTimeout: '2s',
      servers: [{ name: 'iterative', options: { work: '300ms' } }],
    });
    await run.endsWith(0);
    const {
      legs: [one, eight],
    } = await assertBooks(run, { planned: true });
    for (const { leg } of [one, eight]) {
      assert.equal(leg.endedBy, 'plan');
      assert.ok(leg.transfers.count + leg.transfers.failed < 1000);
    }
    assert.deepEqual([one.leg.errors.total, one.leg.transfers.failed], [0, 0]);
    assert.ok(eight.leg.errors.timeout >= 3, JSON.stringify(eight.leg.errors));
    assert.match(run.stdout, /^errors, against connections\n +1 +8\n iterative +0 +[1-9]/m);
  });

  it.slow('whose transfers end in the ramp has no steady state, and reports that', async () => {
    const run = box.stress({
      servers: ['epoll'],
      connections: 10,
      transfers: 50,
      pause: '0s',
      ramp: { add: 10, every: '5s' },
    });
    await run.endsWith(0);
    const {
      legs: [{ leg }],
    } = await assertBooks(run);
    assert.deepEqual([leg.transfers.count, leg.steady, leg.endedBy], [50, undefined, 'done']);
    assert.deepEqual([leg.beforeSteady.phase, leg.beforeSteady.transfers], ['ramp', 50]);
    assert.match(run.stdout, /^ figures of +the ramp\n[^]*\n transfers\/s +[1-9]/m);
    assert.match(run.stdout, /^ *response p50 +[0-9]/m);
    const page = readFileSync(join(run.report, `${run.summary().run}.html`), 'utf8');
    assert.ok(!page.includes('id="partial"'), 'it is complete on the page too');
    const [{ data }] = leg.warnings.filter((/** @type {any} */ { code }) => code === 'no-steady-state');
    assert.deepEqual([data.transfers, data.phase, data.steadyFromNs], [50, 'ramp', 5e9]);
  });

  it.slow('of the models of 2016 does the same work with each', async function () {
    const folders = box.folders();
    const run = box.start([
      process.execPath,
      CLI,
      'stress',
      '--config',
      'models-http',
      '--sweep.connections',
      '20',
      '--rounds',
      '1',
      '--transfers',
      '40',
      '--duration',
      '2s',
      ...folders,
    ]);
    assert.deepEqual(await run.ended(END_MS), { code: 0, signal: null }, run.story());
    const { legs } = await assertBooks(run, { planned: true });
    assert.equal(legs.length, 16);
    for (const { leg } of legs) {
      assert.ok(leg.transfers.count > 10 && leg.transfers.count <= 40, `${leg.label}: ${leg.transfers.count}`);
      assert.ok(leg.steady.responseTimeNs.min >= 30e6, `${leg.label}: ${leg.steady.responseTimeNs.min}`);
    }
  });

  it.slow('keeps connections open until no transfers are left to begin', async () => {
    const run = box.stress({
      servers: ['epoll'],
      connections: 30,
      transfers: 2000,
      pipeline: 4,
      pause: '0s',
      ramp: { add: 1000, every: '1ms' },
    });
    await run.endsWith(0);
    const {
      legs: [{ leg }],
    } = await assertBooks(run);
    assert.deepEqual([leg.transfers.count, leg.transfers.failed, leg.errors.total], [2000, 0, 0]);
    assert.deepEqual([leg.connections.opened, leg.connections.reopened], [30, 0]);
    assert.match(run.stdout, /open at the end +30\n requested +30\n/);
  });
});
