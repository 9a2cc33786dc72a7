// What `collect` makes from the reports of agents whose controller has ended: samples, and the places of transfer logs.

import assert from 'node:assert/strict';
import { plan as makePlan } from '../../client/plan/plan.js';
import { joinSamples, Replay } from '../../client/agents/replay.js';
import { loadScenario } from '../../client/scenario/scenario.js';
import { host } from '../fixtures/hosts.js';
import { interval, recorded, usage } from '../fixtures/intervals.js';

/** @param {Record<string, unknown>} [flags] @returns {Promise<Replay>} of a leg with two workers, each on an agent */
async function replayOf(flags = {}) {
  const scenario = await loadScenario({
    config: undefined,
    flags: { target: '10.0.0.9:7', 'ramp.every': '5s', connections: 10, workers: 2, ...flags },
  });
  const [leg] = makePlan(scenario, { ...host, addresses: [], towards: null }, [], []).legs;
  return new Replay({ ...leg, id: '01-x', agents: ['a', 'b'] }, leg.settings);
}

/** @param {number} worker @param {number} generation @param {any} message @returns {any} */
const said = (worker, generation, message) => ({ leg: '01-x', worker, generation, type: 'message', message });

/**
 * Takes an entry from its agent. The messages of a worker before it is ready come with the entry.
 * @param {Replay} replay @param {any} entry
 */
function take(replay, entry) {
  const agent = entry.agent ?? replay.agentOf(entry.worker);
  const known = replay.accounts.get(entry.worker)?.generation ?? -1;
  if (entry.type === 'message' && entry.generation > known) {
    const { leg, worker, generation } = entry;
    for (const message of [{ type: 'hello', pid: 1 }, { type: 'ready' }]) {
      replay.take(agent, { leg, worker, generation, type: 'message', message });
    }
    if (entry.message.type === 'ready') return;
  }
  replay.take(agent, entry);
}

/** @param {number} second @param {number} logRows @returns {any} */
const second = (second, logRows) => ({
  type: 'interval',
  engine: 0,
  interval: interval({
    ...{ second, phase: 'ramp', counters: { transfers: logRows, logRows } },
    histograms: { responseTime: recorded(Array.from({ length: logRows }, () => 1000)) },
  }),
  usage,
});

/** @param {{ counters: Record<string, number> }[]} samples */
const transfersOf = (samples) => samples.map(({ counters }) => counters.transfers);

const DONE = Object.freeze({ type: 'done', engine: 0, log: null });

