// Runs that are ended through another program: timeout(1), and npm, whose shell passes a signal on or dies silently.

import assert from 'node:assert/strict';
import { assertBooks } from '../fixtures/e2e-books.js';
import { sandbox } from '../fixtures/e2e-run.js';
import { requireTool } from '../skip.js';

/** @import { Run } from '../fixtures/e2e-run.js' */

const NPM = ['npm', 'run', '-s', 'stress', '--'];

describe('an interrupted run', function () {
  this.timeout(120_000);
  const box = sandbox();
  const long = { servers: ['epoll', 'multi-threaded'], duration: '10m' };

  /** @param {Run} run */
  async function assertPartial(run) {
    const { summary, legs } = await assertBooks(run);
    assert.deepEqual([summary.complete, summary.endedBy, legs.length], [false, 'interrupted', 1]);
    const [{ leg }] = legs;
    assert.deepEqual([leg.complete, leg.endedBy, leg.connections.opened], [false, 'interrupted', 100]);
    assert.deepEqual([leg.errors.total, leg.transfers.unfinished, leg.log.missing], [0, 0, 0], 'it was drained');
    assert.ok(leg.transfers.count > 0);
  }

  it('by SIGTERM through timeout(1), which tells the run twice, drains', async function () {
    requireTool(this, 'timeout', 'coreutils');
    const run = box.stress(long, [], { wrap: ['timeout', '--preserve-status', '600'], group: true });
    await run.allOpen(100);
    run.kill('SIGTERM');
    await run.endsWith(143);
    await assertPartial(run);
    assert.deepEqual(run.summary().legs[0].warnings, [], 'no server ended, no worker died');
  });

  it('while a server starts ends immediately, without a leg', async () => {
    const run = box.stress({ command: ': {port}; sleep 1000' });
    await run.until('the command runs', () => run.processes().some(({ name }) => name === 'sleep'));
    run.kill('SIGINT');
    await run.endsWith(130);
    const { summary } = await assertBooks(run);
    assert.deepEqual(
      [summary.endedBy, summary.legs.map((/** @type {any} */ leg) => leg.endedBy)],
      ['interrupted', ['interrupted']],
    );
  });

  it('through npm by Ctrl+C, which the whole process group receives, ends as usual', async function () {
    requireTool(this, 'npm');
    const run = box.stress(long, [], { program: NPM, group: true });
    await run.allOpen(100);
    process.kill(-run.pid, 'SIGINT');
    const { code, signal } = await run.ended();
    // npm ends as the shell between does: by its exit code or by the signal itself, which a shell shows as 130
    assert.ok(code === 130 || signal === 'SIGINT', `${code} ${signal}${run.story()}`);
    await run.until('all have ended', () => run.processes().length === 0);
    await assertPartial(run);
  });

  it('through npm ends when only npm is killed', async function () {
    requireTool(this, 'npm');
    const run = box.stress(long, [], { program: NPM, group: true });
    await run.allOpen(100);
    run.kill('SIGKILL');
    await run.until('all have ended', () => run.processes().length === 0);
    await assertPartial(run);
  });
});
