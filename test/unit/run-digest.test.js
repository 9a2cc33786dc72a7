// What a list of runs says of each, from its summary alone.

import assert from 'node:assert/strict';
import { digestOf, failuresText, figureTexts, measuredText } from '../../client/judge/run-digest.js';
import { recorded } from '../fixtures/recorded-run.js';

const summary = recorded('summary.json');

describe('the digest of a run', () => {
  it('has the figures and the failures of its summary', () => {
    const digest = digestOf(summary);
    assert.deepEqual(
      digest.cases.map(({ label, perSecond }) => [label, perSecond]),
      summary.legs.map((/** @type {any} */ { label, steady }) => [label, steady.perSecond]),
    );
    const counted = Object.fromEntries(digest.failures.map(({ code, count }) => [code, count]));
    const total = (/** @type {string} */ name) =>
      summary.legs.reduce((/** @type {number} */ sum, /** @type {any} */ leg) => sum + leg[name].total, 0);
    assert.ok(total('rejects') > 0 && total('errors') > 0);
    assert.deepEqual([counted.rejects, counted.errors], [total('rejects'), total('errors')]);
    assert.match(failuresText(digest), /rejects, .* errors/);
    assert.match(figureTexts(digest).perSecond, / to /);
    const one = { ...digest, cases: [{ label: 'a', perSecond: 12_345, p99Ns: 1_234_567 }] };
    assert.deepEqual(figureTexts(one), { perSecond: '12,345', p99: '1.23 ms' });
    assert.equal(measuredText(digest), summary.legs.map((/** @type {any} */ { label }) => label).join(', '));
  });

  it('says that the verdict failed, that it is worse than its baseline, and that legs are incomplete', () => {
    const [leg] = summary.legs;
    const failed = {
      ...summary,
      verdict: { passed: false, thresholds: [{ passed: false }, { passed: true }] },
      baseline: { outcome: 'worse' },
      cases: undefined, // made from the legs
      legs: [{ ...leg, complete: false }],
    };
    assert.deepEqual(
      digestOf(failed)
        .failures.slice(0, 3)
        .map(({ code, count }) => [code, count]),
      [
        ['verdict', 1],
        ['baseline', 1],
        ['incomplete', 1],
      ],
    );
    assert.equal(figureTexts(digestOf(failed)).perSecond, '–', 'an incomplete leg has no figure');
  });

  it('gives runs of the same load the same key', () => {
    const { load } = digestOf(summary);
    assert.equal(digestOf({ ...summary, run: 'another', startedAt: 'later' }).load, load);
    assert.notEqual(digestOf({ ...summary, config: { ...summary.config, connections: 7 } }).load, load);
  });
});
