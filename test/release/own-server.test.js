// The user's own server: one that is already running, and what is found out about one at its limits.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { codesOf, dataOf } from '../fixtures/codes.js';
import { assertBooks } from '../fixtures/e2e-books.js';
import { isAlive } from '../fixtures/e2e-processes.js';
import { ROOT, sandbox } from '../fixtures/e2e-run.js';
import { startTarget } from '../fixtures/e2e-server.js';

const MINE = `"${process.execPath}" "${join(ROOT, 'test/fixtures/echo-command.js')}"`;

describe("the user's own server", function () {
  this.timeout(120_000);
  const box = sandbox({ workers: 1 });

  it('that is already running is measured with its process, found or given, and not ended', async () => {
    const target = await startTarget();
    try {
      const address = `127.0.0.1:${target.port}`;
      const runs = [[], ['--serverPid', String(target.pid)]].map((flags) =>
        box.stress({}, ['--target', address, ...flags]),
      );
      await Promise.all(runs.map((run) => run.endsWith(0)));
      for (const run of runs) {
        const [{ leg }] = (await assertBooks(run)).legs;
        assert.deepEqual([leg.targets, leg.connections.openAtEnd, leg.log.missing], [[address], 100, 0]);
        assert.deepEqual([leg.serverUse.processes, leg.serverUse.threads], [1, 1]);
        assert.ok(leg.serverUse.peakRssBytes > 0);
      }
      assert.ok(isAlive(target.pid), 'it still runs');
    } finally {
      await target.stop();
    }
  });

  it('whose descriptors are used up is told so, also if another program started it', async () => {
    const command = `sh -c 'ulimit -n 60; ${MINE} {port} & wait'`;
    const run = box.stress({ command, connections: 100, backoff: { base: '1s' } });
    await run.endsWith(0);
    const {
      legs: [{ leg }],
    } = await assertBooks(run);
    const { limit, hardLimit, peakUsed } = leg.serverLimits.descriptors;
    assert.deepEqual([limit, hardLimit], [60, 60]);
    assert.ok(peakUsed > 54, `${peakUsed} used`);
    const found = dataOf(leg.findings, 'descriptor-limit');
    assert.deepEqual([found?.limit, found?.served, found?.requested], [60, leg.account.served, 100]);
    assert.ok(leg.account.served < 60);
  });

  it('that closes connections beyond a limit of its own is told so', async () => {
    const run = box.stress({ command: `${MINE} {port} limited`, connections: 60, duration: '2s' });
    await run.endsWith(0);
    const {
      legs: [{ leg }],
    } = await assertBooks(run);
    const found = dataOf(leg.findings, 'connection-limit');
    assert.deepEqual([found?.served, found?.requested, found?.neverAnswered], [30, 60, 30]);
    assert.ok(found?.closed >= 30);
  });

  it('that does not end on SIGTERM is killed, and this is reported', async () => {
    const run = box.stress({ command: `${MINE} {port} stubborn`, connections: 20, duration: '300ms' });
    await run.endsWith(0);
    const {
      legs: [{ leg }],
    } = await assertBooks(run);
    assert.ok(codesOf(leg.warnings).includes('server-killed'));
  });
});
