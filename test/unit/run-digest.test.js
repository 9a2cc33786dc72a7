// What a list of runs says of each, from its summary alone.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { trendsOf } from '../../client/results/history.js';
import { digestOf, failuresText, figureTexts, measuredText } from '../../client/results/run-digest.js';

const RUNS = new URL('../fixtures/run/', import.meta.url);
const summary = JSON.parse(readFileSync(new URL(`${readdirSync(RUNS)[0]}/summary.json`, RUNS), 'utf8'));

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
    const one = { ...digest, cases: [{ label: 'a', key: 'a', perSecond: 12_345, p99Ns: 1_234_567 }] };
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

  it('gives runs of the same load the same key, and cases of the same label', () => {
    const { load, cases } = digestOf(summary);
    const later = digestOf({ ...summary, run: 'another', startedAt: 'later' });
    assert.deepEqual([later.load, later.cases[0].key], [load, cases[0].key]);
    assert.equal(new Set(cases.map(({ key }) => key)).size, cases.length);
    assert.notEqual(digestOf({ ...summary, config: { ...summary.config, connections: 7 } }).load, load);
  });
});

describe('the history of runs', () => {
  /** @param {number} day @param {number} perSecond @param {string} [load] */
  const runOn = (day, perSecond, load = 'a') => {
    const date = `2026-01-${String(day).padStart(2, '0')}`;
    const digest = { name: 'n', load, cases: [{ label: 'epoll', key: 'epoll', perSecond }], failures: [] };
    return { run: date, startedAt: `${date}T10:00:00.000Z`, digest };
  };

  it('is a trend for each case and load of three runs or more, the oldest first, with its changes', () => {
    const runs = Array.from({ length: 20 }, (_, i) => runOn(i + 1, i < 12 ? 100 + (i % 3) : 70 + (i % 3)));
    const trends = trendsOf([...runs.reverse(), runOn(1, 5, 'b'), runOn(2, 5, 'b')]);
    assert.deepEqual(
      trends.map(({ label, figure, points }) => [label, figure, points.length]),
      [['epoll', 'perSecond', 20]],
    );
    const [{ points, changes }] = trends;
    assert.deepEqual([points[0].run, points[19].run], ['2026-01-01', '2026-01-20']);
    assert.deepEqual(
      changes.map(({ index }) => points[index].run),
      ['2026-01-13'],
    );
  });
});
