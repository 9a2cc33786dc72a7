// A run over four agents on hosts of their own: network namespaces with addresses and port ranges, one of them behind a slow
// and lossy link. What the run reports must equal what the target has counted, agent by agent.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { assertSums, startAgents, startNats } from '../fixtures/e2e-agents.js';
import { NETWORK, startNetwork } from '../fixtures/e2e-network.js';
import { sandbox } from '../fixtures/e2e-run.js';
import { startCountingTarget } from '../fixtures/e2e-server.js';
import { requireTool } from '../skip.js';

const AGENTS = ['a', 'b', 'c', 'd'];
/** Of each way: a round trip takes twice as long. */
const DELAY_MS = 20;
const LOSS = 0.01;
/** After a partition: the deadline of 3 s, and ample time for a busy machine. */
const STOPPED_NS = 30e9;
const portsOf = (/** @type {number} */ index) =>
  /** @type {[number, number]} */ ([20_000 + 1000 * index, 20_499 + 1000 * index]);

describe('a run over four agents on hosts of their own', function () {
  this.timeout(120_000);
  const box = sandbox({ workers: 1, transferLog: 'none' });

  /**
   * Runs a body with a NATS server, a controller, a target and agents on a host each; nothing is left on any of them.
   * @param {Mocha.Context} context
   * @param {{ agents: Partial<import('../fixtures/e2e-network.js').HostWanted>[], flags: string[] }} options flags: of the agents,
   *   whose names are those of AGENTS
   * @param {(world: { network: import('../fixtures/e2e-network.js').Network,
   *   target: import('../fixtures/e2e-server.js').CountingTarget, agents: import('../fixtures/e2e-agents.js').Agents,
   *   stress: (scenario: object, flags?: string[]) => import('../fixtures/e2e-run.js').Run }) => Promise<void>} body
   */
  async function onHosts(context, { agents: wanted, flags }, body) {
    requireTool(context, 'nats-server');
    const names = AGENTS.slice(0, wanted.length);
    const network = await startNetwork(context, [
      ...['nats', 'controller', 'target'].map((name) => ({ name })),
      ...wanted.map((one, index) => ({ name: names[index], ports: portsOf(index), ...one })),
    ]);
    /** @type {{ stop: () => Promise<void> }[]} */
    const started = [];
    /** @type {number[]} */
    const left = [];
    try {
      const at = (/** @type {string} */ name) => ({
        wrap: network.host(name).enter,
        address: network.host(name).address,
      });
      const nats = await startNats(box.folder, at('nats'));
      started.unshift(nats);
      const target = await startCountingTarget(at('target'));
      started.unshift(target);
      const own = { names, flags: ['--allow', NETWORK, ...flags], wrap: (/** @type {string} */ name) => at(name).wrap };
      const agents = await startAgents(box, nats.url, own);
      started.unshift(agents);
      const stress = (/** @type {object} */ scenario, /** @type {string[]} */ more = []) =>
        box.stress(
          { target: `${at('target').address}:${target.port}`, pause: '20ms', drainTimeout: '10s', ...scenario },
          ['--agents', String(names.length), '--nats', nats.url, '--agent-timeout', '30s', ...more],
          at('controller'),
        );
      await body({ network, target, agents, stress });
    } finally {
      for (const one of started) await one.stop();
      left.push(...(await network.end()));
    }
    assert.deepEqual(left, [], 'no process is left in the namespaces');
  }

  it('is what the target has counted, to the unit, one of them behind a slow link that loses packets', async function () {
    requireTool(this, 'python3');
    const agents = [{}, {}, {}, { link: { delayMs: DELAY_MS, loss: LOSS } }];
    await onHosts(this, { agents, flags: [] }, async ({ network, target, stress }) => {
      const run = stress({ connections: 101, duration: '3s' });
      await run.endsWith(0);
      const { complete, legs } = run.summary();
      const [leg] = legs;
      assert.deepEqual([complete, leg.rejects.total, leg.errors.total, leg.transfers.unfinished], [true, 0, 0, 0]);
      assertSums(leg);
      const { connections } = await target.account();
      assertCounted(leg, connections, (name) => network.host(name).address);
      assertStart(run, leg, connections, network.host('controller').address);
      const links = await network.endLinks();
      const [slow, ...others] = [...leg.agents].reverse();
      const roundTripNs = 2 * DELAY_MS * 1e6;
      assert.ok(slow.figures.responseTimeNs.min >= roundTripNs, `${slow.figures.responseTimeNs.min} ns`);
      for (const { figures } of others) assert.ok(figures.responseTimeNs.min < roundTripNs);
      assert.ok(slow.clockUncertaintyNs >= roundTripNs / 2, `± ${slow.clockUncertaintyNs} ns`);
      assert.equal(links.length, 1);
      assert.ok(links[0].dropped > 0 && links[0].forwarded > links[0].dropped, JSON.stringify(links));
    });
  });

  it('stops by itself when no agent reaches the NATS server any more, though all reach the target', async function () {
    await onHosts(
      this,
      { agents: [{}, {}], flags: ['--deadline', '3s'] },
      async ({ network, target, agents, stress }) => {
        const run = stress({ connections: 20, duration: '600s' });
        await run.allOpen(20);
        network.setLink('nats', 'down');
        const downNs = process.hrtime.bigint();
        for (const agent of agents.of.values()) {
          await agent.until('the load is stopped', () => /the load is stopped/.test(agent.stdout));
          await agent.until('no worker is left', () => agent.processes().every(({ pid }) => pid === agent.pid));
        }
        network.setLink('nats', 'up');
        await run.endsWith(1);
        const [leg] = run.summary().legs;
        assert.deepEqual([leg.complete, leg.failure.code], [false, 'agent-stopped']);
        const stopped = leg.warnings.filter((/** @type {any} */ { code }) => code === 'agent-stopped');
        assert.deepEqual(stopped.map((/** @type {any} */ { data }) => data.agent).sort(), ['a', 'b']);
        assertSums(leg);
        const { connections, read } = await target.account();
        assertCounted(leg, connections, (name) => network.host(name).address);
        const lastNs = read.reduce((last, [fromNs]) => (BigInt(fromNs) > last ? BigInt(fromNs) : last), 0n);
        assert.ok(
          Number(lastNs - downNs) < STOPPED_NS,
          `the last request came ${lastNs - downNs} ns after the partition`,
        );
      },
    );
  });
});

