// Ctrl+C, SIGTERM and SIGHUP: one means drain, summary and report; two mean an immediate end. Also through npm, whose
// shell passes a signal on or dies silently.

import assert from 'node:assert/strict';
import { codesOf } from '../fixtures/codes.js';
import { assertBooks } from '../fixtures/e2e-books.js';
import { sandbox } from '../fixtures/e2e-run.js';
import { requireTool } from '../hooks.js';

const NPM = ['npm', 'run', '-s', 'stress', '--'];

/** Far above what an end takes, and far below the drain timeout that it must not wait for. */
const AT_ONCE_MS = 37_500;

describe('an interrupted run', function () {
  this.timeout(120_000);
  const box = sandbox();
  const long = { servers: ['epoll', 'multi-threaded'], duration: '30s' };

  /** @param {import('../fixtures/e2e-run.js').Run} run */
  async function assertPartial(run) {
    const { summary, legs } = await assertBooks(run);
    assert.deepEqual([summary.complete, summary.endedBy, legs.length], [false, 'interrupted', 1]);
    const [{ leg }] = legs;
    assert.deepEqual([leg.complete, leg.endedBy, leg.connections.opened], [false, 'interrupted', 100]);
    assert.deepEqual([leg.errors.total, leg.transfers.unfinished, leg.log.missing], [0, 0, 0], 'it was drained');
    assert.ok(leg.transfers.count > 0);
  }

  for (const [signal, code] of /** @type {[NodeJS.Signals, number][]} */ ([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 143],
  ])) {
    const add = signal === 'SIGINT' ? it : it.slow;
    add(`by ${signal} drains, leaves a partial summary and a report, and exits with ${code}`, async () => {
      const run = box.stress(long);
      await run.allOpen(100);
      run.kill(signal);
      await run.endsWith(code);
      assert.ok(run.events().some((event) => event.signal === signal));
      assert.ok(run.stdout.includes(`${signal} received`));
      assert.match(run.stdout, /^The run was interrupted/m);
      await assertPartial(run);
    });
  }

  for (const [how, wrap] of /** @type {[string, string[]][]} */ ([
    ['as a shell does', []],
    ['as timeout(1) does, which tells the run twice', ['timeout', '--preserve-status', '600']],
  ])) {
    it.slow(
      `by SIGTERM to its whole process group drains, and the server survives until then: ${how}`,
      async function () {
        if (wrap.length > 0) requireTool(this, 'timeout', 'coreutils');
        const run = box.stress(long, [], { wrap, group: true });
        await run.allOpen(100);
        if (wrap.length > 0) run.kill('SIGTERM');
        else process.kill(-run.pid, 'SIGTERM');
        await run.endsWith(143);
        await assertPartial(run);
        assert.deepEqual(run.summary().legs[0].warnings, [], 'no server ended, no worker died');
      },
    );
  }

  it.slow('gives transfers in flight the drain timeout and no longer', async () => {
    const run = box.stress({ ...long, command: undefined, transferTimeout: '20s', drainTimeout: '500ms' });
    await run.allOpen(100);
    process.kill(run.server('epoll'), 'SIGSTOP');
    await run.until('nothing is answered', () => run.samples().at(-1).counters.transfers === 0);
    run.kill('SIGINT');
    await run.endsWith(130);
    const {
      legs: [{ leg, rows }],
    } = await assertBooks(run);
    assert.deepEqual([leg.transfers.unfinished, leg.log.missing], [100, 0]);
    assert.equal(rows?.filter(({ status }) => status === 6).length, 100, 'they are logged with their age');
  });

  it('twice ends immediately, with a summary', async () => {
    const run = box.stress({ ...long, transferTimeout: '60s', drainTimeout: '60s' });
    await run.allOpen(100);
    process.kill(run.server('epoll'), 'SIGSTOP');
    run.kill('SIGINT');
    await run.until('the first is heard', () => run.stdout.includes(' received: draining'));
    const since = performance.now();
    await run.until('the second is heard', () => {
      if (!run.ending) run.kill('SIGINT'); // as often as an impatient finger does
      return run.ending;
    });
    assert.ok(performance.now() - since < AT_ONCE_MS, `it took ${performance.now() - since} ms`);
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

  it.slow('while a server starts ends immediately, without a leg', async () => {
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

  it.slow('while the workers start ends immediately, and reports no failed worker', async () => {
    const run = box.stress(long);
    await run.until('the workers are forked', () => run.workers().length === 2);
    run.kill('SIGINT');
    await run.endsWith(130);
    const {
      summary: { complete, endedBy },
      legs: [{ leg }, ...others],
    } = await assertBooks(run);
    assert.deepEqual(
      [complete, endedBy, leg.endedBy, leg.warnings, others],
      [false, 'interrupted', 'interrupted', [], []],
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

  it.slow('through npm ends when only npm receives a signal', async function () {
    requireTool(this, 'npm');
    const run = box.stress(long, [], { program: NPM, group: true });
    await run.allOpen(100);
    run.kill('SIGTERM');
    await run.until('all have ended', () => run.processes().length === 0);
    await assertPartial(run);
  });

  it.slow('through npm ends when only npm is killed', async function () {
    requireTool(this, 'npm');
    const run = box.stress(long, [], { program: NPM, group: true });
    await run.allOpen(100);
    run.kill('SIGKILL');
    await run.until('all have ended', () => run.processes().length === 0);
    await assertPartial(run);
  });
});
