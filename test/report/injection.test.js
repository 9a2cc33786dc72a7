/// <reference lib="dom" />
// Whatever a user, a server or a machine calls itself: the page shows it as text, makes no element of it and runs nothing.

import assert from 'node:assert/strict';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { buildReport } from '../../report/index.js';
import { hostile, makeHostileRun, MARK } from '../fixtures/hostile-run.js';
import { makeRun, RUN_ID } from '../fixtures/make-run.js';
import { shownPages } from '../fixtures/shown-pages.js';

const FIXTURE = fileURLToPath(new URL(`../fixtures/run/${RUN_ID}`, import.meta.url));
const LABELS = ['multi-threaded', 'select', 'epoll'].map(hostile);
/** A file's name: everything but a slash. */
const RUN_NAME = hostile('run').replaceAll('/', '').slice(0, 200);

/** Texts that a run may have besides those of the fixture, each named after its place. @param {string} file @param {any} document */
function addTexts(file, document) {
  if (file === 'environment.json') Object.assign(document, { cpu: 'a-cpu', kernel: 'a-kernel', commit: 'a-commit' });
  if (file === 'scenario.json') Object.assign(document, { name: 'a-scenario', description: 'a-description' });
  if (file === 'plan.json') {
    document.legs[0].server = { kind: 'target', host: 'a-host', port: 1, name: 'multi-threaded' };
    document.warnings = [{ code: 'a-warning', data: {}, text: 'a-plan-warning' }];
  }
  if (file !== 'summary.json') return;
  if (!document.legs || typeof document.legs[0] === 'string') return;
  document.scenario = 'a-scenario';
  document.run = `${document.run} `;
  document.warnings = [{ code: 'other', data: {}, text: 'a-run-warning' }];
  const [first, second, third] = document.legs;
  first.targets = ['a-target'];
  first.warnings = [{ code: 'other', data: { of: 'data' }, text: 'a-leg-warning' }];
  first.findings = [
    { code: 'stall', severity: 'problem', data: {}, text: 'a-finding', cause: 'a-cause', remedy: 'a-remedy' },
    { code: 'unheard-of', severity: 'caution', data: {}, text: 'another-finding', remedy: 'another-remedy' },
  ];
  first.statuses = { total: 8, [hostile('a-status')]: 5, '2xx': 3 };
  first.steady.statuses = first.statuses;
  second.serverModel = { ...second.serverModel, language: 'a-language', model: 'a-model' };
  second.rejects[hostile('a-reject')] = 3;
  second.errors[hostile('an-error')] = 4;
  Object.assign(third, { complete: false, endedBy: 'server-start', message: 'a-message' });
}

/** Texts that the page shows whole, by what addTexts() and the fixture call them. */
const SHOWN = [
  ...['a-cpu', 'a-kernel', 'a-scenario', 'a-description', 'a-run-warning', 'a-leg-warning', 'a-finding'],
  ...['a-remedy', 'another-finding', 'a-message', 'a-model', 'a-status', 'multi-threaded', 'select', 'epoll'],
].map(hostile);

/** Runs in the page: what markup in a text would have made. */
const strangers = (/** @type {string} */ mark) => {
  const all = [...document.querySelectorAll('*')];
  const comments = document.createTreeWalker(document, NodeFilter.SHOW_COMMENT);
  let commented = 0;
  while (comments.nextNode()) if (/[<>=]/.test(comments.currentNode.textContent ?? '')) commented += 1;
  return {
    elements: all.filter(({ localName }) => [mark, 'img', 'iframe', 'object', 'embed'].includes(localName)).length,
    attributes: all.filter((one) => [...one.attributes].some(({ name }) => name === mark || name.startsWith('on')))
      .length,
    scripts: [...document.scripts].filter(({ type }) => type !== 'application/json').length,
    // but for texts of which the page makes elements when a leg is chosen
    outside: all.filter((one) => one.matches('main script:not([data-spares][type="application/json"])')).length,
    comments: commented,
  };
};
const NONE = { elements: 0, attributes: 0, scripts: 2, outside: 0, comments: 0 };

/** Runs in the page. */
const textOfPage = () => {
  const copy = /** @type {Element} */ (document.body.cloneNode(true));
  for (const script of copy.querySelectorAll('script, style')) script.remove();
  return copy.textContent ?? '';
};

