/// <reference lib="dom" />
// How a reader uses the page of three legs, in headless Chromium: by keyboard, zooming, the tables and files of its figures; and what axe
// says of it.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { Histogram } from '../../client/measure/histogram.js';
import { moveSpan, zoomSpan, ZOOM_STEP } from '../../report/browser/span.js';
import { chartModel } from '../../report/model/charts/all.js';
import { rowOf } from '../../report/model/charts/heat-map.js';
import { pageLegsOf } from '../../report/model/page-cases.js';
import { readRun } from '../../report/read/read-run.js';
import { axesAre, axesNow, linkIs, placesOf } from '../fixtures/page-axes.js';
import { assertReached, fold, openPage, smallTexts, violations, withAxe } from '../fixtures/page-checks.js';
import { RECORDED, RUN_ID } from '../fixtures/recorded-run.js';
import { shownPages } from '../fixtures/shown-pages.js';

/** @typedef {import('playwright-core').Page} Page */

/** @param {string} text CSV or pasted, without quotes in it @param {string} [between] @returns {string[][]} */
const cellsOf = (text, between = ',') =>
  text
    .replace(/\r?\n$/, '')
    .split(/\r?\n/)
    .map((line) => line.split(between));

/** @param {import('playwright-core').Page} page @param {string} id of a figure */
const figureOf = (page, id) => page.locator(`article[aria-labelledby="figure-${id}"]`);

/** @param {import('playwright-core').Page} page @param {string} id @param {string} what data-do of a button */
const press = (page, id, what) => figureOf(page, id).locator(`[data-do="${what}"]`).click();

/** @param {import('playwright-core').Page} page @param {string} id @param {string} what data-do of a button */
async function download(page, id, what) {
  const [file] = await Promise.all([page.waitForEvent('download'), press(page, id, what)]);
  return { name: file.suggestedFilename(), bytes: await readFile(await file.path()) };
}

/** @param {import('playwright-core').Page} page @param {string} id @returns {Promise<string[][]>} texts of the open table, its heads first */
const tableOf = (page, id) =>
  figureOf(page, id)
    .locator('.chart-table table')
    .first()
    .evaluate((table) =>
      [...table.querySelectorAll('tr')].map((row) => [...row.children].map((cell) => cell.textContent ?? '')),
    );

/** @param {string[]} row of the heat map @returns {string} */
const withoutShare = (row) => row.slice(0, 6).join(' ');

/** @param {string[][]} rows of the heat map: each share is of the transfers of its leg and interval */
function assertShares(rows) {
  /** @type {Map<string, number>} */
  const totals = new Map();
  const columnOf = (/** @type {string[]} */ [leg, at, outcome]) => `${leg} ${at} ${outcome}`;
  for (const row of rows) totals.set(columnOf(row), (totals.get(columnOf(row)) ?? 0) + Number(row[5]));
  for (const row of rows) {
    const share =
      row[3] === '' ? '' : String(Number((Number(row[5]) / Number(totals.get(columnOf(row)))).toPrecision(6)));
    assert.equal(row[6], share, row.join());
  }
}

/** @returns {Promise<string[]>} rows of the heat map's table but their shares, from the samples themselves */
async function heatRows() {
  const run = await readRun(RECORDED);
  const { results, cases } = pageLegsOf(run);
  const heat = chartModel(run, results, cases).charts.find(({ id }) => id === 'heat');
  const perDecade = heat?.panels[0].datasets[0].heat?.perDecade ?? assert.fail('no heat map');
  const edge = (/** @type {number} */ row) => Math.round(10 ** (row / perDecade));
  return run.legs
    .flatMap(({ label, samples }) =>
      samples.flatMap(({ fromNs, toNs, counters, histograms }) => {
        const at = Number(((fromNs + toNs) / 2e9).toFixed(3));
        /** @type {Map<number, number>} */
        const counts = new Map();
        for (const [value, n] of Histogram.fromLine(histograms.responseTime).values()) {
          counts.set(rowOf(value, perDecade), (counts.get(rowOf(value, perDecade)) ?? 0) + n);
        }
        const failed = counters.failed + counters.unfinished;
        return [
          ...[...counts].map(([row, n]) => [label, at, 'transfers', edge(row), edge(row + 1), n].join(' ')),
          ...(failed > 0 ? [[label, at, 'failed or unfinished', '', '', failed].join(' ')] : []),
        ];
      }),
    )
    .sort();
}

