// `broadside max`: one search for several goals, whose first leg gives the greatest rate. Which rates hold is for unit
// tests: the goals here hold at none, however fast or slow the machine is.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { assertBooks } from '../fixtures/e2e-books.js';
import { CLI, sandbox } from '../fixtures/e2e-run.js';

describe('max', function () {
  this.timeout(120_000);
  const box = sandbox();

  it('measures in closed loop, then at rates below that, and has an answer for each goal', async () => {
    const goals = ['p50 < 1us', 'p99 < 1us'];
    const words = [
      'max',
      '--servers',
      'epoll',
      '-c',
      '10',
      '-d',
      '300ms',
      '--workers',
      '1',
      '--goals',
      goals.join(', '),
    ];
    const run = box.start([process.execPath, CLI, ...words, ...box.folders()]);
    await run.endsWith(0);
    const { summary, legs } = await assertBooks(run);
    const { saturated, answers } = summary.search;
    assert.deepEqual(
      answers.map((/** @type {any} */ { goal, server, reason, failed, probes }) => [
        ...[goal, server, reason, failed.failed, probes.length],
      ]),
      goals.map((goal) => [goal, 'epoll', 'never-held', 2, 2]),
      'each leg is judged by both goals',
    );
    const [first, ...others] = legs.map(({ leg }) => leg);
    assert.deepEqual(
      saturated.map((/** @type {any} */ one) => [one.leg, one.perSecond]),
      [[first.id, first.steady.perSecond]],
    );
    assert.equal(first.steady.due, undefined);
    assert.ok(others.length === 2 && others.every(({ steady, tried }) => steady.due > 0 && tried > 0));
    assert.match(run.stdout, /p50 < 1us +none.*\n[^]*p99 < 1us +none.*\n[^]*saturated +[0-9,]+\/s/);
    const page = readFileSync(join(run.report, `${summary.run}.html`), 'utf8');
    assert.deepEqual(
      [...page.matchAll(/data-goal="([^"]*)"/g)].map(([, goal]) => goal),
      ['p50 &lt; 1us', 'p99 &lt; 1us', 'saturated'],
    );
  });
});
