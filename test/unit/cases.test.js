// Cases of a run: figures over rounds and starts.

import assert from 'node:assert/strict';
import { casesOf } from '../../client/judge/cases.js';
import { legOf, rounds as roundsOf } from '../fixtures/made-up-answers.js';

describe('cases', () => {
  const rates = { a: [100, 110, 90], b: [220, 230, 200] };
  const legs = [...roundsOf('b', rates.b), ...rates.a.map((rate, i) => legOf({ name: 'a', round: 3 - i, rate }))];

  it('have the values of each round, their median and its interval, in the order of the plan', () => {
    const [a, b] = casesOf(legs, ['a', 'b', 'never-ran']);
    assert.deepEqual([a.id, b.id], ['a', 'b']);
    assert.deepEqual(a.legs, ['1-a', '2-a', '3-a']);
    const { median, low = NaN, high = NaN, values } = a.figures.perSecond ?? assert.fail();
    assert.deepEqual([median, values], [100, [90, 110, 100]]);
    assert.ok(low < 90 && high > 110, `${low} to ${high}`);
    assert.deepEqual(a.figures.served?.values, [100, 100, 100]);
  });

  it('have the blocks of each start in each round, with where they are from', () => {
    const leg = (/** @type {number} */ round, /** @type {number} */ start, /** @type {number[]} */ perSecond) =>
      legOf({ name: 'a', id: `${round}-${start}`, round, start, slices: { blocks: { perSecond } } });
    const [merged] = casesOf([leg(2, 1, [30, 31]), leg(1, 2, [20, 21, 22]), leg(1, 1, [10, 11, 12])]);
    assert.deepEqual(merged.legs, ['1-1', '1-2', '2-1']);
    const { values, parts, method } = merged.figures.perSecond ?? assert.fail();
    assert.deepEqual([values, method], [[10, 11, 12, 20, 21, 22, 30, 31, null, null], 'nested-t-log']);
    const places = (/** @type {number[]} */ lengths) =>
      lengths.map((values, i) => ({ round: i < 2 ? 1 : 2, start: 1 + (i % 2), values }));
    assert.deepEqual(parts, places([3, 3, 2, 2]), 'the second start of the second round is missing');
    assert.deepEqual(merged.figures.served?.parts, places([1, 1, 1, 1]));
  });

  it('have no value of a leg that is not complete, of a percentile that is not known, or of what was not measured', () => {
    const [merged] = casesOf([
      legOf({ name: 'a', complete: false }),
      legOf({ name: 'a', round: 2, steady: { ...legOf({ name: 'a' }).steady, failed: 500 } }),
      legOf({ name: 'a', round: 3, heldOnly: true }),
    ]);
    assert.deepEqual(merged.figures.perSecond?.values, [null, 1000, null]);
    assert.deepEqual(merged.figures.p50Ns?.values, [null, 2.5e6, 2.5e6]);
    assert.equal(merged.figures.p99Ns, undefined, 'in one round it is more than any time that was measured');
    const [none] = casesOf([/** @type {any} */ ({ id: '01-a', label: 'a', server: 'a', round: 1, complete: false })]);
    assert.deepEqual(none.figures, {});
  });

  it('have no value of a leg that stopOn ended in its ramp', () => {
    const { steady } = legOf({ name: 'a' });
    const over = { steady: undefined, beforeSteady: { ...steady, phase: 'ramp', perSecond: 9 }, endedBy: 'stop-on' };
    const [merged] = casesOf([legOf({ name: 'a' }), legOf({ name: 'a', round: 2, ...over })]);
    assert.deepEqual(merged.figures.perSecond?.values, [1000, null]);
    const [cut] = casesOf([legOf({ name: 'a', endedBy: 'stop-on' })]);
    assert.deepEqual(cut.figures.perSecond?.values, [1000], 'of one in its steady state');
  });
});
