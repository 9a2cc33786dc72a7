/// <reference lib="dom" />
/**
 * The page in a real headless Chromium: what its charts hold is what the samples hold, and it needs nothing but
 * itself.
 */
import assert from 'node:assert/strict';
import { cp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildReport } from '../../report/index.js';
import { writeMissingSummary } from '../../client/store/missing-summary.js';
import { parseSamples } from '../../client/measure/sample-lines.js';
import { chartModel } from '../../report/model/charts/all.js';
import { pageLegsOf } from '../../report/model/page-cases.js';
import { readRun } from '../../report/read/read-run.js';
import { makeRun } from '../fixtures/make-run.js';
import { fold } from '../fixtures/page-checks.js';
import { makeFailedRun, makeSweep } from '../fixtures/page-kinds.js';
import { RECORDED, RUN_ID } from '../fixtures/recorded-run.js';
import { shownPages } from '../fixtures/shown-pages.js';
import { schemas } from '../fixtures/schemas.js';

const LEGS = ['01-multi-threaded', '02-select', '03-epoll'];

/** Runs in the page: the label and the points of every line that is drawn, by the name of its canvas. */
const linesNow = () =>
  Object.fromEntries(
    [...document.querySelectorAll('canvas')].map((canvas) => [
      canvas.id,
      // @ts-ignore: chart.js is a global of the page
      globalThis.Chart.getChart(canvas)?.data.datasets.map((/** @type {any} */ { label, data }) => [
        label,
        data.map((/** @type {any} */ { x, y }) => [x, Number.isNaN(y) ? null : y]),
      ]),
    ]),
  );

/** Runs in the page. @returns {boolean} whether all charts are drawn, and none is in a part that is closed */
const areAllDrawn = () =>
  // @ts-ignore: chart.js is a global of the page
  [...document.querySelectorAll('canvas')].every((one) => one.checkVisibility() && globalThis.Chart.getChart(one));

/** @param {string} folder @param {string} leg @returns {Promise<any[]>} */
async function samplesOf(folder, leg) {
  return parseSamples(await readFile(join(folder, leg, 'samples.ndjson'), 'utf8')).samples;
}

