/// <reference lib="dom" />
// Every control of every kind of page by keyboard: Tab reaches it, it has a name, and a key does what a click does. The controls
// are found in the page, so that a new one is covered, or fails here.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { makeRun } from '../fixtures/make-run.js';
import { makeRunList, makeSweep } from '../fixtures/page-kinds.js';
import { RECORDED } from '../fixtures/recorded-run.js';
import { shownPages } from '../fixtures/shown-pages.js';

/** @typedef {import('playwright-core').Page} Page */

/** What a browser, or a screen reader, takes for a control. */
const CONTROLS =
  'a[href], area[href], button, input, select, textarea, summary, audio[controls], video[controls], iframe, [contenteditable], [tabindex], [role="button"], [role="link"], [role="checkbox"], [role="tab"], [role="slider"], [role="menuitem"], [role="option"], [role="switch"], [role="application"]';

/** Runs in the page, before its scripts: which elements listen to a pointer. */
const recordListeners = () => {
  /** @type {Set<EventTarget>} */
  const listening = new Set();
  Object.assign(window, { listening });
  const { addEventListener } = EventTarget.prototype;
  /** @this {EventTarget} @param {[type: string, ...rest: any[]]} all */
  EventTarget.prototype.addEventListener = function (...all) {
    if (/^(click|dblclick|mousedown|mouseup|pointerdown|pointerup|wheel|contextmenu)$/.test(all[0]))
      listening.add(this);
    return /** @type {any} */ (addEventListener).apply(this, all);
  };
};

/** Runs in the page. @param {string} selector @returns names of controls that Tab should reach, and what only a pointer can use */
const controlsIn = (selector) => {
  const nameOf = (/** @type {Element} */ one) =>
    `${one.localName}${one.id ? `#${one.id}` : ''}${[...one.attributes].map(({ name, value }) => (/^(data-|class$|href$)/.test(name) ? `[${name}="${value}"]` : '')).join('')} ${one.textContent?.trim().slice(0, 20)}`;
  const isSeen = (/** @type {Element} */ one) =>
    one.checkVisibility({ visibilityProperty: true }) && !(/** @type {any} */ (one).disabled);
  const all = [...document.querySelectorAll(selector)].filter(isSeen);
  const isReached = (/** @type {Element} */ one) => /** @type {HTMLElement} */ (one).tabIndex >= 0;
  const inFigure = (/** @type {Element} */ one) =>
    one.localName === 'canvas' && one.closest('article')?.querySelector('canvas[tabindex="0"]');
  const listening = /** @type {Set<any>} */ (/** @type {any} */ (window).listening);
  const pointed = [...document.querySelectorAll('body *')].filter(
    (one) =>
      isSeen(one) &&
      (listening.has(one) || /^(pointer|grab|move|zoom-in|copy|crosshair)$/.test(getComputedStyle(one).cursor)),
  );
  const usable = (/** @type {Element} */ one) =>
    one.closest(selector) ?? one.querySelector(selector) ?? one.closest('label')?.control;
  Object.assign(window, { expected: all.filter(isReached), nameOf });
  return {
    count: all.filter(isReached).length,
    unreachable: all.filter((one) => !isReached(one) && !inFigure(one) && one.id !== 'results').map(nameOf),
    onlyPointed: pointed.filter((one) => !usable(one)).map(nameOf),
    outOfOrder: all.filter((one) => /** @type {HTMLElement} */ (one).tabIndex > 0).map(nameOf),
  };
};

/** Runs in the page: records what has the focus, and whether that can be seen. */
const recordFocus = () => {
  /** @type {Set<Element>} */
  const reached = new Set();
  /** @type {string[]} */
  const unseen = [];
  Object.assign(window, { reached, unseen });
  /** @type {HTMLElement} */ (document.activeElement)?.blur();
  document.addEventListener('focusin', ({ target }) => {
    const one = /** @type {HTMLElement} */ (target);
    reached.add(one);
    const { outlineStyle, outlineWidth } = getComputedStyle(one);
    const { width, height } = one.getBoundingClientRect();
    const isMarked = outlineStyle !== 'none' && parseFloat(outlineWidth) > 0;
    if (!isMarked || width === 0 || height === 0) unseen.push(/** @type {any} */ (window).nameOf(one));
  });
};

/** Runs in the page. @returns what Tab did not reach, what it reached without a mark, and whether it has gone round */
const reachedNow = () => {
  const { expected, reached, unseen, nameOf } = /** @type {any} */ (window);
  return {
    isRound: document.activeElement === document.body,
    missed: expected.filter((/** @type {Element} */ one) => !reached.has(one)).map(nameOf),
    unseen,
  };
};

