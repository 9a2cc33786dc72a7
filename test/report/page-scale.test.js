/// <reference lib="dom" />
// The page at eighty thousand connections, in headless Chromium.
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeRun } from '../fixtures/make-run.js';
import { shownPages } from '../fixtures/shown-pages.js';

describe('report: the page of many connections', function () {
  this.timeout(120_000);
  const shown = shownPages();
  const { show } = shown;

  it.slow('bears eighty thousand connections: legs of minutes, a ceiling, hundreds of thousands rejected', async () => {
    const many = await makeRun({ out: join(shown.scratch, 'many'), load: '80k' });
    // A kernel newer than this report counts things it has no words for.
    const file = join(many, 'summary.json');
    const summary = JSON.parse(await readFile(file, 'utf8'));
    summary.legs[0].kernel.TcpExtNotKnownYet = 4711;
    await writeFile(file, JSON.stringify(summary));
    for (const width of [375, 1400]) {
      const { page, problems, path } = await show(many, { width });
      assert.ok((await readFile(path)).length < 2_000_000, 'the file stays small');
      const seen = await page.evaluate(() => {
        const drawn = [...document.querySelectorAll('canvas')].map((canvas) => {
          // @ts-ignore: chart.js is a global of the page
          const { datasets } = globalThis.Chart.getChart(canvas).data;
          return { id: canvas.id, most: Math.max(...datasets.map((/** @type {any} */ one) => one.data.length)) };
        });
        // Each number of the kernel's counters can be seen without scrolling sideways.
        const cells = [...document.querySelectorAll('.counters td[data-name]')];
        const numbers = cells.map((cell) => cell.getBoundingClientRect());
        return {
          drawn,
          hidden: numbers.filter(({ left, right }) => left < 0 || right > document.documentElement.clientWidth).length,
          numbers: numbers.length,
          overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
        };
      });
      assert.deepEqual([seen.overflow, seen.hidden], [0, 0], `${width} px`);
      assert.ok(seen.numbers > 30);
      for (const { id, most } of seen.drawn)
        if (/^chart-(rejects|errors|kernel)-/.test(id)) assert.ok(most <= 120, `${id} has ${most} bars`);
      const unknown = page.locator('#reasons [data-counter="TcpExtNotKnownYet"] td').first();
      assert.equal(await unknown.innerText(), '4,711');
      assert.equal(await page.locator('#reasons .reason').first().locator('[data-code="ceiling"]').count(), 1);
      const card = page.locator('.card').first();
      assert.equal(await card.locator('.held').getAttribute('data-code'), 'held');
      assert.equal(await card.locator('[data-code="knee"]').count(), 1);
      assert.deepEqual(problems, []);
      await page.context().close();
    }
  });
});
