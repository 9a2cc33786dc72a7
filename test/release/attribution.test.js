// The limit and the kernel counters that a run reports, in a network namespace where nothing else uses the counters:
// there they must equal the run's own counts.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { namespace } from '../fixtures/hostile/children.js';
import { assertBooks } from '../fixtures/e2e-books.js';
import { sandbox } from '../fixtures/e2e-run.js';
import { skip } from '../skip.js';

/** @import { Context } from 'mocha' */

describe('a run in a network namespace of its own', function () {
  this.timeout(120_000);
  const box = sandbox();

  /** @param {Context} context @returns {string[]} the words that run a command there */
  function ownNamespace(context) {
    const up = 'ip link set lo up';
    const own = namespace('--net', up) ?? skip(context, 'no network namespace of our own (needs root, unshare and ip)');
    return [...own, 'sh', '-c', `${up}; exec "$@"`, 'sh'];
  }

  it("has the connects that it counted itself in the kernel's counters, including the first, and who was the limit", async function () {
    const wrap = ownNamespace(this);
    const run = box.stress({ servers: ['epoll'], connections: 90, ramp: { add: 30, every: '1s' } }, [], { wrap });
    await run.endsWith(0);
    const {
      legs: [{ leg, samples }],
    } = await assertBooks(run);
    assert.deepEqual([leg.attempts.total, leg.kernel.TcpActiveOpens, leg.kernel.TcpPassiveOpens], [90, 90, 90]);
    assert.equal(leg.kernel.TcpExtListenDrops, 0);
    assert.equal('serverKernel' in leg, false, 'both live here');
    assert.equal('connectSteps' in leg, false);
    assert.equal(leg.kernel.TcpMemPages, Math.max(...samples.map(({ kernel }) => kernel.TcpMemPages)));
    /** @type {number[]} */
    const shares = Object.values(leg.limitShares);
    assert.ok(Math.abs(shares.reduce((sum, share) => sum + share, 0) - 1) < 1e-9);
    assert.deepEqual(
      leg.steady.client.engines.map((/** @type {any} */ { worker }) => worker),
      [0, 1],
    );
    const used = samples.flatMap(({ client }) => client.engines).reduce((sum, { cpu }) => sum + cpu, 0);
    assert.ok(used > 0);
    assert.deepEqual(
      leg.ramp.steps.map((/** @type {any} */ { step, requested, open }) => [step, requested, open]),
      [
        [1, 30, 30],
        [2, 60, 60],
        [3, 90, 90],
      ],
    );
    const { tcp } = JSON.parse(readFileSync(join(run.folder ?? '', 'environment.json'), 'utf8'));
    assert.equal(tcp.synRetryNs.length, tcp.synRetries + tcp.synLinearTimeouts);
  });
});