/** @param {Page} page @returns {Promise<string[]>} what can have the focus, but has no name in the accessibility tree */
async function nameless(page) {
  const session = await page.context().newCDPSession(page);
  const { nodes } = await session.send('Accessibility.getFullAXTree');
  await session.detach();
  const focusable = nodes.filter(
    ({ ignored, role, properties = [] }) =>
      !ignored &&
      // the whole page, and where the skip link leads to
      !['RootWebArea', 'main'].includes(role?.value) &&
      properties.some(({ name, value }) => name === 'focusable' && value.value),
  );
  assert.ok(focusable.length > 10);
  return focusable
    .filter(({ name }) => !String(name?.value ?? '').trim())
    .map(({ role, nodeId }) => `${role?.value} ${nodeId}`);
}

/** @param {Page} page opens what is folded, but what opens over the page */
const openFolds = (page) =>
  page.evaluate(() => {
    for (const one of document.querySelectorAll('details')) one.open = !one.matches('[data-popup]');
  });

/** @param {Page} page */
async function assertReached(page) {
  await openFolds(page);
  const { count, ...wrong } = await page.evaluate(controlsIn, CONTROLS);
  assert.deepEqual(wrong, { unreachable: [], onlyPointed: [], outOfOrder: [] });
  assert.deepEqual(await nameless(page), []);
  await page.evaluate(recordFocus);
  // one press for each, and one that leaves the page
  for (let i = 0; i <= count; i++) await page.keyboard.press('Tab');
  const { isRound, missed, unseen } = await page.evaluate(reachedNow);
  assert.deepEqual([missed, unseen], [[], []]);
  assert.ok(isRound, 'Tab goes round');
  return count;
}

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
const said = evaluated(() =>
  [...document.querySelectorAll('.chart-tools [role="status"]')].map((one) => one.textContent).join(''),
);
const silence = evaluated(() => {
  for (const one of document.querySelectorAll('.chart-tools [role="status"]')) one.textContent = '';
});
const pressed = evaluated(() =>
  [...document.querySelectorAll('[aria-pressed]')].map((one) => one.getAttribute('aria-pressed')).join(),
);
const followed = evaluated(() => /** @type {any} */ (window).followed);
const unfollow = evaluated(() => Object.assign(window, { followed: '' }));
const openCount = evaluated(() => document.querySelectorAll('details[open]').length);
const rowOrder = evaluated(() =>
  [...document.querySelectorAll('.overview tbody tr')].map((one) => one.textContent).join(),
);
const shownRuns = evaluated(
  () => [...document.querySelectorAll('#runs li[data-run]')].filter((one) => one.checkVisibility()).length,
);
const isZoomed = evaluated(() => !document.querySelector('[data-zoomed]')?.hasAttribute('hidden'));
const shownChoice = evaluated(() => document.querySelector('.picker details')?.hasAttribute('open'));

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
/** @param {Page} page */
async function openChoice(page) {
  if (!(await shownChoice(page))) await entered('.picker summary')(page);
}
/** @param {Page} page */
async function openRows(page) {
  if ((await page.locator('#table-response').count()) === 0)
    await entered('[data-chart="response"] [data-do="table"]')(page);
}
/** @param {Page} page */
async function closeRows(page) {
  await entered('[data-chart="response"] [data-do="table"]')(page);
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
    first: unfollow,
    state: followed,
    undo: unfollow,
  },
  'links to other pages': { on: 'a[href^="./"]', key: 'Enter', state: followed, undo: unfollow },
  folds: { on: 'details:not([data-popup]) > summary', key: 'Enter', state: openCount },
  'legs in a legend or the strip': { on: '[data-toggle]', key: 'Space', state: pressed },
  'the table of a figure': {
    ...{ on: '[data-do="table"]', key: 'Enter' },
    state: evaluated(() => document.querySelectorAll('.chart-table').length),
  },
  'copying a figure': { on: '[data-do="copy"]', key: 'Enter', state: said, undo: silence },
  'the CSV file of a figure': { on: '[data-do="csv"]', key: 'Enter', state: said, undo: silence },
  'the picture of a figure': { on: '[data-do="png"]', key: 'Enter', state: said, undo: silence },
  'the second table of a figure': {
    ...{ on: '.chart-table .chart-tools button', key: 'Enter', state: said, undo: silence, first: openRows },
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
  'the filter of the runs': {
    ...{ on: '#runs-filter', key: 'z', state: shownRuns, keysOnly: true },
    undo: (page) => page.keyboard.press('Backspace'),
  },
  'the boxes of the runs': {
    ...{ on: '#runs input[type="checkbox"]', key: 'Space' },
    state: evaluated(() => document.getElementById('runs-picked')?.textContent),
  },
  'the choice of legs': { on: '.picker summary', key: 'Enter', state: shownChoice },
  'sets of legs': {
    ...{ on: '[data-draw]', try: '[data-set="none"]', key: 'Enter', first: openChoice, state: pressed },
    undo: entered('[data-set="first"]'),
  },
  'the order of the servers': {
    ...{ on: '[data-arrange]', try: '[data-order="name"]', key: 'Enter', state: rowOrder },
    undo: entered('[data-arrange="0"]'),
  },
  'the servers of a sweep': { on: '[data-swept]', key: 'Space', state: pressed },
  'all servers of a sweep': {
    ...{ on: '[data-swept-all]', try: '[data-swept-all="false"]', key: 'Enter', state: pressed },
    undo: entered('[data-swept-all="true"]'),
  },
};
/** Charts, whose keys are tried in zoom.test.js, and the names of languages, in page-many.test.js. */
const ELSEWHERE = 'canvas, [data-some]';

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

