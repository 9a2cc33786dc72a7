// A run with kernel timestamps of a sample of its transfers: summary, samples and transfer log have the same ones.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { assertBooks } from '../fixtures/e2e-books.js';
import { sandbox } from '../fixtures/e2e-run.js';

describe('a run with kernel timestamps', function () {
  this.timeout(120_000);
  const box = sandbox({ workers: 1 });

  it('splits the response times of a sample of transfers into parts that add up', async () => {
    const run = box.stress({
      servers: ['epoll'],
      connections: 8,
      transfers: 500,
      duration: '60s',
      timestamps: 'sample',
    });
    await run.endsWith(0);
    const {
      legs: [{ leg, samples }],
    } = await assertBooks(run);
    const file = await asyncBufferFromFile(join(run.folder ?? '', leg.id, 'transfers.parquet'));
    const split = (await parquetReadObjects({ file })).filter(({ sendDelay }) => (sendDelay ?? null) !== null);
    const counted = samples.reduce((sum, { histograms }) => sum + (histograms.splitResponse?.count ?? 0), 0);
    assert.deepEqual([split.length, split.length > 0], [counted, true]);
    for (const { response, sendDelay, networkAndServer, receiveDelay } of split)
      assert.equal(sendDelay + networkAndServer + receiveDelay, response);
  });
});
