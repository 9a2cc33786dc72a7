// A whole run over io_uring.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { backends } from '../../client/engine/index.js';
import { assertBooks } from '../fixtures/e2e-books.js';
import { sandbox } from '../fixtures/e2e-run.js';
import { skip } from '../skip.js';

describe('a run over io_uring', function () {
  this.timeout(120_000);
  const box = sandbox({ workers: 1 });

  it('transfers what it reports, and loses nothing', async function () {
    const why = backends().find(({ name }) => name === 'io_uring')?.why;
    if (why) skip(this, why);
    const load = { servers: ['epoll'], connections: 101, payload: '1KiB', duration: '60s' };
    const run = box.stress({ ...load, lifetime: { transfers: 10, reopen: false } }, ['--io', 'io_uring']);
    await run.endsWith(0);
    const {
      legs: [{ leg, rows }],
    } = await assertBooks(run, { planned: true });
    assert.equal(JSON.parse(readFileSync(join(run.folder ?? '', 'scenario.json'), 'utf8')).io, 'io_uring');
    const { connections, attempts, rejects, errors, transfers, log } = leg;
    const { opened, reopened, lost, neverAnswered } = connections;
    assert.deepEqual([opened, reopened, lost, neverAnswered], [101, 0, 0, 0]);
    assert.deepEqual([attempts.total, rejects.total, errors.total, transfers.failed, log.missing], [101, 0, 0, 0, 0]);
    const each = Array.from({ length: 101 }, () => 0);
    for (const { connection } of rows ?? []) each[connection] += 1;
    assert.deepEqual(each, Array(101).fill(10), 'each connection has its ten transfers');
    const bytes = 1010 * 1024;
    assert.deepEqual([transfers.count, transfers.bytesReceived, transfers.bytesSent], [1010, bytes, bytes]);
  });
});
