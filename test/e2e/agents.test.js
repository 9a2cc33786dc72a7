// A run over several hosts: agents as processes of this host, a real NATS server, and what becomes of the run when one of
// them is lost.

import assert from 'node:assert/strict';
import { dataOf } from '../fixtures/codes.js';
import { assertSums, startAgents, startNats } from '../fixtures/e2e-agents.js';
import { CLI, sandbox } from '../fixtures/e2e-run.js';
import { startTarget } from '../fixtures/e2e-server.js';
import { refused } from '../fixtures/refused.js';
import { sideBySide } from '../fixtures/side-by-side.js';
import { requireTool } from '../hooks.js';

describe('a run over several hosts', function () {
  this.timeout(300_000);
  const box = sandbox({ workers: 1, transferLog: 'none' });
  const it = sideBySide();

  /**
   * Runs a body with a NATS server, a target and agents.
   * @param {Mocha.Context} context
   * @param {{ names: string[], flags?: string[] }} agents
   * @param {(world: { nats: Awaited<ReturnType<typeof startNats>>, target: Awaited<ReturnType<typeof startTarget>>,
   *   agents: Awaited<ReturnType<typeof startAgents>>,
   *   stress: (scenario: object, flags?: string[]) => import('../fixtures/e2e-run.js').Run }) => Promise<void>} body
   */
  async function inWorld(context, { names, flags }, body) {
    requireTool(context, 'nats-server');
    const nats = await startNats(box.folder);
    const target = await startTarget();
    try {
      const agents = await startAgents(box, nats.url, { names, flags });
      const stress = (/** @type {object} */ scenario, /** @type {string[]} */ more = []) =>
        box.stress({ target: `127.0.0.1:${target.port}`, ...scenario }, [
          ...['--agents', String(names.length), '--nats', nats.url],
          ...(more.includes('--agent-timeout') ? [] : ['--agent-timeout', '20s']),
          ...more,
        ]);
      await body({ nats, target, agents, stress });
      await agents.stop();
    } finally {
      await target.stop();
      await nats.stop();
    }
  }

  it('adds up to the unit: two agents, a number of transfers', async function () {
    await inWorld(this, { names: ['a', 'b'] }, async ({ stress, agents }) => {
      const run = stress({ connections: 101, transfers: 3000, duration: '60s' });
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
    });
  });

  it.slow('refuses a target that an agent does not permit, and starts nothing', async function () {
    await inWorld(this, { names: ['a'], flags: ['--allow', '10.0.0.0/8'] }, async ({ stress }) => {
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

  for (const tolerated of [0, 1]) {
    it.slow(
      `keeps the seconds of an agent that is killed${tolerated ? ', and may tolerate it' : ''}`,
      async function () {
        await inWorld(this, { names: ['a', 'b', 'c'] }, async ({ stress, agents }) => {
          const flags = ['--agent-timeout', '3s', ...(tolerated ? ['--tolerate', '1'] : [])];
          const run = stress({ connections: 30, duration: '8s' }, flags);
          await run.allOpen(30);
          const lost = agents.of.get('b') ?? assert.fail();
          lost.kill('SIGKILL');
          await run.endsWith(tolerated ? 0 : 1);
          const { complete, legs } = run.summary();
          const [leg] = legs;
          assert.deepEqual([complete, leg.complete], [tolerated === 1, tolerated === 1]);
          assert.deepEqual(dataOf(leg.warnings, 'agent-lost')?.agent, 'b');
          assert.deepEqual(
            leg.agents.map((/** @type {any} */ agent) => agent.agentLost ?? false),
            [false, true, false],
          );
          assert.ok(leg.agents[1].transfers.count > 0);
          assert.equal(leg.connections.lostWithWorker, 10);
          assertSums(leg);
        });
      },
    );
  }

  it.slow('loses nothing when the NATS server is killed and started again', async function () {
    await inWorld(this, { names: ['a', 'b'], flags: ['--deadline', '60s'] }, async ({ stress, nats }) => {
      const run = stress({ connections: 20, transfers: 4000, pause: '20ms', duration: '60s' });
      await run.allOpen(20);
      await nats.stop();
      await nats.restart();
      await run.endsWith(0);
      const [leg] = run.summary().legs;
      assert.deepEqual([leg.complete, leg.transfers.count, leg.transfers.unfinished], [true, 4000, 0]);
      assertSums(leg);
    });
  });

  it.slow('is finished by collect when the controller is killed', async function () {
    await inWorld(this, { names: ['a', 'b'] }, async ({ stress, nats }) => {
      const run = stress({ connections: 20, transfers: 10_000, pause: '20ms', duration: '60s' });
      await run.until('20 are open', () => run.samples().some(({ gauges }) => gauges.open === 20), 120_000);
      run.kill('SIGKILL');
      await run.ended();
      const words = ['collect', String(run.folder), '--nats', nats.url, '--report', run.report];
      const collected = box.start([process.execPath, CLI, ...words]);
      await collected.endsWith(0);
      const { complete, exitCode, legs } = run.summary();
      assert.deepEqual([complete, exitCode], [true, 0]);
      const [leg] = legs;
      assert.deepEqual([leg.transfers.count, leg.transfers.failed, leg.transfers.unfinished], [10_000, 0, 0]);
      assert.ok(dataOf(leg.warnings, 'leg-collected'));
      assertSums(leg);
      const again = await refused(words);
      assert.deepEqual([again.code, again.exitCode], ['ECOLLECTED', 2]);
    });
  });

  it.slow('an agent that is cut off stops its load by itself', async function () {
    await inWorld(this, { names: ['a'], flags: ['--deadline', '2s'] }, async ({ stress, nats, agents }) => {
      const run = stress({ connections: 10, duration: '600s' }, ['--agent-timeout', '60s']);
      await run.allOpen(10);
      nats.signal('SIGSTOP');
      const agent = agents.of.get('a') ?? assert.fail();
      await agent.until('it stops the load', () => /the load is stopped/.test(agent.stdout));
      nats.signal('SIGCONT');
      await run.ended();
      const [leg] = run.summary().legs;
      assert.equal(dataOf(leg.warnings, 'agent-stopped')?.agent, 'a');
      assert.ok(leg.phases.endNs < 600e9);
      assertSums(leg);
    });
  });
});
