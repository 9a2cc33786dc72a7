// A run over two agents in which an agent or the controller is killed (SIGKILL): how it ends, what is counted, and that
// no worker outlives it and the agents are free again.

import assert from 'node:assert/strict';
import { openNats } from '../../client/agents/connection.js';
import { findAgents } from '../../client/agents/find-agents.js';
import { assertSums, inWorld, NO_LOGIN } from '../fixtures/e2e-agents.js';
import { CLI, sandbox } from '../fixtures/e2e-run.js';
import { startCountingTarget } from '../fixtures/e2e-server.js';
import { refused } from '../fixtures/refused.js';

/**
 * @import { Counted } from '../fixtures/counting-target.js'
 * @import { Agents, Nats } from '../fixtures/e2e-agents.js'
 */

const CONNECTIONS = 20;
const PAYLOAD_BYTES = 64;
/** For what an agent does by itself: its deadline, and the workers that it then ends. */
const FREE_MS = 40_000;

/**
 * @typedef {{ nats: Nats, agents: Agents }} World
 */

describe('a run over agents in which one process is killed', function () {
  this.timeout(300_000);
  const box = sandbox({ workers: 1, transferLog: 'none', connections: CONNECTIONS });

  it('an agent, in the ramp: is incomplete, and has what the other one did', async function () {
    const options = { names: ['a', 'b'], flags: ['--deadline', '30s'], startServer: startCountingTarget };
    await inWorld(this, box, options, async (world) => {
      const run = world.stress({ ramp: { add: 5, every: '1s' }, duration: '1s' }, ['--agent-timeout', '4s']);
      await run.until('the ramp', () => run.samples().some(({ phase }) => phase === 'ramp'));
      world.agents.of.get('a')?.kill('SIGKILL');
      await run.endsWith(1);
      await assertFree(world);
      const { complete, exitCode, legs } = run.summary();
      const [leg] = legs;
      assert.deepEqual([complete, exitCode, leg.complete], [false, 1, false]);
      assert.deepEqual([leg.failure.code, leg.failure.data.agent], ['agent-lost', 'a']);
      assertSums(leg);
      const answered = transfersOf(await world.target.account());
      const { count, failed } = leg.transfers;
      assert.ok(failed === 0 && count > 0 && count <= answered, `${count} transfers of ${answered}`);
      const [lost, kept] = leg.agents;
      assert.deepEqual([lost.agentLost, kept.agentLost], [true, undefined]);
      assert.ok(leg.connections.lostWithWorker > 0 && kept.transfers.count > 0);
    });
  });

  it('the controller, in the steady state: collect finishes the run, to the unit', async function () {
    const options = { names: ['a', 'b'], flags: ['--deadline', '3s'], startServer: startCountingTarget };
    await inWorld(this, box, options, async (world) => {
      const run = world.stress({ duration: '4s', thresholds: ['p99 < 1us'] });
      await run.until('the steady state', () => run.samples().some(({ phase }) => phase === 'steady'));
      run.kill('SIGKILL');
      await run.ended();
      const words = ['collect', String(run.folder), '--nats', world.nats.url, '--report', run.report];
      await box.start([process.execPath, CLI, ...words]).endsWith(99);
      await assertFree(world);
      const { complete, exitCode, verdict, legs } = run.summary();
      const [leg] = legs;
      assert.deepEqual([complete, exitCode, verdict.passed, leg.complete], [true, 99, false, true]);
      assertSums(leg);
      const answered = transfersOf(await world.target.account());
      const { count, failed, unfinished } = leg.transfers;
      assert.ok(count <= answered && count + unfinished >= answered, `${count} and ${unfinished} of ${answered}`);
      assert.deepEqual([failed, leg.connections.opened, leg.connections.lost], [0, CONNECTIONS, 0]);
      const again = await refused(words);
      assert.deepEqual([again.code, again.exitCode], ['ECOLLECTED', 2]);
    });
  });
});

/** @param {Counted} counted the first connection is not of the leg */
const transfersOf = ({ connections: [, ...connections] }) =>
  connections.reduce((sum, { bytesWritten }) => sum + bytesWritten, 0) / PAYLOAD_BYTES;

/** No worker is left, the agents that live take another run, and the NATS server keeps nothing. @param {World} world */
async function assertFree({ nats, agents }) {
  const broker = await openNats({ url: nats.url, login: NO_LOGIN }, 'test');
  try {
    const living = [...agents.of].flatMap(([name, { ending }]) => (ending === null ? [name] : []));
    const free = await findAgents(broker, { count: living.length, waitMs: FREE_MS });
    assert.deepEqual(
      free.map(({ name }) => name),
      living,
    );
    for (const [name, agent] of agents.of) {
      await agent.until(`no worker of agent ${name} is left`, () =>
        agent.processes().every(({ pid }) => pid === agent.pid),
      );
    }
    const streams = [];
    for await (const stream of broker.jsm.streams.names()) streams.push(stream);
    assert.deepEqual(streams, []);
  } finally {
    await broker.close();
  }
}
