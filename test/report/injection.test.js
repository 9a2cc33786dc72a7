/// <reference lib="dom" />
// Whatever a user, a server or a machine calls itself: the page shows it as text, makes no element of it and runs nothing.

import assert from 'node:assert/strict';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildReport } from '../../report/index.js';
import { hostile, makeHostileRun, MARK } from '../fixtures/hostile-run.js';
import { makeRun } from '../fixtures/make-run.js';
import { RECORDED } from '../fixtures/recorded-run.js';
import { shownPages } from '../fixtures/shown-pages.js';

const LABELS = ['multi-threaded', 'select', 'epoll'].map(hostile);
/** A file's name: everything but a slash. */
const RUN_NAME = hostile('run').replaceAll('/', '').slice(0, 200);

const verdict = {
  passed: false,
  thresholds: [
    {
      condition: 'a-condition',
      kind: 'threshold',
      case: 'a-case',
      label: 'a-judged-leg',
      figures: [{ figure: 'p99', value: 'a-value-of-it', passed: false }],
      passed: false,
      text: 'a-verdict',
    },
    {
      condition: 'b-condition',
      kind: 'failIf',
      leg: 'a-leg-id',
      label: 'b-judged-leg',
      figures: [],
      passed: false,
      text: 'b-verdict',
    },
  ],
};

const baseline = {
  ...{ run: { id: 'a-run-id', name: 'a-run-name' }, baseline: { id: 'a-base-id', name: 'a-base-name' } },
  ...{ tolerance: 0.05, outcome: 'worse' },
  comparisons: [
    {
      ...{ figure: 'p99Ns', case: 'x', label: 'a-compared-case', baseline: 'y' },
      ...{ mark: { code: 'not-known', why: 'absent' }, values: [] },
    },
  ],
  absent: [{ case: 'an-absent-case', figure: 'p99Ns' }],
  failures: [{ case: 'a-failed-case', data: { rejects: [1, 0] } }],
  unpaired: { run: ['a-new-case'], baseline: ['an-old-case'] },
  conditions: [{ key: 'a-key', run: 1, baseline: 2 }],
};

const search = {
  ...{ maximise: 'rate', while: 'p99 < 10ms', tolerance: 0.05, confirm: 2 },
  servers: [
    {
      label: 'a-searched',
      decided: true,
      answer: 'an-answer',
      details: 'a-detail',
      held: { value: 9, held: 2, failed: 0 },
      broken: [{ cause: 'condition', condition: 'p99 < 10ms', legs: 1 }],
      probes: [
        {
          leg: '01-multi-threaded',
          value: 9,
          held: false,
          cause: 'condition',
          figures: [{ figure: 'p99', condition: 'p99 < 10ms', value: 'x', held: false }],
          text: 'a-probe',
        },
      ],
    },
  ],
};

