// A run over two agents in which an agent, the controller or the NATS server is killed (SIGKILL) in each phase: how it ends,
// what is counted, and that no worker outlives it and the agents are free again.

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openNats } from '../../client/run/agents/connection.js';
import { findAgents } from '../../client/run/agents/find-agents.js';
import { subjects } from '../../client/run/agents/subjects.js';
import { assertSums, inWorld, NO_LOGIN, startAgents } from '../fixtures/e2e-agents.js';
import { CLI, sandbox } from '../fixtures/e2e-run.js';
import { startCountingTarget } from '../fixtures/e2e-server.js';

const CONNECTIONS = 20;
const PAYLOAD_BYTES = 64;
/** For what an agent does by itself: its deadline, and the workers that it then ends. */
const FREE_MS = 40_000;
/** Loaded into an agent: its workers do not begin before a file exists. */
const HOLD = new URL('../fixtures/held-workers.js', import.meta.url).href;

/**
 * @typedef {import('../fixtures/e2e-run.js').Run} Run
 * @typedef {{ nats: import('../fixtures/e2e-agents.js').Nats, agents: import('../fixtures/e2e-agents.js').Agents,
 *   target: import('../fixtures/e2e-server.js').CountingTarget }} World
 * @typedef {{ code: number, complete: boolean, isExact: boolean, failure?: string }} Outcome  of the run, in the end: exit code;
 *   isExact: every transfer that the target has answered is counted
 * @typedef {object} Victim
 * @property {(run: Run, world: World) => Promise<unknown>} kill
 * @property {string[]} flags  of the controller
 * @property {string} deadline  of the agents: without a controller they are free again after it
 * @property {Record<string, Outcome>} outcomes  by phase
 */

/** @param {Run} run @returns {any} */
const plannedLeg = (run) => JSON.parse(readFileSync(join(run.folder ?? '', 'plan.json'), 'utf8')).legs[0];

/**
 * isHeld: no worker begins before the kill, so that the leg cannot start.
 * @type {Record<string, { scenario: object, isHeld?: boolean, reached: (run: Run, world: World) => Promise<unknown> }>}
 */
const PHASES = {
  'before the start': {
    scenario: { duration: '1s' },
    isHeld: true,
    reached: (run, { agents }) =>
      run.until('each agent has started its worker', () => run.workers().length === agents.of.size),
  },
  'in the ramp': {
    scenario: { ramp: { add: 5, every: '1s' }, duration: '1s' },
    reached: (run) => run.until('the ramp', () => run.samples().some(({ phase }) => phase === 'ramp')),
  },
  'in the steady state': {
    scenario: { duration: '4s' },
    reached: (run) => run.until('the steady state', () => run.samples().some(({ phase }) => phase === 'steady')),
  },
  'in the drain': {
    scenario: { duration: '2s', transferTimeout: '30s', drainTimeout: '10s' },
    async reached(run, { target }) {
      await run.allOpen(CONNECTIONS);
      target.kill('SIGSTOP'); // so that the drain lasts
      await run.until('the drain', () => {
        const { steadyToNs } = plannedLeg(run);
        return run.samples().some(({ toNs }) => toNs >= steadyToNs);
      });
    },
  },
};

const COMPLETE = { code: 0, complete: true, isExact: true };
const LOST = { code: 1, complete: false, isExact: false, failure: 'agent-lost' };

/** @type {Record<string, Victim>} */
const VICTIMS = {
  'an agent': {
    flags: ['--agent-timeout', '4s'],
    deadline: '30s',
    async kill(_, { agents }) {
      agents.of.get('a')?.kill('SIGKILL');
    },
    outcomes: {
      'before the start': LOST,
      'in the ramp': LOST,
      'in the steady state': LOST,
      'in the drain': LOST,
    },
  },
  'the controller': {
    flags: [],
    deadline: '3s',
    async kill(run) {
      run.kill('SIGKILL');
      await run.ended();
    },
    outcomes: {
      'before the start': { ...LOST, failure: 'leg-not-begun' },
      'in the ramp': COMPLETE,
      'in the steady state': COMPLETE,
      'in the drain': COMPLETE,
    },
  },
  'the NATS server': {
    flags: [],
    deadline: '30s',
    async kill(_, { nats }) {
      await nats.stop();
      await nats.restart();
    },
    outcomes: {
      'before the start': COMPLETE,
      'in the ramp': COMPLETE,
      'in the steady state': COMPLETE,
      'in the drain': COMPLETE,
    },
  },
};

