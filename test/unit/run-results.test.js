// What a run has measured, kept whatever ends it: an error while it is judged, a second signal.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RunResults } from '../../client/run/run-results.js';
import { RunFolder } from '../../client/store/run-folder.js';
import { warning } from '../../client/words/warnings.js';
import { makeRun } from '../fixtures/make-run.js';

describe('the results of a run', () => {
  /** @type {string} */
  let scratch;
  /** @type {RunResults} */
  let results;
  beforeEach(async () => {
    scratch = await mkdtemp(join(tmpdir(), 'broadside-results-'));
    const folder = await makeRun({ out: join(scratch, '20260101-120000-x'), legs: 2, seconds: 3, clean: true });
    const read = (/** @type {string[]} */ ...names) => JSON.parse(readFileSync(join(folder, ...names), 'utf8'));
    const [scenario, plan, { t0 }] = ['scenario.json', 'plan.json', 'environment.json'].map((name) => read(name));
    results = new RunResults({ folder: new RunFolder(folder, '20260101-120000-x'), scenario, plan, t0 });
    for (const { id } of plan.legs) results.add(read(id, 'summary.json'));
  });
  afterEach(() => rm(scratch, { recursive: true, force: true }));

  it('name the first error where they cannot be judged, and have every leg', () => {
    const [first, second] = results.summaries;
    const broken = Object.defineProperty({ ...first }, 'complete', {
      get() {
        throw new Error('it cannot be judged');
      },
    });
    results.summaries = [broken, second];
    const failure = warning('run-failed', { reason: 'the first error' });
    assert.throws(() => results.summary(failure));
    const { complete, endedBy, warnings, legs } = results.failed(failure);
    assert.deepEqual([complete, endedBy, legs.length], [false, 'error', 2]);
    assert.deepEqual(warnings.at(-1), failure);
  });

  it('are not written again, poorer, by a second signal after their end', async () => {
    /** @type {any} */
    let second = null;
    const { summary } = await results.conclude(
      async () => {
        results.interrupts = { interrupted: true, exitCode: 130 };
        second = results.endedNow(130);
        return join(results.folder.folder, 'plan.json');
      },
      () => {},
    );
    assert.deepEqual([summary.complete, summary.exitCode, results.summary().complete], [true, 130, false]);
    assert.deepEqual(second, summary);
  });
});
