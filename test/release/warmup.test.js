// A warm-up that ends by a count, at the same instant for all workers, against a real server.

import assert from 'node:assert/strict';
import { assertBooks } from '../fixtures/e2e-books.js';
import { sandbox } from '../fixtures/e2e-run.js';

const few = { connections: 20, ramp: { add: 20, every: '500ms' }, servers: ['epoll'], duration: '2s' };
const second = 1e9;

describe('a run with a warm-up', function () {
  this.timeout(120_000);
  const box = sandbox();

  it('by count: ends at the same whole second for all workers, and the leg that much earlier', async () => {
    const run = box.stress({ ...few, warmup: 1000 });
    await run.endsWith(0);
    const {
      legs: [{ leg }],
    } = await assertBooks(run);
    assert.ok(leg.warmup.transfers >= 1000, `${leg.warmup.transfers} transfers`);
    const { steadyFromNs, steadyToNs } = leg.phases;
    assert.equal(steadyFromNs % second, 0);
    assert.equal(steadyToNs - steadyFromNs, 2 * second);
    assert.equal(leg.complete, true);
  });
});