/** Texts that a run may have besides those of the fixture, each named after its place. @param {string} file @param {any} document */
function addTexts(file, document) {
  if (file === 'environment.json') Object.assign(document, { cpu: 'a-cpu', kernel: 'a-kernel', commit: 'a-commit' });
  if (file === 'scenario.json') {
    Object.assign(document, { name: 'a-scenario', description: 'a-description', wrap: { server: 'a-wrap' } });
    document.tls = {
      minVersion: '1.2',
      maxVersion: '1.3',
      verify: true,
      serverName: 'a-name',
      ca: 'an-authority',
      ciphers: 'some-ciphers',
    };
    document.protocolOptions = { path: 'a-path', headers: { 'a-header': 'a-value' } };
    document.socket = { congestion: 'a-congestion' };
  }
  if (file === 'plan.json') {
    document.legs[0].server = { kind: 'target', host: 'a-host', port: 1, pid: null };
    document.warnings = [{ code: 'a-warning', data: {}, text: 'a-plan-warning' }];
  }
  if (file !== 'summary.json') return;
  if (!document.legs || typeof document.legs[0] === 'string') return;
  document.scenario = 'a-scenario';
  document.run = `${document.run} `;
  document.warnings = [{ code: 'other', data: {}, text: 'a-run-warning' }];
  document.legs[0].serverAgent = 'a-server-agent';
  document.verdict = verdict;
  document.baseline = baseline;
  const [first, second, third] = document.legs;
  first.instances = [
    {
      index: 0,
      target: 'an-instance',
      cpus: 'a-cpu-list',
      workers: [0],
      workerCpus: ['a-worker-cpu'],
      ...{ opened: 1, lost: 0, rejects: 0, errors: 0, openAtEnd: 1, unansweredAtEnd: 0 },
      transfers: { count: 1, failed: 0, unfinished: 0 },
      figures: { transfers: 1, failed: 0, unfinished: 0, perSecond: 1 },
    },
  ];
  first.instances.push({ ...first.instances[0], index: 1 });
  first.agents = [
    {
      ...{ name: 'an-agent', connections: 1, workers: [0], opened: 1, lost: 0, rejects: 0, errors: 0, openAtEnd: 1 },
      ...{ unansweredAtEnd: 0, transfers: { count: 1, failed: 0, unfinished: 0 } },
      figures: { transfers: 1, failed: 0, unfinished: 0, perSecond: 1, cpuSeconds: 0.1 },
    },
  ];
  second.imbalances = [{ code: 'other', data: {}, text: 'an-imbalance' }];
  second.stopped = { condition: 'a-stop-condition', forNs: 1e9, atNs: 2e9 };
  second.axes = { test: 'a-test', payload: 'an-axis' };
  Object.assign(second, {
    io: 'an-io',
    pin: { client: 'a-pin', server: 'another-pin' },
    wrap: { server: 'a-wrap', client: 'b-wrap' },
  });
  third.failure = { code: 'other', data: {}, text: 'a-failure' };
  first.targets = ['a-target'];
  first.warnings = [{ code: 'other', data: {}, text: 'a-leg-warning' }];
  first.findings = [
    { code: 'stall', severity: 'problem', data: {}, text: 'a-finding', remedy: 'a-remedy' },
    { code: 'unheard-of', severity: 'caution', data: {}, text: 'another-finding', remedy: 'another-remedy' },
  ];
  first.statuses = { total: 8, [hostile('a-status')]: 5, '2xx': 3 };
  first.steady.statuses = first.statuses;
  second.serverModel = { concurrent: 1, language: 'a-language', model: 'a-model' };
  Object.assign(third, { complete: false, endedBy: 'server-start' });
}

const SCHEMA = new URL('../../config/schema/summary.json', import.meta.url);
/** Ids, moments, figures by name, conditions of a grammar; what a summary is made of again by the page. */
const NO_TEXT =
  /^summary\.(startedAt|endedAt|config\.(workload|protocol)|search\.while|cases\[\].*)$|\.(id|code|legs\[\]|figure|server|case|baseline|series|leg)$/;

/**
 * @param {any} schema @param {any} root of the schema @param {string} at its place @param {string[]} [within] references on the way
 * @returns {string[]} places of free texts: without a list of words or a pattern
 */
function textPlaces(schema, root, at, within = []) {
  const { $ref, type, properties = {}, items, additionalProperties } = schema;
  if ($ref !== undefined) {
    const own = $ref
      .split('/')
      .slice(1)
      .reduce((/** @type {any} */ one, /** @type {string} */ key) => one[key], root);
    return within.includes($ref) ? [] : textPlaces(own, root, at, [...within, $ref]);
  }
  const isFree = [type].flat().includes('string') && !schema.enum && schema.const === undefined && !schema.pattern;
  return [
    ...(isFree ? [at] : []),
    ...Object.entries(properties).flatMap(([name, one]) => textPlaces(one, root, `${at}.${name}`, within)),
    ...(items ? textPlaces(items, root, `${at}[]`, within) : []),
    ...(typeof additionalProperties === 'object' ? textPlaces(additionalProperties, root, `${at}.*`, within) : []),
  ];
}

/**
 * A target, measured in two rounds, or in a search.
 * @param {string} file @param {any} document @param {boolean} searched
 */
