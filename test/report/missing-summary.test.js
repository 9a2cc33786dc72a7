// A run that was killed has no summary: the client's own summariser makes it later, from the samples.

import assert from 'node:assert/strict';
import { cp, mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeMissingSummary } from '../../client/store/missing-summary.js';
import { buildReport } from '../../report/index.js';
import { readRun } from '../../report/read/read-run.js';
import { attributesOf, elementOf } from '../fixtures/page-elements.js';
import { RECORDED, RUN_ID } from '../fixtures/recorded-run.js';
import { assertConforms } from '../fixtures/schemas.js';

/** Long after the files of a copy were written. */
const LATER_MS = Date.now() + 3600e3;
const LEGS = ['01-multi-threaded', '02-select', '03-epoll'];

/** @param {string} path @returns {Promise<any>} */
const json = async (path) => JSON.parse(await readFile(path, 'utf8'));

describe('a run without a summary', () => {
  /** @type {string} */
  let scratch;
  /** @type {string} */
  let folder;
  beforeEach(async () => {
    scratch = await mkdtemp(join(tmpdir(), 'broadside-missing-'));
    folder = join(scratch, RUN_ID);
    await cp(RECORDED, folder, { recursive: true });
    for (const name of ['', ...LEGS]) await rm(join(folder, name, 'summary.json'));
  });
  afterEach(() => rm(scratch, { recursive: true, force: true }));

  it('has one made of its samples, in the shape of the schema and with the same figures', async () => {
    assert.equal(await writeMissingSummary(folder, LATER_MS), true);
    const made = await json(join(folder, 'summary.json'));
    const was = await json(join(RECORDED, 'summary.json'));
    assertConforms('summary', made);
    assert.deepEqual([made.complete, made.endedBy, made.run], [false, 'cut', RUN_ID]);
    for (const [i, { log: _log, ...leg }] of was.legs.entries()) {
      const { failure, ...again } = made.legs[i];
      assert.equal(failure.code, 'run-cut');
      assert.deepEqual(again, { ...leg, complete: false, endedBy: 'cut' });
    }
  });

  it('ends what was in flight when the run was killed, so that the figures still agree', async () => {
    const file = join(folder, LEGS[0], 'samples.ndjson');
    const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
    const last = JSON.parse(lines[10]);
    last.counters.attempts += 7;
    const { connecting, open, answered } = last.gauges;
    Object.assign(last.gauges, { connecting: connecting + 7, open: open - 7, answered: answered - 7, inFlight: 5 });
    await writeFile(file, `${[...lines.slice(0, 10), JSON.stringify(last)].join('\n')}\n`);
    await writeMissingSummary(folder, LATER_MS);
    const [leg] = (await json(join(folder, 'summary.json'))).legs;
    assert.deepEqual([leg.endedBy, leg.failure.code, leg.imbalances], ['cut', 'run-cut', undefined]);
    assert.ok(leg.attempts.abandoned >= 7 && leg.transfers.unfinished >= 5);
  });

  it('keeps the summaries that its legs left, and leaves out a leg that never began', async () => {
    await cp(join(RECORDED, LEGS[0], 'summary.json'), join(folder, LEGS[0], 'summary.json'));
    await rm(join(folder, LEGS[2]), { recursive: true });
    const samples = join(folder, LEGS[1], 'samples.ndjson');
    await truncate(samples, 100_000);
    await writeMissingSummary(folder, LATER_MS);
    const { legs } = await json(join(folder, 'summary.json'));
    assert.deepEqual(
      legs.map((/** @type {any} */ { id, complete, endedBy }) => [id, complete, endedBy]),
      [
        [LEGS[0], true, 'plan'],
        [LEGS[1], false, 'cut'],
      ],
    );
    const { page } = await buildReport({ runFolder: folder, reportFolder: join(scratch, 'report'), index: false });
    const text = await readFile(page, 'utf8');
    const partial = elementOf(text, 'data-legs', 'select');
    assert.ok(attributesOf(partial, 'data-missing')[0].split(' ').includes('sample-lines'));
  });

  it('is left as it is while it runs, and where a summary is there', async () => {
    assert.equal(await writeMissingSummary(folder), false);
    assert.equal((await readRun(folder)).summary.endedBy, 'running');
    await writeFile(join(folder, 'summary.json'), '{"legs":[]}');
    assert.equal(await writeMissingSummary(folder, LATER_MS), false);
    assert.deepEqual(await json(join(folder, 'summary.json')), { legs: [] });
  });
});
