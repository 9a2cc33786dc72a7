// The made-up runs: the report is only as well tested as they are true to the client's shapes and books.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { readRun } from '../../report/read/read-run.js';
import { LOADS } from '../fixtures/made-up-loads.js';
import { makeRun, RUN_ID } from '../fixtures/make-run.js';

const schema = async (/** @type {string} */ name) =>
  JSON.parse(await readFile(new URL(`../../config/schema/${name}.json`, import.meta.url), 'utf8'));

describe('report: made-up runs', function () {
  this.timeout(120_000);
  /** @type {string} */
  let scratch;
  before(async () => {
    scratch = await mkdtemp(join(tmpdir(), 'broadside-made-up-'));
  });
  after(() => rm(scratch, { recursive: true, force: true }));

  for (const load of /** @type {Array<keyof typeof LOADS>} */ (Object.keys(LOADS))) {
    const add = load === '10k' ? it : it.slow;
    add(`${load}: have the shapes of the schemas, and every slot is in one place`, async () => {
      const run = await readRun(await makeRun({ out: join(scratch, load), load }));
      const ajv = new Ajv2020({ strictTypes: false });
      const [isSample, isSummary] = [ajv.compile(await schema('sample')), ajv.compile(await schema('summary'))];
      assert.ok(isSummary(run.summary), JSON.stringify(isSummary.errors?.slice(0, 3)));
      for (const { id, samples, summary } of run.legs) {
        for (const sample of samples) {
          assert.ok(isSample(sample), `${id} ${sample.second} ${JSON.stringify(isSample.errors?.slice(0, 3))}`);
          const { requested, open, connecting, backingOff, unanswered } = sample.gauges;
          if (sample.phase !== 'drain')
            assert.equal(open + connecting + backingOff, requested, `${id} ${sample.second}`);
          assert.ok(unanswered <= open);
        }
        const { total, opened, rejected, abandoned } = summary?.attempts ?? assert.fail(id);
        assert.equal(total, opened + rejected + abandoned, id);
        assert.equal(summary?.log?.missing, 0);
      }
    });
  }

  it('are the same bytes each time: the one that is committed is what the generator makes', async () => {
    const made = await makeRun({ out: join(scratch, 'again') });
    const committed = fileURLToPath(new URL(`../fixtures/run/${RUN_ID}`, import.meta.url));
    for (const name of ['01-multi-threaded', '02-select', '03-epoll'].map((leg) => join(leg, 'samples.ndjson'))) {
      const [is, was] = await Promise.all([made, committed].map((folder) => readFile(join(folder, name), 'utf8')));
      assert.ok(is === was, `${name}: run node test/fixtures/make-run.js and commit what it writes`);
    }
  });
});