function addTargetTexts(file, document, searched) {
  addTexts(file, document);
  if (file === 'plan.json') document.legs = document.legs.slice(0, 1);
  if (file !== 'summary.json' || typeof document.legs?.[0] !== 'object') return;
  const [first, second] = document.legs;
  delete first.serverModel;
  document.legs = [first, { ...first, id: second.id, round: 2 }];
  delete document.cases;
  if (searched) {
    document.search = search;
    // the answer has one or the other
    delete document.baseline;
  }
}

/** Texts of the run's documents that the page does not show whole, by their places, and why. @type {Array<[RegExp, string]>} */
const NOT_SHOWN = [
  [/^summary\.run$/, 'its folder names a run'],
  [/^summary\.legs\[\]\.(io|pin|wrap|axes|serverAgent)\b/, 'the page has it from the plan'],
  [/^summary\.legs\[\]\.targets\[\]$/, 'the page names a target, but not the address of a server of its own'],
  [/^summary\.legs\[\]\.ramp\.knee\.why\[\]$/, 'codes, which are shown in words'],
  [/^summary\.legs\[\]\.(imbalances|stopped)\b/, 'a warning says so'],
  [/\.mark\.why$/, 'a code, which is shown in words'],
  [/^summary\.cases\[\]/, 'made of the legs; the page has them from there'],
  [/\.(case|baseline|leg|server|label)$/, 'ids, by which legs and cases refer to each other'],
  [/\.(figures|broken)\[\]\.(value|figure|condition)$/, 'in parts what a text says'],
];

/** Those that the second page has. */
const SHOWN_OF_TARGET = ['summary.legs[].targets[]'];

/**
 * @param {any} value of a document @param {string} at its place
 * @returns {Array<[place: string, text: string]>} every hostile text in it, also names of fields
 */
function textsIn(value, at) {
  if (typeof value === 'string') return value.includes(MARK) ? [[at, value]] : [];
  if (value === null || typeof value !== 'object') return [];
  if (Array.isArray(value)) return value.flatMap((one) => textsIn(one, `${at}[]`));
  return Object.entries(value).flatMap(([name, one]) => [
    .../** @type {Array<[string, string]>} */ (name.includes(MARK) ? [[`${at}.*`, name]] : []),
    ...textsIn(one, `${at}.${name.includes(MARK) ? '*' : name}`),
  ]);
}

/** @param {string} folder of a run @returns {Promise<Array<[place: string, text: string]>>} */
async function textsOf(folder) {
  const names = ['summary', 'scenario', 'plan', 'environment'];
  const documents = await Promise.all(names.map((name) => readFile(join(folder, `${name}.json`), 'utf8')));
  return documents.flatMap((text, i) => textsIn(JSON.parse(text), names[i]));
}

/** @param {Array<[place: string, text: string]>} texts @param {string} page @returns {string[]} places of those that it does not show */
const missingFrom = (texts, page) => [
  ...new Set(
    texts.flatMap(([at, text]) =>
      // documents are shown as JSON
      page.includes(text) || page.includes(JSON.stringify(text).slice(1, -1)) ? [] : [at],
    ),
  ),
];

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
    await makeHostileRun(RECORDED, folder, addTexts);
  });

  it('are shown as text on the page of a run, in its tables and its files', async () => {
    const { page, problems, path } = await shown.show(folder);
    assert.ok(path.endsWith(`${RUN_NAME}.html`), 'the folder names the run');
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

  it('are of every kind that the schema of a summary has', async () => {
    const schema = JSON.parse(await readFile(SCHEMA, 'utf8'));
    const target = join(shown.scratch, 'every-kind');
    await makeHostileRun(RECORDED, target, (file, document) => addTargetTexts(file, document, true));
    const known = [...(await textsOf(folder)), ...(await textsOf(target))].map(([at]) =>
      at.replace('.axes.payload', '.axes.*'),
    );
    const wanted = textPlaces(schema, schema, 'summary').filter((at) => !NO_TEXT.test(at));
    assert.ok(wanted.length > 30, wanted.join());
    assert.deepEqual(
      wanted.filter((at) => !known.includes(at)),
      [],
    );
  });

  it.slow('are shown as text on the page of a search, and of a target in rounds', async () => {
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

  it('are shown as text in the list of runs', async () => {
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
