// What a list of runs says of each, from its summary alone.

import assert from 'node:assert/strict';
import { digestOf, failuresText, figureTexts, measuredText } from '../../client/judge/run-digest.js';
import { codesOf } from '../fixtures/codes.js';
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
    for (const name of ['rejects', 'errors']) {
      const total = summary.legs.reduce(
        (/** @type {number} */ sum, /** @type {any} */ leg) => sum + leg[name].total,
        0,
      );
      assert.ok(total > 0 && counted[name] === total, name);
    }
    assert.match(failuresText(digest), /rejects, .* errors/);
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
    const { failures } = digestOf(failed);
    assert.deepEqual(codesOf(failures.slice(0, 3)), ['verdict', 'baseline', 'incomplete']);
    assert.equal(figureTexts(digestOf(failed)).perSecond, '–', 'an incomplete leg has no figure');
  });

  it('gives runs of the same load the same key', () => {
    const { load } = digestOf(summary);
    assert.equal(digestOf({ ...summary, run: 'another', startedAt: 'later' }).load, load);
    assert.notEqual(digestOf({ ...summary, config: { ...summary.config, connections: 7 } }).load, load);
  });
});
