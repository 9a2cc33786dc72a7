// Runs of schema 1 are read as runs of schema 2: the kept run folder test/fixtures/run-schema-1, and each renamed field.

import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { upgradeLegSummary, upgradeRunSummary, upgradeSample } from '../../client/results/schema-1.js';
import { buildReport } from '../../report/index.js';
import { readRun } from '../../report/read/read-run.js';

const RUN = fileURLToPath(new URL('../fixtures/run-schema-1', import.meta.url));

/** @param {string} name @returns {Promise<import('ajv').ValidateFunction>} */
async function validator(name) {
  const schema = JSON.parse(await readFile(new URL(`../../config/schema/${name}.json`, import.meta.url), 'utf8'));
  return new Ajv2020({ strict: true, strictTypes: false, strictRequired: false }).compile(schema);
}

describe('a run of schema 1', () => {
  it('is read in the shapes of schema 2', async () => {
    const run = await readRun(RUN);
    const [isSample, isSummary] = [await validator('sample'), await validator('summary')];
    assert.ok(isSummary(run.summary), JSON.stringify(isSummary.errors?.slice(0, 3)));
    const [{ samples, summary }] = run.legs;
    assert.equal(samples.length, 8);
    for (const sample of samples) assert.ok(isSample(sample), JSON.stringify(isSample.errors?.slice(0, 3)));
    assert.deepEqual([samples[3].second, samples[3].gauges.requested], [10, 10_000]);
    assert.equal(summary?.connections.requested, 10_000);
    assert.deepEqual([summary?.ramp.steps[0].requested, summary?.ramp.knee.requested], [1000, 2000]);
  });

  it('has a page', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'broadside-schema-1-'));
    try {
      const { page } = await buildReport({ runFolder: RUN, reportFolder: folder, index: false });
      assert.match(await readFile(page, 'utf8'), /10,000 \/ 10,000/);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('has every renamed field of a sample', () => {
    const engines = [{ worker: 0, cpu: 0.5, wait: 0, spun: 0.25 }];
    assert.deepEqual(
      upgradeSample({
        ...{
          schema: 1,
          k: 7,
          phase: 'steady',
          counters: { opened: 2, gone: 1 },
          client: { spunSeconds: 0.5, engines },
        },
        gauges: { asked: 4, open: 3, fresh: 2, mostOpen: 5 },
      }),
      {
        ...{ schema: 2, second: 7, phase: 'steady', counters: { opened: 2, lostWithWorker: 1 } },
        client: { idlePollSeconds: 0.5, engines: [{ worker: 0, cpu: 0.5, wait: 0, idlePoll: 0.25 }] },
        gauges: { requested: 4, open: 3, openedLastSecond: 2, peakOpen: 5 },
      },
    );
  });

  it('has every renamed field of a summary', () => {
    const client = { spunSeconds: 1, engines: [{ worker: 0, spun: 0.1 }] };
    const upgradedClient = { idlePollSeconds: 1, engines: [{ worker: 0, idlePoll: 0.1 }] };
    assert.deepEqual(
      upgradeLegSummary({
        connections: { asked: 9, askedAtEnd: 3, gone: 2, peakOpen: 9 },
        steady: { client },
        beforeSteady: { client },
        ramp: { steps: [{ step: 1, asked: 3, fresh: 1, inPlay: 6 }], knee: { step: 1, asked: 3, why: [] } },
      }),
      {
        connections: { requested: 9, requestedAtEnd: 3, lostWithWorker: 2, peakOpen: 9 },
        steady: { client: upgradedClient },
        beforeSteady: { client: upgradedClient },
        ramp: {
          steps: [{ step: 1, requested: 3, openedLastSecond: 1, maxInFlight: 6 }],
          knee: { step: 1, requested: 3, why: [] },
        },
      },
    );
    assert.equal(upgradeLegSummary({ ramp: { steps: [], knee: null } }).ramp.knee, null);
  });

  it('is not changed when it is of schema 2 already', () => {
    const sample = { schema: 2, second: 1 };
    const summary = { schema: 2, legs: [] };
    assert.equal(upgradeSample(sample), sample);
    assert.equal(upgradeRunSummary(summary), summary);
  });
});
