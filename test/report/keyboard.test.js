/// <reference lib="dom" />
// Every control of every kind of page by keyboard: Tab reaches it, it has a name, and a key does what a click does. The controls
// are found in the page, so that a new one is covered, or fails here.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { makeRun, RUN_ID } from '../fixtures/make-run.js';
import { makeHistory, makeSweep } from '../fixtures/page-kinds.js';
import { shownPages } from '../fixtures/shown-pages.js';

const FIXTURE = fileURLToPath(new URL(`../fixtures/run/${RUN_ID}`, import.meta.url));

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

describe('report: the page by keyboard', function () {
  this.timeout(120_000);
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
    'three legs': () => made(FIXTURE),
    'one leg': async () => made(await makeRun({ out: join(shown.scratch, 'one'), legs: 1, seconds: 5 })),
    'sixteen legs': async () => made(await makeRun({ out: join(shown.scratch, 'sixteen'), load: 'fleet' })),
    'a sweep': async () => made(await makeSweep(join(shown.scratch, 'sweep'))),
    'a list of runs with a history': () => makeHistory(FIXTURE, shown.scratch, 3),
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
    const add = kind === 'three legs' ? it : it.slow;
    add(`reaches and names every control in the page of ${kind}`, async () => {
      const { page, problems } = await open(await pathOf());
      assert.ok((await assertReached(page)) > 20);
      assert.deepEqual(problems, []);
      await page.context().close();
    });
  }
});
