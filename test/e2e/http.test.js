// Protocol http of the client, against our servers.

import assert from 'node:assert/strict';
import { assertBooks } from '../fixtures/e2e-books.js';
import { sandbox } from '../fixtures/e2e-run.js';

describe('a run with protocol http', function () {
  this.timeout(120_000);
  const box = sandbox({ workers: 1, protocol: 'http', payload: undefined, duration: '60s' });

  it('sends requests to the servers of this repository on persistent connections', async () => {
    const run = box.stress({ servers: ['epoll', 'node'], connections: 40, transfers: 400 });
    await run.endsWith(0);
    const { legs } = await assertBooks(run, { planned: true });
    assert.equal(legs.length, 2);
    for (const { leg, samples } of legs) {
      assert.deepEqual([leg.endedBy, leg.transfers.count, leg.transfers.failed], ['done', 400, 0]);
      assert.deepEqual(leg.statuses, { total: 400, '2xx': 400 });
      assert.equal(
        samples.reduce((sum, { statuses }) => sum + (statuses?.['2xx'] ?? 0), 0),
        400,
      );
      assert.deepEqual([leg.errors.total, leg.connections.reopened], [0, 0]);
    }
  });
});
