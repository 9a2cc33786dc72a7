// Rankings on made-up data with known answers: how often equal servers are told apart, and unequal ones are not.

import assert from 'node:assert/strict';
import { rankBy } from '../../client/judge/answer/ranking.js';
import { seededRandom } from '../../client/measure/random.js';
import { blockTest, incompleteBeta } from '../../client/judge/statistics/block-test.js';
import { medianOf } from '../../client/measure/statistics.js';

const RUNS = 500;

/** @param {() => number} random 0..1 @returns {number} of a normal distribution */
const normal = (random) => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

/**
 * @param {number[]} speeds of servers @param {number} rounds @param {() => number} random
 * @returns {any[]} cases; the machine is faster in some rounds than in others
 */
function casesOf(speeds, rounds, random) {
  const machine = Array.from({ length: rounds }, () => 0.1 * normal(random));
  return speeds.map((speed, i) => {
    const values = machine.map((change) => speed * Math.exp(change + 0.05 * normal(random)));
    return { id: `${i}`, label: `${i}`, axes: {}, figures: { perSecond: { median: medianOf(values), values } } };
  });
}

/** @param {number[]} speeds @param {number} rounds @param {(ranking: import('../../client/judge/answer/ranking.js').Ranking) => boolean} holds */
function shareOf(speeds, rounds, holds) {
  const random = seededRandom(7);
  const found = Array.from(
    { length: RUNS },
    () => rankBy(casesOf(speeds, rounds, random), 'perSecond') ?? assert.fail(),
  );
  return found.filter(holds).length / RUNS;
}

describe('a ranking', () => {
  for (const servers of [2, 3, 5, 16]) {
    it(`of ${servers} equal servers finds a difference in at most 5 % of runs, but for chance`, () => {
      for (const rounds of [3, 5]) {
        const share = shareOf(new Array(servers).fill(1000), rounds, ({ worse }) => worse.length > 0);
        assert.ok(share <= 0.07, `${share} with ${rounds} rounds`);
      }
    });
  }

  it('says that one of two equal servers was ahead in each of three rounds no oftener than chance has it: 1 of 4', () => {
    const share = shareOf([1000, 1000], 3, ({ unsure, worse }) => unsure.length + worse.length > 0);
    assert.ok(share > 0.2 && share < 0.3, `${share}`);
    const ofThree = shareOf([1000, 1000, 1000], 3, ({ unsure, worse }) => unsure.length > 0 && worse.length === 0);
    assert.ok(ofThree < 0.15, `${ofThree}`);
  });

  it('does not call servers equal that serve all connections and none, or few', () => {
    const caseOf = (/** @type {string} */ id, /** @type {number[]} */ values) =>
      /** @type {any} */ ({ id, label: id, axes: {}, figures: { served: { median: medianOf(values), values } } });
    const all = caseOf('all', [300, 300, 300]);
    for (const few of [
      [0, 0, 0],
      [0, 1, 80],
      [1, 1, 80],
    ]) {
      const found = rankBy([caseOf('few', few), all], 'served') ?? assert.fail();
      assert.deepEqual(
        [found.best.id, found.equal.length, found.unsure.map(({ one }) => one.id), found.unknown.length],
        ['all', 0, ['few'], 0],
      );
    }
    const many = rankBy([all, caseOf('too', [300, 300, 300]), caseOf('none', [0, 0, 0])], 'served') ?? assert.fail();
    assert.deepEqual([many.equal.length, many.unsure.map(({ one }) => one.id)], [1, ['none']]);
  });

  it('of three servers in three rounds nearly always finds the one that has 60 % of the throughput of the others', () => {
    assert.ok(shareOf([1000, 1000, 600], 3, ({ worse }) => worse.some(({ one }) => one.id === '2')) > 0.95);
  });

  it('finds one fast server among many, and does not divide the others', () => {
    const speeds = [2000, ...new Array(9).fill(1000)];
    assert.ok(shareOf(speeds, 3, ({ best, worse }) => best.id === '0' && worse.length === 9) > 0.9);
  });

  it('has as best one that which is better in the rounds that both have, where one was not measured in the slow ones', () => {
    const caseOf = (/** @type {string} */ id, /** @type {(number | null)[]} */ values) => {
      const median = medianOf(values.filter((value) => value !== null));
      return /** @type {any} */ ({ id, label: id, axes: {}, figures: { perSecond: { median, values } } });
    };
    const cases = [caseOf('a', [100, 110, 120, null, null]), caseOf('b', [105, 116, 126, 50, 50])];
    const { best, worse } = rankBy(cases, 'perSecond') ?? assert.fail();
    assert.deepEqual([best.id, worse.map(({ one }) => one.id)], ['b', ['a']]);
    assert.ok(Number(worse[0].ratio.low) > 1);
  });

  it('rests on the F distribution', () => {
    // quantiles 0.95 from tables
    for (const [f, first, second] of [
      [6.944, 2, 4],
      [2.0148, 15, 30],
      [3.478, 4, 10],
    ]) {
      const p = incompleteBeta(second / (second + first * f), second / 2, first / 2);
      assert.ok(Math.abs(p - 0.05) < 1e-4, `F(${first}, ${second}): ${p}`);
    }
    assert.deepEqual([incompleteBeta(0, 1, 2), incompleteBeta(1, 1, 2)], [0, 1]);
    assert.deepEqual(
      [
        [
          [1, 2],
          [1, 2],
        ],
        [
          [1, 2],
          [2, 4],
        ],
      ].map(blockTest),
      [1, 0],
    );
  });
});
