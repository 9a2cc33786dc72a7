// The chart of bars: a bar for each leg, grouped by test, from zero.

import assert from 'node:assert/strict';
import { barChart } from '../../report/model/charts/bars.js';
import { html } from '../../report/html/html.js';
import { bars } from '../../report/html/sections/bars.js';
import { madeUpLeg, withFigures, withSummary } from '../fixtures/page-legs.js';

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
  it('has a group for each test and a bar for each server, in proportion to the rate', () => {
    const { series, groups } = barChart(results) ?? assert.fail('no chart');
    assert.deepEqual(series, ['old', 'new']);
    assert.deepEqual(
      groups.map(({ name, bars: own }) => [name, own.map((bar) => [bar.series, bar.leg, bar.value, bar.share])]),
      [
        [
          'GET',
          [
            [0, 'old, GET', 4000, 1],
            [1, 'new, GET', 3000, 0.75],
          ],
        ],
        [
          'LPOP',
          [
            [0, 'old, LPOP', 1000, 0.25],
            [1, 'new, LPOP', undefined, 0],
          ],
        ],
      ],
    );
  });

  it('has the interval over rounds as a line over the bar, open where it leaves the chart', () => {
    const compared = [
      { perSecond: { median: 4000, low: 3600, high: 20_000 } },
      { perSecond: { median: 3000, low: 2900, high: 3100 } },
    ];
    const inRounds = results.map((f, i) => withSummary(f, { rounds: 3, compared: compared[i] }));
    const own = barChart(inRounds)?.groups.flatMap((group) => group.bars) ?? [];
    assert.deepEqual(
      own.map(({ value, share, interval }) => [value, share, interval]),
      [
        [4000, 4000 / 6400, [3600 / 6400, 20_000 / 6400]],
        [3000, 3000 / 6400, [2900 / 6400, 3100 / 6400]],
        [1000, 1000 / 6400, undefined],
        [undefined, 0, undefined],
      ],
    );
    const page = bars(inRounds)?.text ?? '';
    assert.deepEqual(
      [...page.matchAll(/<u class="(interval[^"]*)" style="left:([\d.]+)%;width:([\d.]+)%"/g)].map((found) =>
        found.slice(1),
      ),
      [
        ['interval open', '56.25', '43.75'],
        ['interval', '45.31', '3.13'],
      ],
    );
  });

  it('names what failed beside its bar, and what was not requested', () => {
    const bad = barChart(results)?.groups.flatMap(({ bars: own }) => own.map((bar) => bar.bad !== ''));
    assert.deepEqual(bad, [false, true, true, false]);
  });

  it('is left out where legs do not differ by test, or have no rate', () => {
    assert.equal(barChart([leg('old', undefined), leg('new', undefined)]), null);
    assert.equal(barChart([leg('old', 'GET'), leg('new', 'GET')]), null);
    assert.equal(barChart(results.map((f) => withSummary(f, { heldOnly: true }))), null);
    assert.equal(barChart(results.map((f) => ({ ...f, workload: 'once' }))), null);
    assert.equal(bars([leg('old', undefined)]), null);
  });

  it('has the figure of the answer in workload reconnect, too', () => {
    const reopened = results.map((f, i) => ({
      ...{ ...withFigures(f, { perSecond: 10 * (i + 1), opened: 999 }), workload: 'reconnect' },
    }));
    const chart = barChart(reopened);
    assert.deepEqual(
      chart?.groups.map(({ bars: own }) => own.map(({ value }) => value)),
      [
        [10, 20],
        [30, undefined],
      ],
    );
  });

  it('stands on the page as lists that need no script', () => {
    const { text } = html`${bars(results)}`;
    const shares = [...text.matchAll(/data-leg="([^"]+)" data-share="([^"]+)"/g)].map(([, name, share]) => [
      name,
      Number(share),
    ]);
    assert.deepEqual(shares, [
      ['old, GET', 1],
      ['new, GET', 0.75],
      ['old, LPOP', 0.25],
      ['new, LPOP', 0],
    ]);
    assert.deepEqual(text.match(/<dt>[^<]+<\/dt>/g), ['<dt>GET</dt>', '<dt>LPOP</dt>']);
  });
});
