/// <reference lib="dom" />
// The page of a run in progress, in headless Chromium: it draws points as events arrive, and shows the end.

import assert from 'node:assert/strict';
import { LiveServer } from '../../client/live/live-server.js';
import { LiveModel } from '../../report/live/live-model.js';
import { liveDocuments, liveFigures } from '../../report/live/live-page.js';
import { readRun } from '../../report/read/read-run.js';
import { RECORDED } from '../fixtures/recorded-run.js';
import { shownPages } from '../fixtures/shown-pages.js';

/** Runs in the page. @param {number} wanted whether the line of transfers has that many points, and is on the canvas */
const hasPoints = (wanted) => {
  // @ts-ignore: chart.js is a global of the page
  const chart = globalThis.Chart.getChart('chart-transfers-0');
  const placed = chart?.getDatasetMeta(0).data.filter((/** @type {any} */ { x, y }) => x > 0 && y > 0) ?? [];
  return chart?.data.datasets[0].data.length === wanted && placed.length === wanted;
};

describe('the page of a run in progress', function () {
  this.timeout(120_000);
  const pages = shownPages();

  it('draws points as events arrive, marks the memory thresholds, and shows the end', async () => {
    /** @type {LooseRun} */
    const run = await readRun(RECORDED);
    const leg = run.legs.find(({ samples }) => samples.length > 4) ?? assert.fail('no leg with samples');
    const memPages = run.environment?.tcp?.memPages;
    const model = new LiveModel({
      ...{ scenario: /** @type {any} */ (run.scenario), plan: /** @type {any} */ (run.plan) },
      ...{ cores: run.environment?.cores ?? 1, memPages },
    });
    const server = new LiveServer(await liveDocuments({ title: 'made up', columns: [{ title: 'transfers/s' }] }));
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

      model.begin(leg.planned);
      const skeleton = model.skeleton();
      const begun = { ...skeleton, text: 'leg 1 of 1', html: liveFigures(skeleton) };
      server.stream.publish('legs', begun, { key: 'legs' });
      /** @param {number} from @param {number} to samples to send */
      const send = (from, to) => {
        leg.samples.slice(from, to).forEach((sample, i) => {
          const cells = [{ text: `row ${from + i}`, tone: null }];
          server.stream.publish('sample', { ...model.take(leg.id, sample, leg.summary?.startNs ?? 0), cells });
        });
      };
      send(0, 2);
      await page.waitForFunction(hasPoints, 2);
      assert.equal(await page.textContent('#live-now tr td'), 'row 1');
      send(2, 4);
      await page.waitForFunction(hasPoints, 4);
      assert.equal(await page.textContent('#live-now tr td'), 'row 3');
      const stops = await page.evaluate(() =>
        [...document.querySelectorAll('article')].map(
          (figure) => figure.querySelectorAll('canvas[tabindex="0"][role="application"]').length,
        ),
      );
      assert.ok(stops.length >= 7 && stops.every((count) => count === 1), `one stop of Tab for each figure: ${stops}`);
      server.stream.publish('ended', { leg: leg.id, cells: [{ text: '1,234', tone: null }] });
      await page.waitForFunction(() => document.querySelector('#live-now tr td')?.textContent === '1,234');
      const marks = await page.evaluate(() => {
        // @ts-ignore: chart.js is a global of the page
        return globalThis.Chart.getChart('chart-memory-0').options.plugins.marks.marks.map(({ at }) => at);
      });
      const { pressure, high, pageBytes } = memPages ?? assert.fail('the fixture has tcp_mem');
      assert.deepEqual(marks, [pressure * pageBytes, high * pageBytes]);

      const parts = [{ severity: 'good', text: 'all were <b>served</b>' }];
      server.end({ code: 'plan', parts, page: null, folder: '/made/up' }, null);
      await page.waitForFunction(() => document.body.dataset.ended === 'plan');
      assert.equal(await page.getAttribute('#live-state', 'data-code'), 'ended');
      assert.ok(await page.isVisible('#live-end'));
      assert.equal(await page.textContent('#live-end p.good'), 'all were <b>served</b>');
      assert.deepEqual(problems, []);
    } finally {
      await context.close();
      await server.close();
    }
  });
});
