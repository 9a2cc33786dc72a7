// The page of a sweep: lines against the number of connections, and the same in numbers.

import assert from 'node:assert/strict';
import { barChart } from '../../report/model/charts/bars.js';
import { sweepCharts } from '../../report/model/charts/sweep.js';
import { drawnAsLines, grouped, withColours } from '../../report/model/leg-order.js';
import { sweep } from '../../report/html/sections/sweep.js';
import { inRounds, madeUpLeg, withFigures, withSummary } from '../fixtures/page-legs.js';
import { attributesOf, elementOf, textOf } from '../fixtures/page-elements.js';

/** @import { PageLeg } from '../../report/types.js' */

/**
 * @param {string} series
 * @param {number} point
 * @param {{ failed?: number, axes?: object, perSecond?: number }} [what]  failed: of 1000 transfers
 */
const facts = (series, point, { failed = 0, axes = { connections: point }, perSecond = 100 * point } = {}) =>
  madeUpLeg({
    summary: {
      ...{ series, axes, errors: { total: failed, timeout: failed } },
      transfers: { count: 1000 - failed, failed, unfinished: 0 },
    },
    connections: { requested: point, openAtEnd: point },
    figures: {
      ...{ perSecond, transfers: 1000 - failed, failed },
      responseTimeNs: { p50: 4e6 * point, p99: 9e6 * point, mean: 5e6 * point, max: 5e9 },
    },
    other: { id: `${series}-${point}`, label: `${series}, ${point} connections` },
  });

/** @param {PageLeg} f */
const withoutSeries = (f) => withSummary(f, { series: undefined });

const POINTS = [1, 10, 100];
const all = POINTS.flatMap((point) => [
  facts('epoll', point),
  facts('iterative', point, { failed: point === 100 ? 900 : 0 }),
]);