describe('a leg whose controller has ended', () => {
  it('is not complete when an agent has cut its load short, or when it had not begun', async () => {
    for (const [leg, expected] of /** @type {[string, any[]][]} */ ([
      ['01-x', ['workers', 'agent-stopped']],
      ['02-y', ['plan', undefined]],
    ])) {
      const replay = await replayOf();
      for (const worker of [0, 1]) take(replay, said(worker, 0, second(1, 10)));
      take(replay, { type: 'stopped', forMs: 3000, agent: 'b', legs: [leg] });
      for (const worker of [0, 1]) take(replay, said(worker, 0, DONE));
      const { endedBy, failure, samples } = replay.finish();
      assert.deepEqual([endedBy, failure?.code, ...transfersOf(samples)], [...expected, 20]);
    }
    const { endedBy, failure, samples } = (await replayOf()).finish();
    assert.deepEqual([endedBy, failure?.code, samples], ['workers', 'leg-not-begun', []]);
  });

  it('is over when all engines have ended, and each has its transfer log', async () => {
    const replay = await replayOf();
    for (const worker of [0, 1]) {
      take(replay, said(worker, 0, { type: 'ready' }));
      take(replay, said(worker, 0, second(1, 10 + worker)));
      take(replay, said(worker, 0, second(2, 5)));
    }
    take(replay, said(1, 0, DONE));
    assert.equal(replay.isOver, false);
    take(replay, said(0, 0, DONE));
    assert.equal(replay.isOver, true);
    assert.deepEqual(transfersOf(replay.finish().samples), [21, 10]);
    assert.deepEqual(replay.files, [
      { path: 'transfers-1.arrows', splits: 'timestamps-1.arrows', rows: 16, whole: true },
      { path: 'transfers-0.arrows', splits: 'timestamps-0.arrows', rows: 15, whole: true },
    ]);
  });

  it('keeps of the log of a worker that was lost the rows that were counted, and has that of its replacement', async () => {
    const replay = await replayOf({ timestamps: 'off' });
    take(replay, said(0, 0, second(1, 7)));
    take(replay, said(1, 0, second(1, 3)));
    take(replay, { leg: '01-x', worker: 0, generation: 0, type: 'lost', how: 'SIGKILL', started: true, stderr: '' });
    take(replay, said(0, 1, { type: 'ready' }));
    take(replay, said(0, 1, second(2, 4)));
    take(replay, said(0, 1, DONE));
    take(replay, { leg: '01-y', worker: 1, generation: 5, type: 'lost', how: 'x', started: true, stderr: '' });
    assert.equal(replay.isOver, false);
    const { endedBy, failure } = replay.finish();
    assert.deepEqual([endedBy, failure?.code, failure?.data.agent], ['workers', 'agent-lost', 'b']);
    assert.deepEqual(replay.files, [
      { path: 'transfers-0.arrows', rows: 7, whole: false },
      { path: 'transfers-0-1.arrows', rows: 4, whole: true },
      { path: 'transfers-1.arrows', rows: 3, whole: false },
    ]);
  });

  it('keeps what the controller had read of server and machine, and counts each report once', async () => {
    const replay = await replayOf();
    for (const worker of [0, 1]) {
      for (const at of [1, 2, 3]) take(replay, said(worker, 0, second(at, 10 * at)));
      take(replay, said(worker, 0, DONE));
    }
    const { samples: reported } = replay.finish();
    const server = { cpuSeconds: 0.5, threads: 1, rssBytes: 1e6, processes: 1, busiestThread: 0.5 };
    const readings = { server, kernel: { TcpRetransSegs: 3 }, machine: { busy: [0.5, 0.25] }, limitedBy: 'server' };
    const [first, later] = reported.map((sample) => /** @type {any} */ ({ ...sample, ...readings }));
    // the report of one worker had not come: it was to be counted later
    const early = { ...later, counters: { ...later.counters, transfers: 20 } };
    const joined = joinSamples([first, early], reported);
    assert.deepEqual(joined, [first, later, reported[2]]);
    assert.deepEqual(transfersOf(joined), [20, 40, 60]);
    assert.deepEqual(joinSamples([], reported), reported);
  });

  it('is finished without an agent whose reports cannot be true, or are of another agent', async () => {
    const wrong = [
      said(1, 0, { ...second(2, 5), interval: interval({ second: 2, phase: 'ramp', counters: { transfers: 5 } }) }),
      said(0, 0, second(2, 5)),
      { type: 'server', message: { type: 'answer', request: 1, value: [{ host: '192.0.2.1', port: 80 }] } },
    ];
    for (const entry of wrong) {
      const replay = await replayOf();
      for (const worker of [0, 1]) take(replay, said(worker, 0, second(1, 10)));
      assert.throws(() => replay.take('b', entry), TypeError);
      replay.loseAgent('b', 'x');
      replay.take('b', entry); // it is not read any more
      take(replay, said(0, 0, second(2, 7)));
      take(replay, said(0, 0, DONE));
      assert.equal(replay.isOver, true);
      const { samples, failure } = replay.finish();
      assert.deepEqual([failure?.code, failure?.data.agent], ['agent-lost', 'b']);
      assert.deepEqual(transfersOf(samples), [20, 7]);
    }
  });
});
