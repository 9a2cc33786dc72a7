// Runs over agents on a virtual clock, in one process: invariants that hold for all failures of controllers, agents,
// workers and connections. A failed test names the seed of its run; BROADSIDE_SEED=N plays only this run.

import assert from 'node:assert/strict';
import { askAgent } from '../../client/agents/ask-agent.js';
import { BEAT_MS, MISSED_BEATS } from '../../client/agents/messages.js';
import { PROTOCOL_VERSION } from '../../client/agents/protocol-version.js';
import { codesOf, dataOf } from '../fixtures/codes.js';
import { uniform } from '../fixtures/random-numbers.js';
import { simulate } from '../fixtures/simulated-agents.js';
import { assertBooks, assertLosses, sumOf } from '../fixtures/simulation.js';
import { VirtualProcess } from '../fixtures/virtual-time.js';

/**
 * @import { ReserveRequest } from '../../client/agents/messages.js'
 * @import { AgentWanted, HostFault, Played, Simulation } from '../fixtures/simulated-agents.js'
 * @import { Delivered } from '../fixtures/simulation.js'
 */

const { BROADSIDE_SEED } = process.env;
const SEEDS = BROADSIDE_SEED ? [Number(BROADSIDE_SEED)] : Array.from({ length: 15 }, (_, i) => i + 1);
const HOUR_NS = 3_600_000_000_000n;
const LEG = { rampToNs: 1e9, steadyFromNs: 1e9, steadyToNs: 8e9, drainTimeoutNs: 2e9 };
const DEADLINE_MS = 5000;
/** For an answer of the server that is awaited already. */
const MOST_ANSWER_MS = 5000;
/** An agent hears the start of a leg this long before it, at least, if nothing is wrong. */
const LATEST_MS = 30_000;

/** @param {number} seed what happens to a run, and when */
function chaos(seed) {
  const random = uniform(seed * 7919);
  const pick = (/** @type {number} */ n) => Math.floor(random() * n);
  const at = () => 2000 + random() * 14_000;
  const count = 1 + pick(3);
  /** @type {Record<string, AgentWanted>} */
  const agents = {};
  const HOST_KINDS = /** @type {const} */ (['dies', 'stops', 'is cut off', 'is cut off', 'garbles']);
  const WORKER_KINDS = /** @type {const} */ (['dies', 'dies', 'stalls', 'is silent', 'fails to start', 'fails']);
  const each = 1 + pick(2);
  for (let i = 0; i < count; i += 1) {
    const faults = Array.from({ length: random() < 0.4 ? 1 : 0 }, () => ({
      ...{ kind: HOST_KINDS[pick(HOST_KINDS.length)], atMs: at(), forMs: random() * 15_000 },
    }));
    const workerFaults = Array.from({ length: random() < 0.3 ? 1 + pick(2) : 0 }, () => ({
      ...{ worker: i + count * pick(each), kind: WORKER_KINDS[pick(WORKER_KINDS.length)], forMs: random() * 6000 },
      ...{ atMs: random() * 10_000, times: random() < 0.2 ? Infinity : 1 },
    }));
    agents['abc'[i]] = {
      ...{ aheadNs: BigInt(pick(21) - 10) * HOUR_NS, deadlineMs: DEADLINE_MS, faults, workerFaults },
    };
  }
  /** @type {HostFault[]} */
  const faults =
    random() < 0.3
      ? [
          {
            kind: /** @type {const} */ (['dies', 'stops', 'is cut off'])[pick(3)],
            atMs: at(),
            forMs: random() * 12_000,
          },
        ]
      : [];
  const acts = [
    { atMs: random() * 10_000, what: (/** @type {any} */ leg) => leg.drain() },
    { atMs: random() * 10_000, what: (/** @type {any} */ leg) => leg.kill() },
  ];
  return {
    agents,
    run: {
      leg: { ...LEG, workers: count * each, engines: 1 + pick(2), connections: count * each * 2 + pick(10) },
      ...{
        faults,
        tolerated: random() < 0.3 ? Math.min(1, count - 1) : 0,
        acts: random() < 0.2 ? acts.slice(pick(2)).slice(0, 1) : [],
      },
      patience: { graceMs: 3000, readyMs: 15_000 },
    },
  };
}

