/// <reference lib="dom" />
// The page for everybody: axe finds nothing in any kind of page, and what can be clicked can be done by keyboard.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { makeRun } from '../fixtures/make-run.js';
import { makeFailedRun, makeRunList, makeSweep } from '../fixtures/page-kinds.js';
import { RECORDED } from '../fixtures/recorded-run.js';
import { shownPages } from '../fixtures/shown-pages.js';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
/** @typedef {import('playwright-core').Page} Page */

/** Smaller text is hard to read, px. */
const LEAST_TEXT = 11;

/** Width, folds and theme: each pair of their values is in one. @type {Array<[number, boolean, 'light' | 'dark']>} */
const VIEWS = [
  [1400, false, 'light'],
  [1400, true, 'dark'],
  [390, true, 'light'],
  [390, false, 'dark'],
];

/** With all folds open: both widths, both themes. What is folded shows nothing that these do not. */
const OPEN_VIEWS = VIEWS.filter(([, open]) => open);

/** @param {Page} page @param {boolean} open whether all folds are */
const fold = (page, open) =>
  page.evaluate((wanted) => {
    for (const one of document.querySelectorAll('details')) one.open = wanted && !one.matches('[data-popup]');
  }, open);

/**
 * Every rule of axe, those of WCAG AAA, of good practice and experimental ones too; none is left out.
 * @param {Page} page @param {string} within selector
 * @returns {Promise<string[]>} rule and elements of each violation, and of each contrast that could not be judged for its background
 */
const violations = (page, within) =>
  page.evaluate(async (selector) => {
    const { axe } = /** @type {any} */ (window);
    const rules = axe.getRules().map((/** @type {any} */ { ruleId }) => ruleId);
    const found = await axe.run(selector, {
      runOnly: { type: 'rule', values: rules },
      resultTypes: ['violations', 'incomplete'],
    });
    const each = (/** @type {any[]} */ results) =>
      results.flatMap(({ id, nodes }) =>
        nodes.map((/** @type {any} */ node) => ({
          text: `${id}: ${node.target.join(' ')}: ${node.failureSummary ?? ''}`,
          why: [...node.any, ...node.all, ...node.none].map((check) => check.data?.messageKey),
        })),
      );
    return [
      ...each(found.violations),
      ...each(found.incomplete).filter(({ why }) =>
        why.some((/** @type {string | undefined} */ key) => /^(bg|fg|equal|outside)/.test(key ?? '')),
      ),
    ].map(({ text }) => text);
  }, within);

/**
 * The shade that shows that a table scrolls hides its background from axe.
 * @param {Page} page with axe
 */
async function withAxe(page) {
  await page.evaluate(await readFile(AXE, 'utf8'));
  const content = '.scroll { background: var(--surface) !important; }';
  await page.addStyleTag({ content });
}

/** @param {Page} page @returns {Promise<string[]>} texts that are too small */
const smallTexts = (page) =>
  page.evaluate(
    (least) =>
      [...document.querySelectorAll('body *')]
        .filter(
          (one) =>
            [...one.childNodes].some((node) => node.nodeType === 3 && node.textContent?.trim()) &&
            parseFloat(getComputedStyle(one).fontSize) < least,
        )
        .map((one) => `${one.tagName} ${one.className}`),
    LEAST_TEXT,
  );

describe('report: the page for everybody', function () {
  this.timeout(240_000);
  const shown = shownPages();

  it('has no violation of any rule of axe, with all folds open', async () => {
    // the least page: axe takes a minute of CPU for that of three legs, which is in the slow tier
    const run = await makeRun({ out: join(shown.scratch, 'least'), legs: 1, seconds: 2 });
    const { page, problems } = await shown.show(run, { width: 1400 });
    await withAxe(page);
    await fold(page, true);
    assert.deepEqual(await violations(page, 'html'), []);
    assert.deepEqual(await smallTexts(page), []);
    await page.evaluate(() => document.querySelector('.subtitle')?.setAttribute('style', 'color: #999'));
    const found = await violations(page, '.subtitle');
    assert.ok(found.length > 0 && found.every((text) => /^color-contrast/.test(text)), 'the check can fail');
    assert.deepEqual(problems, []);
    await page.context().close();
  });

  /** @type {Record<string, () => Promise<string>>} path of a page by what it shows */
  const kinds = {
    'one leg': async () => made(await makeRun({ out: join(shown.scratch, 'one'), legs: 1 })),
    'three legs': async () => made(RECORDED),
    // as of two hundred: a table for all, charts of six
    'eight legs': async () => made(await makeRun({ out: join(shown.scratch, 'eight'), legs: 8 })),
    'a sweep': async () => made(await makeSweep(join(shown.scratch, 'sweep'), { servers: 4, points: 2 })),
    'a failed run': async () => made(await makeFailedRun(RECORDED, join(shown.scratch, 'failed'))),
    'a list of runs': () => makeRunList(RECORDED, shown.scratch, 3),
  };
  /** @param {string} runFolder @returns {Promise<string>} its page */
  async function made(runFolder) {
    const { page, path } = await shown.show(runFolder);
    await page.context().close();
    return path;
  }

  for (const [kind, pathOf] of Object.entries(kinds)) {
    it.slow(`has none in the page of ${kind}, wide and narrow, light and dark`, async () => {
      const page = await shown.browser.newPage();
      await page.goto(pathToFileURL(await pathOf()).href, { waitUntil: 'load' });
      await withAxe(page);
      for (const [width, open, colorScheme] of kind === 'three legs' ? VIEWS : OPEN_VIEWS) {
        await page.setViewportSize({ width, height: 900 });
        await page.emulateMedia({ colorScheme });
        await fold(page, open);
        const where = `${width} px, ${colorScheme}, folds ${open ? 'open' : 'closed'}`;
        assert.deepEqual(await violations(page, 'html'), [], where);
        assert.deepEqual(await smallTexts(page), [], where);
      }
      await page.close();
    });
  }
});
