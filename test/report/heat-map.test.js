/** The heat map of response times: each transfer is in exactly one cell. */
import assert from 'node:assert/strict';
import { Histogram } from '../../client/measure/histogram.js';
import { rowOf } from '../../report/model/charts/heat-map.js';
import { readRun } from '../../report/read/read-run.js';
import { chartOf } from '../fixtures/page-legs.js';
import { RECORDED } from '../fixtures/recorded-run.js';

/** @import { Chart, Dataset } from '../../report/types.js' */

const sum = (/** @type {number[]} */ list) => list.reduce((total, one) => total + one, 0);

/** @param {any} run @returns {Chart} */
const heatMapOf = (run) => chartOf(run, 'heat');
const cellsOf = (/** @type {Dataset} */ { heat }) => heat ?? assert.fail();

const run = await readRun(RECORDED);

describe('report: heat map', () => {
  it('counts each transfer in the cell of its interval and response time, and each failure in its interval', () => {
    const chart = heatMapOf(run);
    run.legs.forEach((leg, i) => {
      const [heat, failures] = chart.panels[i].datasets;
      const { perDecade, columns } = cellsOf(heat);
      columns.forEach(([, ...counts], at) => assert.equal(sum(counts), heat.points[at][2]));
      const transfers = sum(leg.samples.map(({ counters }) => counters.transfers));
      assert.ok(transfers > 0);
      assert.equal(sum(heat.points.map(([, , n = 0]) => n)), transfers);
      /** @type {Map<number, number>} */
      const rows = new Map();
      for (const { histograms } of leg.samples) {
        for (const [value, n] of Histogram.fromLine(histograms.responseTime).values()) {
          rows.set(rowOf(value, perDecade), (rows.get(rowOf(value, perDecade)) ?? 0) + n);
        }
      }
      for (const [row, n] of rows) {
        assert.equal(sum(columns.map(([first, ...counts]) => counts[row - first] ?? 0)), n, `row ${row}`);
      }
      const failed = leg.samples.map(({ counters }) => counters.failed + counters.unfinished);
      assert.equal(sum(failures.points.map(([, , n = 0]) => n)), sum(failed));
    });
    assert.ok(
      chart.panels.some(({ datasets }) => datasets[1].points.length > 0),
      'the run has failures',
    );
  });

  it('has some fifty rows at most, between which all legs have their values, whatever the range of times', () => {
    for (const factor of [1, 1e3, 1e-4]) {
      const legs = run.legs.map((leg) => ({
        ...leg,
        samples: leg.samples.map((sample, at) => {
          const times = new Histogram();
          times.record(1e6, 10);
          if (at === 3) times.record(Math.round(1e6 * factor), 2);
          return { ...sample, histograms: { ...sample.histograms, responseTime: times.toLine() } };
        }),
      }));
      const { y, panels } = heatMapOf({ ...run, legs });
      const { perDecade } = cellsOf(panels[0].datasets[0]);
      const [low, high] = [y.min, y.max].map((value) => Math.round(Math.log10(Number(value)) * perDecade));
      assert.ok(high - low >= 1 && high - low <= 60, `${low} to ${high}`);
      for (const { datasets } of panels) {
        for (const [first, ...counts] of cellsOf(datasets[0]).columns) {
          assert.ok(first >= low && first + counts.length <= high, `${first}, ${counts}`);
        }
      }
    }
  });

  it('merges the seconds of a long leg into columns', () => {
    const [{ samples }] = run.legs;
    const phase = /** @type {const} */ ('ramp');
    const long = Array.from({ length: 500 }, (_, i) => ({
      ...{ ...samples[i % 20], phase, second: i + 1, fromNs: i * 1e9, toNs: (i + 1) * 1e9 },
    }));
    const { panels, data } = heatMapOf({ ...run, legs: [{ ...run.legs[0], samples: long }] });
    const { columns, widths } = cellsOf(panels[0].datasets[0]);
    assert.equal(data?.columnSeconds, 5);
    assert.deepEqual([columns.length, new Set(widths)], [100, new Set([5])]);
    assert.equal(sum(columns.flatMap(([, ...counts]) => counts)), sum(long.map(({ counters }) => counters.transfers)));
  });
});
