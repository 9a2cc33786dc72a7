// A profile of connections against a real server.

import assert from 'node:assert/strict';
import { assertBooks } from '../fixtures/e2e-books.js';
import { sandbox } from '../fixtures/e2e-run.js';

describe('a run along a profile', function () {
  this.timeout(120_000);
  const box = sandbox();
  const few = { servers: ['epoll'], connections: 20, ramp: { add: 20, every: '1s' }, pause: '0s', duration: undefined };

  it('opens connections, closes them by FIN and opens them again along its steps and lines', async () => {
    const connections = [
      { connections: 40, for: '1500ms' },
      { connections: 100, for: '1s' },
      { connections: 100, to: 20, for: '2s' },
      { connections: 0, for: '1s' },
      { connections: 60, for: '1500ms' },
    ];
    const run = box.stress({ ...few, connections, ramp: { add: 40, every: '1s' }, servers: ['epoll'] });
    await run.endsWith(0);
    const {
      legs: [{ leg }],
    } = await assertBooks(run, { planned: true });
    assert.equal(leg.phases.steadyToNs - leg.phases.steadyFromNs, 7e9);
    assert.deepEqual(
      [leg.connections.requested, leg.connections.requestedAtEnd, leg.connections.openAtEnd],
      [100, 60, 60],
    );
    assert.deepEqual([leg.errors.total, leg.rejects.total, leg.connections.lost, leg.transfers.failed], [0, 0, 0, 0]);
    assert.equal(leg.transfers.unfinished, 0);
    assert.ok(leg.connections.reopened >= 60, `${leg.connections.reopened} reopened`);
    assert.equal(leg.recoveryTimeNs, undefined, 'nothing was lost');
    assert.equal(leg.steady.perConnection, undefined);
  });
});
