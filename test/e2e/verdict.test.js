// The verdict of a whole run: exit code, summary.json, junit.xml and page; and a leg that stopOn ends.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { assertBooks } from '../fixtures/e2e-books.js';
import { sandbox } from '../fixtures/e2e-run.js';

describe('verdict of a run', function () {
  this.timeout(120_000);
  const box = sandbox({ servers: ['epoll'], connections: 20, workers: 1, transferLog: 'none' });

  it.slow('that is met leaves the exit code at 0', async () => {
    const run = box.stress({ duration: '300ms', thresholds: ['rejects == 0 and served == 20'] }, [
      '--fail-if',
      'errors > 0',
    ]);
    await run.endsWith(0);
    const { verdict } = run.summary();
    assert.equal(verdict.passed, true);
    assert.deepEqual(
      verdict.thresholds.map((/** @type {any} */ { kind, passed }) => [kind, passed]),
      [
        ['threshold', true],
        ['failIf', true],
      ],
    );
  });

  it('is undecided where too few slices compare the servers, and has an exit code and a failure of its own', async () => {
    const two = { servers: ['epoll', 'select'], connections: 4, duration: '1s', interleave: '100ms' };
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
    assert.match(
      readFileSync(join(run.report, 'index.html'), 'utf8'),
      /<section id="verdict"[^>]*data-outcome="undecided"/,
    );
  });

  it.slow('is left to a search, which measures until it has both ends of its answer', async () => {
    const find = ['--find.maximise', 'connections', '--find.while', 'open <= 2', '--find.from', '2'];
    const flags = [...find, '--thresholds', 'found connections == 2'];
    const run = box.stress({ connections: 3, duration: '200ms', ramp: { every: '100ms' } }, flags);
    await run.endsWith(0);
    const { search, legs, complete, verdict } = run.summary();
    assert.equal(run.stdout.match(/^ +(held|failed): open \d/gm)?.length, legs.length, 'each leg says whether it held');
    const [{ decided, held, failed, probes }] = search.servers;
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

  it('that is not met is exit code 99, and a condition of stopOn ends the leg in order', async () => {
    const run = box.stress({ duration: '1h', stopOn: ['rate > 1/s for 1s'] }, ['--json', '--fail-if', 'transfers > 0']);
    await run.endsWith(99);
    const [{ leg }] = (await assertBooks(run)).legs;
    assert.deepEqual([leg.complete, leg.endedBy, leg.stopped.condition], [true, 'stop-on', 'rate > 1/s']);
    const { verdict } = JSON.parse(run.stdout);
    assert.deepEqual(
      verdict.thresholds.map((/** @type {any} */ { kind, passed }) => [kind, passed]),
      [
        ['failIf', false],
        ['stopOn', false],
      ],
    );
    const folder = run.folder ?? assert.fail();
    const junit = readFileSync(join(folder, 'junit.xml'), 'utf8');
    assert.deepEqual([junit.match(/<testcase /g)?.length, junit.match(/<failure /g)?.length], [3, 2]);
    const page = readFileSync(join(run.report, 'index.html'), 'utf8');
    assert.match(page, /<section id="verdict"[^>]*data-passed="false"/);
  });
});
