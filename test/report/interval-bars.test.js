// The bars of intervals in the charts of a sweep, on a chart that records what is drawn.

import assert from 'node:assert/strict';
import { intervalPlugin } from '../../report/browser/interval-bars.js';
import { MOST_WITH_BARS } from '../../report/model/leg-marks.js';

/**
 * A chart of 100 px whose y is 0 to 100 from below, with the same two points in each line.
 * @param {([number, number] | null)[]} intervals of each line @param {number} lines
 */
function drawn(intervals, lines) {
  /** @type {[string, number, number][]} */
  const strokes = [];
  const context = {
    ...Object.fromEntries(['save', 'restore', 'beginPath', 'stroke'].map((name) => [name, () => {}])),
    globalAlpha: 1,
    moveTo: (/** @type {number} */ x, /** @type {number} */ y) => strokes.push(['from', x, y]),
    lineTo: (/** @type {number} */ x, /** @type {number} */ y) => strokes.push(['to', x, y]),
  };
  /** @type {any} */
  const chart = {
    ctx: context,
    chartArea: { top: 0, bottom: 100 },
    scales: { y: { getPixelForValue: (/** @type {number} */ value) => 100 - value } },
    data: { datasets: Array.from({ length: lines }, () => ({ intervals, borderColor: '#000' })) },
  };
  for (let index = 0; index < lines; index += 1) {
    intervalPlugin.beforeDatasetDraw(chart, {
      index,
      meta: { index, data: [10, 50].map((x) => ({ x, y: 0, base: 0, width: 0 })) },
    });
  }
  return strokes;
}

describe('the bars of intervals', () => {
  it('have a stroke at either end, except beyond the chart; where there is no interval there is no bar', () => {
    assert.deepEqual(drawn([[20, 40], null], 1), [
      ['from', 10.5, 80],
      ['to', 10.5, 60],
      ['from', 7.5, 80],
      ['to', 13.5, 80],
      ['from', 7.5, 60],
      ['to', 13.5, 60],
    ]);
    assert.deepEqual(drawn([null, [20, 400]], 1), [
      ['from', 50.5, 80],
      ['to', 50.5, 0],
      ['from', 47.5, 80],
      ['to', 53.5, 80],
    ]);
  });

  it('of several lines are side by side', () => {
    const places = drawn([[20, 400], null], 3).flatMap(([, x, y]) => (y === 0 ? [x] : []));
    assert.deepEqual(places, [6.5, 10.5, 14.5]);
  });

  it('of many lines are left out', () => {
    assert.equal(drawn([[20, 40], null], MOST_WITH_BARS).length, 6 * MOST_WITH_BARS);
    assert.equal(drawn([[20, 40], null], MOST_WITH_BARS + 1).length, 0);
  });
});
