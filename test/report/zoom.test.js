/// <reference lib="dom" />
// What a reader does with the charts of a page, in headless Chromium: zoom, cursor, legs on and off, keys, links.
import assert from 'node:assert/strict';
import { moveSpan, zoomSpan, ZOOM_STEP } from '../../report/browser/span.js';
import { RECORDED } from '../fixtures/recorded-run.js';
import { shownPages } from '../fixtures/shown-pages.js';

const LEGS = ['multi-threaded', 'select', 'epoll'];

/** @typedef {import('playwright-core').Page} Page */

/** Runs in the page: the time axes of all charts, without those that are the same. */
const axesNow = () => {
  /** @type {any[]} */
  // @ts-ignore: chart.js is a global of the page
  const charts = Object.values(globalThis.Chart.instances);
  const overTime = charts.filter(({ canvas }) => canvas.classList.contains('over-time'));
  return [...new Set(overTime.map(({ scales: { x } }) => `${x.min}-${x.max}`))];
};
/** @param {Page} page @param {string[]} axes waits until all charts over time have them */
const axesAre = (page, axes) =>
  page.waitForFunction((wanted) => {
    /** @type {any[]} */
    // @ts-ignore: chart.js is a global of the page
    const charts = Object.values(globalThis.Chart.instances);
    const overTime = charts.filter(({ canvas }) => canvas.classList.contains('over-time'));
    const now = [...new Set(overTime.map(({ scales: { x } }) => `${x.min}-${x.max}`))];
    return overTime.length > 10 && now.join() === wanted;
  }, axes.join());
/** @param {Page} page @param {string} hash waits for the address, which is written a moment after a change */
const linkIs = (page, hash) => page.waitForFunction((wanted) => window.location.hash === wanted, hash);

/** Runs in the page: px of two moments in a chart, from the window's corner. @param {[string, number[]]} chartAndTimes */
const placesOf = ([id, times]) => {
  // @ts-ignore: chart.js is a global of the page
  const { scales, canvas, chartArea } = globalThis.Chart.getChart(id);
  const { left, top } = canvas.getBoundingClientRect();
  return times.map((at) => [left + scales.x.getPixelForValue(at), top + chartArea.top + 20]);
};
/** Runs in the page: names of the lines and panels that can be seen. */
const seenLegs = () => {
  // @ts-ignore: chart.js is a global of the page
  const chart = globalThis.Chart.getChart('chart-transfers-0');
  const lines = chart.data.datasets.flatMap((/** @type {any} */ { label }, /** @type {number} */ i) =>
    chart.isDatasetVisible(i) ? [label] : [],
  );
  const panels = [...document.querySelectorAll('article[aria-labelledby="figure-response"] .panel')]
    .filter((panel) => /** @type {HTMLElement} */ (panel).offsetParent)
    .map((panel) => panel.querySelector('h4')?.textContent);
  return { lines, panels };
};
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

