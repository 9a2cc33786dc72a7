// / <reference lib="dom" />
// The live page in headless Chromium: a browser that is sent one state after another shows what one that comes now
// does.

/* global document */
import assert from 'node:assert/strict';
import { readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { LiveServer } from '../../client/live/live-server.js';
import { livePage } from '../../report/index.js';
import { makeRun } from '../fixtures/make-run.js';
import { shownPages } from '../fixtures/shown-pages.js';

/** Runs in the page. @returns {string} what a reader sees of it */
const textOf = () => {
  const page = /** @type {HTMLElement} */ (document.getElementById('page')?.cloneNode(true));
  for (const one of page.querySelectorAll('script, canvas, .chart-tools, .cursor-line, .cursor-values')) one.remove();
  return page.outerHTML.replace(/ (hidden|open|aria-[a-z]+)="[^"]*"/g, '');
};

describe('a browser that reads the page of a run in progress', function () {
  this.timeout(180_000);
  const pages = shownPages();

  it('shows what one that comes now does, and the order that its reader has chosen', async () => {
    const folder = await makeRun({ out: join(pages.scratch, 'many'), load: 'polyglot', legs: 8, seconds: 6 });
    const { legs } = JSON.parse(await readFile(join(folder, 'summary.json'), 'utf8'));
    await rm(join(folder, 'summary.json'));
    const [, ...others] = legs;
    for (const { id } of others) await rename(join(folder, id), join(pages.scratch, id));
    const server = new LiveServer(livePage(folder));
    const url = await server.listen(0);
    const context = await pages.browser.newContext();
    context.setDefaultTimeout(90_000);
    try {
      const page = await context.newPage();
      /** @type {string[]} */
      const problems = [];
      page.on('console', (message) => problems.push(`console ${message.type()}: ${message.text()}`));
      page.on('pageerror', (error) => problems.push(`error: ${error.message}`));
      await page.goto(url);
      assert.match(String(await page.textContent('#answer')), /1 of 8 measurements ended/);
      for (const { id } of others) await rename(join(pages.scratch, id), join(folder, id));
      await page.waitForFunction(() => document.querySelector('#answer')?.textContent?.includes('8 of 8'));
      const fresh = await context.newPage();
      await fresh.goto(url);
      assert.equal(await page.evaluate(textOf), await fresh.evaluate(textOf));

      await page.click('#figures > summary');
      await page.click('#figures thead button >> nth=0');
      const sortedValues = () =>
        page.evaluate(() =>
          [...document.querySelectorAll('#figures tbody td:nth-child(2)')].map((one) =>
            Number(/** @type {HTMLElement} */ (one).dataset.value),
          ),
        );
      const values = await sortedValues();
      assert.deepEqual(
        values,
        [...values].sort((a, b) => b - a),
      );
      await server.close({ page: '/made/up.html' });
      await page.waitForSelector('#served');
      assert.deepEqual(await sortedValues(), values);
      assert.deepEqual(problems, []);
    } finally {
      await context.close();
      await server.close({ page: null });
    }
  });
});
