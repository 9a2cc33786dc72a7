/// <reference lib="dom" />
// How large the page of a large run is, and whether it still opens.
import assert from 'node:assert/strict';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { makeRun } from '../fixtures/make-run.js';
import { shownPages } from '../fixtures/shown-pages.js';
import { buildReport } from '../../report/index.js';

const MAX_BYTES = 10_000_000;

describe('report: the page of a large run', function () {
  this.timeout(300_000);
  const shown = shownPages();

  it('has less than 10 MB, and draws a chart when it comes into view: four hundred legs', async () => {
    const run = await makeRun({ out: join(shown.scratch, 'legs'), legs: 400, seconds: 2 });
    const { page, problems, path } = await shown.show(run, { folded: true });
    const { size } = await stat(path);
    assert.ok(size < MAX_BYTES, `${size} bytes`);
    const seen = await page.evaluate(() => {
      for (const part of document.querySelectorAll('details')) part.open = true;
      // @ts-ignore: chart.js is a global of the page
      const isMade = (/** @type {Element} */ canvas) => Boolean(globalThis.Chart.getChart(canvas));
      const canvases = [...document.querySelectorAll('canvas')];
      return { made: canvases.filter(isMade).length, canvases: canvases.length };
    });
    assert.ok(seen.made < 50, `${seen.made} charts are drawn before anyone looks at them`);
    assert.ok(seen.canvases < 320, `${seen.canvases} canvases: legs that are not drawn need none`);
    await page.locator('#figure-memory').scrollIntoViewIfNeeded();
    await page.waitForFunction(() =>
      [...document.querySelectorAll('canvas[id^="chart-memory-"]')].some(
        // @ts-ignore: chart.js is a global of the page
        (canvas) => globalThis.Chart.getChart(canvas)?.data.datasets[0].data.length > 5,
      ),
    );
    assert.ok((await page.locator('#figures tbody tr').count()) >= 400);
    assert.deepEqual(problems, []);
    await page.context().close();
  });

  // as many points as ten minutes have
  it('has less than 10 MB: twenty legs of five minutes', async () => {
    const runFolder = await makeRun({ out: join(shown.scratch, 'long'), legs: 20, seconds: 300 });
    const { page } = await buildReport({ runFolder, reportFolder: shown.scratch, index: false });
    const { size } = await stat(page);
    assert.ok(size < MAX_BYTES, `${size} bytes`);
  });

  it('bears eighty thousand connections: legs of minutes, a ceiling, hundreds of thousands rejected', async () => {
    const many = await makeRun({ out: join(shown.scratch, 'many'), load: '80k' });
    for (const width of [375, 1400]) {
      const { page, problems, path } = await shown.show(many, { width });
      assert.ok((await readFile(path)).length < 2_000_000, 'the file stays small');
      const seen = await page.evaluate(() => {
        const drawn = [...document.querySelectorAll('canvas')].map((canvas) => {
          // @ts-ignore: chart.js is a global of the page
          const { datasets } = globalThis.Chart.getChart(canvas).data;
          return { id: canvas.id, most: Math.max(...datasets.map((/** @type {any} */ one) => one.data.length)) };
        });
        return {
          drawn,
          overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
        };
      });
      assert.equal(seen.overflow, 0, `${width} px`);
      for (const { id, most } of seen.drawn)
        if (/^chart-(rejects|errors|kernel)-/.test(id)) assert.ok(most <= 120, `${id} has ${most} bars`);
      assert.equal(await page.locator('#limits tbody [data-name="predicted by the plan"]').count(), 3);
      assert.deepEqual(problems, []);
      await page.context().close();
    }
  });
});