describe('report: charts that a reader looks into', function () {
  this.timeout(120_000);
  const { show } = shownPages();

  /** @param {Page} page @param {string} id of a canvas @param {number} from @param {number} to s */
  async function drag(page, id, from, to) {
    await page.locator(`#${id}`).scrollIntoViewIfNeeded();
    const [start, end] = await page.evaluate(placesOf, /** @type {[string, number[]]} */ ([id, [from, to]]));
    await page.mouse.move(start[0], start[1]);
    await page.mouse.down();
    await page.mouse.move(end[0], end[1], { steps: 3 });
    await page.mouse.up();
  }

  it('zooms all charts over time to what was dragged across in one, and back by the button', async () => {
    const { page, problems } = await show(RECORDED);
    const [whole, ...others] = await page.evaluate(axesNow);
    assert.deepEqual(others, []);
    assert.equal(await page.locator('[data-zoom="reset"]').first().isVisible(), false);
    await drag(page, 'chart-response-1', 30, 20);
    await page.waitForFunction(() => /time=/.test(window.location.hash));
    const [, from, to] = /^#figure-response&time=([\d.]+)-([\d.]+)$/.exec(new URL(page.url()).hash) ?? [];
    assert.ok(Math.abs(Number(from) - 20) < 0.2 && Math.abs(Number(to) - 30) < 0.2, page.url());
    await axesAre(page, [`${Number(from)}-${Number(to)}`]);
    const ticks = await page.evaluate(() =>
      // @ts-ignore: chart.js is a global of the page
      globalThis.Chart.getChart('chart-response-0').scales.x.ticks.map((/** @type {any} */ { value }) => value),
    );
    assert.ok(ticks.length > 1 && ticks.every((/** @type {number} */ at) => at >= Number(from) && at <= Number(to)));
    await page.locator('[data-zoom="reset"]').first().click();
    await axesAre(page, [whole]);
    await linkIs(page, '#figure-response');
    assert.deepEqual(problems, []);
    await page.context().close();
  });

  it.slow('shows the moment under the pointer in all charts over time, with its values', async () => {
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
    const [, milliseconds] = new RegExp(`${sample[0]}: ([\\d.]+) ms`).exec(String(values[1])) ?? [];
    assert.ok(Math.abs(Number(milliseconds) - sample[1]) < 0.1, `${values[1]} of ${sample}`);
    await page.mouse.move(2, 2);
    await page.waitForFunction(() => document.querySelectorAll('.cursor-line:not([hidden])').length === 0);
    assert.deepEqual(problems, []);
    await page.context().close();
  });

  it.slow('hides a leg in all charts at once, at the strip and at any legend', async () => {
    const { page, problems } = await show(RECORDED);
    assert.deepEqual(await page.evaluate(seenLegs), { lines: LEGS, panels: LEGS });
    await page.locator('.picker [data-toggle="1"]').click();
    const without = ['multi-threaded', 'epoll'];
    assert.deepEqual(await page.evaluate(seenLegs), { lines: without, panels: without });
    await linkIs(page, '#hidden=02-select');
    const buttons = page.locator('[data-toggle="1"]');
    assert.ok((await buttons.count()) > 2);
    for (const button of await buttons.all()) assert.equal(await button.getAttribute('aria-pressed'), 'false');
    await page.locator('article[aria-labelledby="figure-transfers"] [data-toggle="1"]').click();
    assert.deepEqual(await page.evaluate(seenLegs), { lines: LEGS, panels: LEGS });
    await linkIs(page, '');
    assert.deepEqual(problems, []);
    await page.context().close();
  });

  it('is read with keys: from point to point, to the next leg, closer, along and back', async () => {
    const { page, problems } = await show(RECORDED);
    const [whole] = await page.evaluate(axesNow);
    /** @type {[number, number]} */
    const time = [0, Number(whole.split('-')[1])];
    const stops = await page.locator('article[aria-labelledby="figure-response"] canvas[tabindex="0"]').count();
    assert.equal(stops, 1, 'one stop of the Tab key for each figure');
    await page.locator('#chart-response-0').focus();
    const reading = () => page.locator('#chart-reading').innerText();
    await page.keyboard.press('Home');
    const first = await reading();
    assert.match(first, /^500 ms|^0\.5 s/);
    await page.keyboard.press('ArrowRight');
    assert.match(await reading(), /^1\.5 s, p50: /);
    await page.keyboard.press('ArrowLeft');
    assert.equal(await reading(), first);
    await page.keyboard.press('ArrowDown');
    assert.equal(await page.evaluate(() => document.activeElement?.id), 'chart-response-1');
    assert.notEqual(await reading(), first, 'the same moment of another leg');
    await page.keyboard.press('+');
    const closer = zoomSpan(null, time, 0.5, ZOOM_STEP);
    await axesAre(page, [String(closer?.join('-'))]);
    await page.keyboard.press('Shift+ArrowRight');
    await axesAre(page, [String(moveSpan(closer, time, 0.25)?.join('-'))]);
    await page.keyboard.press('End');
    assert.match(await reading(), /^40.03 s/);
    const [shown] = await page.evaluate(axesNow);
    assert.ok(Number(shown.split('-')[1]) >= 40.03, `the axes follow: ${shown}`);
    await page.keyboard.press('Escape');
    await axesAre(page, [whole]);
    assert.deepEqual(problems, []);
    await page.context().close();
  });

  it.slow('opens as its link says, keeps that at links within the page, and takes another link', async () => {
    const { page, problems, path } = await show(RECORDED);
    await page.goto(`file://${path}?again#figure-errors&time=12-20&hidden=01-multi-threaded`);
    await axesAre(page, ['12-20']);
    // @ts-ignore: chart.js is a global of the page
    await page.waitForFunction(() => globalThis.Chart.getChart('chart-transfers-0'));
    assert.deepEqual((await page.evaluate(seenLegs)).lines, ['select', 'epoll']);
    const top = await page.locator('#figure-errors').evaluate((head) => head.getBoundingClientRect().top);
    assert.ok(top > -5 && top < 900, `the figure is at ${top} px`);
    await page
      .locator('a[href="#figure-response"]')
      .first()
      .evaluate((link) => /** @type {HTMLElement} */ (link).click());
    await linkIs(page, '#figure-response&time=12-20&hidden=01-multi-threaded');
    await page.evaluate(() => (window.location.hash = '#time=5-15'));
    await axesAre(page, ['5-15']);
    assert.deepEqual((await page.evaluate(seenLegs)).lines, LEGS);
    assert.deepEqual(problems, []);
    await page.context().close();
  });

  it.slow('zooms about the pointer with Ctrl and the wheel, which scrolls otherwise', async () => {
    const { page, problems } = await show(RECORDED);
    const [whole] = await page.evaluate(axesNow);
    await page.locator('#chart-response-0').scrollIntoViewIfNeeded();
    const [[x, y]] = await page.evaluate(placesOf, /** @type {[string, number[]]} */ (['chart-response-0', [10]]));
    await page.mouse.move(x, y);
    await page.keyboard.down('Control');
    await page.mouse.wheel(0, -100);
    await page.waitForFunction(() => /time=/.test(window.location.hash));
    await page.keyboard.up('Control');
    const [, from, to] = (/time=([\d.]+)-([\d.]+)/.exec(page.url()) ?? []).map(Number);
    const end = Number(whole.split('-')[1]);
    assert.ok(Math.abs((10 - from) / (to - from) - 10 / end) < 0.03, 'the moment keeps its place');
    assert.ok(to - from < end * 0.7);
    await page.mouse.dblclick(x, y);
    await axesAre(page, [whole]);
    assert.deepEqual(problems, []);
    await page.context().close();
  });
});
