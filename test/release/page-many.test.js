/// <reference lib="dom" />
// The page of thirty legs in headless Chromium: a few are drawn, any other when it is chosen, and nothing else is made.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { makeRun } from '../fixtures/make-run.js';
import { shownPages } from '../fixtures/shown-pages.js';

/** @import { Page } from 'playwright-core' */

/** Runs in the page: the lines of an overlaid chart that can be seen, by leg. */
const linesOf = (/** @type {string} */ id) => {
  // @ts-ignore: chart.js is a global of the page
  const chart = globalThis.Chart.getChart(id);
  const { datasets } = chart.data;
  return datasets
    .filter((/** @type {any} */ _, /** @type {number} */ i) => chart.isDatasetVisible(i))
    .map((/** @type {any} */ { label }) => label);
};
/** Runs in the page: the names above the panels of a chart that can be seen. */
const panelsOf = (/** @type {string} */ id) =>
  [...document.querySelectorAll(`article[aria-labelledby="figure-${id}"] .panel:not([hidden]) h4`)].map(
    (head) => head.textContent,
  );

describe('report: the page of many legs', function () {
  this.timeout(120_000);
  const shown = shownPages();
  const { show } = shown;
  /** @type {string} */
  let run;
  before(async () => {
    run = await makeRun({ out: join(shown.scratch, 'polyglot'), load: 'polyglot' });
  });

  /** @param {Page} page @param {string} id of a canvas: scrolls there until it is drawn */
  async function drawn(page, id) {
    await page.locator(`#${id}`).scrollIntoViewIfNeeded();
    // @ts-ignore: chart.js is a global of the page
    await page.waitForFunction((canvas) => Boolean(globalThis.Chart.getChart(canvas)), id);
  }

  it('draws what is chosen in every chart: one, all, none, the first', async () => {
    const { page, problems } = await show(run);
    await drawn(page, 'chart-transfers-0');
    const lines = () => page.evaluate(linesOf, 'chart-transfers-0');
    const panels = () => page.evaluate(panelsOf, 'connections');
    const first = await lines();
    const firstPanels = await panels();
    const legend = page.locator('article[aria-labelledby="figure-transfers"] .legend li:not([hidden])');
    assert.deepEqual(await legend.allInnerTexts(), first, 'the legend is of what is drawn');
    await page.locator('.servers button', { hasText: 'io_uring' }).click();
    assert.deepEqual(
      await lines(),
      first.filter((/** @type {string} */ label) => label !== 'io_uring'),
    );
    assert.equal((await panels()).includes('io_uring'), false);
    assert.equal(await page.locator('#drawn-count').innerText(), '5');
    await page.locator('.picker summary').click();
    await page.locator('.which button:text-is("all")').click();
    assert.deepEqual([(await lines()).length, (await panels()).length], [30, 30]);
    const again = (await panels()).filter((label) => firstPanels.includes(label));
    assert.deepEqual(again, firstPanels, 'panels that were not there come to their places');
    await drawn(page, 'chart-connections-29');
    const { name, head } = await page.locator('#chart-connections-29').evaluate((canvas) => ({
      name: canvas.getAttribute('aria-label'),
      head: canvas.closest('.panel')?.querySelector('h4')?.textContent,
    }));
    assert.ok(head && name?.length, 'has a heading and says what it shows');
    await page.locator('.which button:text-is("none")').click();
    assert.deepEqual([(await lines()).length, (await panels()).length], [0, 0]);
    assert.equal((await page.evaluate(panelsOf, 'rejects')).length, 1, 'those with the most stay');
    await page.locator('.which button:text-is("the first 6")').click();
    assert.deepEqual(await lines(), first);
    await page.locator('.servers button', { hasText: 'iterative' }).click();
    assert.equal((await lines()).includes('iterative'), true);
    assert.deepEqual(problems, []);
    await page.context().close();
  });
});
