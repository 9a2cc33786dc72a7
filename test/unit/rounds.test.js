// Rounds: which legs a plan has, and in which order.

import assert from 'node:assert/strict';
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
function roundsOf(legs) {
  /** @type {string[][]} */
  const names = [];
  for (const { round, case: name } of legs) (names[round - 1] ??= []).push(name);
  return names;
}

describe('rounds', () => {
  it('measure every case once, one round after another', () => {
    const { legs, rounds, cases } = planOf({ rounds: 5 });
    assert.deepEqual(cases, servers);
    assert.equal(rounds, 5);
    assert.deepEqual(legs.map(({ round }) => round).join(''), '111222333444555');
    assert.deepEqual(roundsOf(planOf({}).legs), [servers], 'one is in the order of the scenario');
    for (const round of roundsOf(legs)) assert.deepEqual([...round].sort(), [...servers].sort());
    assert.deepEqual(
      legs.map(({ id }) => id),
      legs.map((leg, i) => `${String(i + 1).padStart(2, '0')}-${leg.case}`),
    );
    assert.ok(legs.every((leg) => leg.label === leg.case));
  });

  it('have an order made from the seed, and every order about equally often', () => {
    const orderOf = (/** @type {number} */ seed) => roundsOf(planOf({ rounds: 20, seed }).legs);
    assert.deepEqual(orderOf(1), orderOf(1));
    assert.notDeepEqual(orderOf(1), orderOf(2));
    const cases = servers.map((label) => ({ case: label, axes: {} }));
    /** @type {Record<string, number>} */
    const seen = {};
    for (const order of roundsOf(inRounds(cases, { rounds: 6000, seed: 7 })))
      seen[order.join()] = (seen[order.join()] ?? 0) + 1;
    assert.equal(Object.keys(seen).length, 6);
    // 1,000 expected of each, with a standard deviation of 29
    for (const [order, times] of Object.entries(seen)) assert.ok(Math.abs(times - 1000) < 150, `${order}: ${times}`);
  });

  it('keep servers at one point of a sweep, or of one test, next to each other', () => {
    const swept = planOf({ rounds: 4, connections: undefined, sweep: { connections: [1, 10, 100] } }).legs;
    const tests = ['1B', '2B', '3B'].map((payload) => ({ as: payload, payload }));
    const tested = planOf({ rounds: 4, tests }).legs;
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
    const ids = withCaseIds(labels.map((label) => ({ label }))).map((leg) => leg.case);
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
});
