// The verdict of a whole run that is not met: exit code, summary.json, junit.xml and page; and a leg that stopOn ends.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { assertBooks } from '../fixtures/e2e-books.js';
import { sandbox } from '../fixtures/e2e-run.js';

describe('verdict of a run', function () {
  this.timeout(120_000);
  const box = sandbox({ servers: ['epoll'], connections: 20, workers: 1 });

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
    assert.equal(
      page.match(/<details class="subject" id="verdict" open>.*?<\/details>/s)?.[0].match(/data-passed="false"/g)
        ?.length,
      2,
    );
  });
});
