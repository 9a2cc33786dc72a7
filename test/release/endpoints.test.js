// Runs over ::1 with a server of this repository and a target, and to the path of a target.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { assertBooks } from '../fixtures/e2e-books.js';
import { sandbox } from '../fixtures/e2e-run.js';
import { startTarget } from '../fixtures/e2e-server.js';
import { requireIPv6 } from '../fixtures/loopback.js';

describe('endpoints', function () {
  this.timeout(120_000);
  const box = sandbox({ workers: 1, transfers: 500, duration: '60s' });

  it('can be ::1 for a server of this repository', async function () {
    requireIPv6(this);
    const run = box.stress({ servers: ['epoll'], listen: 'ipv6' });
    await run.endsWith(0);
    const {
      legs: [{ leg }],
    } = await assertBooks(run);
    assert.match(leg.targets[0], /^\[::1\]:[0-9]+$/);
    assert.deepEqual([leg.transfers.count, leg.errors.total, leg.rejects.total], [500, 0, 0]);
  });

  it('can be an IPv6 address or a path of a target', async function () {
    requireIPv6(this);
    const target = await startTarget(undefined, { options: ['--host', '::1'] });
    const path = join(box.folder, 'target.sock');
    const atPath = await startTarget(0, { options: ['--host', `unix:${path}`] });
    try {
      const places = [`[::1]:${target.port}`, `unix:${path}`];
      const runs = places.map((place) => box.stress({}, ['--target', place]));
      for (const [i, run] of runs.entries()) {
        await run.endsWith(0);
        const {
          legs: [{ leg }],
        } = await assertBooks(run);
        assert.deepEqual([leg.targets, leg.server, leg.transfers.count], [[places[i]], places[i], 500]);
      }
    } finally {
      await Promise.all([target.stop(), atPath.stop()]);
    }
  });
});
