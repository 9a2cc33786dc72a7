// A run over several hosts: what becomes of the run when a transfer log is lost, what an agent refuses.

import assert from 'node:assert/strict';
import { readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { dataOf } from '../fixtures/codes.js';
import { inWorld, startAgents } from '../fixtures/e2e-agents.js';
import { assertBooks } from '../fixtures/e2e-books.js';
import { CLI, sandbox } from '../fixtures/e2e-run.js';

/** @import { Run } from '../fixtures/e2e-run.js' */

describe('a run over several hosts', function () {
  this.timeout(300_000);
  const box = sandbox({ workers: 1, transferLog: 'none' });

  /** @param {Run} run @param {string} url of the NATS server @param {string[]} [flags] */
  const collect = (run, url, flags = ['--transfer-logs']) =>
    box.start([process.execPath, CLI, 'collect', String(run.folder), '--nats', url, '--report', run.report, ...flags]);

  it('names the agent whose transfer log is gone, and gets it when it is there again', async function () {
    await inWorld(this, box, { names: ['a', 'b'] }, async ({ stress, nats, agents }) => {
      const run = stress({
        connections: 20,
        transfers: 2000,
        duration: '60s',
        transferLog: 'parquet',
      });
      await run.endsWith(0);
      for (const agent of agents.of.values()) {
        await agent.until('it is free again', () => /is over/.test(agent.stdout));
      }
      const [own] = readdirSync(join(box.folder, 'agent-b'));
      const [from, aside] = [join(box.folder, 'agent-b', own), join(box.folder, 'aside')];
      renameSync(from, aside);
      const lacking = collect(run, nats.url);
      await lacking.endsWith(1);
      assert.match(lacking.stdout, /transfers-1\.arrows of agent b is missing/);
      const [leg] = run.summary().legs;
      assert.deepEqual([leg.log.kind, leg.log.rows + leg.log.missing], ['parquet', 2000]);
      assert.ok(leg.log.missing > 0 && leg.log.rows > 0);
      assert.equal(dataOf(leg.warnings, 'log-file-missing')?.file, 'transfers-1.arrows');

      const gone = agents.of.get('b') ?? assert.fail();
      gone.kill('SIGTERM');
      await gone.ended();
      const silent = collect(run, nats.url);
      await silent.endsWith(1);
      assert.match(silent.stdout, /transfers-1\.arrows of agent b is missing/);

      renameSync(aside, from);
      const again = await startAgents(box, nats.url, { names: ['b'] });
      await collect(run, nats.url).endsWith(0);
      const { legs } = await assertBooks(run);
      assert.deepEqual(legs[0].leg.log, { rows: 2000, missing: 0, kind: 'parquet' });
      assert.equal(dataOf(legs[0].leg.warnings, 'log-file-missing'), undefined);
      await collect(run, nats.url).endsWith(0);
      await again.stop();
    });
  });

  it('refuses a target that an agent does not permit, and starts nothing', async function () {
    await inWorld(this, box, { names: ['a'], flags: ['--allow', '10.0.0.0/8'] }, async ({ stress }) => {
      const run = stress({}, ['--json']);
      await run.endsWith(3);
      const { code, data } = run.failure();
      assert.equal(code, 'EAGENTREFUSED');
      assert.deepEqual(
        data.agents.map((/** @type {any} */ one) => [one.code, one.data.refused, one.data.allow]),
        [['agent-refuses-target', ['127.0.0.1'], ['10.0.0.0/8']]],
      );
    });
  });
});
