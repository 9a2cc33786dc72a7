// / <reference lib="dom" />
// Whatever a user, a server or a machine calls itself: the page shows it as text, makes no element of it and runs
// nothing.

import assert from 'node:assert/strict';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildReport } from '../../report/index.js';
import { hostile, makeHostileRun, MARK } from '../fixtures/hostile-run.js';
import {
  addTexts,
  missingFrom,
  NONE,
  NOT_SHOWN,
  openAll,
  strangers,
  textOfPage,
  textsOf,
} from '../fixtures/hostile-texts.js';
import { RECORDED } from '../fixtures/recorded-run.js';
import { shownPages } from '../fixtures/shown-pages.js';

const LABELS = ['multi-threaded', 'select', 'epoll'].map(hostile);
/** A file's name: everything but a slash. */
const RUN_NAME = hostile('run').replaceAll('/', '').slice(0, 200);

/** Both would set a variable, if they ran. */
const INJECTED = `<script>window.injected = 'element'</script><img src="data:,no" onerror="window.injected = 'attribute'">`;

describe('report: hostile texts', function () {
  this.timeout(120_000);
  const shown = shownPages();
  /** @type {string} */
  let folder;
  before(async () => {
    folder = join(shown.scratch, RUN_NAME);
    await makeHostileRun(RECORDED, folder, addTexts);
  });

  it('are shown as text on the page of a run, in its tables and its files, and in the list of runs', async () => {
    const older = `${folder} 2`;
    await cp(folder, older, { recursive: true });
    const summary = JSON.parse(await readFile(join(older, 'summary.json'), 'utf8'));
    await writeFile(join(older, 'summary.json'), JSON.stringify({ ...summary, startedAt: '2020-01-01T00:00:00.000Z' }));
    await buildReport({ runFolder: older, reportFolder: shown.reportOf(folder), index: false });
    const { page, problems } = await shown.show(folder, { index: true });
    assert.equal(await page.locator('#runs tr[data-run]').count(), 2);
    await openAll(page);
    assert.deepEqual(await page.evaluate(strangers, MARK), NONE);
    const text = await page.evaluate(textOfPage);
    assert.ok(text.includes(RUN_NAME));
    const texts = await textsOf(folder);
    assert.deepEqual(
      missingFrom(texts, text).filter((at) => !NOT_SHOWN.some(([place]) => place.test(at))),
      [],
    );
    assert.equal(await page.title(), `${hostile('a-scenario')} · ${RUN_NAME} · Broadside`);
    const names = await page
      .locator('#table-transfers tbody th:first-child')
      .evaluateAll((cells) => [...new Set(cells.map((cell) => cell.textContent))]);
    assert.deepEqual(names, LABELS);
    assert.deepEqual(problems, []);
    await page.context().close();
  });

  it('refuses scripts that were put into the page', async () => {
    const path = join(shown.reportOf(folder), `${RUN_NAME}.html`);
    const changed = join(shown.scratch, 'changed.html');
    const text = await readFile(path, 'utf8');
    await writeFile(
      changed,
      text.replace(/<main\b[^>]*>/, (main) => `${main}${INJECTED}`),
    );
    const page = await shown.browser.newPage({ viewport: { width: 1400, height: 1000 } });
    /** @type {string[]} */
    const refused = [];
    page.on('console', (message) => refused.push(message.text()));
    await page.goto(pathToFileURL(changed).href, { waitUntil: 'load' });
    await page.locator('#time > summary').click();
    await page.locator('#chart-transfers-0').scrollIntoViewIfNeeded();
    // @ts-ignore: chart.js is a global of the page
    await page.waitForFunction(() => globalThis.Chart.getChart('chart-transfers-0'));
    assert.equal(await page.evaluate(() => /** @type {any} */ (window).injected), undefined);
    assert.equal(refused.filter((line) => /script-src/.test(line)).length, 2, refused.join('\n'));
    await page.close();
  });
});