describe('report: the page in Chromium', function () {
  this.timeout(120_000);
  const shown = shownPages();
  const { show } = shown;

  it('opens all for paper, and has in its charts exactly what the model has', async () => {
    const { page, problems, path } = await show(RECORDED, { folded: true });
    assert.equal(await page.locator('details[open]').count(), 0);
    await page.emulateMedia({ media: 'print' });
    await page.waitForFunction(areAllDrawn);
    assert.equal(await page.locator('details:not([open])').count(), 0);
    const run = await readRun(RECORDED);
    const { results, cases } = pageLegsOf(run);
    const drawn = chartModel(run, results, cases).charts.filter(({ empty }) => !empty);
    const expected = drawn.flatMap(({ id, panels }) =>
      panels.map(({ datasets }, i) => [
        `chart-${id}-${i}`,
        datasets.map(({ label, points }) => [label, points.map(([x, y]) => [x, y])]),
      ]),
    );
    assert.ok(drawn.length > 12);
    assert.deepEqual(await page.evaluate(linesNow), Object.fromEntries(expected));
    await page.emulateMedia({ media: 'screen' });
    await page.waitForFunction(() => document.querySelector('details[open]') === null);
    assert.deepEqual(problems, [], 'no error, and no request');
    assert.ok((await readFile(path)).length < 3_000_000, 'the file stays small');
    await page.context().close();
  });

  it('has all that answers on the first screen, in its width', async () => {
    const folder = (/** @type {string} */ name) => join(shown.scratch, name);
    for (const [kind, runFolder, mostHeight] of /** @type {[string, string, number][]} */ ([
      ['three servers', RECORDED, 2000],
      ['one server', await makeRun({ out: folder('one'), legs: 1, seconds: 5 }), 1500],
      ['thirty servers', await makeRun({ out: folder('many'), load: 'polyglot', seconds: 2 }), 2000],
      ['a sweep', await makeSweep(folder('sweep')), 2000],
      ['a server that did not run', await makeFailedRun(RECORDED, folder('failed')), 2000],
    ])) {
      const { page, problems } = await show(runFolder, { width: 1400, folded: true });
      await page.setViewportSize({ width: 1400, height: 1000 });
      const { tops, height } = await page.evaluate(() => ({
        tops: [...document.querySelectorAll('#charts .figure')].map((one) => one.getBoundingClientRect().top),
        height: document.documentElement.scrollHeight,
      }));
      assert.equal(tops.length, 4, kind);
      assert.ok(Math.max(...tops) < 1000 && height <= mostHeight, `${kind}: ${tops}, ${height}`);
      for (const isOpen of [false, true]) {
        await fold(page, isOpen);
        for (const width of [1400, 800, 400]) {
          await page.setViewportSize({ width, height: 1000 });
          const beyond = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
          assert.ok(beyond <= 0, `${kind}, ${width} px: ${beyond} px more`);
        }
      }
      assert.deepEqual(problems, []);
      await page.context().close();
    }
  });

  it('names what a partial run lacks', async () => {
    const partial = join(shown.scratch, 'partial');
    await cp(RECORDED, partial, { recursive: true });
    await rm(join(partial, 'summary.json'));
    await rm(join(partial, LEGS[1], 'summary.json'));
    await rm(join(partial, LEGS[2]), { recursive: true });
    const file = join(partial, LEGS[1], 'samples.ndjson');
    await truncate(file, Math.floor((await readFile(file)).length / 2));
    await writeMissingSummary(partial, Date.now() + 3600e3);
    const { page, problems } = await show(partial);
    const notice = page.locator('#partial');
    assert.equal(await notice.getAttribute('data-code'), 'cut');
    const legs = await notice
      .locator('li')
      .evaluateAll((items) =>
        items.map((item) => ['leg', 'code', 'missing'].map((name) => /** @type {HTMLElement} */ (item).dataset[name])),
      );
    assert.deepEqual(legs, [
      ['select', 'cut', 'sample-lines end-of-steady-state'],
      ['epoll', 'never', 'leg'],
    ]);
    assert.equal(await page.locator('.servers [data-leg="epoll"] [data-code="did-not-run"]').count(), 1);
    assert.equal(await page.locator('[id^="chart-response-"]').count(), 2);
    assert.deepEqual(problems, []);
    await page.context().close();
  });

  it('bears what a run may lack: transfers, figures of the server, a leg whose server did not start', async () => {
    const bare = join(shown.scratch, 'bare');
    await cp(RECORDED, bare, { recursive: true });
    const summary = JSON.parse(await readFile(join(bare, 'summary.json'), 'utf8'));
    summary.config.workload = 'hold';
    summary.complete = false;
    summary.endedBy = 'plan';
    const { id, label, axes, round } = summary.legs[2];
    summary.legs[2] = {
      id,
      label,
      server: 'epoll',
      axes,
      round,
      complete: false,
      endedBy: 'server-start',
      targets: [],
      warnings: [],
      failure: { code: 'leg-failed', data: { reason: 'exit 1: <no port>' }, text: 'exit 1: <no port>' },
    };
    for (const leg of summary.legs.slice(0, 2)) {
      for (const key of ['connectTimeNs', 'recoveryTimeNs', 'log', 'rttNs', 'serverUse', 'limitShares'])
        delete leg[key];
      const { required } = schemas.get('summary.json').$defs.figures;
      leg.steady = Object.fromEntries(required.map((/** @type {string} */ key) => [key, leg.steady[key]]));
      leg.steady.transfers = 0;
      leg.transfers = { count: 0, failed: 0, unfinished: 0, bytesSent: 0, bytesReceived: 0 };
    }
    await writeFile(join(bare, 'summary.json'), JSON.stringify(summary));
    await rm(join(bare, 'scenario.json'));
    await rm(join(bare, 'environment.json'));
    await rm(join(bare, LEGS[2]), { recursive: true });
    for (const leg of LEGS.slice(0, 2)) {
      const samples = (await samplesOf(bare, leg)).map(({ counters, ...sample }) => {
        const idle = { ...counters, transfers: 0, failed: 0, unfinished: 0, bytesReceived: 0 };
        const histograms = { responseTime: null, connectTime: null, recoveryTime: null, rtt: null };
        return { ...sample, counters: idle, histograms, server: null };
      });
      await writeFile(join(bare, leg, 'samples.ndjson'), samples.map((sample) => JSON.stringify(sample)).join('\n'));
    }
    const { page, problems } = await show(bare);
    const cell = page.locator('.servers [data-leg="epoll"] [data-code="did-not-run"]');
    assert.equal(await cell.textContent(), 'did not run: exit 1: <no port>');
    const text = await page.locator('main').innerText();
    for (const wrong of [/NaN/, /undefined/, /Infinity/, /\[object/]) assert.doesNotMatch(text, wrong);
    assert.equal(await page.locator('.nothing #figure-connect').getAttribute('data-code'), 'nothing-recorded');
    assert.deepEqual(problems, []);
    await page.context().close();
  });

  it('says the same in tables when scripts are off', async () => {
    const { page } = await show(RECORDED, { script: false });
    assert.equal(
      await page.locator('.servers [data-leg="multi-threaded"] [data-figure="perSecond"] b').innerText(),
      '108,167',
    );
    await page.locator('#figures > summary').click();
    const cell = page.locator('#figures [data-code="open"] [data-name="multi-threaded"]');
    assert.equal(await cell.innerText(), '5,942');
    assert.equal(await page.locator('[data-code="no-script"]').isVisible(), true);
    await page.context().close();
  });

  it('shows the newest run in index.html, with a list of the others', async () => {
    const older = join(shown.scratch, 'older');
    await cp(RECORDED, older, { recursive: true });
    const summary = JSON.parse(await readFile(join(older, 'summary.json'), 'utf8'));
    Object.assign(summary, { run: '20251121-101500-older', startedAt: '2025-11-21T10:15:00.000Z' });
    await writeFile(join(older, 'summary.json'), JSON.stringify(summary));
    const reportFolder = join(shown.scratch, 'report-pair');
    await buildReport({ runFolder: RECORDED, reportFolder, index: true });
    const { index } = await buildReport({ runFolder: older, reportFolder, index: true });
    const page = await shown.browser.newPage();
    await page.goto(pathToFileURL(index).href);
    assert.match(await page.title(), new RegExp(RUN_ID));
    const others = await page.locator('#runs').innerText();
    assert.match(others, /select served 10,000 of 10,000, unanswered 0/);
    assert.match(others, /2025-11-21 10:15 UTC\s+10,000 connections · continuous · echo · 1\sKiB/);
    const items = page.locator('#runs li[data-run]');
    assert.equal(await items.count(), 2);
    assert.ok((await items.first().locator('.bad').innerText()).includes('rejects'), 'failures are red');
    await page.locator('#runs a').first().click();
    assert.match(await page.title(), /20251121-101500-older/);
    assert.equal(await page.locator('#runs').count(), 0);
    await page.close();
  });
});