/**
 * Checks the invariants of a run whose controller has lived to its end.
 * @param {Simulation} simulation @param {Played} played @param {ReturnType<typeof chaos>} options @param {string} told
 */
function assertPlayed({ agents, world }, played, { run }, told) {
  const { outcome, merged, delivered, warnings, states, startNs, group } = played;
  assertBooks({ merged, delivered, made: world.made }, told);
  assertLosses(played, told);
  const lost = group.agents.flatMap((agent) => (agent.lost === null ? [] : agent.name));
  const isFaulty = (/** @type {string} */ name) =>
    agents.some((agent) => agent.name === name && (agent.faults.length > 0 || agent.place.faults.length > 0));
  assert.deepEqual(
    lost.filter((name) => !isFaulty(name)),
    [],
    `agents are lost without a reason: ${told}`,
  );
  assert.deepEqual(
    codesOf(warnings).filter((code) => code === 'agent-lost').length,
    lost.length,
    `each loss is told once: ${told}`,
  );
  for (const name of lost) {
    const warningsOfAgent = warnings.filter(({ data }) => data.agent === name);
    assert.equal(
      warningsOfAgent.at(-1)?.code,
      'agent-lost',
      `what ${name} says after it was lost is not read: ${told}`,
    );
  }
  for (const { name, clock, lost: how } of group.agents) {
    const simulated = agents.find((agent) => agent.name === name);
    const wrongNs = Number(clock.exactOffsetNs - (simulated?.aheadNs ?? 0n));
    assert.ok(Math.abs(wrongNs) <= clock.roundTripNs / 2 + 1, `the clock of ${name} is off by ${wrongNs}: ${told}`);
    assert.equal(states.find((state) => state.name === name)?.agentLost ?? false, how !== null, told);
  }
  for (const { startNs: ownNs, agent } of world.starts) {
    const { clock } = group.agents.find(({ name }) => name === agent) ?? assert.fail();
    const wrongNs = Number(ownNs - (startNs ?? 0n));
    assert.ok(
      Math.abs(wrongNs) <= clock.roundTripNs / 2 + 1,
      `${agent} starts ${wrongNs} ns beside the others: ${told}`,
    );
  }
  const endsOf = (/** @type {string} */ name) =>
    delivered.filter(({ agent, interval }) => agent === name && interval.last).length;
  const hasLeft = group.agents.filter(({ name }) => endsOf(name) < (run.leg.workers * run.leg.engines) / agents.length);
  if (outcome.endedBy === 'plan' && outcome.failure === undefined) {
    assert.ok(hasLeft.length <= run.tolerated, `it is complete without some agents: ${told}`);
    const steady = merged.filter(({ phase }) => phase === 'steady');
    assert.equal(steady.at(-1)?.toNs, LEG.steadyToNs, `it is as long as planned: ${told}`);
  }
  const isFaultless = agents.every(({ name }) => !isFaulty(name)) && run.faults.length + run.acts.length === 0;
  if (isFaultless) {
    assert.deepEqual([outcome.endedBy, outcome.failure, outcome.warnings, warnings], ['plan', undefined, [], []], told);
    assert.equal(delivered.length, world.made.flat().length, `all of it: ${told}`);
  }
}

/**
 * What holds for the reports of a run whose controller has died: nothing is in them that was not made, and all of it if
 * nothing else was wrong.
 * @param {Simulation} simulation @param {any} plan @param {string} told
 */
function assertCollected(simulation, plan, told) {
  const { samples } = simulation.collect(plan);
  const made = simulation.world.made.flat();
  const isFaultless = simulation.agents.every(({ faults, place }) => faults.length + place.faults.length === 0);
  for (const name of ['transfers', 'opened', 'attempts']) {
    const maxCount = sumOf(made, name);
    const sum = sumOf(samples, name);
    assert.ok(isFaultless ? sum === maxCount : sum <= maxCount, `collected ${sum} of ${maxCount} ${name}: ${told}`);
  }
}

