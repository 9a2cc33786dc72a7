// / <reference lib="dom" />
// Every kind of page in headless Chromium: it fits each width in light and dark, axe finds nothing, Tab reaches every
// control, a key does what a click does, and hostile texts are shown as text.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { hostile, makeHostileRun, MARK } from '../fixtures/hostile-run.js';
import {
  addTargetTexts,
  missingFrom,
  NONE,
  NOT_SHOWN,
  openAll,
  SHOWN_OF_TARGET,
  strangers,
  textOfPage,
  textsOf,
} from '../fixtures/hostile-texts.js';
import { makeRun } from '../fixtures/make-run.js';
import {
  assertReached,
  CONTROLS,
  controlsIn,
  fold,
  nameless,
  openPage,
  smallTexts,
  violations,
  withAxe,
} from '../fixtures/page-checks.js';
import { makeFailedRun, makeRunList, makeSweep } from '../fixtures/page-kinds.js';
import { RECORDED } from '../fixtures/recorded-run.js';
import { shownPages } from '../fixtures/shown-pages.js';

/** @import { Page } from 'playwright-core' */

/** Width and theme, with all folds open. @type {Array<[number, 'light' | 'dark']>} */
const VIEWS = [
  [1400, 'dark'],
  [800, 'dark'],
  [400, 'light'],
];

/**
 * What a control does, as a state of the page that it changes.
 * @typedef {object} Control
 * @property {string} on  selector of all of its kind
 * @property {string} [try]  selector of the one that is tried, if not the first
 * @property {string} key  that does what a click does
 * @property {(page: Page) => Promise<unknown>} state
 * @property {(page: Page) => Promise<unknown>} [undo]  in place of the same key, or another click
 * @property {(page: Page) => Promise<unknown>} [first]  what must be done for it to be there
 * @property {true} [keysOnly]  it is seen only when it has the focus
 */

/** @template T @param {() => T} inPage @returns {(page: Page) => Promise<T>} */
const evaluated = (inPage) => (page) => page.evaluate(/** @type {any} */ (inPage));
const followed = evaluated(() => /** @type {any} */ (window).followed);
const unfollow = evaluated(() => Object.assign(window, { followed: '' }));
const openCount = evaluated(() => document.querySelectorAll('details[open]').length);
const isZoomed = evaluated(() => !document.querySelector('[data-zoomed]')?.hasAttribute('hidden'));

/** @param {string} selector @returns {(page: Page) => Promise<void>} presses Enter on the first that is seen */
const entered = (selector) => async (page) => {
  await page.locator(`${selector} >> visible=true`).first().focus();
  await page.keyboard.press('Enter');
};
/** @param {Page} page */
async function zoom(page) {
  await page.locator('canvas.over-time[tabindex="0"]').first().focus();
  await page.keyboard.press('+');
}
/** Runs in the page. @param {string} selector of a fold */
const opened = (selector) => document.querySelector(selector)?.setAttribute('open', '');

/** @param {Page} page */
async function openRows(page) {
  await page.evaluate(opened, '#time');
  if ((await page.locator('#table-response').count()) === 0) await entered('[data-chart="response"] button')(page);
}
/** @param {Page} page */
async function closeRows(page) {
  await entered('[data-chart="response"] button')(page);
  await openRows(page);
}

