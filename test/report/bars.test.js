// The chart of bars: a bar for each leg, grouped by test, from zero.

import assert from 'node:assert/strict';
import { barChart } from '../../report/model/charts/bars.js';
import { bars } from '../../report/html/sections/bars.js';
import { attributesOf } from '../fixtures/page-elements.js';
import { inRounds, madeUpLeg, withSummary } from '../fixtures/page-legs.js';

/** @param {string} series @param {string | undefined} test @param {Record<string, unknown>} [figures] */
const leg = (series, test, figures = {}) =>
  madeUpLeg({
    summary: test === undefined ? {} : { series, axes: { test } },
    figures,
    other: { label: test === undefined ? series : `${series}, ${test}` },
  });

const results = [
  leg('old', 'GET', { perSecond: 4000 }),
  leg('new', 'GET', { perSecond: 3000, transfers: 750, failed: 250 }),
  leg('old', 'LPOP', { perSecond: 1000, statuses: { total: 5, miss: 5 } }),
  withSummary(leg('new', 'LPOP'), { connections: undefined }),
];

describe('the chart of bars', () => {
  it('has a group for each test and a bar for each server, in proportion to the rate, and names what failed or was not requested', () => {
    const { series, groups } = barChart(results) ?? assert.fail('no chart');
    assert.deepEqual(series, ['old', 'new']);
    const told = groups.flatMap(({ name, bars: own }) =>
      own.map((bar) => [name, bar.series, bar.leg, bar.value, bar.share, bar.bad !== ''].join()),
    );
    assert.deepEqual(told, [
      ...['GET,0,old, GET,4000,1,false', 'GET,1,new, GET,3000,0.75,true'],
      ...['LPOP,0,old, LPOP,1000,0.25,true', 'LPOP,1,new, LPOP,,0,false'],
    ]);
    const page = String(bars(results));
    assert.deepEqual(attributesOf(page, 'data-share').map(Number), [1, 0.75, 0.25, 0]);
  });

  it('has the interval over rounds as a line over the bar, open where it leaves the chart', () => {
    const compared = [
      { perSecond: { median: 4000, low: 3600, high: 20_000 } },
      { perSecond: { median: 3000, low: 2900, high: 3100 } },
    ];
    const several = results.map((f, i) => inRounds(f, compared[i] ?? {}));
    const own = barChart(several)?.groups.flatMap((group) => group.bars) ?? [];
    assert.deepEqual(
      own.map(({ value, share, interval }) => [value, share, interval]),
      [
        [4000, 4000 / 6400, [3600 / 6400, 20_000 / 6400]],
        [3000, 3000 / 6400, [2900 / 6400, 3100 / 6400]],
        [1000, 1000 / 6400, undefined],
        [undefined, 0, undefined],
      ],
    );
    const page = bars(several)?.text ?? '';
    const lines = page.matchAll(/<u class="(interval[^"]*)" style="left:([\d.]+)%;width:([\d.]+)%"/g);
    const drawn = [...lines].map((found) => found.slice(1).join(' '));
    assert.deepEqual(drawn, ['interval open 56.25 43.75', 'interval 45.31 3.13']);
  });

  it('is left out where legs do not differ by test, or have no rate', () => {
    assert.equal(barChart([leg('old', undefined), leg('new', undefined)]), null);
    assert.equal(barChart([leg('old', 'GET'), leg('new', 'GET')]), null);
    assert.equal(barChart(results.map((f) => withSummary(f, { heldOnly: true }))), null);
    assert.equal(barChart(results.map((f) => ({ ...f, workload: 'once' }))), null);
    assert.equal(bars([leg('old', undefined)]), null);
  });
});
