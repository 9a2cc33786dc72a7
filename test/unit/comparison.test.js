// Comparisons of two cases: which claim is made, of what, and that none is made without an interval.
import assert from 'node:assert/strict';
import { compareCases } from '../../client/results/statistics/comparison.js';

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
      assert.match(found.text, /epoll.*\(.* to .*\).*select.*100 connections\.$/);
    }
  });

  it('writes a large difference as a multiple, a small one in percent', () => {
    const noisy = (/** @type {number} */ factor) =>
      compare([0.95, 1, 1.05].map((noise) => [100 * factor * noise, 100])).text;
    assert.match(noisy(2.1), /2\.1 times \(1\.9 to 2\.4\) as many transfers/);
    assert.match(noisy(0.5), /50 % \(43 to 56 %\) fewer/);
  });

  it('finds no difference where the interval contains 1', () => {
    const { code, better } = compare([
      [105, 100],
      [95, 100],
      [101, 100],
    ]);
    assert.deepEqual([code, better], ['no-difference', undefined]);
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