/** @param {Page} page @param {string} what @param {Control} control by keys, and then by pointer, from the same state to the same */
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

describe('report: the page by keyboard', function () {
  this.timeout(240_000);
  const shown = shownPages();

  /** @param {string} path of a page @returns {Promise<{ page: Page, problems: string[] }>} */
  async function open(path) {
    const context = await shown.browser.newContext({ viewport: { width: 1280, height: 900 } });
    context.setDefaultTimeout(90_000);
    const page = await context.newPage();
    /** @type {string[]} */
    const problems = [];
    page.on('console', (message) => problems.push(`console ${message.type()}: ${message.text()}`));
    page.on('pageerror', (error) => problems.push(`error: ${error.message}`));
    await page.addInitScript(recordListeners);
    await page.goto(pathToFileURL(path).href, { waitUntil: 'load' });
    return { page, problems };
  }
  /** @param {string} runFolder @returns {Promise<string>} its page */
  async function made(runFolder) {
    const { page, path } = await shown.show(runFolder);
    await page.context().close();
    return path;
  }

  /** @type {Record<string, () => Promise<string>>} path of a page by what it shows */
  const kinds = {
    'three legs': () => made(RECORDED),
    'one leg': async () => made(await makeRun({ out: join(shown.scratch, 'one'), legs: 1, seconds: 5 })),
    'many legs': async () =>
      made(await makeRun({ out: join(shown.scratch, 'many'), load: 'polyglot', legs: 24, seconds: 3 })),
    'a sweep': async () => made(await makeSweep(join(shown.scratch, 'sweep'))),
    'a list of runs': () => makeRunList(RECORDED, shown.scratch, 3),
  };
  it.slow('notices what only a pointer can use, what Tab passes over, and what has no name', async () => {
    const { page } = await open(await kinds['one leg']());
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

  for (const [kind, pathOf] of Object.entries(kinds)) {
    // the least page: a press of Tab takes long in a large one
    const add = kind === 'one leg' ? it : it.slow;
    add(`reaches and names every control in the page of ${kind}`, async () => {
      const { page, problems } = await open(await pathOf());
      assert.ok((await assertReached(page)) > 20);
      assert.deepEqual(problems, []);
      await page.context().close();
    });
  }

  /** What each page is tried for. @type {Array<[kind: string, controls: string[]]>} */
  const tried = [
    [
      'a list of runs',
      [
        ...['the skip link', 'links within the page', 'links to other pages', 'folds', 'legs in a legend or the strip'],
        ...['the table of a figure', 'copying a figure', 'the CSV file of a figure', 'the picture of a figure'],
        ...['the second table of a figure', 'more rows of a table', 'the end of a zoom'],
        ...['the filter of the runs', 'the boxes of the runs'],
      ],
    ],
    ['many legs', ['the choice of legs', 'sets of legs', 'the order of the servers', 'a table that scrolls']],
    ['a sweep', ['the servers of a sweep', 'all servers of a sweep']],
  ];
  for (const [kind, names] of tried) {
    it.slow(`does by key what it does by pointer, in the page of ${kind}`, async () => {
      const { page, problems } = await open(await kinds[kind]());
      await page.setViewportSize({ width: 900, height: 900 });
      await page.evaluate(() => {
        Object.defineProperty(navigator, 'clipboard', { value: { writeText: async () => {} } });
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

  it.slow('closes the choice of legs on Escape, which gives the focus back, and when the focus leaves it', async () => {
    const { page } = await open(await kinds['many legs']());
    await entered('.picker summary')(page);
    await page.keyboard.press('Tab');
    assert.ok(await page.evaluate(() => document.activeElement?.matches('.choice button')));
    await page.keyboard.press('Escape');
    assert.deepEqual(
      [await shownChoice(page), await page.evaluate(() => document.activeElement?.localName)],
      [false, 'summary'],
    );
    await page.keyboard.press('Enter');
    assert.equal(await shownChoice(page), true);
    await page.keyboard.press('Shift+Tab');
    assert.equal(await shownChoice(page), false);
    await page.context().close();
  });

  it.slow('keeps a stop of Tab in each figure, whichever legs are hidden', async () => {
    const { page } = await open(await kinds['three legs']());
    const stops = () =>
      page
        .locator('article[aria-labelledby="figure-response"] canvas[tabindex="0"]')
        .evaluateAll((all) => all.map(({ id }) => id));
    assert.deepEqual(await stops(), ['chart-response-0']);
    await page.locator('.picker [data-toggle="0"]').focus();
    await page.keyboard.press('Enter');
    assert.deepEqual(await stops(), ['chart-response-1']);
    await page.context().close();
  });
});