/** @param {import('playwright-core').Page} page chooses one more leg, opens all that is folded, and each figure's table */
async function openAll(page) {
  await page.evaluate(() => {
    /** @type {HTMLElement | null} */ (document.querySelector('.choice [data-toggle][aria-pressed="false"]'))?.click();
    for (const one of document.querySelectorAll('details')) one.open = true;
    for (const one of document.querySelectorAll('[data-do="table"]')) /** @type {HTMLElement} */ (one).click();
  });
}

describe('report: hostile texts', function () {
  this.timeout(120_000);
  const shown = shownPages();
  /** @type {string} */
  let folder;
  before(async () => {
    folder = join(shown.scratch, RUN_NAME);
    await makeHostileRun(FIXTURE, folder, addTexts);
  });

  it('are shown as text on the page of a run, in its tables and its files', async () => {
    const { page, problems, path } = await shown.show(folder);
    assert.ok(path.endsWith(`${RUN_NAME}.html`), 'the folder names the run');
    await openAll(page);
    assert.deepEqual(await page.evaluate(strangers, MARK), NONE);
    const text = await page.evaluate(textOfPage);
    for (const one of [...SHOWN, RUN_NAME]) assert.ok(text.includes(one), one);
    assert.equal(await page.title(), `${hostile('a-scenario')} · ${RUN_NAME} · Broadside`);
    const heads = await page
      .locator('#table-transfers thead th')
      .evaluateAll((cells) => cells.map((cell) => cell.textContent));
    assert.deepEqual(heads, ['Time', ...LABELS]);
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.locator('[data-chart="transfers"] [data-do="csv"]').click(),
    ]);
    assert.match(file.suggestedFilename(), /^[\w.-]+\.csv$/);
    const [line] = (await readFile(await file.path(), 'utf8')).split('\r\n');
    const cells = LABELS.map((label) => `"'${label.replaceAll('"', '""')} (1/s)"`);
    assert.equal(line, ['Time (s)', ...cells].join(','));
    assert.deepEqual(problems, []);
    await page.context().close();
  });

  it('are shown as text in the list of runs and the history of cases', async () => {
    const reportFolder = join(shown.scratch, 'report-hostile');
    for (const second of [1, 2, 3]) {
      const copy = `${folder} ${second}`;
      await cp(folder, copy, { recursive: true });
      const summary = JSON.parse(await readFile(join(copy, 'summary.json'), 'utf8'));
      summary.startedAt = `2026-11-21T10:15:0${second}.000Z`;
      await writeFile(join(copy, 'summary.json'), JSON.stringify(summary));
      await buildReport({ runFolder: copy, reportFolder, index: second === 3 });
    }
    const context = await shown.browser.newContext();
    const page = await context.newPage();
    /** @type {string[]} */
    const problems = [];
    page.on('console', (message) => problems.push(message.text()));
    page.on('pageerror', (error) => problems.push(error.message));
    await page.goto(pathToFileURL(join(reportFolder, 'index.html')).href);
    assert.equal(await page.locator('#runs li[data-run]').count(), 3);
    assert.ok((await page.locator('#history').innerText()).includes(MARK));
    await openAll(page);
    for (const box of await page.locator('#runs input[type="checkbox"]').all()) {
      if (await box.isEnabled()) await box.check();
    }
    assert.ok((await page.locator('#runs-picked').innerText()).includes(MARK));
    assert.deepEqual(await page.evaluate(strangers, MARK), NONE);
    const text = await page.evaluate(textOfPage);
    for (const one of LABELS) assert.ok(text.includes(one), one);
    assert.deepEqual(problems, []);
    await context.close();
  });

  for (const load of /** @type {const} */ (['polyglot', 'fleet', 'reconnect'])) {
    it.slow(`are shown as text on a page of load ${load}`, async () => {
      const made = await makeRun({ out: join(shown.scratch, load), load });
      const run = join(shown.scratch, `hostile-${load}`);
      await makeHostileRun(made, run);
      const { page, problems } = await shown.show(run);
      await openAll(page);
      assert.deepEqual(await page.evaluate(strangers, MARK), NONE);
      assert.ok((await page.evaluate(textOfPage)).includes(hostile(load === 'polyglot' ? 'go' : 'epoll')));
      assert.deepEqual(problems, []);
      await page.context().close();
    });
  }
});