/** @type {Record<string, Control>} */
const TABLE = {
  'the skip link': {
    ...{ on: 'a.skip', key: 'Enter', keysOnly: true },
    state: evaluated(() => document.activeElement?.id === 'results'),
    undo: evaluated(() => /** @type {HTMLElement} */ (document.activeElement)?.blur()),
  },
  'links within the page': {
    on: 'a[href^="#"]:not(.skip)',
    key: 'Enter',
    first: async (page) => {
      await page.evaluate(opened, '#cautions');
      await unfollow(page);
    },
    state: followed,
    undo: unfollow,
  },
  'links to other pages': { on: 'a[href^="./"]', key: 'Enter', first: unfollow, state: followed, undo: unfollow },
  folds: { on: 'details > summary', key: 'Enter', state: openCount },
  'the table of a figure': {
    ...{ on: '.chart-tools button', key: 'Enter' },
    state: evaluated(() => document.querySelectorAll('.chart-table').length),
  },
  'more rows of a table': {
    ...{ on: '.rest button', key: 'Enter', first: openRows, undo: closeRows },
    state: evaluated(() => document.querySelectorAll('#table-response tr').length),
  },
  'the end of a zoom': { on: '[data-zoom="reset"]', key: 'Enter', first: zoom, state: isZoomed, undo: zoom },
  'a table that scrolls': {
    ...{ on: '.scroll[tabindex="0"]', try: '.scroll.overflowing', key: 'ArrowRight', keysOnly: true },
    first: async (page) => {
      await page.evaluate(() => {
        for (const one of document.querySelectorAll('.scroll'))
          one.classList.toggle('overflowing', one.checkVisibility() && one.scrollWidth > one.clientWidth + 40);
      });
    },
    state: evaluated(() => [...document.querySelectorAll('.scroll')].some((one) => one.scrollLeft > 0)),
    // not scrollTo(): the browser still scrolls for the key, and would go on afterwards
    undo: (page) => page.keyboard.press('ArrowLeft'),
  },
  'the theme': {
    ...{ on: '#theme', key: 'Enter' },
    state: evaluated(() => getComputedStyle(document.body).backgroundColor),
  },
  'the head of a column': {
    ...{ on: '.sortable th button', try: '.sortable th:nth-child(4) button', key: 'Enter' },
    state: evaluated(() => document.querySelector('.sortable th:nth-child(4)')?.getAttribute('aria-sort')),
    first: async (page) => {
      await page.evaluate(opened, '#figures');
      // a second click turns the order round
      await entered('.sortable th:nth-child(4) button')(page);
    },
  },
};
/** Charts, whose keys are tried in report/page.test.js. */
const ELSEWHERE = 'canvas';

/** @param {Page} page @param {Control['state']} state @param {(now: unknown) => boolean} wanted @param {string} what */
async function until(page, state, wanted, what) {
  const end = Date.now() + 60_000;
  for (;;) {
    const now = await state(page);
    if (wanted(now)) return now;
    assert.ok(Date.now() < end, `${what}: ${JSON.stringify(now)?.slice(0, 300)}`);
    await page.waitForTimeout(20);
  }
}

/**
 * @param {Page} page
 * @param {string} what
 * @param {Control} control by keys, and then by pointer, from the same state to the same
 */
async function operate(page, what, { on, try: one, key, state, undo, first, keysOnly }) {
  await first?.(page);
  const control = page.locator(`${one ?? on} >> visible=true`).first();
  const before = JSON.stringify(await state(page));
  const isBefore = (/** @type {unknown} */ now) => JSON.stringify(now) === before;
  await control.focus();
  await page.keyboard.press(key);
  const after = JSON.stringify(await until(page, state, (now) => !isBefore(now), `${what}: ${key} does nothing`));
  if (undo) await undo(page);
  else await page.keyboard.press(key);
  await until(page, state, isBefore, `${what}: it is not undone`);
  if (keysOnly) return;
  await control.click();
  await until(page, state, (now) => JSON.stringify(now) === after, `${what}: a click does something else than ${key}`);
  if (undo) await undo(page);
  else await control.click();
}

