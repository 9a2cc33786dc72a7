// Ctrl+C twice means an immediate end; once, which means drain, summary and report, ends the runs of deaths.test.js.

import assert from 'node:assert/strict';
import { codesOf } from '../fixtures/codes.js';
import { sandbox } from '../fixtures/e2e-run.js';

/** @import { Run } from '../fixtures/e2e-run.js' */

describe('an interrupted run', function () {
  this.timeout(180_000);
  /** Longer than any test waits. */
  const long = { duration: '10m', transferTimeout: '10m', drainTimeout: '10m' };
  const box = sandbox({ servers: ['epoll', 'multi-threaded'], workers: 1, pause: '50ms', ...long });

  /** @param {Run} run all connections are open, and have been served */
  const isLoaded = async (run) => {
    await run.allOpen(100);
    await run.until('transfers', () => run.samples().some(({ counters }) => counters.transfers > 0));
  };

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
