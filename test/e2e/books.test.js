// A whole run against our own servers: everything it leaves behind is consistent, to the last transfer, and no slot is
// lost in the division over workers.

import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { assertBooks } from '../fixtures/e2e-books.js';
import { sandbox } from '../fixtures/e2e-run.js';

describe('a run against our own servers', function () {
  this.timeout(120_000);
  const box = sandbox({ duration: '60s' });

  it('gives each of 101 connections to one of 3 workers, and loses nothing', async () => {
    const run = box.stress({
      ...{ servers: ['epoll'], connections: 101, workers: 3 },
      ...{ start: 'together', lifetime: { transfers: 10, reopen: false } },
      thresholds: ['rejects == 0 and served == 101'],
      failIf: ['errors > 0'],
    });
    await run.endsWith(0);
    const {
      summary,
      legs: [{ leg, rows }],
    } = await assertBooks(run, { planned: true });
    assert.deepEqual([summary.complete, summary.verdict.passed, leg.endedBy], [true, true, 'done']);
    const { connections, attempts, rejects, errors, transfers, log } = leg;
    const { requested, opened, reopened, lost, neverAnswered } = connections;
    assert.deepEqual([requested, opened, reopened, lost, neverAnswered], [101, 101, 0, 0, 0]);
    assert.deepEqual([attempts.total, rejects.total, errors.total, transfers.failed, log.missing], [101, 0, 0, 0, 0]);
    const each = Array.from({ length: 101 }, () => 0);
    for (const { connection } of rows ?? []) each[connection] += 1;
    assert.deepEqual(each, Array(101).fill(10), 'each connection has its ten transfers');
    assert.deepEqual([transfers.count, transfers.bytesReceived], [1010, 1010 * 64]);
    assert.equal(run.workers().length, 3);
    assert.ok(!existsSync(join(run.folder ?? '', leg.id, 'transfers-0.arrows')), 'the Arrow streams are gone');
  });

  it('holds connections with the bytes of a file as heartbeats, and keeps the log as Arrow on request', async () => {
    const file = join(box.folder, 'some.bin');
    writeFileSync(file, Buffer.alloc(777, 'bytes of a file'));
    const heartbeats = { workload: 'hold', heartbeat: '50ms', lifetime: { transfers: 5, reopen: false } };
    const own = { servers: ['epoll'], workers: 1, pause: undefined, payload: `file:${file}` };
    const run = box.stress({ ...own, ...heartbeats, transferLog: 'arrow' });
    await run.endsWith(0);
    const [{ leg }] = (await assertBooks(run, { planned: true })).legs;
    assert.deepEqual([leg.endedBy, leg.connections.reopened, leg.transfers.count], ['done', 0, 500]);
    assert.deepEqual([leg.transfers.bytesSent, leg.transfers.bytesReceived], [500 * 777, 500 * 777]);
    assert.deepEqual(leg.log, { rows: 500, missing: 0, kind: 'arrow' });
    assert.ok(existsSync(join(run.folder ?? '', leg.id, 'transfers-0.arrows')));
  });
});
