// A run in open loop: every request that was due by the schedule is accounted for.

import assert from 'node:assert/strict';
import { assertBooks } from '../fixtures/e2e-books.js';
import { sandbox } from '../fixtures/e2e-run.js';

const RATE = 500;
const SECONDS = 2;

describe('a run in open loop', function () {
  this.timeout(120_000);
  const box = sandbox();

  it('has the requests that its rate makes due, evenly, and none in the ramp', async () => {
    // without a warm-up, whose requests that still wait at its end would be due in the steady state
    const few = { connections: 20, ramp: { add: 20, every: '200ms' }, pause: '0s', warmup: '0s' };
    const run = box.stress({ ...few, servers: ['epoll'], rate: `${RATE}/s`, duration: `${SECONDS}s` });
    await run.endsWith(0);
    const {
      summary,
      legs: [{ leg, rows, samples }],
    } = await assertBooks(run);
    assert.equal(summary.config.loop, 'open');
    assert.equal(leg.steady.arrivals.distribution, 'constant');
    // each worker begins its schedule somewhere within its first gap
    assert.ok(Math.abs(leg.transfers.due - RATE * SECONDS) <= run.workers().length, `${leg.transfers.due} due`);
    assert.equal(leg.errors.total, 0);
    assert.ok(samples.filter(({ phase }) => phase === 'ramp').every(({ counters }) => counters.due === 0));

    // the log has when each was due, except of those that were never sent, which are the last
    const gapNs = (run.workers().length * 1e9) / RATE;
    const due = (rows ?? [])
      .filter(({ connection }) => connection % run.workers().length === 0)
      .map(({ start }) => start)
      .sort((a, b) => a - b);
    const wrong = due.slice(1).filter((start, i) => Math.abs(start - due[i] - gapNs) > 1000);
    assert.deepEqual(wrong, [], 'all gaps of a worker are equal, to a microsecond');
  });
});