describe('a run over agents in which one process is killed', function () {
  this.timeout(300_000);
  const box = sandbox({ workers: 1, transferLog: 'none', connections: CONNECTIONS });

  for (const [victim, { flags, deadline, kill, outcomes }] of Object.entries(VICTIMS)) {
    for (const [phase, { scenario, isHeld = false, reached }] of Object.entries(PHASES)) {
      it(`${victim}, ${phase}`, async function () {
        const begin = join(box.folder, 'begin');
        /** @type {Record<string, string>} */
        const env = isHeld ? { NODE_OPTIONS: `--import ${HOLD}`, BROADSIDE_TEST_BEGIN: begin } : {};
        const options = { names: ['a', 'b'], flags: ['--deadline', deadline], env, startServer: startCountingTarget };
        await inWorld(this, box, options, async (world) => {
          const run = world.stress(scenario, flags);
          await reached(run, world);
          await kill(run, world);
          assert.ok(!isHeld || !run.events().some(({ msg }) => msg === 'leg starts'), 'the leg has begun already');
          writeFileSync(begin, '');
          world.target.kill('SIGCONT');
          const { code, complete, isExact, failure } = outcomes[phase];
          if (victim === 'the controller') await collect(run, world.nats, code);
          else await run.endsWith(code);
          await assertFree(world);
          const summary = run.summary();
          const [leg] = summary.legs;
          assert.deepEqual(
            [summary.complete, summary.exitCode, leg.complete, leg.failure?.code],
            [complete, code, complete, failure],
          );
          if (failure === 'agent-lost') assert.equal(leg.failure.data.agent, 'a');
          const counted = await world.target.account();
          if (isHeld && !complete) assert.equal(leg.transfers, undefined, 'nothing was measured');
          else assertCounted(leg, counted, isExact);
        });
      });
    }
  }

  /** @type {Record<string, (run: Run, world: World, add: (name: string) => Promise<unknown>) => Promise<unknown>>} */
  const searching = {
    'an agent': async (_, { agents }, add) => {
      const agent = agents.of.get('a');
      agent?.kill('SIGKILL');
      await agent?.ended();
      await add('a');
    },
    'the controller': VICTIMS['the controller'].kill,
    'the NATS server': VICTIMS['the NATS server'].kill,
  };
  for (const [victim, kill] of Object.entries(searching)) {
    it(`${victim}, while the controller looks for agents`, async function () {
      await inWorld(this, box, { names: ['a'], startServer: startCountingTarget }, async (world) => {
        const { nc } = await openNats({ url: world.nats.url, login: NO_LOGIN }, 'test');
        const asked = new Promise((resolve) => nc.subscribe(subjects.discover, { callback: resolve, max: 1 }));
        await nc.flush();
        const run = world.stress({ transfers: 500, duration: '60s' }, [], 2);
        await asked;
        await nc.close();
        /** @type {import('../fixtures/e2e-agents.js').Agents[]} */
        const added = [];
        const add = async (/** @type {string} */ name) =>
          added.push(await startAgents(box, world.nats.url, { names: [name] }));
        await kill(run, world, add);
        if (victim === 'the controller') {
          assert.equal(run.folder, null, 'nothing was begun');
          return assertFree(world);
        }
        await add('b');
        await run.endsWith(0);
        for (const agents of added) await agents.stop();
        const [leg] = run.summary().legs;
        assert.deepEqual([leg.complete, leg.transfers.count], [true, 500]);
        assertCounted(leg, await world.target.account(), true);
      });
    });
  }

  /** @param {Run} run whose controller is gone @param {World['nats']} nats @param {number} code */
  async function collect(run, nats, code) {
    const words = ['collect', String(run.folder), '--nats', nats.url, '--report', run.report];
    await box.start([process.execPath, CLI, ...words]).endsWith(code);
  }
});

/** No worker is left, the agents that live take another run, and the NATS server keeps nothing. @param {World} world */
async function assertFree({ nats, agents }) {
  const { nc, jsm } = await openNats({ url: nats.url, login: NO_LOGIN }, 'test');
  try {
    const living = [...agents.of].flatMap(([name, { ending }]) => (ending === null ? [name] : []));
    const free = await findAgents(nc, { count: living.length, waitMs: FREE_MS });
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
    for await (const stream of jsm.streams.names()) streams.push(stream);
    assert.deepEqual(streams, []);
  } finally {
    await nc.close();
  }
}

/**
 * What is counted is what the target has answered, or, where an agent was lost, no more than that.
 * @param {any} leg of a summary @param {import('../fixtures/counting-target.js').Counted} counted @param {boolean} isExact
 */
function assertCounted(leg, { connections: [, ...connections] }, isExact) {
  assertSums(leg);
  const answered = connections.reduce((sum, { bytesWritten }) => sum + bytesWritten, 0) / PAYLOAD_BYTES;
  const { count, failed, unfinished } = leg.transfers;
  assert.equal(failed, 0);
  assert.ok(count > 0 && count <= answered, `${count} transfers of ${answered}`);
  if (isExact) {
    assert.ok(count + unfinished >= answered, `${count} transfers and ${unfinished} unfinished of ${answered}`);
    assert.deepEqual([leg.connections.opened, leg.connections.lost], [CONNECTIONS, 0]);
    return;
  }
  const [lost, kept] = leg.agents;
  assert.deepEqual([lost.agentLost, kept.agentLost], [true, undefined]);
  assert.ok(leg.connections.lostWithWorker > 0 && kept.transfers.count > 0);
}
