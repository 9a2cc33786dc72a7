// The verdict of a comparison that is not decided, and of a search.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { assertBooks } from '../fixtures/e2e-books.js';
import { sandbox } from '../fixtures/e2e-run.js';

describe('verdict of a run', function () {
  this.timeout(120_000);
  const box = sandbox({ servers: ['epoll'], connections: 20, workers: 1, transferLog: 'none' });

  it('is undecided where too few slices compare the servers, and has an exit code and a failure of its own', async () => {
    const two = { servers: ['epoll', 'select'], connections: 4, duration: '500ms', interleave: '100ms' };
    const run = box.stress(two, ['--fail-if', 'throughput worse by 3%', '--fail-if', 'served worse by 50%']);
    await run.endsWith(99);
    const { verdict, complete, exitCode } = run.summary();
    assert.deepEqual([complete, exitCode, verdict.passed, verdict.undecided], [true, 99, false, true]);
    assert.deepEqual(
      verdict.thresholds.map((/** @type {any} */ { label, condition, passed, undecided }) => [
        ...[label, condition, passed, undecided],
      ]),
      [
        ['select', 'throughput worse by 3%', false, true],
        ['select', 'served worse by 50%', true, undefined],
      ],
    );
    const junit = readFileSync(join(run.folder ?? assert.fail(), 'junit.xml'), 'utf8');
    assert.deepEqual(
      [...junit.matchAll(/<failure type="([^"]*)"/g)].map(([, type]) => type),
      ['undecided'],
    );
    assert.match(readFileSync(join(run.report, 'index.html'), 'utf8'), /<tr [^>]*data-outcome="undecided"/);
  });

  it('is left to a search, which measures until it has both ends of its answer', async () => {
    const find = ['--find.maximise', 'connections', '--find.while', 'open <= 2'];
    const flags = [...find, '--thresholds', 'found connections == 2'];
    const run = box.stress({ connections: 3, duration: '200ms', ramp: { every: '100ms' } }, flags);
    await run.endsWith(0);
    const { search, legs, complete, verdict } = run.summary();
    const [{ decided, held, failed, probes }] = search.answers;
    assert.deepEqual(
      [complete, decided, held, failed, verdict.passed],
      [true, true, { value: 2, held: 2, failed: 0 }, { value: 3, held: 0, failed: 2 }, true],
    );
    assert.deepEqual(
      probes.map((/** @type {any} */ { leg, value }) => [leg, value]),
      legs.map((/** @type {any} */ { id, settings }) => [id, settings?.connections ?? 3]),
    );
    await assertBooks(run);
    assert.match(readFileSync(join(run.report, 'index.html'), 'utf8'), /<section id="search"/);
  });
});
