// A run over four agents on hosts of their own: network namespaces with addresses and port ranges, one of them behind a
// slow and lossy link. What the run reports must equal what the target has counted, agent by agent.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { assertSums, startAgents, startNats } from '../fixtures/e2e-agents.js';
import { NETWORK, startNetwork } from '../fixtures/e2e-network.js';
import { sandbox } from '../fixtures/e2e-run.js';
import { startCountingTarget } from '../fixtures/e2e-server.js';
import { requireTool } from '../skip.js';

/**
 * @import { Counted } from '../fixtures/counting-target.js'
 * @import { Run } from '../fixtures/e2e-run.js'
 */

const AGENTS = ['a', 'b', 'c', 'd'];
const SLOW = 'd';
/** Of each way: a round trip takes twice as long. */
const DELAY_MS = 20;
const LOSS = 0.01;
const portsOf = (/** @type {number} */ index) =>
  /** @type {[number, number]} */ ([20_000 + 1000 * index, 20_499 + 1000 * index]);

describe('a run over four agents on hosts of their own', function () {
  this.timeout(120_000);
  const box = sandbox({ workers: 1, transferLog: 'none' });

  it('is what the target has counted, to the unit, one of them behind a slow link that loses packets', async function () {
    requireTool(this, 'nats-server');
    requireTool(this, 'python3');
    const network = await startNetwork(this, [
      ...['nats', 'controller', 'target'].map((name) => ({ name })),
      ...AGENTS.map((name, index) => ({
        ...{ name, ports: portsOf(index) },
        link: name === SLOW ? { delayMs: DELAY_MS, loss: LOSS } : undefined,
      })),
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
      const wrap = (/** @type {string} */ name) => at(name).wrap;
      started.unshift(await startAgents(box, nats.url, { names: AGENTS, flags: ['--allow', NETWORK], wrap }));
      const load = { connections: 101, duration: '3s', pause: '20ms', drainTimeout: '10s' };
      const run = box.stress(
        { target: `${at('target').address}:${target.port}`, ...load },
        ['--agents', String(AGENTS.length), '--nats', nats.url, '--agent-timeout', '30s'],
        at('controller'),
      );
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
    } finally {
      for (const one of started) await one.stop();
      left.push(...(await network.end()));
    }
    assert.deepEqual(left, [], 'no process is left in the namespaces');
  });
});

/**
 * Each agent's figures are those of the connections from its address, which are from its own range of ports.
 * @param {any} leg of a summary @param {Counted['connections']} connections
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
 * @param {Run} run @param {any} leg
 * @param {Counted['connections']} connections @param {string} controller address
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
