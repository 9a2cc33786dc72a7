/// <reference lib="dom" />
// The page of thirty legs in headless Chromium: a few are drawn, any other when it is chosen, and nothing else is made.
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeRun } from '../fixtures/make-run.js';
import { shownPages } from '../fixtures/shown-pages.js';

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

  /** @param {import('playwright-core').Page} page @param {string} id of a canvas: scrolls there until it is drawn */
  async function drawn(page, id) {
    await page.locator(`#${id}`).scrollIntoViewIfNeeded();
    // @ts-ignore: chart.js is a global of the page
    await page.waitForFunction((canvas) => Boolean(globalThis.Chart.getChart(canvas)), id);
  }

  it('draws what is chosen in every chart: one, a language, all, none, the first', async () => {
    const { page, problems } = await show(run);
    await drawn(page, 'chart-transfers-0');
    const lines = () => page.evaluate(linesOf, 'chart-transfers-0');
    const panels = () => page.evaluate(panelsOf, 'connections');
    const first = await lines();
    const firstPanels = await panels();
    await page.locator('.drawn button', { hasText: 'java-nio' }).click();
    assert.deepEqual(
      await lines(),
      first.filter((/** @type {string} */ label) => label !== 'java-nio'),
    );
    assert.equal((await panels()).includes('java-nio'), false);
    assert.equal(await page.locator('#drawn-count').innerText(), '5');
    await page.locator('.picker summary').click();
    await page.locator('.choice button.name', { hasText: 'Python' }).click();
    assert.equal((await lines()).filter((/** @type {string} */ label) => /^python/.test(label)).length, 4);
    await page.locator('.choice button.name', { hasText: 'Python' }).click();
    assert.equal((await panels()).filter((label) => /^python/.test(String(label))).length, 0);
    await page.locator('.choice button[data-set="all"]').click();
    assert.deepEqual([(await lines()).length, (await panels()).length], [30, 30]);
    const again = (await panels()).filter((label) => firstPanels.includes(label));
    assert.deepEqual(again, firstPanels, 'panels that were not there come to their places');
    await drawn(page, 'chart-connections-29');
    const { name, head } = await page.locator('#chart-connections-29').evaluate((canvas) => ({
      name: canvas.getAttribute('aria-label'),
      head: canvas.closest('.panel')?.querySelector('h4')?.textContent,
    }));
    assert.ok(head && name?.length, 'has a heading and says what it shows');
    await page.locator('.choice button[data-set="none"]').click();
    assert.deepEqual([(await lines()).length, (await panels()).length], [0, 0]);
    assert.equal((await page.evaluate(panelsOf, 'rejects')).length, 1, 'those with the most stay');
    await page.locator('.choice button[data-set="first"]').click();
    assert.deepEqual(await lines(), first);
    await page.locator('h1').click();
    assert.equal(await page.locator('.choice').isVisible(), false, 'a click elsewhere closes the choice');
    await page.locator('.overview button.pick', { hasText: 'iterative' }).click();
    assert.equal((await lines()).includes('iterative'), true);
    const pick = page.locator('.overview button.pick', { hasText: 'iterative' });
    assert.equal(await pick.getAttribute('aria-pressed'), 'true');
    assert.deepEqual(problems, []);
    await page.context().close();
  });

  it('lists the servers in the order that is chosen', async () => {
    const { page, problems } = await show(run);
    const names = () => page.locator('.overview .pick').allInnerTexts();
    const groups = () => page.locator('.overview tr.group').count();
    const first = await names();
    assert.deepEqual([first[0], await groups()], ['io_uring', 6]);
    await page.locator('button[data-order="name"]').click();
    const sorted = await names();
    assert.deepEqual([sorted.slice(0, 2), await groups()], [['epoll', 'epoll-et'], 0]);
    assert.deepEqual([...sorted].sort(), [...first].sort());
    await page.locator('button[data-order="language"]').click();
    assert.deepEqual([await names(), await groups()], [first, 6]);
    assert.deepEqual(problems, []);
    await page.context().close();
  });

  it('of a sweep hides and shows a server in all its figures at once, and lists each leg when asked to', async () => {
    const folder = await makeRun({ out: join(shown.scratch, 'swept'), load: 'fleet' });
    const path = join(folder, 'summary.json');
    const summary = JSON.parse(await readFile(path, 'utf8'));
    summary.legs.forEach((/** @type {any} */ leg, /** @type {number} */ i) => {
      const [series, connections] = [`server ${i % 6}`, 10 ** Math.floor(i / 6)];
      Object.assign(leg, { series, axes: { connections }, label: `${series}, ${connections} connections` });
    });
    await writeFile(path, JSON.stringify(summary));
    const { page, problems } = await show(folder, { folded: true });
    const charts = ['chart-sweep-throughput-0', 'chart-sweep-response-0'];
    for (const id of charts) await drawn(page, id);
    const lines = async () =>
      (await Promise.all(charts.map((id) => page.evaluate(linesOf, id))))
        .flat()
        .filter((label) => !/p99 is above/.test(label));
    const marks = await page.evaluate(
      (id) =>
        // @ts-ignore: chart.js is a global of the page
        globalThis.Chart.getChart(id).scales.x.ticks.map((/** @type {any} */ { value }) => value),
      charts[0],
    );
    assert.deepEqual([marks, (await lines()).length], [[1, 10, 100], 24]);
    await page.locator('button[data-swept]', { hasText: 'server 2' }).click();
    assert.deepEqual([(await lines()).length, (await lines()).some((label) => /server 2/.test(label))], [20, false]);
    await page.locator('button[data-swept-all="false"]').click();
    assert.deepEqual(await lines(), []);
    await page.locator('button[data-swept]', { hasText: 'server 4' }).click();
    assert.deepEqual(await lines(), ['server 4', 'server 4', 'server 4, p50', 'server 4, mean']);
    await page.locator('button[data-swept-all="true"]').click();
    assert.equal((await lines()).length, 24);

    const rows = page.locator('.overview tbody tr[data-places]');
    assert.deepEqual([await rows.count(), await rows.first().isVisible()], [16, false]);
    await page.locator('#overview details.each > summary').click();
    const head = rows.first().locator('.pick');
    assert.match(await head.innerText(), /^server \d$/, 'the number of connections stands above its group');
    await page.locator('button[data-order="name"]').click();
    assert.match(await head.innerText(), /^server \d, 10* connections$/);
    assert.deepEqual(problems, []);
    await page.context().close();
  });
});
