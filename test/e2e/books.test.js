// A whole run against our own servers: everything it leaves behind is consistent, to the last transfer, and no slot is
// lost in the division over workers.

import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { assertBooks } from '../fixtures/e2e-books.js';
import { sandbox } from '../fixtures/e2e-run.js';

describe('a run against our own servers', function () {
  this.timeout(120_000);
  const box = sandbox();

  for (const workers of [1, 3]) {
    const add = workers === 3 ? it : it.slow;
    add(
      `gives each of 101 connections to one of ${workers} worker${workers > 1 ? 's' : ''}, and loses nothing`,
      async () => {
        const run = box.stress({ servers: ['epoll'], connections: 101, workers });
        await run.endsWith(0);
        const {
          summary,
          legs: [{ leg, rows }],
        } = await assertBooks(run);
        assert.deepEqual([summary.complete, summary.endedBy, summary.warnings, leg.warnings], [true, 'plan', [], []]);
        const { connections, attempts, rejects, errors, transfers, log, steady } = leg;
        assert.deepEqual(connections, {
          requested: 101,
          peakOpen: 101,
          openAtEnd: 101,
          opened: 101,
          reopened: 0,
          lost: 0,
          unansweredAtEnd: 0,
          neverAnswered: 0,
        });
        assert.deepEqual(
          [attempts.total, rejects.total, errors.total, transfers.failed, log.missing],
          [101, 0, 0, 0, 0],
        );
        const seen = new Set(rows?.map(({ connection }) => connection));
        assert.deepEqual(
          [...seen].sort((a, b) => a - b),
          Array.from({ length: 101 }, (_, i) => i),
        );
        assert.ok(steady.perConnection.min > 0, 'each was served');
        assert.equal(transfers.bytesReceived, transfers.count * 64);
        assert.equal(run.workers().length, workers);
        assert.ok(!existsSync(join(run.folder ?? '', leg.id, 'transfers-0.arrows')), 'the Arrow streams are gone');
      },
    );
  }

  it('measures legs one after another, and prints them side by side', async () => {
    const servers = ['epoll', { name: 'epoll', as: 'again', options: { backlog: 512 } }, 'multi-threaded'];
    const run = box.stress({ servers, duration: '500ms', payload: '1KiB' });
    await run.endsWith(0);
    const { legs } = await assertBooks(run);
    assert.deepEqual(
      legs.map(({ leg }) => [leg.id, leg.label, leg.server, leg.connections.openAtEnd]),
      [
        ['01-epoll', 'epoll', 'epoll', 100],
        ['02-again', 'again', 'epoll', 100],
        ['03-multi-threaded', 'multi-threaded', 'multi-threaded', 100],
      ],
    );
    for (const [i, { leg }] of legs.entries()) {
      assert.ok(i === 0 || leg.startNs > legs[i - 1].leg.startNs + legs[i - 1].leg.phases.endNs, 'one after another');
    }
    assert.match(run.stdout, /^ +epoll +again +multi-threaded$/m);
    assert.match(run.stdout, /^ open at the end( +100){3}$/m);
  });

  it.slow('does the workloads once and hold, and writes no log, or Arrow, on request', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'broadside-payload-')), 'some.bin');
    writeFileSync(file, Buffer.alloc(777, 'bytes of a file'));
    const [once, hold] = [
      box.stress({
        servers: ['epoll'],
        workload: 'once',
        pause: undefined,
        transferLog: 'none',
        payload: `file:${file}`,
      }),
      box.stress({ servers: ['epoll'], workload: 'hold', pause: undefined, heartbeat: '200ms', transferLog: 'arrow' }),
    ];
    await Promise.all([once.endsWith(0), hold.endsWith(0)]);
    rmSync(dirname(file), { recursive: true });
    const [{ leg: done }] = (await assertBooks(once)).legs;
    assert.deepEqual([done.endedBy, done.transfers.count, done.connections.opened], ['done', 100, 100]);
    assert.deepEqual([done.steady, done.wholeLeg.transfers, done.wholeLeg.responseTimeNs.count], [undefined, 100, 100]);
    assert.deepEqual([done.transfers.bytesSent, done.transfers.bytesReceived], [77_700, 77_700], 'of the file');
    assert.deepEqual([done.account.requested, done.account.served], [100, 100]);
    assert.match(once.stdout, /^ figures of +the whole leg$/m);
    assert.deepEqual(done.log, { rows: 0, missing: 100, kind: 'none' });
    const [{ leg: held }] = (await assertBooks(hold)).legs;
    assert.deepEqual([held.endedBy, held.connections.openAtEnd, held.log.kind], ['plan', 100, 'arrow']);
    assert.deepEqual([held.account.requested, held.account.served], [100, 100]);
    assert.deepEqual([held.log.missing, held.log.rows], [0, held.transfers.count]);
    assert.ok(held.transfers.count >= 100 * 4, `${held.transfers.count} heartbeats`);
    assert.ok(existsSync(join(hold.folder ?? '', held.id, 'transfers-0.arrows')));
  });
});