describe('the page of a sweep', () => {
  const charts = sweepCharts(all, 'closed loop');
  const sets = (/** @type {string} */ id) => charts.find((chart) => chart.id === id)?.panels[0].datasets ?? [];

  it('draws a line a server, a point each number', () => {
    const lines = sets('sweep-throughput').map(({ label, points }) => `${label}: ${points.join(' ')}`);
    assert.deepEqual(lines, ['epoll: 1,100 10,1000 100,10000', 'iterative: 1,100 10,1000 100,10000']);
    const failed = sets('sweep-failed').map(({ points }) => points[2][1]);
    assert.deepEqual(failed, [0, 0.9]);
    for (const { x, endLabels } of charts) {
      assert.deepEqual(x.ticks, POINTS);
      assert.deepEqual([x.title, endLabels], ['connections', true]);
    }
  });

  it('draws no time where too much failed, but a dot at the longest that was answered', () => {
    const told = new Map(sets('sweep-response').map(({ label, points }) => [label, points.join(' ')]));
    for (const [label, points] of [
      ['iterative', '1,9000000 10,90000000 100,'],
      ['iterative, p50', '1,4000000 10,40000000 100,'],
      ['iterative, mean', '1,5000000 10,50000000 100,'],
      ['iterative, p99 is above', '100,5000000000'],
      ['epoll, mean', '1,5000000 10,50000000 100,500000000'],
    ]) {
      assert.equal(told.get(label), points, label);
    }
    assert.equal(told.has('epoll, p99 is above'), false);
  });

  it('marks the points during which other programs used the machine, in charts and tables', () => {
    const disturbed = all.map((f) =>
      withSummary(f, { warnings: f.id === 'epoll-10' ? [{ code: 'background-load' }] : [] }),
    );
    for (const { panels } of sweepCharts(disturbed, 'closed loop').slice(0, 2)) {
      const marked = panels[0].datasets.flatMap((one) => (one.disturbed ? [one.label, ...one.disturbed] : []));
      assert.deepEqual(marked, ['epoll', 1]);
    }
    const page = String(sweep(disturbed));
    const marked = page.split('<tr').filter((row) => row.includes('class="disturbed"'));
    assert.deepEqual(
      [marked.length, new Set(marked.flatMap((row) => attributesOf(row, 'data-series')))],
      [3, new Set(['epoll'])],
    );
    const codes = attributesOf(page, 'data-code').filter((code) => code === 'background-load');
    assert.equal(codes.length, 3 + 1, 'it is explained once');
    assert.ok(!String(sweep(all)).includes('background-load'));
  });

  it('has CPU per transfer where that of a server was measured', () => {
    const measured = all.map((f) => withFigures(f, { server: { cpuSeconds: 2 } }));
    const chart = sweepCharts(measured, 'closed loop').find(({ id }) => id === 'sweep-cpu');
    const lines = chart?.panels[0].datasets.map(({ points }) => points.map(([, y]) => y));
    assert.deepEqual(lines?.[0], [2e6, 2e6, 2e6], 'two seconds over 1,000 transfers');
    assert.ok(sweepCharts(all, 'closed loop').every(({ id }) => id !== 'sweep-cpu'));
  });

  it('is not drawn of other runs, nor what failed where nothing did', () => {
    assert.deepEqual(sweepCharts(all.map(withoutSeries), 'closed loop'), []);
    const whole = all.map((f) => withFigures(f, { failed: 0 }));
    assert.deepEqual(
      sweepCharts(whole, 'closed loop').map(({ id }) => id),
      ['sweep-throughput', 'sweep-response'],
    );
  });

  it('says the same in numbers; what was not measured is no zero', () => {
    const some = [...all, withSummary(facts('absent', 1), { connections: undefined })];
    const page = sweep(some)?.text ?? '';
    const rowOf = (/** @type {string} */ all, /** @type {string} */ code, /** @type {string} */ series) =>
      textOf(elementOf(elementOf(all, 'data-code', code).split('<thead>').at(-1), 'data-series', series));
    const tables = (/** @type {string} */ all) =>
      [...all.matchAll(/<table class="sweep" data-code="([^"]*)"/g)].map(([, code]) => code);
    assert.deepEqual(tables(page), ['errors', 'failed', 'rate', 'p50', 'p99']);
    assert.equal(rowOf(page, 'p99', 'epoll'), 'epoll 9 ms 90 ms 900 ms');
    assert.match(rowOf(page, 'p99', 'iterative'), /&gt; 5 s$/);
    assert.equal(rowOf(page, 'p99', 'absent'), 'absent – – –');
    assert.equal(rowOf(page.slice(page.indexOf('<table class="sweep"')), 'errors', 'iterative'), 'iterative 0 0 900');
    const pointOf = (/** @type {typeof some[0]} */ f) => f.summary.axes.connections ?? 0;
    const secured = some.map((f) =>
      withFigures(withSummary(f, { handshakeTimeNs: { count: 10, p99: 7e6 * pointOf(f) } }), {
        statuses: { total: 3 + pointOf(f), '2xx': 3, '5xx': pointOf(f) },
      }),
    );
    const told = sweep(secured)?.text ?? '';
    const lead = (/** @type {string} */ all) => {
      const [, counts = ''] = /<span class="bad">(.*?)<h3>/s.exec(all) ?? [];
      return attributesOf(counts, 'data-legs').map((legs, i) => [attributesOf(counts, 'data-code')[i], legs]);
    };
    assert.deepEqual(lead(told).join(' '), 'errors,1 failed,6 failed replies,6');
    assert.deepEqual(tables(told), ['errors', 'failed', 'rate', 'failed replies', 'p50', 'p99', 'handshake p99']);
    const secure = told.slice(told.indexOf('<table class="sweep"'));
    assert.equal(rowOf(secure, 'handshake p99', 'epoll'), 'epoll 7 ms 70 ms 700 ms');
    assert.equal(rowOf(secure, 'failed replies', 'epoll'), 'epoll 25 % 77 % 97 %');
    assert.equal(sweep(all.map(withoutSeries)), null);
  });

  it('draws a line for each value of a second axis, against the numeric one with the most values', () => {
    const two = ['GET', 'SET'].flatMap((command) =>
      ['3B', '128B', '1KiB'].flatMap((payload, i) => [
        facts('redis', 100, { axes: { 'redis.command': command, payload }, perSecond: 100 + i }),
      ]),
    );
    for (const { summary } of two)
      if (summary.connections) summary.connections.unansweredAtEnd = summary.axes['redis.command'] === 'SET' ? 50 : 0;
    const [chart] = sweepCharts(two, 'closed loop');
    assert.deepEqual([chart.x.unit, chart.x.type, chart.x.ticks], ['payload', 'log', [3, 128, 1024]]);
    assert.deepEqual(
      chart.panels[0].datasets.map(({ label, points, hollow }) => [label, points.join(' '), hollow]),
      [
        ['redis, redis.command GET', '3,100 128,101 1024,102', undefined],
        ['redis, redis.command SET', '3,100 128,101 1024,102', [0, 1, 2]],
      ],
    );
    const near = two.map((f, i) => withSummary(f, { axes: { pipeline: 1 + (i % 3) } }));
    const [linear] = sweepCharts(near, 'closed loop');
    assert.deepEqual([linear.x.unit, linear.x.type], ['count', 'linear']);
    const page = sweep(two)?.text ?? '';
    assert.equal(attributesOf(page, 'data-series').length, 2 * 5, 'one of those unanswered, too');
  });

  it('has a bar at each point whose interval over rounds is known, as far as the chart reaches', () => {
    const several = all.map((f) => {
      const { perSecond } = f.figures ?? assert.fail();
      const compared = {
        perSecond: { median: perSecond, low: 0.9 * perSecond, high: 5 * perSecond },
        p99Ns: { median: 1e9, low: 1e6, high: 2e9 },
      };
      return inRounds(f, f.summary.series === 'epoll' ? compared : {});
    });
    const [throughput, response] = sweepCharts(several, 'closed loop');
    assert.deepEqual(
      throughput.panels[0].datasets.map(({ intervals }) => intervals?.join(' ')),
      ['90,500 900,5000 9000,50000', undefined],
    );
    assert.equal(throughput.y.max, 16_000, 'not 52,000');
    const intervals = new Map(response.panels[0].datasets.map((set) => [set.label, set.intervals?.length]));
    assert.deepEqual([intervals.get('epoll'), intervals.get('epoll, p50')], [3, undefined], 'of p99');
    const failed = all.map((f) => withFigures(f, { failed: 1e6, responseTimeNs: { max: 9e9 } }));
    const [, unknown] = sweepCharts(failed, 'closed loop');
    assert.ok(
      unknown.panels[0].datasets.every((set) => set.intervals === undefined),
      'a figure that is not known',
    );
  });

  it('has throughput against each other axis of numbers: a chart for each server, with lines of its own', () => {
    const crossed = ['go', 'node'].flatMap((series, s) =>
      [10, 40, 80].flatMap((connections) =>
        ['0', '0-1'].map((cpus, i) => ({
          ...facts(series, connections, {
            axes: { connections, 'pin.server': cpus },
            perSecond: connections * (1 + i) * (1 + s),
          }),
          id: `${series} ${connections} ${cpus}`,
        })),
      ),
    );
    const charts = sweepCharts(crossed, 'closed loop');
    assert.deepEqual(
      charts.map(({ id }) => id),
      ['sweep-throughput', 'sweep-response', 'sweep-pin-server-0', 'sweep-pin-server-1'],
    );
    const [, , go, node] = charts;
    assert.deepEqual([go.x.ticks, go.y.max], [[1, 2], node.y.max], 'one scale for all servers');
    assert.deepEqual(
      node.panels[0].datasets.map(({ label, points, color }) => `${label}: ${points.join(' ')}, ${color}`),
      [10, 40, 80].map((n, i) => `${n} connections: 1,${2 * n} 2,${4 * n}, ${i}`),
    );
    const longer = Array.from({ length: 20 }, (_, i) =>
      ['0', '0-1'].map((cpus) => facts('go', i + 1, { axes: { connections: i + 1, 'pin.server': cpus } })),
    ).flat();
    const [, , some] = sweepCharts(longer, 'closed loop');
    const { datasets } = some.panels[0];
    const ends = [datasets.length, datasets[0].label, datasets.at(-1)?.label];
    assert.deepEqual(ends, [8, '1 connection', '20 connections']);
  });

  it('draws bars where the axis is no number', () => {
    const named = ['GET', 'SET'].flatMap((command) =>
      ['redis', 'other'].map((series) => facts(series, 1, { axes: { 'redis.command': command } })),
    );
    assert.deepEqual(sweepCharts(named, 'closed loop'), []);
    const chart = barChart(named);
    assert.deepEqual([chart?.axis, chart?.series], ['redis.command', ['redis', 'other']]);
    assert.deepEqual(
      chart?.groups.map(({ name, bars }) => `${name} ${bars.length}`),
      ['GET 2', 'SET 2'],
    );
    assert.equal(barChart(all), null, 'numbers are lines');
  });

  it('lists many legs by their number of connections or their test, a server in one colour', () => {
    const many = withColours([...all, ...POINTS.map((point) => facts('select', point))]);
    assert.deepEqual(
      grouped(many).map(({ name, results: own }) => `${name}: ${own.length}`),
      ['1 connection: 3', '10 connections: 3', '100 connections: 3'],
    );
    const tested = withColours(
      all.map((f) => withSummary(f, { axes: { test: f.id.startsWith('epoll') ? 'b' : 'a' } })),
    );
    assert.deepEqual(
      grouped(tested).map(({ name, results: own }) => `${name}: ${own.length}`),
      ['b: 3', 'a: 3'],
    );
    for (const name of ['epoll', 'iterative', 'select']) {
      assert.equal(new Set(many.filter((f) => f.summary.series === name).map((f) => f.colour)).size, 1, name);
    }
    assert.equal(new Set(many.map((f) => f.colour)).size, 3);
    assert.deepEqual([...new Set(drawnAsLines(many).map((f) => f.summary.axes.connections))], [100]);
  });
});