describe('report: the page in use', function () {
  this.timeout(120_000);
  const shown = shownPages();
  /** One for those tests that leave it as it was. @type {Awaited<ReturnType<typeof shown.show>>} */
  let reader;
  before(async () => {
    reader = await shown.show(RECORDED);
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

  it('has no violation of any rule of axe, with all folds open', async () => {
    const { page, problems } = await shown.show(RECORDED, { width: 1400 });
    await withAxe(page);
    await fold(page, true);
    assert.deepEqual([await violations(page, 'html'), await smallTexts(page)], [[], []]);
    await page.evaluate(() => document.querySelector('.subtitle')?.setAttribute('style', 'color: #999'));
    const found = await violations(page, '.subtitle');
    assert.ok(found.length > 0 && found.every((text) => /^color-contrast/.test(text)), 'the check can fail');
    assert.deepEqual(problems, []);
    await page.context().close();
  });

  it('reaches and names every control by Tab', async () => {
    const { page, problems } = await openPage(shown.browser, reader.path);
    assert.ok((await assertReached(page)) > 20);
    assert.deepEqual(problems, []);
    await page.context().close();
  });

  it('zooms all charts over time to what was dragged across in one, and back by the button', async () => {
    const { page, problems } = reader;
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
  });

  it('is read with keys: from point to point, to the next leg, closer, along and back', async () => {
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
  });

  it('copy what each chart shows, and keep it as CSV, value by value', async () => {
    const { page, problems } = reader;
    // the real clipboard is that of the whole machine
    await page.evaluate(() => {
      const clipboard = { writeText: async (/** @type {string} */ text) => Object.assign(window, { copied: text }) };
      Object.defineProperty(navigator, 'clipboard', { value: clipboard });
    });
    const ids = await page
      .locator('.chart-tools[data-chart]')
      .evaluateAll((bars) => bars.map((bar) => /** @type {HTMLElement} */ (bar).dataset.chart ?? ''));
    assert.ok(ids.length >= 8);
    assert.equal(ids.length, await page.locator('.figure:not(.none)').count());
    for (const id of ids) {
      await press(page, id, 'copy');
      await page.waitForFunction(() => 'copied' in window);
      const [heads, ...rows] = cellsOf(
        await page.evaluate(() => {
          const { copied } = /** @type {any} */ (window);
          delete (/** @type {any} */ (window).copied);
          return copied;
        }),
        '\t',
      );
      if (id === 'heat') {
        assert.deepEqual(heads, ['Leg', 'Time (s)', 'Outcome', 'From (ns)', 'To (ns)', 'Transfers', 'Share']);
        assert.deepEqual(rows.map(withoutShare).sort(), await heatRows());
        assertShares(rows);
        continue;
      }
      assert.ok(rows.length > 0 && rows.every((row) => row.length === heads.length), id);
      const first = heads[0] === 'Leg' || heads[0] === 'Line' ? 2 : 1;
      const copied = rows.flatMap((row) => row.slice(first).filter((cell) => /^[\d.e+-]+$/.test(cell)));
      const values = await figureOf(page, id)
        .locator('canvas')
        .evaluateAll((canvases) =>
          canvases.flatMap((canvas) =>
            // @ts-ignore: chart.js is a global of the page
            globalThis.Chart.getChart(canvas).data.datasets.flatMap((/** @type {any} */ { role, data }) =>
              ['cloud', 'failed'].includes(role) ? [] : data.map((/** @type {any} */ { y }) => y),
            ),
          ),
        );
      const rising = (/** @type {number[]} */ list) => list.sort((a, b) => a - b);
      assert.deepEqual(rising(copied.map(Number)), rising(values.filter(Number.isFinite)), id);
    }
    const { name, bytes } = await download(page, 'response', 'csv');
    assert.equal(name, `${RUN_ID}-response.csv`);
    const [heads, ...rows] = cellsOf(String(bytes));
    assert.deepEqual(heads, ['Leg', 'Time (s)', 'p50 (ns)', 'p90 (ns)', 'p99 (ns)', 'max (ns)']);
    assert.equal(rows.length, 3 * 41);
    assert.deepEqual(problems, []);
  });

  it('open a table that follows which legs are shown, and leaves many rows out', async () => {
    const { page, problems } = reader;
    const button = figureOf(page, 'transfers').locator('[data-do="table"]');
    await button.focus();
    await page.keyboard.press('Enter');
    assert.equal(await button.getAttribute('aria-expanded'), 'true');
    const [heads, first] = await tableOf(page, 'transfers');
    assert.deepEqual(heads, ['Time', 'multi-threaded', 'select', 'epoll']);
    assert.ok(first.length === 4 && first.slice(1).every((text) => text.endsWith('/s')));
    await figureOf(page, 'transfers').locator('.legend button').nth(1).click();
    await page.waitForFunction(() => document.querySelectorAll('#table-transfers thead th').length === 3);
    assert.deepEqual((await tableOf(page, 'transfers'))[0], ['Time', 'multi-threaded', 'epoll']);
    const saved = await download(page, 'transfers', 'csv');
    assert.deepEqual(cellsOf(String(saved.bytes))[0], ['Time (s)', 'multi-threaded (1/s)', 'epoll (1/s)']);
    await button.click();
    assert.equal(await page.locator('#table-transfers').count(), 0);
    assert.equal(await button.getAttribute('aria-expanded'), 'false');

    await press(page, 'response', 'table');
    const transfers = figureOf(page, 'response').locator('.chart-table > div').nth(1);
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      transfers.locator('button', { hasText: 'CSV' }).click(),
    ]);
    const all = cellsOf(await readFile(await file.path(), 'utf8')).length - 1;
    const left = async () => Number(await transfers.locator('[data-code="rows-left-out"]').getAttribute('data-left'));
    const shown = () => transfers.locator('tbody tr').count();
    assert.deepEqual([await shown(), await left()], [500, all - 500]);
    await transfers.locator('.rest button').click();
    assert.deepEqual([await shown(), await left()], [1000, all - 1000]);
    assert.deepEqual(problems, []);
  });
});
