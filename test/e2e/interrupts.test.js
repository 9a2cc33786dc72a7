// Ctrl+C: one means drain, summary and report; two mean an immediate end.

import assert from 'node:assert/strict';
import { codesOf } from '../fixtures/codes.js';
import { assertBooks } from '../fixtures/e2e-books.js';
import { sandbox } from '../fixtures/e2e-run.js';

describe('an interrupted run', function () {
  this.timeout(180_000);
  /** Longer than any test waits. */
  const long = { duration: '10m', transferTimeout: '10m', drainTimeout: '10m' };
  const box = sandbox({ servers: ['epoll', 'multi-threaded'], workers: 1, pause: '50ms', ...long });

  /** @param {import('../fixtures/e2e-run.js').Run} run all connections are open, and have been served */
  const isLoaded = async (run) => {
    await run.allOpen(100);
    await run.until('transfers', () => run.samples().some(({ counters }) => counters.transfers > 0));
  };

  it('by SIGINT drains, leaves a partial summary and a report, and exits with 130', async () => {
    const run = box.stress({});
    await isLoaded(run);
    run.kill('SIGINT');
    await run.endsWith(130);
    assert.ok(run.events().some(({ signal }) => signal === 'SIGINT'));
    const { summary, legs } = await assertBooks(run);
    assert.deepEqual([summary.complete, summary.endedBy, legs.length], [false, 'interrupted', 1]);
    const [{ leg }] = legs;
    assert.deepEqual([leg.complete, leg.endedBy, leg.connections.opened], [false, 'interrupted', 100]);
    assert.deepEqual([leg.errors.total, leg.transfers.unfinished, leg.log.missing], [0, 0, 0], 'it was drained');
    assert.ok(leg.transfers.count > 0);
  });

  it('by SIGINT twice ends immediately, with a summary', async () => {
    const run = box.stress({});
    await isLoaded(run);
    process.kill(run.server('epoll'), 'SIGSTOP');
    run.kill('SIGINT');
    await run.until('the first is heard', () => run.events().some(({ signal }) => signal === 'SIGINT'));
    await run.until('the second is heard', () => {
      if (!run.ending) run.kill('SIGINT'); // as often as an impatient finger does
      return run.ending;
    });
    await run.endsWith(130);
    const {
      complete,
      endedBy,
      legs: [leg],
    } = run.summary();
    assert.deepEqual([complete, endedBy, leg.endedBy], [false, 'interrupted', 'interrupted']);
    assert.ok(leg.transfers.count > 0);
    assert.ok(codesOf(leg.warnings).includes('ended-at-once'));
  });
});
