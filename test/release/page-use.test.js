/// <reference lib="dom" />
// What else a reader does with the page of three legs, in headless Chromium.
import assert from 'node:assert/strict';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseSamples } from '../../client/measure/sample-lines.js';
import { count } from '../../client/words/format.js';
import { DARK, LIGHT } from '../../report/model/palette.js';
import { axesAre, axesNow, placesOf } from '../fixtures/page-axes.js';
import { RECORDED } from '../fixtures/recorded-run.js';
import { shownPages } from '../fixtures/shown-pages.js';

/** @import { Page } from 'playwright-core' */

const FOLDERS = ['01-multi-threaded', '02-select', '03-epoll'];

/** Runs in the page: moment of the cursor in each chart where it can be seen, and how many show values. */
const cursorsNow = () => {
  const lines = [...document.querySelectorAll('.cursor-line:not([hidden])')].map((line) => {
    // @ts-ignore: chart.js is a global of the page
    const { scales } = globalThis.Chart.getChart(line.parentElement?.querySelector('canvas'));
    return Math.round(scales.x.getValueForPixel(parseFloat(/** @type {HTMLElement} */ (line).style.left)) * 10) / 10;
  });
  return {
    lines,
    values: [...document.querySelectorAll('.cursor-values:not([hidden])')].map((one) => one.textContent),
  };
};

/** @param {string} folder @param {string} leg @returns {Promise<any[]>} */
async function samplesOf(folder, leg) {
  return parseSamples(await readFile(join(folder, leg, 'samples.ndjson'), 'utf8')).samples;
}

describe('report: the page in use', function () {
  this.timeout(120_000);
  const shown = shownPages();
  const { show } = shown;

  it('shows the moment under the pointer in all charts over time, with its values', async () => {
    const { page, problems } = await show(RECORDED);
    await page.locator('#figure-response').evaluate((head) => head.scrollIntoView());
    const [[x, y]] = await page.evaluate(placesOf, /** @type {[string, number[]]} */ (['chart-response-1', [15]]));
    await page.mouse.move(x, y);
    await page.waitForFunction(() => document.querySelectorAll('.cursor-line:not([hidden])').length >= 3);
    const { lines, values } = await page.evaluate(cursorsNow);
    const [moment] = lines;
    assert.ok(Math.abs(moment - 15) < 1 && lines.every((one) => one === moment), lines.join());
    // The chart that is pointed at has its tooltip.
    assert.equal(values.length, lines.length - 1);
    const sample = await page.evaluate((at) => {
      // @ts-ignore: chart.js is a global of the page
      const { data } = globalThis.Chart.getChart('chart-response-2');
      const { label, data: points } = data.datasets.find((/** @type {any} */ { role }) => role === 'p50');
      return [label, points.find((/** @type {any} */ { x }) => Math.abs(x - at) < 0.1).y / 1e6];
    }, moment);
    const text = await page.locator('.plot:has(#chart-response-2) .cursor-values').innerText();
    const [, milliseconds] = new RegExp(`${sample[0]}: ([\\d.]+) ms`).exec(text) ?? [];
    assert.ok(Math.abs(Number(milliseconds) - sample[1]) < 0.1, `${text} of ${sample}`);
    await page.mouse.move(2, 2);
    await page.waitForFunction(() => document.querySelectorAll('.cursor-line:not([hidden])').length === 0);
    assert.deepEqual(problems, []);
    await page.context().close();
  });

  it('zooms about the pointer with Ctrl and the wheel, which scrolls otherwise', async () => {
    const { page, problems } = await show(RECORDED);
    const [whole] = await page.evaluate(axesNow);
    await page.locator('#chart-response-0').scrollIntoViewIfNeeded();
    const [[x, y]] = await page.evaluate(placesOf, /** @type {[string, number[]]} */ (['chart-response-0', [10]]));
    await page.mouse.move(x, y);
    await page.keyboard.down('Control');
    await page.mouse.wheel(0, -100);
    await page.locator('[data-zoom="reset"]').first().waitFor();
    await page.keyboard.up('Control');
    const [zoomed] = await page.evaluate(axesNow);
    const [from, to] = zoomed.split('-').map(Number);
    const end = Number(whole.split('-')[1]);
    assert.ok(Math.abs((10 - from) / (to - from) - 10 / end) < 0.03, 'the moment keeps its place');
    assert.ok(to - from < end * 0.7);
    await page.mouse.dblclick(x, y);
    await axesAre(page, [whole]);
    assert.deepEqual(problems, []);
    await page.context().close();
  });

  it('takes on the other theme when it changes, and light for paper', async () => {
    const { page, problems } = await show(RECORDED);
    const tickIs = (/** @type {string} */ colour) =>
      page.waitForFunction(
        (wanted) => {
          // @ts-ignore: chart.js is a global of the page
          return globalThis.Chart.getChart('chart-response-0').options.scales.x.ticks.color === wanted;
        },
        colour,
        { timeout: 60_000 },
      );
    await tickIs(LIGHT.muted);
    await page.emulateMedia({ colorScheme: 'dark' });
    await tickIs(DARK.muted);
    await page.emulateMedia({ colorScheme: 'dark', media: 'print' });
    await tickIs(LIGHT.muted);
    assert.deepEqual(problems, []);
    await page.context().close();
  });

  it('marks the time of a leg of minutes in minutes, without overlap', async () => {
    const long = join(shown.scratch, 'long');
    await cp(RECORDED, long, { recursive: true });
    for (const leg of FOLDERS) {
      const samples = await samplesOf(long, leg);
      for (const sample of samples) Object.assign(sample, { fromNs: sample.fromNs * 11, toNs: sample.toNs * 11 });
      await writeFile(join(long, leg, 'samples.ndjson'), samples.map((sample) => JSON.stringify(sample)).join('\n'));
      for (const name of ['summary.json', join(leg, 'summary.json')]) {
        const summary = JSON.parse(await readFile(join(long, name), 'utf8'));
        for (const one of summary.legs ?? [summary]) {
          one.phases = { steadyFromNs: 110e9, steadyToNs: 440e9, endNs: samples[samples.length - 1].toNs };
        }
        await writeFile(join(long, name), JSON.stringify(summary));
      }
    }
    for (const [width, expected] of /** @type {Array<[number, RegExp]>} */ ([
      [1600, /^0 s,1 min,2 min,3 min,4 min,5 min,6 min,7 min$/],
      [375, /^0 s,2 min,4 min,6 min$/],
    ])) {
      const { page, problems } = await show(long, { width });
      const labels = await page.evaluate(() =>
        // @ts-ignore: chart.js is a global of the page
        globalThis.Chart.getChart('chart-transfers-0').scales.x.ticks.map((/** @type {any} */ tick) => tick.label),
      );
      assert.match(labels.join(), expected);
      assert.deepEqual(problems, []);
      await page.context().close();
    }
  });

  it('draws the cells of the heat map where they belong, and says what is in the one under the pointer', async () => {
    const { page, problems } = await show(RECORDED);
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
