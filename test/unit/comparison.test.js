// Comparisons of two cases: which claim is made, of what, and that none is made without an interval.
import assert from 'node:assert/strict';
import { compareCases, stateComparison } from '../../client/judge/statistics/comparison.js';

const cases = { case: { id: 'a', label: 'epoll' }, baseline: { id: 'b', label: 'select' } };

/** @param {[any, any][]} pairs @param {any} [figure] */
const compare = (pairs, figure = 'perSecond') => compareCases({ ...cases, figure, pairs, at: '100 connections' });

describe('comparison', () => {
  it('states a difference where the interval excludes 1, and which case is better', () => {
    for (const [figure, factor, code, better] of /** @type {[string, number, string, boolean][]} */ ([
      ['perSecond', 2, 'more', true],
      ['perSecond', 1.06, 'more', true],
      ['perSecond', 0.5, 'fewer', false],
      ['served', 0.5, 'fewer', false],
      ['p99Ns', 2, 'longer', false],
      ['p50Ns', 0.9, 'shorter', true],
    ])) {
      const { ratio, ...found } = compare(
        [0.99, 1, 1.01].map((noise) => [100 * factor * noise, 100]),
        figure,
      );
      assert.deepEqual([found.code, found.better, found.figure], [code, better, figure], found.text);
      assert.ok(Math.abs((ratio?.median ?? 0) - factor) < 1e-9);
      assert.match(found.text, /epoll.*\(.* to .*\).*select.*100 connections( \([\d to]+ against [\d to]+\))?\.$/);
    }
  });

  it('writes a large difference as a multiple, a small one in percent', () => {
    const noisy = (/** @type {number} */ factor) =>
      compare([0.95, 1, 1.05].map((noise) => [100 * factor * noise, 100])).text;
    assert.match(noisy(2.1), /2\.1 times \(1\.9 to 2\.4\) as many transfers/);
    assert.match(noisy(0.5), /50 % \(43 to 56 %\) fewer/);
    assert.match(noisy(0.0033), /99\.67 % \(99\.63 to 99\.71 %\) fewer/);
    assert.match(noisy(0.0000123), /99\.9988 % .* fewer/, 'never 100 %');
  });

  it('finds no difference where the interval contains 1', () => {
    const { code, better } = compare([
      [105, 100],
      [95, 100],
      [101, 100],
    ]);
    assert.deepEqual([code, better], ['no-difference', undefined]);
  });

  it('calls no difference what points the same way in every round, but is not certain', () => {
    for (const [figure, factor, direction] of /** @type {[string, number, string][]} */ ([
      ['perSecond', 1, 'more'],
      ['perSecond', -1, 'fewer'],
      ['p99Ns', 1, 'longer'],
      ['p99Ns', -1, 'shorter'],
    ])) {
      const found = compare(
        [1.1, 1.6, 3].map((ratio) => [100 * ratio ** factor, 100]),
        figure,
      );
      assert.deepEqual(
        [found.code, found.better, found.data.direction],
        ['undecided', undefined, direction],
        found.text,
      );
      assert.ok(Number(found.ratio?.low) < 1 && Number(found.ratio?.high) > 1);
      assert.doesNotMatch(found.text, /No difference in .* was found/);
    }
    const mixed = compare([1.1, 0.9, 1.05].map((ratio) => [100 * ratio, 100]));
    assert.deepEqual([mixed.code, mixed.data.direction], ['no-difference', undefined]);
    const tied = compare([1.1, 1, 1.05].map((ratio) => [100 * ratio, 100]));
    assert.equal(tied.code, 'no-difference', 'one round shows no direction');
  });

  it('says that the rounds differ too much, not that there is no difference, where the interval says nothing', () => {
    const { code, better, data } = compare([0.1, 20, 1].map((ratio) => [100 * ratio, 100]));
    assert.deepEqual([code, better, data.direction], ['undecided', undefined, undefined]);
  });

  it('states how many connections were served, also where no ratio can be known', () => {
    const served = (/** @type {[number, number][]} */ pairs) => compare(pairs, 'served');
    for (const [own, direction] of /** @type {[number[], string][]} */ ([
      [[0, 0, 0], 'fewer'],
      [[0, 1, 40], 'fewer'],
      [[1, 2, 80], 'fewer'],
    ])) {
      const { code, better, data, text } = served(own.map((value) => [value, 100]));
      assert.deepEqual([code, better, data.direction], ['undecided', undefined, direction], text);
      assert.ok(text.includes('against 100'), text);
    }
    assert.equal(served([0, 0, 0].map(() => [100, 0])).data.direction, 'more');
    assert.ok(
      served([1, 1, 1].map((value) => [value, 100])).better === false,
      'a ratio that is the same in each round',
    );
    assert.deepEqual(
      [
        [
          [0, 100],
          [0, 100],
        ],
        [
          [0, 0],
          [0, 0],
          [0, 0],
        ],
        [
          [0, 100],
          [5, 100],
          [100, 100],
        ],
      ].map((pairs) => served(/** @type {any} */ (pairs)).code),
      ['not-comparable', 'not-comparable', 'not-comparable'],
    );
  });

  it('of rounds of two runs asks that all of one are above all of the other', () => {
    const pairs = /** @type {[number, number][]} */ ([
      [110, 100],
      [400, 300],
      [150, 120],
    ]);
    const ratio = { median: 1.2, low: 0.5, high: 3, rounds: 3, method: /** @type {const} */ ('student-t-log') };
    const question = { ...cases, figure: /** @type {const} */ ('perSecond'), pairs };
    assert.equal(stateComparison(question, ratio).code, 'undecided');
    assert.equal(stateComparison({ ...question, apart: true }, ratio).code, 'no-difference');
    const above = /** @type {[number, number][]} */ (pairs.map(([value]) => [value + 400, value]));
    const found = stateComparison({ ...question, pairs: above, apart: true }, ratio);
    assert.deepEqual([found.code, found.data.direction], ['undecided', 'more']);
  });

  it('claims nothing of one round, of two, or of zeros', () => {
    const once = compare([[300, 100]]);
    assert.deepEqual([once.code, once.better, once.ratio?.low], ['measured-once', undefined, null]);
    assert.deepEqual(once.data, { at: '100 connections', rounds: 1, values: [[300, 100]] });
    const twice = compare([
      [300, 100],
      [290, 100],
      [null, 100],
    ]);
    assert.equal(twice.code, 'too-few-rounds');
    const zero = compare([[0, 100]]);
    assert.deepEqual([zero.code, zero.ratio], ['not-comparable', undefined]);
    assert.equal(compare([[null, 5]]).code, 'not-comparable');
  });
});
