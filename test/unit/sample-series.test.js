// Merging the samples of a long leg to a bounded number: the summary stays the same.

import assert from 'node:assert/strict';
import { summariseLeg } from '../../client/judge/summary.js';
import { SampleSeries } from '../../client/measure/sample-series.js';
import { SampleSum } from '../../client/measure/sample-sum.js';
import { dataOf } from '../fixtures/codes.js';
import { LOADS, PROFILES } from '../fixtures/made-up-loads.js';
import { planOf, scenarioOf } from '../fixtures/run-documents.js';
import { simulateLeg } from '../fixtures/simulate-leg.js';

/** Seconds of the steady state. */
const STEADY = 100;

/** @param {keyof typeof PROFILES} name @returns {{ leg: any, samples: any[], scenario: any }} a made-up leg */
function madeUp(name) {
  const load = { ...LOADS['10k'], steady: STEADY };
  const profiles = [PROFILES[name]];
  const leg = planOf(load, profiles).legs[0];
  return { leg, samples: simulateLeg(PROFILES[name], load, 0, 0).samples, scenario: scenarioOf(load, profiles) };
}

/** @param {{ leg: any, samples: any[], scenario: any }} made @param {number} [maxSamples] @returns {any} */
const summaryOf = ({ leg, samples, scenario }, maxSamples) =>
  summariseLeg(
    leg,
    SampleSeries.of(samples, maxSamples),
    { endedBy: 'plan', targets: [], server: 'a', warnings: [], synRetryNs: [1e9, 2e9], startNs: 0 },
    scenario,
  );

/** What is of single seconds, so that it is another of longer spans; compared by itself. */
const OF_SECONDS = ['findings', 'ramp', 'limitShares'];

/** @param {any} value @returns {any} with numbers to 9 digits, without what is of single seconds */
function rounded(value) {
  if (typeof value === 'number') return Number(value.toPrecision(9));
  if (Array.isArray(value)) return value.map(rounded);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) =>
      OF_SECONDS.includes(name) || name === 'intervals' ? [] : [[name, rounded(inner)]],
    ),
  );
}

describe('the samples of a long leg', () => {
  it('have the same summary in fewer spans', () => {
    for (const [name, maxSamples] of /** @type {[keyof typeof PROFILES, number][]} */ ([
      ['epoll', 64],
      ['epoll', 16],
      ['select', 16],
      ['multi', 16],
    ])) {
      const made = madeUp(name);
      const [whole, few] = [summaryOf(made), summaryOf(made, maxSamples)];
      assert.deepEqual(rounded(few), rounded(whole), `${name} in at most ${maxSamples}`);
      for (const side of ['machine', 'client', 'server', 'none'])
        assert.ok(Math.abs(few.limitShares[side] - whole.limitShares[side]) < 1e-9, side);
      const [stalls, stallsOfFew] = [whole, few].map(({ findings }) => dataOf(findings, 'stalls'));
      assert.deepEqual(stallsOfFew, stalls);
    }
  });

  it('are kept as they are up to a number, and beyond it in spans counted from the begin of the phase', () => {
    const { samples } = madeUp('epoll');
    const series = SampleSeries.of(samples);
    assert.deepEqual(series.samples(), samples);
    const few = SampleSeries.of(samples, 64);
    assert.equal(few.count, samples.length);
    const steady = few.samples().filter(({ phase }) => phase === 'steady');
    assert.ok(steady.length <= 64 && steady.length > 32, `${steady.length}`);
    assert.equal(few.steadyWidth, 2);
    for (const { fromNs } of steady) assert.equal((fromNs - steady[0].fromNs) % 2e9, 0);
    for (const [i, { fromNs }] of steady.slice(1).entries()) assert.equal(fromNs, steady[i].toNs);
  });

  it('are the same whenever they are asked for, and however their sum is divided', () => {
    const { samples } = madeUp('select');
    const asked = new SampleSeries(16);
    for (const sample of samples) {
      asked.add(sample);
      asked.samples();
    }
    assert.deepEqual(rounded(asked.samples()), rounded(SampleSeries.of(samples, 16).samples()));
    const steady = samples.filter(({ phase }) => phase === 'steady').slice(0, 12);
    const sumOf = (/** @type {any[]} */ [first, ...others]) => {
      const sum = new SampleSum(first);
      for (const sample of others) sum.add(sample);
      return sum.result();
    };
    const divided = [steady.slice(0, 5), steady.slice(5, 6), steady.slice(6)].map(sumOf);
    const [parts, whole] = [divided, steady].map((all) => ({ ...sumOf(all), transfers: undefined })); // random ones
    assert.deepEqual(rounded(parts), rounded(whole));
  });

  it('are checked one by one, before any are added', () => {
    const { samples } = madeUp('epoll');
    const at = samples.findIndex(({ phase }) => phase === 'steady') + 20;
    const off = (/** @type {any} */ sample, /** @type {number} */ by) => ({
      ...sample,
      counters: { ...sample.counters, transfers: sample.counters.transfers + by },
    });
    const changed = samples.with(at, off(samples[at], 1)).with(at + 1, off(samples[at + 1], -1));
    assert.deepEqual(
      SampleSeries.of(changed, 16).imbalances.map(({ code, data }) => [code, data.second]),
      [['times-unbalanced', samples[at].second]],
    );
  });
});