describe('a simulated run over agents, whatever happens,', function () {
  this.timeout(120_000);

  it(`keeps its books, ends in time, and leaves its agents free: ${SEEDS.length} seeds`, async () => {
    for (const seed of SEEDS) {
      const options = chaos(seed);
      await simulate(seed, async (simulation) => {
        await simulation.startAgents(options.agents);
        const { controller, plan, played } = simulation.startRun(options.run);
        /** @type {any} */
        let ended = null;
        played.then(
          (outcome) => void (ended = outcome),
          (error) => void (ended = error),
        );
        const told = `BROADSIDE_SEED=${seed}: ${JSON.stringify(options, (_, value) => (typeof value === 'bigint' ? String(value) : value))}`;
        await simulation.time.until(() => ended !== null || !controller.process.isAlive, LATEST_MS * 4);
        assert.ok(ended !== null || !controller.process.isAlive, `it has not ended: ${told}`);
        if (ended instanceof Error) {
          if (!(/** @type {any} */ (ended).code)) throw Object.assign(ended, { message: `${ended.message} ${told}` });
        } else if (ended !== null) assertPlayed(simulation, ended, options, `${told} ${JSON.stringify(ended.outcome)}`);
        assert.ok(await simulation.becomeFree(), `an agent keeps the run: ${told}`);
        if (ended === null && simulation.server.streams.size > 0) assertCollected(simulation, plan, told);
        assert.equal(await simulation.end(), 0, `timers are left: ${told}`);
      });
    }
  });
});

