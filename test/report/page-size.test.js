/// <reference lib="dom" />
// How large the page of a large run is, and whether it still opens; test/bench/page measures how long that takes.
import assert from 'node:assert/strict';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { makeRun } from '../fixtures/make-run.js';
import { shownPages } from '../fixtures/shown-pages.js';

const MAX_BYTES = 10_000_000;

describe('report: the page of a large run', function () {
  this.timeout(300_000);
  const shown = shownPages();

  for (const { name, legs, seconds } of [
    { name: 'two hundred legs of twelve seconds', legs: 200, seconds: 2 },
    // as many points as ten minutes have
    { name: 'twenty legs of five minutes', legs: 20, seconds: 300 },
  ]) {
    it.slow(`has less than 10 MB, and draws a chart when it comes into view: ${name}`, async () => {
      const run = await makeRun({ out: join(shown.scratch, `large-${legs}`), legs, seconds });
      const { page, problems, path } = await shown.show(run);
      const { size } = await stat(path);
      assert.ok(size < MAX_BYTES, `${size} bytes`);
      const drawn = () =>
        page.evaluate(() => {
          // @ts-ignore: chart.js is a global of the page
          const isMade = (/** @type {Element} */ canvas) => Boolean(globalThis.Chart.getChart(canvas));
          return [...document.querySelectorAll('canvas')].filter(isMade).length;
        });
      const before = await drawn();
      assert.ok(before < 50, `${before} charts are drawn before anyone looks at them`);
      await page.locator('#figure-memory').scrollIntoViewIfNeeded();
      await page.waitForFunction(() =>
        [...document.querySelectorAll('canvas[id^="chart-memory-"]')].some(
          // @ts-ignore: chart.js is a global of the page
          (canvas) => globalThis.Chart.getChart(canvas)?.data.datasets[0].data.length > 5,
        ),
      );
      assert.ok((await page.locator('#totals tbody tr').count()) >= legs);
      assert.deepEqual(problems, []);
      await page.context().close();
    });
  }
});
