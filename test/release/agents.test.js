// A run over several hosts: what an agent refuses.

import assert from 'node:assert/strict';
import { inWorld } from '../fixtures/e2e-agents.js';
import { sandbox } from '../fixtures/e2e-run.js';

describe('a run over several hosts', function () {
  this.timeout(300_000);
  const box = sandbox({ workers: 1, transferLog: 'none' });

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
