// A run over several hosts: agents as processes of this host, and a real NATS server.

import assert from 'node:assert/strict';
import { assertSums, collectLogs, inWorld } from '../fixtures/e2e-agents.js';
import { assertBooks } from '../fixtures/e2e-books.js';
import { sandbox } from '../fixtures/e2e-run.js';

describe('a run over several hosts', function () {
  this.timeout(120_000);
  const box = sandbox({ workers: 1 });

  it('adds up to the unit: two agents, a number of transfers, and each of them in the log', async function () {
    await inWorld(this, box, { names: ['a', 'b'] }, async ({ stress, agents }) => {
      const run = stress({ connections: 101, transfers: 3000, duration: '60s', transferLog: 'parquet' });
      await run.endsWith(0);
      const { complete, legs } = run.summary();
      assert.equal(complete, true);
      const [leg] = legs;
      assert.deepEqual(
        leg.agents.map((/** @type {any} */ { name, connections, workers }) => [name, connections, workers]),
        [
          ['a', 51, [0]],
          ['b', 50, [1]],
        ],
      );
      assert.deepEqual([leg.transfers.count, leg.transfers.failed, leg.transfers.unfinished], [3000, 0, 0]);
      assertSums(leg);
      const samples = run.samples();
      for (const index of [0, 1]) {
        const own = samples.reduce((sum, sample) => sum + sample.agents[index].transfers, 0);
        assert.equal(own, leg.agents[index].transfers.count);
      }
      for (const agent of agents.of.values()) {
        await agent.until('it is free again', () => /is over/.test(agent.stdout));
      }
      assert.equal(leg.log, undefined, 'the agents have it');
      await collectLogs(box, run);
      const { legs: collected } = await assertBooks(run);
      assert.deepEqual(collected[0].leg.log, { rows: 3000, missing: 0, kind: 'parquet' });
      assert.equal(collected[0].rows?.length, 3000);
    });
  });
});
