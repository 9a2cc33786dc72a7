/** The heat map of response times: each transfer is in exactly one cell, and the page draws the cells where they belong. */
import assert from 'node:assert/strict';
import { Histogram } from '../../client/measure/histogram.js';
import { count } from '../../client/words/format.js';
import { chartModel } from '../../report/model/charts/all.js';
import { HEAT_SHARES, rowOf } from '../../report/model/charts/heat-map.js';
import { pageLegsOf } from '../../report/model/page-cases.js';
import { DARK, LIGHT } from '../../report/model/palette.js';
import { readRun } from '../../report/read/read-run.js';
import { RECORDED } from '../fixtures/recorded-run.js';
import { shownPages } from '../fixtures/shown-pages.js';

const sum = (/** @type {number[]} */ list) => list.reduce((total, one) => total + one, 0);

/** @param {import('../../report/types.js').Run} run @returns {import('../../report/types.js').Chart} */
function heatMapOf(run) {
  const { results, cases } = pageLegsOf(run);
  const chart = chartModel(run, results, cases).charts.find(({ id }) => id === 'heat');
  assert.ok(chart);
  return chart;
}

/** @param {import('../../report/types.js').Dataset} dataset @returns {{ perDecade: number, widths: number[], columns: number[][] }} */
function cellsOf({ heat }) {
  assert.ok(heat);
  return heat;
}

