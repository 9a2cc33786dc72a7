// The pure parts of the bench claims: what a run has claimed, and whether that is as it must be.

import assert from 'node:assert/strict';
import { claimsOf, isMet, resultOf } from '../bench/claims/result.js';

const cases = [
  { id: 'a', label: 'plain' },
  { id: 'b', label: 'heavier' },
];

/** @param {string} id @param {string} baseline @param {any} mark */
const summaryOf = (id, baseline, mark) => ({
  cases,
  comparisons: [
    { figure: 'perSecond', case: id, baseline, mark },
    { figure: 'perSecond', case: baseline, mark: { code: 'best' } },
    { figure: 'p99Ns', case: id, baseline, mark: { code: 'worse' } },
  ],
});

/** @param {number} percent @param {string[]} codes of runs */
const outcomes = (percent, ...codes) =>
  codes.map((code) => ({ percent, claims: { perSecond: code }, ratios: {}, otherCores: 0 }));

describe('the bench of claims', () => {
  it('reads the mark of the heavier server, whichever is the better one', () => {
    const ratio = { median: 0.8, low: 0.75, high: 0.85 };
    assert.deepEqual(claimsOf(summaryOf('b', 'a', { code: 'worse', ratio })), {
      claims: { perSecond: 'worse' },
      ratios: { perSecond: [0.8, 0.75, 0.85] },
    });
    assert.deepEqual(claimsOf(summaryOf('a', 'b', { code: 'worse', ratio })), {
      claims: { perSecond: 'better' },
      ratios: { perSecond: [1 / 0.8, 1 / 0.85, 1 / 0.75] },
    });
    assert.deepEqual(claimsOf(summaryOf('a', 'b', { code: 'not-known' })).claims, { perSecond: 'not-known' });
  });

  it('counts claims, and allows two in forty of a server against itself', () => {
    const itself = (/** @type {number} */ claims) =>
      resultOf(outcomes(0, ...Array.from({ length: 40 }, (_, i) => (i < claims ? 'better' : 'as-good'))));
    assert.deepEqual([itself(2), itself(3)].map(isMet), [true, false]);
    const { runs, claimed, found, wrong } = itself(3);
    assert.deepEqual([runs, claimed, found, wrong], [40, 3, 0, 3]);
    const small = (/** @type {number} */ found) =>
      resultOf(outcomes(2, ...Array.from({ length: 20 }, (_, i) => (i < found ? 'worse' : 'not-known'))));
    assert.deepEqual([small(16), small(15)].map(isMet), [true, false]);
  });
});
