// / <reference lib="dom" />
// The page of three legs in headless Chromium: what it shows at first and on paper, and how a reader uses it. What
// holds for every kind of page, and what axe says: test/release/page-kinds.test.js.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { chartModel } from '../../report/model/charts/all.js';
import { pageLegsOf } from '../../report/model/page-cases.js';
import { readRun } from '../../report/read/read-run.js';
import { moveSpan, zoomSpan, ZOOM_STEP } from '../../report/browser/span.js';
import { DARK, LIGHT } from '../../report/model/palette.js';
import { axesAre, axesNow, placesOf } from '../fixtures/page-axes.js';
import { RECORDED } from '../fixtures/recorded-run.js';
import { shownPages } from '../fixtures/shown-pages.js';

/** @import { Page } from 'playwright-core' */

/** Runs in the page: the label and the points of every line that is drawn, by the name of its canvas. */
const linesNow = () =>
  Object.fromEntries(
    [...document.querySelectorAll('canvas')].map((canvas) => [
      canvas.id,
      // @ts-ignore: chart.js is a global of the page
      globalThis.Chart.getChart(canvas)?.data.datasets.map((/** @type {any} */ { label, data }) => [
        label,
        data.map((/** @type {any} */ { x, y }) => [x, Number.isNaN(y) ? null : y]),
      ]),
    ]),
  );

/** Runs in the page. @returns {boolean} whether all charts are drawn, and none is in a part that is closed */
const areAllDrawn = () =>
  // @ts-ignore: chart.js is a global of the page
  [...document.querySelectorAll('canvas')].every((one) => one.checkVisibility() && globalThis.Chart.getChart(one));

/** @param {Page} page @param {string} id of a figure */
const figureOf = (page, id) => page.locator(`article[aria-labelledby="figure-${id}"]`);

/** @param {Page} page @param {string} id @returns {Promise<string[][]>} texts of the open table, its heads first */
const tableOf = (page, id) =>
  figureOf(page, id)
    .locator('.chart-table table')
    .first()
    .evaluate((table) =>
      [...table.querySelectorAll('tr')].map((row) => [...row.children].map((cell) => cell.textContent ?? '')),
    );

