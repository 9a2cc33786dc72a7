// Runs over unix sockets with servers of this repository, and what is refused where a server does not support them.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { factsOf } from '../fixtures/codes.js';
import { assertBooks } from '../fixtures/e2e-books.js';
import { sandbox } from '../fixtures/e2e-run.js';

describe('endpoints', function () {
  this.timeout(120_000);
  const box = sandbox({ workers: 1 });

  it('can be a unix socket for servers of this repository, with several processes, and nothing is left behind', async () => {
    const several = { name: 'epoll-pool', options: { processes: 2 } };
    const load = { lifetime: { transfers: 5, reopen: false }, duration: '60s' };
    const run = box.stress({ servers: ['epoll', several], listen: 'unix', ...load });
    await run.endsWith(0);
    const { legs } = await assertBooks(run, { planned: true });
    assert.equal(legs.length, 2);
    for (const { leg } of legs) {
      assert.match(leg.targets[0], /^unix:\/.*\/server\.sock$/);
      const { opened, reopened, lost, neverAnswered } = leg.connections;
      assert.deepEqual([opened, reopened, lost, neverAnswered, leg.rejects.total], [100, 0, 0, 0, 0]);
      assert.deepEqual([leg.endedBy, leg.transfers.count, leg.errors.total], ['done', 500, 0]);
      assert.equal(existsSync(leg.targets[0].slice('unix:'.length)), false);
    }
  });

  it('are refused if a server does not support them', async () => {
    const { exitCode, data } = await box.refused({ servers: ['node'], listen: 'unix' });
    assert.equal(exitCode, 2);
    assert.deepEqual(factsOf(data.mistakes), [
      ['listen-unsupported', { server: 'node', label: 'node', listen: 'unix', supported: ['ipv4', 'ipv6'] }],
    ]);
  });
});
