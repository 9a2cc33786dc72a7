// A sweep: its legs, each worker's share of a leg's transfers, and the tables at the end of the run.

import assert from 'node:assert/strict';
import { plan } from '../../client/plan/plan.js';
import { slotsOf, transfersOf } from '../../client/measure/schedule.js';
import { assign } from '../../client/run/cluster/assignment.js';
import { flagsOf } from '../../client/scenario/flags.js';
import { resolveScenario } from '../../client/scenario/scenario.js';
import { host, known } from '../fixtures/hosts.js';

const swept = {
  servers: ['epoll', { name: 'select', as: 'old' }],
  sweep: { connections: [1, 40, 3000] },
  ramp: { add: 1000, every: '1s' },
  duration: '10s',
  transfers: 1000,
};
/** @param {Record<string, unknown>} [more] @param {Record<string, unknown>} [flags] */
const scenarioOf = (more, flags = {}) =>
  resolveScenario({ name: 'swept', content: { ...swept, ...more } }, flagsOf(flags));

describe('a sweep', () => {
  it('has a leg for each server and number, all servers before the next number', () => {
    const { legs, connections, expected } = plan(scenarioOf(), host, known);
    assert.deepEqual(
      legs.map(({ id, label, series, axes, connections: own }) => [id, label, series, axes, own]),
      [
        ['01-epoll-1-connection', 'epoll, 1 connection', 'epoll', { connections: 1 }, 1],
        ['02-old-1-connection', 'old, 1 connection', 'old', { connections: 1 }, 1],
        ['03-epoll-40-connections', 'epoll, 40 connections', 'epoll', { connections: 40 }, 40],
        ['04-old-40-connections', 'old, 40 connections', 'old', { connections: 40 }, 40],
        ['05-epoll-3-000-connections', 'epoll, 3,000 connections', 'epoll', { connections: 3000 }, 3000],
        ['06-old-3-000-connections', 'old, 3,000 connections', 'old', { connections: 3000 }, 3000],
      ],
    );
    assert.deepEqual(
      legs.map(({ workers }) => workers),
      [1, 1, 2, 2, 2, 2],
    );
    assert.deepEqual(
      legs.map(({ steadyFromNs }) => steadyFromNs),
      [1e9, 1e9, 1e9, 1e9, 3e9, 3e9],
    );
    assert.deepEqual(legs.at(-1)?.schedule.at(-1), { atNs: 2e9, slots: 3000, line: false });
    assert.deepEqual([connections, expected.seconds], [3000, 4 * 21 + 2 * 23]);
  });

  it('is replaced by --connections, and accepts its numbers as a flag', () => {
    const { sweep, connections } = scenarioOf({}, { connections: '7' });
    assert.deepEqual([sweep, connections], [null, 7]);
    const own = scenarioOf({ sweep: undefined, connections: 5 }, { 'sweep.connections': '2, 9' });
    assert.deepEqual([own.sweep, own.connections], [{ connections: [2, 9] }, 9]);
  });

  it('is reduced by --force, without repeating a number', () => {
    const small = { ...host, descriptors: 1100 };
    const { legs } = plan(
      scenarioOf({ force: true, workers: 1, servers: ['epoll'], sweep: { connections: [10, 2000, 3000] } }),
      small,
      known,
    );
    assert.equal(legs.length, 2);
    assert.ok(legs[1].connections > 10 && legs[1].connections < 1100, `${legs[1].connections}`);
  });

  it('gives each worker its slots of the leg and its share of the transfers', () => {
    const scenario = scenarioOf();
    const legs = plan(scenario, host, known).legs;
    const own = (/** @type {number} */ leg, /** @type {number} */ share) =>
      assign({ settings: scenario, leg: legs[leg], share, generation: 0, t0Ns: 0n, endpoints: [], log: null });
    assert.deepEqual([own(0, 0).slots, own(0, 0).transfers], [{ first: 0, stride: 1, count: 1 }, 1000]);
    assert.deepEqual(
      [own(2, 1).slots, own(2, 0).transfers, own(2, 1).transfers],
      [{ first: 1, stride: 2, count: 20 }, 500, 500],
    );
    assert.equal(plan(scenarioOf({ transfers: 1 }), host, known).legs.at(-1)?.workers, 1);
    assert.equal(
      assign({
        settings: { ...scenario, transfers: null },
        leg: legs[2],
        share: 0,
        generation: 0,
        t0Ns: 0n,
        endpoints: [],
        log: null,
      }).transfers,
      0,
    );
  });

  it('loses no transfer in the division over workers, and gives each worker at least one', () => {
    for (let slots = 1; slots <= 24; slots += 1) {
      for (let workers = 1; workers <= slots; workers += 1) {
        for (let transfers = workers; transfers < workers + 40; transfers += 3) {
          const shares = Array.from({ length: workers }, (_, i) => transfersOf(transfers, slots, i, workers));
          assert.equal(
            shares.reduce((a, b) => a + b, 0),
            transfers,
          );
          assert.ok(Math.min(...shares) >= 1, `${transfers} transfers, ${slots} slots: ${shares}`);
        }
      }
    }
    assert.deepEqual(
      [0, 1].map((i) => [slotsOf(3, i, 2), transfersOf(302, 3, i, 2)]),
      [
        [2, 201],
        [1, 101],
      ],
    );
  });
});
