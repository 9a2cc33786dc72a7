// What is made of a run that has ended: HdrHistogram logs, and a comparison with an earlier run.

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import * as hdr from 'hdr-histogram-js';
import { assertBooks } from '../fixtures/e2e-books.js';
import { CLI, sandbox } from '../fixtures/e2e-run.js';
import { RECORDED } from '../fixtures/recorded-run.js';

describe('a run that has ended', function () {
  this.timeout(120_000);
  const box = sandbox();

  it('exports its times as HdrHistogram logs that contain every transfer, and is compared with an earlier run', async () => {
    const baseline = RECORDED;
    const folder = mkdtempSync(join(tmpdir(), 'broadside-step-'));
    const env = { GITHUB_STEP_SUMMARY: join(folder, 'step.md') };
    const flags = ['--baseline', baseline, '--tolerance', '5%', '--allow-undecided', '--name', 'today'];
    const run = box.stress(
      { servers: ['epoll'], connections: 20, start: 'together', transfers: 500, duration: '60s' },
      flags,
      { env },
    );
    await run.endsWith(0);
    assert.ok(readFileSync(env.GITHUB_STEP_SUMMARY, 'utf8').startsWith('## Broadside: today\n'));
    rmSync(folder, { recursive: true });
    const found = run.summary().baseline;
    assert.equal(found.outcome, 'undecided', 'measured once');
    assert.equal(found.baseline.id, basename(baseline));
    assert.ok(found.conditions.some((/** @type {any} */ { key }) => key === 'scenario.connections'));
    const again = box.start([process.execPath, CLI, 'compare', 'today', baseline, '--json', '--logs', run.logs]);
    await again.endsWith(0);
    const compared = JSON.parse(again.stdout);
    assert.deepEqual([compared.tolerance, compared.outcome], [null, 'not-known']);
    for (const [more, code] of /** @type {[string[], number][]} */ ([
      [[], 99],
      [['--allow-undecided'], 0],
    ])) {
      const words = ['compare', 'today', baseline, '--tolerance', '5%', '--json', '--logs', run.logs, ...more];
      const judged = box.start([process.execPath, CLI, ...words]);
      await judged.endsWith(code);
      assert.deepEqual(JSON.parse(judged.stdout), found);
    }
    const page = readFileSync(join(run.report, `${run.summary().run}.html`), 'utf8');
    assert.match(page, /<section id="baseline"[^>]* data-outcome="undecided"/);
    const {
      legs: [{ leg }],
    } = await assertBooks(run);
    const exported = box.start([process.execPath, CLI, 'logs', 'export', '--json', '--logs', run.logs]);
    await exported.endsWith(0);
    const { files } = JSON.parse(exported.stdout);
    assert.deepEqual(
      files.map((/** @type {string} */ file) => basename(file)),
      ['response-time.hlog', 'connect-time.hlog'],
    );
    const reader = new hdr.HistogramLogReader(readFileSync(files[0], 'utf8'));
    const counted = { all: 0, steady: 0 };
    for (let read = reader.nextIntervalHistogram(); read !== null; read = reader.nextIntervalHistogram()) {
      counted.all += /** @type {any} */ (read).totalCount;
      if (read.tag === 'steady') counted.steady += /** @type {any} */ (read).totalCount;
    }
    assert.deepEqual(counted, { all: leg.transfers.count, steady: leg.steady.transfers });
  });
});
