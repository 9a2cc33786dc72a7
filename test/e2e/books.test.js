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
    });
    await run.endsWith(0);
    const {
      summary,
      legs: [{ leg, rows }],
    } = await assertBooks(run, { planned: true });
    assert.deepEqual([summary.complete, leg.endedBy], [true, 'done']);
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

  it('measures legs one after another', async () => {
    const servers = [{ name: 'epoll', as: 'short', options: { backlog: 512 } }, 'multi-threaded'];
    const run = box.stress({ servers, workers: 1, transfers: 500, payload: '1KiB' });
    await run.endsWith(0);
    const { legs } = await assertBooks(run);
    assert.deepEqual(
      legs.map(({ leg }) => [leg.id, leg.label, leg.server, leg.transfers.count, leg.transfers.bytesReceived]),
      [
        ['01-short', 'short', 'epoll', 500, 500 * 1024],
        ['02-multi-threaded', 'multi-threaded', 'multi-threaded', 500, 500 * 1024],
      ],
    );
    const [first, second] = legs.map(({ leg }) => leg);
    assert.ok(second.startNs > first.startNs + first.phases.endNs, 'one after another');
  });

  it('does the workloads once and hold, and writes no log, or Arrow, on request', async () => {
    const file = join(box.folder, 'some.bin');
    writeFileSync(file, Buffer.alloc(777, 'bytes of a file'));
    const own = { servers: ['epoll'], workers: 1, pause: undefined };
    const heartbeats = { heartbeat: '50ms', lifetime: { transfers: 5, reopen: false } };
    const [once, hold] = [
      box.stress({ ...own, workload: 'once', transferLog: 'none', payload: `file:${file}` }),
      box.stress({ ...own, workload: 'hold', ...heartbeats, transferLog: 'arrow' }),
    ];
    await Promise.all([once.endsWith(0), hold.endsWith(0)]);
    const [{ leg: done }] = (await assertBooks(once)).legs;
    assert.deepEqual([done.endedBy, done.transfers.count, done.connections.opened], ['done', 100, 100]);
    assert.deepEqual([done.transfers.bytesSent, done.transfers.bytesReceived], [77_700, 77_700], 'of the file');
    assert.deepEqual([done.account.requested, done.account.served], [100, 100]);
    assert.deepEqual(done.log, { rows: 0, missing: 100, kind: 'none' });
    const [{ leg: held }] = (await assertBooks(hold, { planned: true })).legs;
    assert.deepEqual([held.endedBy, held.connections.reopened, held.transfers.count], ['done', 0, 500]);
    assert.deepEqual(held.log, { rows: 500, missing: 0, kind: 'arrow' });
    assert.ok(existsSync(join(hold.folder ?? '', held.id, 'transfers-0.arrows')));
  });
});