describe('a simulated run over agents', () => {
  /**
   * @param {Record<string, AgentWanted>} agents
   * @param {Parameters<Simulation['startRun']>[0]} run
   * @param {(simulation: Simulation, started: ReturnType<Simulation['startRun']>) => Promise<void>} body
   */
  const play = (agents, { leg, ...run }, body) =>
    simulate(1, async (simulation) => {
      await simulation.startAgents(agents);
      await body(simulation, simulation.startRun({ leg: { ...LEG, steadyToNs: 15e9, ...leg }, ...run }));
    });
  /** @param {HostFault['kind']} kind @param {number} atMs @param {number} [forMs] */
  const fault = (kind, atMs, forMs) => ({ faults: [{ kind, atMs, forMs }] });
  /** @param {Delivered[]} delivered */
  const transfersOf = (delivered) =>
    sumOf(
      delivered.map(({ interval }) => interval),
      'transfers',
    );

  it('says by how much a clock has moved meanwhile', async () => {
    await play({ a: { aheadNs: 11n * HOUR_NS }, b: { aheadNs: -2n * HOUR_NS } }, {}, async (simulation, { played }) => {
      const [a] = simulation.agents;
      setTimeout(() => void (a.aheadNs += 50_000_000n), 8000);
      const { states, outcome } = await simulation.settle(played);
      assert.equal(outcome.endedBy, 'plan');
      for (const { name, clockDriftNs = NaN, clockUncertaintyNs = NaN } of states) {
        const movedNs = name === 'a' ? 50e6 : 0;
        assert.ok(Math.abs(clockDriftNs - movedNs) <= 2 * clockUncertaintyNs + 1, `${name} ${clockDriftNs}`);
      }
    });
  });

  it('loses nothing where connections are cut for less than the deadlines', async () => {
    const agents = { a: fault('is cut off', 5000, 3000), b: { ...fault('is cut off', 7000, 2500) } };
    await play(agents, fault('is cut off', 9000, 3000), async (simulation, { played }) => {
      const { outcome, warnings, delivered } = await simulation.settle(played);
      assert.deepEqual([outcome.endedBy, outcome.failure, codesOf(warnings)], ['plan', undefined, []]);
      assert.equal(delivered.length, simulation.world.made.flat().length);
    });
  });

  it('loses no agent because the controller itself was stopped, or cut off', async () => {
    for (const kind of /** @type {const} */ (['stops', 'is cut off'])) {
      const run = { ...fault(kind, 6000, 8000), timeoutMs: 4000 };
      const agents = { a: { deadlineMs: 30_000 }, b: { deadlineMs: 30_000 } };
      await play(agents, run, async (simulation, { played }) => {
        const { outcome, warnings } = await simulation.settle(played);
        assert.deepEqual([outcome.endedBy, outcome.failure, codesOf(warnings)], ['plan', undefined, []], kind);
      });
    }
  });

  it('is incomplete without an agent that dies, whose seconds are kept; or complete, where one is tolerated', async () => {
    for (const tolerated of [0, 1]) {
      const agents = { a: {}, b: fault('dies', 9000) };
      await play(agents, { tolerated }, async (simulation, { played }) => {
        const { outcome, merged, delivered, states, warnings } = await simulation.settle(played);
        assert.equal(dataOf(warnings, 'agent-lost')?.agent, 'b');
        assert.deepEqual(
          [outcome.endedBy, outcome.failure?.code],
          tolerated === 0 ? ['workers', 'agent-lost'] : ['plan', undefined],
        );
        assert.deepEqual(
          states.map(({ agentLost = false }) => agentLost),
          [false, true],
        );
        assert.ok(delivered.some(({ agent }) => agent === 'b'));
        assert.equal(sumOf(merged, 'transfers'), transfersOf(delivered));
        assert.equal(sumOf(merged, 'lostWithWorker'), 5);
      });
    }
  });

  it('stops the load by itself where no agent reaches the server, and says so when one does again', async () => {
    const [cutMs, forMs] = [6000, 20_000];
    const agents = { a: fault('is cut off', cutMs, forMs), b: fault('is cut off', cutMs, forMs) };
    await play(agents, { leg: { steadyToNs: 600e9 }, timeoutMs: 60_000 }, async (simulation, { played }) => {
      const { outcome, warnings, merged, delivered, startNs } = await simulation.settle(played);
      assert.deepEqual([outcome.endedBy, outcome.failure?.code], ['workers', 'agent-stopped']);
      assert.deepEqual(warnings.map(({ code, data }) => `${code} ${data.agent}`).sort(), [
        'agent-stopped a',
        'agent-stopped b',
      ]);
      const lastNs = Math.max(...delivered.map(({ interval }) => interval.toNs)) + Number(startNs);
      const maxMs = cutMs + DEADLINE_MS + 3000 + LEG.drainTimeoutNs / 1e6;
      assert.ok(lastNs / 1e6 <= maxMs && lastNs / 1e6 > cutMs + DEADLINE_MS, `${lastNs}`);
      assert.equal(delivered.length, simulation.world.made.flat().length, 'all of it');
      assert.equal(sumOf(merged, 'transfers'), transfersOf(delivered));
    });
  });

  it('goes on without its controller, and the reports say all of it; none begins', async () => {
    for (const [said, failure] of /** @type {const} */ ([
      ['"steady"', undefined],
      ['"hello"', 'leg-not-begun'],
    ])) {
      await play({ a: {}, b: { aheadNs: 5n * HOUR_NS } }, {}, async (simulation, { plan, controller }) => {
        await simulation.time.until(() => simulation.hasSaid('r1', said), 30_000);
        controller.die();
        assert.ok(await simulation.becomeFree());
        assert.ok(simulation.time.nowMs < 30_000, 'as soon as the leg is over');
        const { samples, endedBy, ...collected } = simulation.collect(plan);
        assert.deepEqual(
          [endedBy, collected.failure?.code],
          failure === undefined ? ['plan', undefined] : ['workers', failure],
        );
        const made = simulation.world.made.flat();
        assert.equal(
          samples.reduce((sum, { counters }) => sum + counters.transfers, 0),
          sumOf(made, 'transfers'),
        );
        assert.equal(made.length > 0, failure === undefined);
        const hows = [...new Set(simulation.world.exits)];
        assert.deepEqual(hows, [failure === undefined ? 'disconnected' : 'SIGKILL']);
      });
    }
  });

  it('ends an agent within its deadline, where it was stopped and the server is gone, whatever it waits for', async () => {
    for (const [order, afterMs] of /** @type {const} */ ([
      ['stopped, cut off', 0],
      ['stopped, cut off', 2 * DEADLINE_MS + 5000],
      ['stopped, cut off', 60_000],
      ['cut off, stopped', 0],
      ['cut off, stopped', 60_000],
    ])) {
      await play({ a: {} }, {}, async (simulation, { controller }) => {
        const { time, agents } = simulation;
        const [a] = agents;
        const pass = (/** @type {number} */ ms) => time.until(() => false, ms);
        await time.until(() => simulation.hasSaid('r1', '"steady"'), 30_000);
        const stop = () => a.process.stop(5000);
        const cut = () => a.broker.cut(Number(HOUR_NS / 1_000_000n));
        for (const act of order === 'stopped, cut off' ? [stop, cut] : [cut, stop]) act();
        controller.die();
        await pass(5001 + afterMs);
        const beganMs = time.nowMs;
        await simulation.settle(a.process.run(() => a.agent.close()));
        const tookMs = time.nowMs - beganMs;
        assert.ok(tookMs <= DEADLINE_MS + MOST_ANSWER_MS, `${order}, after ${afterMs} ms: ${tookMs} ms`);
        assert.ok(a.isFree);
      });
    }
  });

  /**
   * @param {Simulation} simulation
   * @param {string} run
   * @param {Promise<Played>} played
   * @returns {Promise<string>} how it ended
   */
  const endOf = (simulation, run, played) =>
    played.then(
      ({ outcome }) => outcome.endedBy ?? assert.fail(),
      ({ code }) => {
        assert.deepEqual(
          simulation.agents.filter(({ agent }) => agent.session?.run === run),
          [],
        );
        return code;
      },
    );

  it('is refused to the second of two controllers', async () => {
    await play({ a: {}, b: {} }, { run: 'one' }, async (simulation, { played }) => {
      const other = simulation.startRun({ run: 'other', leg: LEG });
      const ends = [endOf(simulation, 'one', played), endOf(simulation, 'other', other.played)];
      assert.deepEqual((await simulation.settle(Promise.all(ends))).sort(), ['EAGENTREFUSED', 'plan']);
      assert.ok(await simulation.becomeFree());
      assert.equal(await simulation.end(), 0);
    });
  });

  it('leaves no agent reserved where another one is taken meanwhile', async () => {
    await play({ a: {}, b: {} }, { run: 'one' }, async (simulation, { played }) => {
      await simulation.time.until(() => simulation.server.streams.size > 0, 30_000);
      const taker = new VirtualProcess('taker');
      const broker = simulation.server.connect(taker);
      /** @type {ReserveRequest} */
      const reservation = { type: 'reserve', version: PROTOCOL_VERSION, run: 'other', targets: [] };
      const taken = taker.run(() => askAgent(broker, 'b', reservation, 5000));
      assert.equal(await simulation.settle(endOf(simulation, 'one', played)), 'EAGENTREFUSED');
      assert.deepEqual(await taken, { ok: true });
      assert.ok(await simulation.becomeFree());
    });
  });

  it('loses nobody with the shortest deadline and timeout that may be given', async () => {
    const leastMs = MISSED_BEATS * BEAT_MS;
    for (const seed of SEEDS.slice(0, 10)) {
      await simulate(seed, async (simulation) => {
        await simulation.startAgents({ a: { deadlineMs: leastMs }, b: { deadlineMs: leastMs } });
        const { played } = simulation.startRun({ leg: LEG, timeoutMs: leastMs });
        const { outcome, warnings } = await simulation.settle(played);
        assert.deepEqual([outcome.endedBy, codesOf(warnings)], ['plan', []], `BROADSIDE_SEED=${seed}`);
      });
    }
  });

  it('says of an agent that it learned too late of the start', async () => {
    await play({ a: {}, b: {} }, { timeoutMs: 20_000 }, async (simulation, { played }) => {
      const [, b] = simulation.agents;
      await simulation.time.until(() => simulation.hasSaid('r1', '"start"'), 30_000);
      b.broker.cut(4000);
      const { outcome, warnings, states } = await simulation.settle(played);
      assert.equal(outcome.endedBy, 'plan');
      const late = dataOf(warnings, 'agent-started-late') ?? {};
      assert.deepEqual([late.agent, late.lateNs > 0], ['b', true]);
      assert.deepEqual(
        states.map(({ startLateNs }) => startLateNs),
        [0, late.lateNs],
      );
    });
  });

  it('loses an agent that is heard, but does not end a worker', async () => {
    const stuck = /** @type {const} */ ({ worker: 1, kind: 'cannot be killed', atMs: 3000 });
    await play(
      { a: {}, b: { workerFaults: [stuck] } },
      { patience: { graceMs: 1000 } },
      async (simulation, { played }) => {
        const { outcome, warnings } = await simulation.settle(played);
        assert.deepEqual([outcome.endedBy, outcome.failure?.code], ['workers', 'agent-lost']);
        assert.equal(dataOf(warnings, 'agent-lost')?.agent, 'b');
      },
    );
  });
});
