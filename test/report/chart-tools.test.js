/// <reference lib="dom" />
// The buttons of each figure in headless Chromium: its values as a table, copied, as a CSV file, and its picture as PNG.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { Histogram } from '../../client/measure/histogram.js';
import { chartModel } from '../../report/model/charts/all.js';
import { rowOf } from '../../report/model/charts/heat-map.js';
import { pageLegsOf } from '../../report/model/page-cases.js';
import { readRun } from '../../report/read/read-run.js';
import { RECORDED, RUN_ID } from '../fixtures/recorded-run.js';
import { shownPages } from '../fixtures/shown-pages.js';

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

describe('report: the buttons of a figure', function () {
  this.timeout(120_000);
  const { show } = shownPages();

  it('copy what each chart shows, and keep it as CSV, value by value', async () => {
    const { page, problems } = await show(RECORDED);
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
      assert.ok(rows.every((row) => row.length === heads.length));
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
    await page.context().close();
  });

  it.slow('copy where there is no clipboard, too', async () => {
    const { page, problems } = await show(RECORDED);
    await page.evaluate(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
    await figureOf(page, 'rejects').locator('[data-do="copy"]').focus();
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.querySelector('[data-chart="rejects"] [role="status"]')?.textContent);
    assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('data-do')), 'copy');
    assert.equal(await page.locator('textarea').count(), 0);
    await page.evaluate(() => document.body.append(document.createElement('textarea')));
    await page.locator('textarea').focus();
    await page.keyboard.press('Control+V');
    const [heads, ...rows] = cellsOf(await page.locator('textarea').inputValue(), '\t');
    assert.deepEqual(heads.slice(0, 2), ['Leg', 'Time (s)']);
    assert.equal(rows.length, 3 * 41);
    assert.deepEqual(problems, []);
    await page.context().close();
  });

  it('open a table that follows which legs are shown, and leaves many rows out', async () => {
    const { page, problems } = await show(RECORDED);
    const button = figureOf(page, 'transfers').locator('[data-do="table"]');
    await button.focus();
    await page.keyboard.press('Enter');
    assert.equal(await button.getAttribute('aria-expanded'), 'true');
    const [heads, first] = await tableOf(page, 'transfers');
    assert.deepEqual(heads, ['Time', 'multi-threaded', 'select', 'epoll']);
    assert.ok(first.slice(1).every((text) => text.endsWith('/s')));
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
    await page.context().close();
  });

  it('make a picture as large as the figure, with its title and legend above the chart', async () => {
    const { page, problems } = await show(RECORDED, { dark: true });
    const { name, bytes } = await download(page, 'errors', 'png');
    assert.equal(name, `${RUN_ID}-errors.png`);
    const panels = await figureOf(page, 'errors').locator('.panels').boundingBox();
    const seen = await page.evaluate(async (data) => {
      const image = document.createElement('img');
      image.src = `data:image/png;base64,${data}`;
      await image.decode();
      const canvas = document.createElement('canvas');
      [canvas.width, canvas.height] = [image.width, image.height];
      const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d', { willReadFrequently: true }));
      context.drawImage(image, 0, 0);
      const background = [...context.getImageData(1, 1, 1, 1).data].join();
      const inked = (/** @type {number} */ top, /** @type {number} */ height) => {
        const { data: pixels } = context.getImageData(0, top, canvas.width, height);
        let most = 0;
        for (let i = 0; i < pixels.length; i += 4) {
          if (`${pixels[i]},${pixels[i + 1]},${pixels[i + 2]},${pixels[i + 3]}` !== background) most += 1;
        }
        return most;
      };
      return { background, width: image.width, height: image.height, title: inked(16, 22), legend: inked(56, 18) };
    }, bytes.toString('base64'));
    assert.ok(panels && Math.abs(seen.width - panels.width - 32) <= 1 && seen.height > panels.height + 32 + 58);
    assert.equal(
      seen.background,
      await page.evaluate(() => {
        const colour = getComputedStyle(/** @type {Element} */ (document.querySelector('.figure'))).backgroundColor;
        return `${(colour.match(/\d+/g) ?? []).join()},255`;
      }),
    );
    assert.ok(seen.title > 100 && seen.legend > 100);
    assert.deepEqual(problems, []);
    await page.context().close();
  });
});