/** @param {string} hex @returns {number} CIE lightness, 0..100 */
function lightnessOf(hex) {
  const [r, g, b] = [1, 3, 5].map((i) => {
    const part = parseInt(hex.slice(i, i + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 116 * Math.cbrt(0.2126 * r + 0.7152 * g + 0.0722 * b) - 16;
}

describe('report: heat map', () => {
  it('counts each transfer in the cell of its interval and response time, and each failure in its interval', async () => {
    const run = await readRun(RECORDED);
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
    const panelsWithFailures = chart.panels.filter(({ datasets }) => datasets[1].points.length > 0);
    assert.ok(panelsWithFailures.length > 0 && panelsWithFailures.length < run.legs.length);
  });

  it('has some fifty rows at most, between which all legs have their values, whatever the range of times', async () => {
    const run = await readRun(RECORDED);
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

  it('merges the seconds of a long leg into columns', async () => {
    const run = await readRun(RECORDED);
    const [{ samples }] = run.legs;
    const long = Array.from({ length: 500 }, (_, i) => ({
      ...samples[i % 20],
      phase: /** @type {const} */ ('ramp'),
      second: i + 1,
      fromNs: i * 1e9,
      toNs: (i + 1) * 1e9,
    }));
    const { panels, data } = heatMapOf({ ...run, legs: [{ ...run.legs[0], samples: long }] });
    const { columns, widths } = cellsOf(panels[0].datasets[0]);
    assert.equal(data?.columnSeconds, 5);
    assert.deepEqual([columns.length, new Set(widths)], [100, new Set([5])]);
    assert.equal(sum(columns.flatMap(([, ...counts]) => counts)), sum(long.map(({ counters }) => counters.transfers)));
  });

  it('has a colour for each share of its legend, in even steps of lightness', () => {
    for (const { heat } of [LIGHT, DARK]) {
      assert.equal(heat.length, HEAT_SHARES.length);
      const steps = heat.slice(1).map((colour, i) => lightnessOf(colour) - lightnessOf(heat[i]));
      assert.equal(new Set(steps.map(Math.sign)).size, 1, 'in one direction');
      const sizes = steps.map(Math.abs);
      assert.ok(Math.min(...sizes) > 8 && Math.max(...sizes) < 20, sizes.join());
    }
  });
});

describe('report: heat map in the page', function () {
  this.timeout(60_000);
  const pages = shownPages();

  it('has labels of stalls that do not lie on one another, however close the stalls are', async () => {
    const { page, problems } = await pages.show(RECORDED);
    const canvas = page.locator('#chart-heat-1');
    await canvas.scrollIntoViewIfNeeded();
    const boxes = await canvas.evaluate((/** @type {any} */ element) => {
      const chart = /** @type {any} */ (window).Chart.getChart(element);
      const { left } = chart.chartArea;
      const at = (/** @type {number} */ px) => chart.scales.x.getValueForPixel(left + px);
      // as wide as gaps with a text are at least, and next to each other
      const gaps = [30, 43, 56, 90, 150, 220, 233].map((px) => [at(px), at(px + 12.5)]);
      const marks = [90, 150, 233].map((px) => ({
        ...{ axis: 'x', at: at(px), label: 'no reply for 1.2 s', colour: '#000000' },
      }));
      Object.assign(chart.options.plugins.gaps, { gaps });
      Object.assign(chart.options.plugins.marks, { marks });
      chart.update('none');
      /** @type {any[]} */
      const found = [];
      const { fillText } = chart.ctx;
      chart.ctx.fillText = (/** @type {string} */ text, /** @type {number} */ x, /** @type {number} */ y) => {
        if (!text.startsWith('no ')) return;
        const {
          actualBoundingBoxLeft: l,
          actualBoundingBoxRight: r,
          fontBoundingBoxAscent: u,
          fontBoundingBoxDescent: d,
        } = chart.ctx.measureText(text);
        const matrix = chart.ctx.getTransform();
        const ends = [
          [x - l, y - u],
          [x + r, y + d],
        ].map(([px, py]) => matrix.transformPoint({ x: px, y: py }));
        const span = (/** @type {'x' | 'y'} */ axis) => [
          Math.min(...ends.map((one) => one[axis])),
          Math.max(...ends.map((one) => one[axis])),
        ];
        found.push({ text, x: span('x'), y: span('y') });
      };
      chart.draw();
      chart.ctx.fillText = fillText;
      return found;
    });
    assert.ok(new Set(boxes.map(({ text }) => text)).size === 2, 'stalls and gaps are both labelled');
    const meet = (/** @type {number[]} */ [a, b], /** @type {number[]} */ [c, d]) => a < d && c < b;
    boxes.forEach((one, i) => {
      for (const other of boxes.slice(i + 1))
        assert.ok(!meet(one.x, other.x) || !meet(one.y, other.y), JSON.stringify([one, other]));
    });
    await page.context().close();
    assert.deepEqual(problems, []);
  });

  it('draws the cells where they belong, and says what is in the one under the pointer', async () => {
    const { page, problems } = await pages.show(RECORDED);
    const canvas = page.locator('#chart-heat-1');
    await canvas.scrollIntoViewIfNeeded();
    const drawn = await canvas.evaluate((/** @type {any} */ element) => {
      const chart = /** @type {any} */ (window).Chart.getChart(element);
      const [heat, failures] = chart.data.datasets;
      const ratio = chart.currentDevicePixelRatio;
      const image = chart.ctx.getImageData(0, 0, element.width, element.height);
      const colourAt = (/** @type {number} */ x, /** @type {number} */ y) =>
        image.data
          .subarray(...[0, 4].map((i) => 4 * (Math.round(y * ratio) * image.width + Math.round(x * ratio)) + i))
          .join();
      const at = heat.data.length - 5;
      const x = chart.scales.x.getPixelForValue(heat.data[at].x);
      const place = { x, y: chart.scales.y.getPixelForValue(heat.data[at].y) };
      return {
        place,
        n: heat.data[at].n,
        cell: colourAt(x, place.y),
        empty: colourAt(x, chart.chartArea.bottom - 3),
        strip: failures.data.map((/** @type {any} */ point) =>
          colourAt(chart.scales.x.getPixelForValue(point.x), chart.chartArea.top + 2),
        ),
      };
    });
    assert.notEqual(drawn.cell, drawn.empty);
    assert.ok(drawn.strip.length > 1);
    assert.ok(!drawn.strip.includes(drawn.empty));
    await canvas.hover({ position: drawn.place });
    const said = await canvas.evaluate((/** @type {any} */ element) => {
      const { tooltip } = /** @type {any} */ (window).Chart.getChart(element);
      return tooltip.body.flatMap((/** @type {any} */ { lines }) => lines).join();
    });
    assert.ok(said.includes(count(drawn.n)), said);
    await page.context().close();
    assert.deepEqual(problems, []);
  });
});
