/** The heat map of response times: each transfer is in exactly one cell. */
import assert from 'node:assert/strict';
import { Histogram } from '../../client/measure/histogram.js';
import { damageOf } from '../../client/measure/run-documents.js';
import { DensityCounter } from '../../client/store/transfer-log/density.js';
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
      const { columns } = cellsOf(heat);
      columns.forEach(([, ...counts], at) => assert.equal(sum(counts), heat.points[at][2]));
      const transfers = sum(leg.samples.map(({ counters }) => counters.transfers));
      assert.ok(transfers > 0);
      assert.equal(sum(heat.points.map(([, , n = 0]) => n)), transfers);
      /** @type {Map<number, number>} */
      const rows = new Map();
      const merged = Math.round(10 / cellsOf(heat).perDoubling);
      const mergedRow = (/** @type {number} */ value) => Math.floor(rowOf(value) / merged);
      for (const { histograms } of leg.samples) {
        for (const [value, n] of Histogram.fromLine(histograms.responseTime).values()) {
          rows.set(mergedRow(value), (rows.get(mergedRow(value)) ?? 0) + n);
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

  it('has some hundred rows at most, between which all legs have their values, whatever the range of times', () => {
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
      const { perDoubling } = cellsOf(panels[0].datasets[0]);
      const [low, high] = [y.min, y.max].map((value) => Math.round(Math.log2(Number(value)) * perDoubling));
      assert.ok(high - low >= 1 && high - low <= 117, `${low} to ${high}`);
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

  it('has the transfers at the moment when they were due where the leg has a density, and the failed ones in place', () => {
    const counter = new DensityCounter({ fromNs: 5e9, toNs: 25e9 });
    counter.add(5e9 + 1e6, 2 ** 20, 0);
    counter.add(5e9 + 2e6, 2 ** 20 + 1, 0);
    counter.add(6e9, 2 ** 30, 1);
    counter.add(4e9, 1, 0); // before the leg
    const density = counter.result();
    assert.deepEqual(density, {
      columnNs: 20e6,
      rowsPerDoubling: 10,
      columns: [
        { at: 0, answered: [200, 2] },
        { at: 50, failed: [300, 1] },
      ],
    });
    assert.equal(damageOf('density', density), null);
    const { panels, y } = heatMapOf({ ...run, legs: [{ ...run.legs[0], density }] });
    const [heat, failures] = panels[0].datasets;
    const { widths, columns, failed, perDoubling } = cellsOf(heat);
    assert.deepEqual(
      heat.points.map(([x, , n]) => [x, n]),
      [
        [0.01, 2],
        [1.01, 1],
      ],
    );
    assert.deepEqual([widths, columns, failed, perDoubling], [[0.02, 0.02], [[200, 2], []], [[], [300, 1]], 10]);
    assert.deepEqual([failures.points, Number(y.min) <= 2 ** 20 && Number(y.max) >= 2 ** 30], [[], true]);
  });

  it('has a column for every long time of a long leg', () => {
    const counter = new DensityCounter({ fromNs: 0, toNs: 3600e9 });
    for (let second = 0; second < 3600; second += 1) counter.add(second * 1e9, 1e6, 0);
    const { columnNs, columns } = counter.result();
    assert.deepEqual([columnNs, columns.length], [3.6e9, 1000]);
  });
});