/**
 * Each agent's figures are those of the connections from its address, which are from its own range of ports.
 * @param {any} leg of a summary @param {import('../fixtures/counting-target.js').Counted['connections']} connections
 * @param {(name: string) => string} addressOf
 */
function assertCounted(leg, connections, addressOf) {
  for (const [index, agent] of leg.agents.entries()) {
    const own = connections.filter(({ address }) => address === addressOf(agent.name));
    const sum = (/** @type {'bytesRead' | 'bytesWritten'} */ name) => own.reduce((all, one) => all + one[name], 0);
    const { count, bytesSent, bytesReceived } = agent.transfers;
    assert.deepEqual(
      { opened: agent.opened, bytesSent, bytesReceived, count },
      {
        opened: own.length,
        bytesSent: sum('bytesRead'),
        bytesReceived: sum('bytesWritten'),
        count: sum('bytesRead') / 64,
      },
      agent.name,
    );
    assert.ok(count > 0, agent.name);
    const [first, last] = portsOf(index);
    assert.deepEqual(
      own.filter(({ port }) => port < first || port > last),
      [],
      agent.name,
    );
  }
}

/**
 * No agent opens a connection before the common start, by more than what is said of its clock.
 * @param {import('../fixtures/e2e-run.js').Run} run @param {any} leg
 * @param {import('../fixtures/counting-target.js').Counted['connections']} connections @param {string} controller address
 */
function assertStart(run, leg, connections, controller) {
  const { t0 } = JSON.parse(readFileSync(join(run.folder ?? '', 'environment.json'), 'utf8'));
  const startNs = BigInt(t0.monotonicNs) + BigInt(leg.startNs);
  const uncertaintyNs = Math.max(...leg.agents.map((/** @type {any} */ one) => one.clockUncertaintyNs));
  const opened = connections
    .filter(({ address }) => address !== controller)
    .map(({ acceptedNs }) => BigInt(acceptedNs));
  const first = opened.reduce((a, b) => (b < a ? b : a));
  assert.ok(first >= startNs - BigInt(uncertaintyNs), `${first - startNs} ns after the start, ± ${uncertaintyNs} ns`);
}
