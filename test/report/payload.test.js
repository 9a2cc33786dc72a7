// The chart of response times against message sizes, where the tests of a scenario differ in their payload.

import assert from 'node:assert/strict';
import { payloadCharts } from '../../report/model/charts/payload.js';
import { madeUpLeg } from '../fixtures/page-legs.js';

/** @param {string} series @param {number} payloadBytes @param {{ requested?: number, axes?: object }} [more] */
const leg = (series, payloadBytes, { requested = 10, axes = { test: `${payloadBytes} B` } } = {}) =>
  madeUpLeg({
    summary: { series, axes },
    connections: { requested },
    figures: {
      responseTimeNs: { p50: 10 * payloadBytes, p99: 1000 * payloadBytes, mean: 20 * payloadBytes, max: 1e6 },
    },
    other: { label: `${series}-${payloadBytes}`, settings: { payloadBytes } },
  });

const SIZES = [1024, 1, 65_536];

describe('the chart against message sizes', () => {
  it('has a line for each server, a point for each size, rising', () => {
    const all = SIZES.flatMap((size) => [leg('epoll', size), leg('go', size)]);
    const [chart, ...others] = payloadCharts(all, 'closed loop');
    assert.deepEqual([chart.id, chart.section, chart.x.unit, others], ['response-by-size', undefined, 'payload', []]);
    assert.deepEqual(chart.x.ticks, [1, 1024, 65_536]);
    const { datasets, alt } = chart.panels[0];
    const lines = datasets.filter(({ role }) => role === 'leg' || role === 'thin');
    const rising = (/** @type {number} */ factor) =>
      [1, 1024, 65_536].map((size) => `${size},${Number((factor * size).toPrecision(5))}`).join(' ');
    assert.deepEqual(
      lines.map(({ label, points }) => `${label}: ${points.join(' ')}`),
      ['epoll', 'go'].flatMap((name) => [`${name}: ${rising(1000)}`, `${name}, p50: ${rising(10)}`]),
    );
    assert.ok(alt.includes('64 KiB p99'), alt);
  });

  it('leaves out legs with another number of connections, and those without tests or without payload', () => {
    const all = SIZES.map((size) => leg('epoll', size));
    const [chart] = payloadCharts(
      [...all, leg('epoll', 2048, { requested: 80 }), leg('epoll', 4, { axes: {} }), leg('epoll', 0)],
      'closed loop',
    );
    assert.deepEqual(chart.x.ticks, [1, 1024, 65_536]);
    const few = [leg('epoll', 1), leg('epoll', 2), leg('go', 2)];
    assert.deepEqual(payloadCharts(few, 'closed loop'), [], 'fewer than three sizes');
  });
});
