// Cases of a run: figures over rounds, and how they are shown.

import assert from 'node:assert/strict';
import { figures } from '../../client/judge/figures.js';
import { shownLegs, valueIn } from '../../client/judge/case-legs.js';
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
    const [one] = casesOf([leg(2, 1, [30, 31]), leg(1, 2, [20, 21, 22]), leg(1, 1, [10, 11, 12])]);
    assert.deepEqual(one.legs, ['1-1', '1-2', '2-1']);
    const { values, parts, method } = one.figures.perSecond ?? assert.fail();
    assert.deepEqual([values, method], [[10, 11, 12, 20, 21, 22, 30, 31, null, null], 'nested-t-log']);
    const places = (/** @type {number[]} */ lengths) =>
      lengths.map((values, i) => ({ round: i < 2 ? 1 : 2, start: 1 + (i % 2), values }));
    assert.deepEqual(parts, places([3, 3, 2, 2]), 'the second start of the second round is missing');
    assert.deepEqual(one.figures.served?.parts, places([1, 1, 1, 1]));
  });

  it('have no value of a leg that is not complete, of a percentile that is not known, or of what was not measured', () => {
    const [one] = casesOf([
      legOf({ name: 'a', complete: false }),
      legOf({ name: 'a', round: 2, steady: { ...legOf({ name: 'a' }).steady, failed: 500 } }),
      legOf({ name: 'a', round: 3, heldOnly: true }),
    ]);
    assert.deepEqual(one.figures.perSecond?.values, [null, 1000, null]);
    assert.deepEqual(one.figures.p50Ns?.values, [null, 2.5e6, 2.5e6]);
    assert.equal(one.figures.p99Ns, undefined, 'in one round it is more than any time that was measured');
    const [none] = casesOf([/** @type {any} */ ({ id: '01-a', label: 'a', server: 'a', round: 1, complete: false })]);
    assert.deepEqual(none.figures, {});
  });

  it('have no value of a leg that stopOn ended in its ramp', () => {
    const { steady } = legOf({ name: 'a' });
    const over = { steady: undefined, beforeSteady: { ...steady, phase: 'ramp', perSecond: 9 }, endedBy: 'stop-on' };
    const [one] = casesOf([legOf({ name: 'a' }), legOf({ name: 'a', round: 2, ...over })]);
    assert.deepEqual(one.figures.perSecond?.values, [1000, null]);
    const [cut] = casesOf([legOf({ name: 'a', endedBy: 'stop-on' })]);
    assert.deepEqual(cut.figures.perSecond?.values, [1000], 'of one in its steady state');
  });

  it('have the knee of their rounds, except of those that are not complete', () => {
    const steps = [100, 200, 300].map((requested, i) => ({ step: i + 1, requested }));
    const ramp = (/** @type {number} */ stage) => ({ steps, knee: { step: stage, stage, requested: stage * 100 } });
    const own = [2, 3, 1].map((stage, i) => legOf({ name: 'a', round: i + 1, complete: stage > 1, ramp: ramp(stage) }));
    const [{ knee }] = casesOf(own);
    assert.deepEqual(knee, { requested: 200, low: 200, high: 300, values: [200, 300, null] });
    const [shown] = shownLegs({ legs: own, cases: casesOf(own) });
    assert.deepEqual(shown.ramp?.knee?.rounds, { low: 200, high: 300, of: 2 });
    assert.equal('knee' in casesOf([legOf({ name: 'a' })])[0], false);
  });

  it('have in tables the values that they are compared by: of quotients, the median of those of the rounds', () => {
    const rounds = [
      { cpuSeconds: 1, transfers: 1000 },
      { cpuSeconds: 9, transfers: 2000 },
      { cpuSeconds: 2, transfers: 4000 },
    ].map(({ cpuSeconds, transfers }, i) => {
      const leg = legOf({ name: 'a', round: i + 1, rate: 100 });
      return { ...leg, steady: { ...leg.steady, fromNs: 0, toNs: 1e9, transfers, server: { cpuSeconds } } };
    });
    const cases = casesOf(/** @type {any} */ (rounds));
    const [shown] = shownLegs({ legs: /** @type {any} */ (rounds), cases });
    for (const figure of figures) {
      const median = cases[0].figures[figure.compared?.key ?? '']?.median;
      if (median !== undefined && figure.name !== 'served') assert.equal(valueIn(figure, shown), median, figure.name);
    }
    assert.equal(cases[0].figures.serverCpuPerTransferNs?.median, 1e6);
  });

  it('are shown as legs with medians, the failures of the worst round, and the connections of the one that served fewest', () => {
    const rounds = [
      { rate: 300, account: { served: 98, unanswered: 2 }, rejects: { refused: 1, total: 1 } },
      { rate: 100, account: { served: 93, unanswered: 7 }, errors: { reset: 4, total: 4 } },
      { rate: 200, errors: { reset: 1, total: 1 } },
    ].map((over, i) => legOf({ name: 'a', round: i + 1, ...over }));
    const [shown] = shownLegs({ legs: rounds, cases: casesOf(rounds) });
    assert.deepEqual([shown.id, shown.label, shown.rounds, shown.complete], ['a', 'a', 3, true]);
    assert.equal(shown.steady?.perSecond, 200);
    assert.deepEqual(
      Object.entries(shown.compared ?? {}).flatMap(([key, { low }]) => (low === undefined ? [] : [key])),
      ['perSecond', 'p50Ns', 'p99Ns'],
    );
    assert.equal(shown.connections, rounds[1].connections);
    assert.deepEqual([shown.rejects, shown.errors], [rounds[0].rejects, rounds[1].errors]);
  });

  it('are shown with the rounds that are complete, and as incomplete where one is not', () => {
    const rounds = [
      legOf({ name: 'a', rate: 100 }),
      legOf({ name: 'a', round: 2, rate: 900, complete: false, endedBy: 'workers' }),
      { id: '3-a', case: 'a', label: 'a', server: 'a', axes: {}, round: 3, complete: false, endedBy: 'server-start' },
    ];
    const [shown] = shownLegs({ legs: rounds, cases: casesOf(rounds) });
    assert.deepEqual(
      [shown.steady?.perSecond, shown.complete, shown.endedBy, shown.rounds],
      [100, false, 'workers', 1],
    );
    const none = rounds.slice(2);
    assert.deepEqual(shownLegs({ legs: none, cases: casesOf(none) })[0].complete, false);
  });
});
