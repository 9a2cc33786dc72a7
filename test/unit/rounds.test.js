// Rounds: which legs a plan has, in which order, and what the output of --dry-run says of them.

import assert from 'node:assert/strict';
import { runBar } from '../../client/console/bar.js';
import { plan } from '../../client/plan/plan.js';
import { inRounds, withCaseIds } from '../../client/plan/rounds.js';
import { resolveScenario } from '../../client/scenario/scenario.js';
import { host } from '../fixtures/hosts.js';

const servers = ['select', 'epoll', 'go'];

/** @param {Record<string, unknown>} content */
const scenarioOf = (content) => resolveScenario({ content: { servers, connections: 10, starts: 1, ...content } });

/** @param {Record<string, unknown>} content */
const planOf = (content) => plan(scenarioOf(content), host);

/** @param {{round: number, case: string}[]} legs @returns {string[][]} the cases of each round, in order */
const roundsOf = (legs) =>
  [...new Set(legs.map(({ round }) => round))].map((round) =>
    legs.filter((leg) => leg.round === round).map((leg) => leg.case),
  );

describe('rounds', () => {
  it('measure every case once, one round after another', () => {
    const { legs, rounds, cases } = planOf({ rounds: 5 });
    assert.deepEqual(cases, servers);
    assert.equal(rounds, 5);
    assert.deepEqual(
      legs.map(({ round }) => round),
      [1, 2, 3, 4, 5].flatMap((round) => [round, round, round]),
    );
    for (const round of roundsOf(legs)) assert.deepEqual([...round].sort(), [...servers].sort());
    assert.deepEqual(
      legs.map(({ id }) => id),
      legs.map((leg, i) => `${String(i + 1).padStart(2, '0')}-${leg.case}`),
    );
    assert.ok(legs.every((leg) => leg.label === leg.case));
  });

  it('have an order made from the seed', () => {
    const orderOf = (/** @type {number} */ seed) => roundsOf(planOf({ rounds: 20, seed }).legs);
    assert.deepEqual(orderOf(1), orderOf(1));
    assert.notDeepEqual(orderOf(1), orderOf(2));
    const first = new Map(servers.map((name) => [name, orderOf(3).filter(([one]) => one === name).length]));
    for (const [name, times] of first) assert.ok(times >= 2, `${name} runs first in ${times} of 20 rounds`);
  });

  it('put every order about equally often', () => {
    const cases = servers.map((label) => ({ case: label, axes: {} }));
    /** @type {Map<string, number>} */
    const seen = new Map();
    const legs = inRounds(cases, { rounds: 6000, seed: 7 });
    for (let at = 0; at < legs.length; at += 3) {
      const order = legs
        .slice(at, at + 3)
        .map((leg) => leg.case)
        .join();
      seen.set(order, (seen.get(order) ?? 0) + 1);
    }
    assert.equal(seen.size, 6);
    // 1,000 expected of each, with a standard deviation of 29
    for (const [order, times] of seen) assert.ok(Math.abs(times - 1000) < 150, `${order}: ${times}`);
  });

  it('keep the order of the scenario when there is one', () => {
    assert.deepEqual(roundsOf(planOf({}).legs), [servers]);
  });

  it('keep servers at one point of a sweep, or of one test, next to each other', () => {
    const swept = planOf({ rounds: 4, connections: undefined, sweep: { connections: [1, 10, 100] } }).legs;
    const tested = planOf({
      rounds: 4,
      tests: [
        { as: 'a', payload: '1B' },
        { as: 'b', payload: '2B' },
        { as: 'c', payload: '3B' },
      ],
    }).legs;
    for (const legs of [swept, tested]) {
      assert.equal(legs.length, 36);
      assert.equal(new Set(legs.map((leg) => leg.case)).size, 9);
      for (let at = 0; at < legs.length; at += 3) {
        assert.equal(new Set(legs.slice(at, at + 3).map(({ axes }) => JSON.stringify(axes))).size, 1);
      }
    }
  });

  it('have cases with different ids, also where their labels differ in signs only', () => {
    const labels = ['a b', 'a, b', 'a-b', '...'];
    const ids = withCaseIds(labels.map((label) => ({ label }))).map((one) => one.case);
    assert.deepEqual(ids, ['a-b', 'a-b-2', 'a-b-3', 'leg']);
  });

  it('are counted in the time and the disk', () => {
    const load = { rate: '100/s', duration: '10s', ramp: { every: '1s' } };
    const once = planOf(load);
    const content = { ...load, rounds: 3 };
    const made = planOf(content);
    assert.equal(made.expected.seconds, 3 * once.expected.seconds);
    assert.equal(made.expected.transferLogBytes, 3 * Number(once.expected.transferLogBytes));
  });

  it('are named in the bar', () => {
    const state = {
      legs: 6,
      rounds: 3,
      atNs: -1,
      drainEndsNs: null,
      phases: { rampToNs: 1, steadyFromNs: 1, steadyToNs: 2 },
    };
    const labels = [
      [0, 1],
      [1, 1],
      [2, 2],
      [5, 3],
    ].map(([index, round]) => runBar({ label: 'go', index, round, ...state }).label);
    assert.deepEqual(labels, [
      'go 1/6, round 1 of 3 start',
      'go 2/6, round 1 of 3 start',
      'go 3/6, round 2 of 3 start',
      'go 6/6, round 3 of 3 start',
    ]);
  });
});
