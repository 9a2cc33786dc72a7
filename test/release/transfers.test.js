// Legs that end after a number of transfers: in the ramp, and in a sweep of all server models.

import assert from 'node:assert/strict';
import { assertBooks } from '../fixtures/e2e-books.js';
import { CLI, sandbox } from '../fixtures/e2e-run.js';

/** Several legs, each of which is started and ended: on a busy machine that takes long. */
const END_MS = 170_000;

describe('a leg with a number of transfers', function () {
  this.timeout(180_000);
  const box = sandbox();

  it('has no steady state if they end in the ramp, and reports that', async () => {
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
    const [{ data }] = leg.warnings.filter((/** @type {any} */ { code }) => code === 'no-steady-state');
    assert.deepEqual([data.transfers, data.phase, data.steadyFromNs], [50, 'ramp', 5e9]);
  });

  it('does the same work with each of the models of 2016', async function () {
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
      '60s',
      ...folders,
    ]);
    assert.deepEqual(await run.ended(END_MS), { code: 0, signal: null }, run.story());
    const { legs } = await assertBooks(run, { planned: true });
    assert.equal(legs.length, 16);
    for (const { leg } of legs) {
      assert.equal(leg.transfers.count, 40, leg.label);
      assert.ok(leg.steady.responseTimeNs.min >= 30e6, `${leg.label}: ${leg.steady.responseTimeNs.min}`);
    }
  });
});
