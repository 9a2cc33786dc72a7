/// <reference lib="dom" />
// A page runs the scripts it was made with, and no other: neither one between tags nor one in an attribute.
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { RECORDED } from '../fixtures/recorded-run.js';
import { shownPages } from '../fixtures/shown-pages.js';

/** Both would set a variable, if they ran. */
const INJECTED = `<script>window.injected = 'element'</script><img src="data:,no" onerror="window.injected = 'attribute'">`;

describe('report: the policy of the page', function () {
  this.timeout(120_000);
  const shown = shownPages();

  it('refuses scripts that were put into the page', async () => {
    // that the whole page runs without a complaint is a part of other tests
    const { page: whole, path } = await shown.show(RECORDED, { script: false });
    await whole.context().close();

    const changed = join(shown.scratch, 'changed.html');
    const text = await readFile(path, 'utf8');
    await writeFile(
      changed,
      text.replace(/<main\b[^>]*>/, (main) => `${main}${INJECTED}`),
    );
    const page = await shown.browser.newPage();
    /** @type {string[]} */
    const refused = [];
    page.on('console', (message) => refused.push(message.text()));
    await page.goto(pathToFileURL(changed).href, { waitUntil: 'load' });
    // @ts-ignore: chart.js is a global of the page
    await page.waitForFunction(() => globalThis.Chart.getChart('chart-response-0'));
    assert.equal(await page.evaluate(() => /** @type {any} */ (window).injected), undefined);
    assert.equal(refused.filter((line) => /script-src/.test(line)).length, 2, refused.join('\n'));
    await page.close();
  });
});