describe('report: every kind of page', function () {
  this.timeout(240_000);
  const shown = shownPages();

  /** @param {Promise<string>} runFolder @returns {Promise<string>} its page */
  async function made(runFolder) {
    const { page, path } = await shown.show(await runFolder);
    await page.context().close();
    return path;
  }
  const folder = (/** @type {string} */ name) => join(shown.scratch, name);
  /** @type {Record<string, () => Promise<string>>} path of a page by what it shows */
  const makers = {
    'three legs': () => made(Promise.resolve(RECORDED)),
    'one leg': () => made(makeRun({ out: folder('one'), legs: 1, seconds: 5 })),
    'many legs': () => made(makeRun({ out: folder('many'), load: 'polyglot', legs: 24, seconds: 3 })),
    'a sweep': () => made(makeSweep(folder('sweep'))),
    'a failed run': () => made(makeFailedRun(RECORDED, folder('failed'))),
    'a list of runs': () => makeRunList(RECORDED, shown.scratch, 3),
  };
  /** Each is made once. @type {Record<string, () => Promise<string>>} */
  const kinds = Object.fromEntries(
    Object.entries(makers).map(([kind, make]) => {
      /** @type {Promise<string> | undefined} */
      let path;
      return [kind, () => (path ??= make())];
    }),
  );

  for (const kind of Object.keys(kinds)) {
    it(`fits, has no violation of axe, and is reached by Tab: ${kind}`, async () => {
      const { page, problems } = await openPage(shown.browser, await kinds[kind]());
      await page.setViewportSize({ width: 1400, height: 1000 });
      const tops = await page
        .locator('#answer, #key-figures, #servers, #search, #charts')
        .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top));
      assert.ok(tops.length >= 2 && tops[1] < 400, `what answers is at the top of the first screen: ${tops}`);
      assert.ok((await assertReached(page)) > 20);
      for (const [width, colorScheme] of VIEWS) {
        await page.setViewportSize({ width, height: 900 });
        await page.emulateMedia({ colorScheme });
        const beyond = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        assert.ok(beyond <= 0, `${width} px: ${beyond} px more`);
      }
      await withAxe(page);
      for (const [width, colorScheme] of VIEWS) {
        await page.setViewportSize({ width, height: 900 });
        await page.emulateMedia({ colorScheme });
        await fold(page, true);
        const where = `${width} px, ${colorScheme}`;
        assert.deepEqual([await violations(page, 'html'), await smallTexts(page)], [[], []], where);
      }
      await page.evaluate(() => document.querySelector('.subtitle')?.setAttribute('style', 'color: #999'));
      assert.ok((await violations(page, '.subtitle')).length > 0, 'axe can fail');
      assert.deepEqual(problems, []);
      await page.context().close();
    });
  }

  it('notices what only a pointer can use, what Tab passes over, and what has no name', async () => {
    const { page } = await openPage(shown.browser, await kinds['one leg']());
    await page.evaluate(() => {
      document
        .querySelector('footer')
        ?.insertAdjacentHTML(
          'beforeend',
          '<span id="only" style="cursor: pointer">x</span><span id="heard">x</span><span role="button" id="passed">x</span><button id="nameless"></button>',
        );
      document.getElementById('heard')?.addEventListener('click', () => {});
    });
    const { unreachable, onlyPointed } = await page.evaluate(controlsIn, CONTROLS);
    assert.deepEqual([unreachable, onlyPointed], [['span#passed x'], ['span#only x', 'span#heard x']]);
    assert.deepEqual((await nameless(page)).length, 1);
    await page.context().close();
  });

  /** What each page is tried for. @type {Array<[kind: string, controls: string[]]>} */
  const tried = [
    [
      'a list of runs',
      [
        ...['the skip link', 'links to other pages', 'links within the page', 'folds', 'the theme'],
        ...['the table of a figure', 'more rows of a table', 'the end of a zoom'],
      ],
    ],
    ['many legs', ['the head of a column', 'a table that scrolls']],
  ];
  for (const [kind, names] of tried) {
    it(`does by key what it does by pointer, in the page of ${kind}`, async () => {
      const { page, problems } = await openPage(shown.browser, await kinds[kind]());
      await page.setViewportSize({ width: 900, height: 900 });
      await page.evaluate(() => {
        Object.assign(window, { followed: '' });
        document.addEventListener('click', (event) => {
          const link = /** @type {Element} */ (event.target).closest('a[href]')?.getAttribute('href');
          if (link?.startsWith('./')) event.preventDefault();
          if (link) Object.assign(window, { followed: link });
        });
      });
      for (const name of names) await operate(page, name, TABLE[name]);
      const known = [ELSEWHERE, '#results', ...Object.values(TABLE).map(({ on }) => on)].join(', ');
      const others = await page.evaluate(
        ([all, tested]) =>
          [...document.querySelectorAll(all)]
            .filter((one) => !one.matches(tested))
            .map((one) => one.outerHTML.slice(0, 100)),
        [CONTROLS, known],
      );
      assert.deepEqual(others, [], 'each control has a row in the table');
      assert.deepEqual(problems, []);
      await page.context().close();
    });
  }

  it('is tried with every row of the table', () => {
    assert.deepEqual(tried.flatMap(([, names]) => names).sort(), Object.keys(TABLE).sort());
  });

  it('shows hostile texts as text on the page of a search, and of a target in rounds', async () => {
    for (const searched of [true, false]) {
      const run = join(shown.scratch, `target-${searched}`);
      await makeHostileRun(RECORDED, run, (file, document) => addTargetTexts(file, document, searched));
      const { page, problems } = await shown.show(run);
      await openAll(page);
      assert.deepEqual(await page.evaluate(strangers, MARK), NONE);
      const missing = missingFrom(await textsOf(run), await page.evaluate(textOfPage));
      assert.deepEqual(
        missing.filter((at) => !NOT_SHOWN.some(([place]) => place.test(at))),
        [],
      );
      if (!searched) for (const at of SHOWN_OF_TARGET) assert.ok(!missing.includes(at), at);
      assert.deepEqual(problems, []);
      await page.context().close();
    }
  });
  for (const load of /** @type {const} */ (['polyglot', 'fleet', 'reconnect'])) {
    it(`shows hostile texts as text on a page of load ${load}`, async () => {
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
