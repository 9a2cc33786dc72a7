// What a run has measured, kept whatever ends it: a leg that is run again, an error while it is judged, a second signal.

import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ownIdentity } from '../../client/machine/process-identity.js';
import { RunResults } from '../../client/run/run-results.js';
import { setAside } from '../../client/store/earlier-tries.js';
import { writeMissingSummary } from '../../client/store/missing-summary.js';
import { readResumable, resumeRun } from '../../client/store/resumable-run.js';
import { warning } from '../../client/words/warnings.js';
import { makeRun } from '../fixtures/make-run.js';

describe('the results of a run', () => {
  /** @type {string} */
  let scratch;
  /** @type {string} */
  let folder;
  beforeEach(async () => {
    scratch = await mkdtemp(join(tmpdir(), 'broadside-results-'));
    folder = await makeRun({ out: join(scratch, '20260101-120000-x'), legs: 2, seconds: 3, clean: true });
    write('environment.json', { ...read('environment.json'), process: { ...ownIdentity(), born: '0' } });
  });
  afterEach(() => rm(scratch, { recursive: true, force: true }));

  const read = (/** @type {string[]} */ ...names) => JSON.parse(readFileSync(join(folder, ...names), 'utf8'));
  const write = (/** @type {string} */ name, /** @type {unknown} */ content) =>
    writeFileSync(join(folder, name), JSON.stringify(content));
  const schemaOfPlan = () => read('plan.json').schema;

  /** @param {string} id leaves it as an interrupted leg @returns {any} its summary */
  function interrupt(id) {
    const summary = { ...read(id, 'summary.json'), complete: false, endedBy: 'interrupted' };
    write(join(id, 'summary.json'), summary);
    return summary;
  }

  /** @returns {Promise<{ results: RunResults, ids: string[] }>} of a run whose second leg was interrupted, resumed */
  async function resumed() {
    const ids = read('plan.json').legs.map((/** @type {any} */ { id }) => id);
    interrupt(ids[1]);
    const run = await readResumable(folder, schemaOfPlan());
    resumeRun(run, run.plan, run.environment);
    const { scenario, plan, environment } = run;
    const results = new RunResults({ folder: run.folder, scenario, plan, t0: environment.t0, resumed: run });
    return { results, ids };
  }

  it('keep what a leg has measured until it has been run again', async () => {
    const { results, ids } = await resumed();
    const samples = readFileSync(join(folder, ids[1], 'samples.ndjson'), 'utf8');
    assert.deepEqual(
      results.summary().legs.map(({ id, complete, transfers }) => [id, complete, (transfers?.count ?? 0) > 0]),
      [
        [ids[0], true, true],
        [ids[1], false, true],
      ],
    );
    setAside(folder, ids[1]);
    assert.equal(existsSync(join(folder, ids[1])), false);
    assert.equal(readFileSync(join(folder, 'earlier', `${ids[1]}-1`, 'samples.ndjson'), 'utf8'), samples);
  });

  it('keep the earlier try where the next one measured nothing, and both until one is complete', async () => {
    const { results, ids } = await resumed();
    const [, id] = ids;
    const before = read(id, 'summary.json');
    setAside(folder, id);
    mkdirSync(join(folder, id));
    const { label, axes, round } = before;
    const failure = warning('leg-failed', { reason: 'no port' });
    results.add({
      ...{ id, label, axes, round, server: label, targets: [], warnings: [], failure },
      complete: false,
      endedBy: 'server-start',
    });
    assert.equal(results.summary().legs[1].transfers?.count, before.transfers.count);
    assert.deepEqual(
      results.warnings
        .filter(({ code }) => code === 'leg-not-repeated')
        .map(({ data }) => /** @type {any} */ (data).leg),
      [id],
    );
    assert.deepEqual([read(id, 'summary.json'), existsSync(join(folder, 'earlier'))], [before, false]);

    setAside(folder, id);
    mkdirSync(join(folder, id));
    writeFileSync(join(folder, id, 'samples.ndjson'), '{}\n');
    setAside(folder, id);
    assert.deepEqual(readdirSync(join(folder, 'earlier')), [`${id}-1`, `${id}-2`]);
    results.add({ ...before, complete: true, endedBy: 'plan' });
    assert.equal(existsSync(join(folder, 'earlier')), false);
  });

  it('are found by the report where the next try was killed before it measured anything', async () => {
    const { ids } = await resumed();
    const [, id] = ids;
    const { transfers } = read(id, 'summary.json');
    setAside(folder, id);
    mkdirSync(join(folder, id));
    assert.equal(await writeMissingSummary(folder), true);
    assert.equal(read('summary.json').legs[1].transfers.count, transfers.count);
  });

  it('have a leg that was killed before it wrote its summary', async () => {
    const ids = read('plan.json').legs.map((/** @type {any} */ { id }) => id);
    rmSync(join(folder, ids[1], 'summary.json'));
    rmSync(join(folder, 'summary.json'));
    const { partial } = await readResumable(folder, schemaOfPlan());
    assert.deepEqual(
      partial.map(({ id, endedBy, transfers }) => [id, endedBy, (transfers?.count ?? 0) > 0]),
      [[ids[1], 'cut', true]],
    );
  });

  it('name the first error where they cannot be judged, and have every leg', async () => {
    const { results } = await resumed();
    const [first] = results.summaries;
    const broken = Object.defineProperty({ ...first }, 'complete', {
      get() {
        throw new Error('it cannot be judged');
      },
    });
    results.summaries = [broken];
    const failure = warning('run-failed', { reason: 'the first error' });
    assert.throws(() => results.summary(failure));
    const { complete, endedBy, warnings, legs } = results.failed(failure);
    assert.deepEqual([complete, endedBy, legs.length], [false, 'error', 2]);
    assert.deepEqual(warnings.at(-1), failure);
  });

  it('are not written again, poorer, by a second signal after their end', async () => {
    const { results, ids } = await resumed();
    results.add({ ...read(ids[1], 'summary.json'), complete: true, endedBy: 'plan' });
    results.interrupts = { interrupted: false, exitCode: 0 };
    /** @type {any} */
    let second = null;
    const { summary } = await results.conclude(
      async () => {
        results.interrupts = { interrupted: true, exitCode: 130 };
        second = results.endedNow(130);
        return join(folder, 'plan.json');
      },
      () => {},
    );
    assert.deepEqual([summary.complete, summary.exitCode, results.summary().complete], [true, 130, false]);
    assert.deepEqual(second, summary);
  });
});
