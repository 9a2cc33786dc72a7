// A disk that fills up during a run.

import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readBatches } from '../../client/store/transfer-log/arrow-stream.js';
import { dataOf } from '../fixtures/codes.js';
import { assertBooks } from '../fixtures/e2e-books.js';
import { sandbox } from '../fixtures/e2e-run.js';
import { asRootOnly, mountTmpfs } from '../fixtures/e2e-tmpfs.js';

/** @param {string} file of Arrow batches @returns {Promise<{rows: number, cut: boolean}>} */
async function countRows(file) {
  const batches = readBatches(file, Infinity);
  let rows = 0;
  let next = batches.next();
  for (; !next.done; next = batches.next()) rows += next.value.batch.rows;
  return { rows, cut: next.value.cut };
}

describe('the disk of a run', function () {
  this.timeout(120_000);
  const box = sandbox({ workers: 1 });

  it('may fill up: the log ends at a complete batch, and everything else is written', async function () {
    asRootOnly(this);
    const disk = join(box.folder, 'disk');
    mkdirSync(disk);
    const unmount = mountTmpfs(this, disk, 'size=64m');
    try {
      writeFileSync(join(disk, 'zz-filler'), Buffer.alloc(60 * 2 ** 20)); // 4 MiB are left, 3.2 of them kept in reserve
      const load = { servers: ['epoll'], transfers: 60_000, duration: '60s', payload: '1B', pause: undefined };
      const run = box.stress(load, [], { logs: disk });
      await run.endsWith(0);
      const {
        summary,
        legs: [{ leg }],
      } = await assertBooks(run);
      assert.deepEqual([summary.complete, leg.endedBy], [true, 'done'], 'the run went on');
      assert.equal(leg.transfers.count, 60_000, 'to its end');
      assert.equal(dataOf(leg.warnings, 'log-incomplete')?.reason, 'ENOSPC');
      assert.ok(leg.log.missing > 0 && leg.log.rows > 0, JSON.stringify(leg.log));
      assert.ok(run.events().some(({ msg }) => msg === 'run ended'));
      const folder = join(run.folder ?? '', leg.id);
      assert.deepEqual(
        readdirSync(folder).filter((name) => name.endsWith('.partial')),
        [],
      );
      if (!existsSync(join(folder, 'transfers.parquet'))) {
        const arrows = readdirSync(folder).filter((name) => name.endsWith('.arrows'));
        const counts = await Promise.all(arrows.map((name) => countRows(join(folder, name))));
        assert.equal(
          counts.reduce((sum, { rows }) => sum + rows, 0),
          leg.log.rows,
        );
        assert.deepEqual(
          counts.map(({ cut }) => cut),
          arrows.map(() => false),
          'no batch is cut',
        );
        assert.equal(leg.log.kind, 'arrow');
      }
    } finally {
      unmount();
    }
  });
});