describe('report: the page in Chromium', function () {
  this.timeout(120_000);
  const shown = shownPages();
  /** What one reader does after another. @type {Awaited<ReturnType<typeof shown.show>>} */
  let reader;
  before(async () => {
    reader = await shown.show(RECORDED, { width: 1400, height: 1000, folded: true });
  });

  /** @param {Page} page @param {string} id of a canvas @param {number} from @param {number} to s */
  async function drag(page, id, from, to) {
    await page.locator(`#${id}`).scrollIntoViewIfNeeded();
    const [start, end] = await page.evaluate(placesOf, /** @type {[string, number[]]} */ ([id, [from, to]]));
    await page.mouse.move(start[0], start[1]);
    await page.mouse.down();
    await page.mouse.move(end[0], end[1], { steps: 3 });
    await page.mouse.up();
  }

  it('has all that answers on the first screen, and fits each width', async () => {
    const { page } = reader;
    const tops = await page.evaluate(() =>
      [...document.querySelectorAll('#charts .figure')].map((one) => one.getBoundingClientRect().top),
    );
    assert.ok(tops.length === 3 && Math.max(...tops) < 1000, `${tops}`);
    for (const width of [800, 400, 1400]) {
      await page.setViewportSize({ width, height: 1000 });
      const beyond = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      assert.ok(beyond <= 0, `${width} px: ${beyond} px more`);
    }
  });

  it('opens the part that a link of a caution leads to', async () => {
    const { page } = reader;
    await page.locator('#cautions > summary').click();
    const links = page.locator('#cautions a');
    const hrefs = await links.evaluateAll((all) => all.map((one) => one.getAttribute('href') ?? ''));
    assert.ok(hrefs.length > 0);
    for (const href of hrefs) assert.equal(await page.locator(href).count(), 1, href);
    await links.first().click();
    const figure = page.locator(hrefs[0]);
    await figure.waitFor();
    assert.ok(await figure.evaluate((head) => head.closest('details')?.open !== false));
  });

  it('opens all for paper, and has in its charts exactly what the model has', async () => {
    const { page, problems, path } = reader;
    await page.evaluate(() => {
      for (const one of document.querySelectorAll('details')) one.open = false;
    });
    await page.emulateMedia({ media: 'print' });
    await page.waitForFunction(areAllDrawn);
    assert.equal(await page.locator('details:not([open])').count(), 0);
    assert.equal(await page.locator('.chart-tools:visible, .span:visible, nav:visible').count(), 0);
    const run = await readRun(RECORDED);
    const { results, cases } = pageLegsOf(run);
    const drawn = chartModel(run, results, cases).charts.filter(({ empty }) => !empty);
    const expected = drawn.flatMap(({ id, panels }) =>
      panels.flatMap(({ datasets, empty }, i) =>
        empty
          ? []
          : [[`chart-${id}-${i}`, datasets.map(({ label, points }) => [label, points.map(([x, y]) => [x, y])])]],
      ),
    );
    assert.ok(drawn.length > 12);
    assert.deepEqual(await page.evaluate(linesNow), Object.fromEntries(expected));
    await page.emulateMedia({ media: 'screen' });
    await page.waitForFunction(() => document.querySelector('details[open]') === null);
    assert.deepEqual(problems, [], 'no error, and no request');
    assert.ok((await readFile(path)).length < 3_000_000, 'the file stays small');
    await shown.unfold(page);
  });

  it('zooms all charts over time to what was dragged across in one, and back by the button', async () => {
    const { page, problems } = reader;
    const [whole, ...others] = await page.evaluate(axesNow);
    assert.deepEqual(others, []);
    assert.equal(await page.locator('[data-zoom="reset"]').first().isVisible(), false);
    await drag(page, 'chart-response-1', 30, 20);
    await page.locator('[data-zoom="reset"]').first().waitFor();
    const [zoomed] = await page.evaluate(axesNow);
    const [from, to] = zoomed.split('-').map(Number);
    assert.ok(Math.abs(from - 20) < 0.2 && Math.abs(to - 30) < 0.2, zoomed);
    await axesAre(page, [zoomed]);
    const ticks = await page.evaluate(() =>
      // @ts-ignore: chart.js is a global of the page
      globalThis.Chart.getChart('chart-response-0').scales.x.ticks.map((/** @type {any} */ { value }) => value),
    );
    assert.ok(ticks.length > 1 && ticks.every((/** @type {number} */ at) => at >= from && at <= to));
    await page.locator('[data-zoom="reset"]').first().click();
    await axesAre(page, [whole]);
    assert.deepEqual(problems, []);
  });

  it('is read with keys: from point to point, to the next server, closer, along and back', async () => {
    const { page, problems } = reader;
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
    assert.notEqual(await reading(), first, 'the same moment of another server');
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
  });

  it('opens a table of a chart, which leaves many rows out', async () => {
    const { page, problems } = reader;
    const button = figureOf(page, 'transfers').locator('.chart-tools button');
    await button.focus();
    await page.keyboard.press('Enter');
    assert.equal(await button.getAttribute('aria-expanded'), 'true');
    const [heads, first] = await tableOf(page, 'transfers');
    assert.deepEqual(heads, ['Server', 'Time', 'answered']);
    assert.ok(first[0] === 'multi-threaded' && first[2].endsWith('/s'), first.join());
    await button.click();
    assert.equal(await page.locator('#table-transfers').count(), 0);
    assert.equal(await button.getAttribute('aria-expanded'), 'false');

    await figureOf(page, 'response').locator('.chart-tools button').click();
    const transfers = figureOf(page, 'response').locator('.chart-table > div').nth(1);
    const left = async () => Number(await transfers.locator('[data-code="rows-left-out"]').getAttribute('data-left'));
    const shown = () => transfers.locator('tbody tr').count();
    const all = 500 + (await left());
    assert.deepEqual([await shown(), all > 1000], [500, true]);
    await transfers.locator('.rest button').click();
    assert.deepEqual([await shown(), await left()], [1000, all - 1000]);
    assert.deepEqual(problems, []);
  });

  it('changes the theme by its button, also right after a resize', async () => {
    const { page, problems } = reader;
    const theme = () =>
      page.evaluate(() => ({
        paper: getComputedStyle(document.body).backgroundColor,
        // @ts-ignore: chart.js is a global of the page
        ticks: globalThis.Chart.getChart('chart-ramp-cpu-0').options.scales.x.ticks.color,
      }));
    const light = await theme();
    assert.equal(light.ticks, LIGHT.muted);
    await page.setViewportSize({ width: 700, height: 900 });
    await page.evaluate(() => document.getElementById('theme')?.click());
    const dark = await theme();
    assert.equal(dark.ticks, DARK.muted);
    assert.notEqual(dark.paper, light.paper);
    await page.locator('#theme').click();
    assert.deepEqual(await theme(), light);
    // a resize that chart.js has put off
    await page.waitForTimeout(100);
    assert.deepEqual(problems, []);
  });

  it('says the same in tables when scripts are off', async () => {
    const { page } = await shown.show(RECORDED, { script: false });
    assert.equal(
      await page.locator('.servers [data-leg="multi-threaded"] [data-figure="perSecond"] b').innerText(),
      '108,167',
    );
    await page.locator('#figures > summary').click();
    const cell = page.locator('#figures [data-code="open"] [data-name="multi-threaded"]');
    assert.equal(await cell.innerText(), '5,942');
    assert.equal(await page.locator('[data-code="no-script"]').isVisible(), true);
    await page.context().close();
  });
});
