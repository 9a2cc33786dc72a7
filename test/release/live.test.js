// / <reference lib="dom" />
// A run with --live, in headless Chromium: its page is there while the run is in progress, changes with it, keeps what
// the reader has set, and ends as the report.

/* global document, DOMParser, window */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sandbox } from '../fixtures/e2e-run.js';
import { findChromium, launchChromium } from '../fixtures/browser.js';
import { skip } from '../skip.js';

/** @import { Browser } from 'playwright-core' */

/** Runs in the page. @param {number} least @returns {boolean} whether the line of transfers has more points */
const hasMorePoints = (least) => {
  // @ts-ignore: chart.js is a global of the page
  const drawn = globalThis.Chart.getChart('chart-transfers-0');
  return (
    drawn?.data.datasets[0].data.length > least &&
    drawn.getDatasetMeta(0).data.every((/** @type {any} */ { x }) => x > 0)
  );
};

/** Runs in the page. What a reader has set. */
const stateOf = () => ({
  open: [...document.querySelectorAll('details[open]')].map(({ id }) => id),
  span: document.querySelector('[data-name="span"]')?.textContent,
  theme: document.documentElement.dataset.theme,
  table: document.querySelector('.chart-table')?.id,
  focus: document.activeElement?.closest('[id]')?.id,
  scrolled: window.scrollY > 0,
});

describe('a run with a live page', function () {
  this.timeout(180_000);
  const box = sandbox({ workers: 1 });
  /** @type {Browser | undefined} */
  let browser;
  before(async function () {
    const executable = await findChromium();
    if (!executable) skip(this, 'no Chromium found (apt-get install chromium, or name one in CHROMIUM)');
    browser = await launchChromium(executable);
  });
  after(() => browser?.close());

  it('shows it as far as it has come, keeps what a reader has set, and becomes the report', async () => {
    const run = box.stress(
      { servers: ['epoll', 'select'], connections: 10, duration: '1h', warmup: '0s', interleave: '100ms' },
      ['--live', '0'],
    );
    const url = await run.until('the URL is printed', () => /^live +(http:\S+\/)$/m.exec(run.stdout)?.[1]);
    await run.until('some seconds are recorded', () => run.samples().length > 2);
    const page = await /** @type {Browser} */ (browser).newPage();
    page.setDefaultTimeout(90_000);
    /** @type {string[]} */
    const problems = [];
    page.on('console', (message) => problems.push(`console ${message.type()}: ${message.text()}`));
    page.on('pageerror', (error) => problems.push(`error: ${error.message}`));
    page.on('request', (request) => {
      if (!request.url().startsWith(url) && !request.url().startsWith('data:')) problems.push(request.url());
    });
    await page.goto(url);
    assert.equal(await page.getAttribute('#answer p', 'data-code'), 'running');
    assert.equal(await page.locator('.servers .tag.running').count(), 2);
    assert.equal(await page.locator('[data-mark]').count(), 0, 'nothing is ranked before the end');

    for (const id of ['time', 'figures', 'failures']) await page.click(`#${id} > summary`);
    await page.click('[data-chart="response"] button');
    await page.click('#theme');
    await page.waitForFunction(hasMorePoints, 1);
    await page.focus('#chart-transfers-0');
    await page.keyboard.press('+');
    const set = await page.evaluate(stateOf);
    assert.deepEqual(set.open, ['time', 'failures', 'figures']);
    assert.ok(set.span && set.theme && set.table && set.focus === 'chart-transfers-0');
    await page.evaluate(() => window.scrollTo(0, 200));
    const before = run.samples().length;
    await page.waitForFunction(hasMorePoints, before);
    assert.deepEqual(await page.evaluate(stateOf), { ...set, scrolled: true });

    run.kill('SIGINT');
    await page.waitForSelector('#served');
    await run.endsWith(130);
    assert.equal(await page.locator('#answer [data-code="interrupted"]').count(), 1);
    const { open, span } = await page.evaluate(stateOf);
    assert.deepEqual([open.filter((id) => id !== 'cautions'), span], [set.open, set.span]);
    const [file] = readdirSync(run.report).filter((name) => name !== 'index.html');
    assert.equal(await page.textContent('#served code'), join(run.report, file));

    const report = readFileSync(join(run.report, file), 'utf8');
    const [shown, stored] = await page.evaluate((text) => {
      const other = new DOMParser().parseFromString(text, 'text/html');
      return [document, other].map((one) => one.querySelector('.servers')?.textContent);
    }, report);
    assert.ok(shown && shown === stored);
    assert.deepEqual(problems, []);
  });
});
