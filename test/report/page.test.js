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
import { DARK, LIGHT } from '../../report/model/palette.js';
import { RECORDED, RUN_ID } from '../fixtures/recorded-run.js';
import { shownPages } from '../fixtures/shown-pages.js';
import { schemas } from '../fixtures/schemas.js';

const LEGS = ['01-multi-threaded', '02-select', '03-epoll'];

/** Runs in the page: every chart's datasets as they really are in chart.js. */
const readCharts = () => {
  /** @type {Record<string, any[]>} */
  const charts = {};
  for (const canvas of document.querySelectorAll('canvas')) {
    // @ts-ignore: chart.js is a global of the page
    const chart = globalThis.Chart.getChart(canvas);
    charts[canvas.id] = chart.data.datasets.map((/** @type {any} */ dataset) => ({
      role: dataset.role,
      label: dataset.label,
      cause: dataset.cause ?? null,
      total: dataset.total ?? null,
      data: dataset.data.map((/** @type {any} */ { x, y, n, status }) => ({ x, y, n, status })),
    }));
  }
  return charts;
};

/** @param {string} folder @param {string} leg @returns {Promise<any[]>} */
async function samplesOf(folder, leg) {
  return parseSamples(await readFile(join(folder, leg, 'samples.ndjson'), 'utf8')).samples;
}

const sum = (/** @type {any[]} */ list, /** @type {(one: any) => number} */ of) =>
  list.reduce((total, one) => total + of(one), 0);

describe('report: the page in Chromium', function () {
  this.timeout(120_000);
  const shown = shownPages();
  const { show } = shown;

  it('has in its charts exactly what the samples hold', async () => {
    const { page, problems, path } = await show(RECORDED);
    const charts = await page.evaluate(readCharts);
    for (const [i, leg] of LEGS.entries()) {
      const samples = await samplesOf(RECORDED, leg);
      for (const kind of ['rejects', 'errors']) {
        for (const dataset of charts[`chart-${kind}-${i}`]) {
          assert.equal(
            sum(dataset.data, (point) => point.y),
            sum(samples, (s) => s[kind][dataset.cause]),
            `${leg} ${kind} ${dataset.cause}`,
          );
        }
        assert.equal(
          sum(charts[`chart-${kind}-${i}`], (dataset) => sum(dataset.data, (point) => point.y)),
          sum(samples, (s) => sum(Object.values(s[kind]), Number)),
          `${leg} ${kind}`,
        );
      }
      assert.equal(
        sum(charts['chart-transfers-0'][i].data, (point) => point.n),
        sum(samples, (s) => s.counters.transfers),
      );
      assert.equal(charts['chart-bytes-0'], undefined, 'each transfer has the same payload');
      assert.ok(samples.every(({ counters }) => counters.bytesReceived === counters.transfers * 1024));
      const response = charts[`chart-response-${i}`];
      assert.equal(
        sum(response.find((one) => one.role === 'p50').data, (point) => point.n),
        sum(samples, (s) => s.counters.transfers),
      );
      for (const role of ['p50', 'p90', 'p99', 'max']) {
        assert.deepEqual(
          response
            .find((one) => one.role === role)
            .data.map((/** @type {any} */ point) => (Number.isNaN(point.y) ? null : point.y)),
          samples.map((s) => s.histograms.responseTime?.[role] ?? null),
          `${leg} ${role}`,
        );
      }
      const rows = samples.flatMap((s) => [...s.transfers.random, ...s.transfers.slowest].map((row) => row.join()));
      const cloud = response.filter((one) => one.role === 'cloud' || one.role === 'failed');
      assert.equal(
        sum(cloud, (one) => one.data.length),
        new Set(rows).size,
        'every sampled transfer is a point',
      );
      const names = ['requested', 'open', 'unanswered', 'connecting', 'backingOff'];
      for (const [at, name] of names.entries()) {
        assert.deepEqual(
          charts[`chart-connections-${i}`][at].data.map((/** @type {any} */ point) => point.y),
          samples.map((s) => s.gauges[name]),
        );
      }
      assert.equal(
        sum(charts['chart-fairness-0'][i].data, (point) => point.n),
        10_000,
      );
    }
    assert.deepEqual(problems, []);
    assert.ok((await readFile(path)).length < 3_000_000, 'the file stays small');
    await page.context().close();
  });

  it.slow('changes exactly the chart whose samples were changed', async () => {
    const copy = join(shown.scratch, 'edited');
    await cp(RECORDED, copy, { recursive: true });
    const before = await show(RECORDED);
    const was = await before.page.evaluate(readCharts);
    const samples = await samplesOf(copy, LEGS[0]);
    samples[20].errors.protocol += 123;
    await writeFile(join(copy, LEGS[0], 'samples.ndjson'), samples.map((sample) => JSON.stringify(sample)).join('\n'));
    const edited = await show(copy);
    const is = await edited.page.evaluate(readCharts);
    const changed = Object.keys(is).filter((id) => {
      const kept = (/** @type {any[]} */ datasets) =>
        JSON.stringify(datasets.filter((one) => sum(one.data, (point) => Math.abs(point.y) || 0) > 0));
      return kept(is[id]) !== kept(was[id]);
    });
    assert.deepEqual(changed, ['chart-errors-0']);
    const dataset = is['chart-errors-0'].find((one) => one.cause === 'protocol');
    assert.equal(dataset.data[20].y, 123);
    await before.page.context().close();
    await edited.page.context().close();
  });

  for (const [width, dark] of /** @type {Array<[number, boolean]>} */ ([
    [375, false],
    [375, true],
    [1280, false],
    [1600, false],
    [1600, true],
  ])) {
    const add = width === 375 && dark ? it : it.slow;
    add(`fits ${width} px in ${dark ? 'dark' : 'light'}`, async () => {
      const { page, problems } = await show(RECORDED, { width, dark });
      const seen = await page.evaluate(() => ({
        overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
        hidden: [...document.querySelectorAll('.scroll')]
          .filter((one) => one.scrollWidth > one.clientWidth)
          .map((one) => one.getAttribute('aria-label')),
        paper: getComputedStyle(document.body).backgroundColor,
        ink: getComputedStyle(document.body).color,
        // @ts-ignore: chart.js is a global of the page
        tick: globalThis.Chart.getChart('chart-response-0').options.scales.x.ticks.color,
        columns: getComputedStyle(
          /** @type {Element} */ (document.querySelector('.panels.c3')),
        ).gridTemplateColumns.split(' ').length,
        unnamed: [...document.querySelectorAll('canvas')].filter((canvas) => !canvas.getAttribute('aria-label')).length,
      }));
      const light = (/** @type {string} */ colour) =>
        sum(/** @type {string[]} */ (colour.match(/\d+/g)).slice(0, 3), Number) / 3 > 128;
      assert.equal(seen.overflow, 0);
      assert.deepEqual(seen.hidden, [], 'no table has to be scrolled sideways');
      assert.equal(light(seen.paper), !dark);
      assert.equal(light(seen.ink), dark);
      assert.equal(seen.tick, (dark ? DARK : LIGHT).muted);
      assert.equal(seen.columns, width > 1000 ? 3 : 1);
      assert.equal(seen.unnamed, 0);
      assert.deepEqual(problems, []);
      await page.context().close();
    });
  }

  it.slow('takes on the other theme when it changes, and light for paper', async () => {
    const { page, problems } = await show(RECORDED);
    const tickIs = (/** @type {string} */ colour) =>
      page.waitForFunction(
        (wanted) => {
          // @ts-ignore: chart.js is a global of the page
          return globalThis.Chart.getChart('chart-response-0').options.scales.x.ticks.color === wanted;
        },
        colour,
        { timeout: 60_000 },
      );
    await tickIs(LIGHT.muted);
    await page.emulateMedia({ colorScheme: 'dark' });
    await tickIs(DARK.muted);
    await page.emulateMedia({ colorScheme: 'dark', media: 'print' });
    await tickIs(LIGHT.muted);
    assert.deepEqual(problems, []);
    await page.context().close();
  });

  it.slow('marks the time of a leg of minutes in minutes, without overlap', async () => {
    const long = join(shown.scratch, 'long');
    await cp(RECORDED, long, { recursive: true });
    for (const leg of LEGS) {
      const samples = await samplesOf(long, leg);
      for (const sample of samples) Object.assign(sample, { fromNs: sample.fromNs * 11, toNs: sample.toNs * 11 });
      await writeFile(join(long, leg, 'samples.ndjson'), samples.map((sample) => JSON.stringify(sample)).join('\n'));
      for (const name of ['summary.json', join(leg, 'summary.json')]) {
        const summary = JSON.parse(await readFile(join(long, name), 'utf8'));
        for (const one of summary.legs ?? [summary]) {
          one.phases = { steadyFromNs: 110e9, steadyToNs: 440e9, endNs: samples[samples.length - 1].toNs };
        }
        await writeFile(join(long, name), JSON.stringify(summary));
      }
    }
    for (const [width, expected] of /** @type {Array<[number, RegExp]>} */ ([
      [1600, /^0 s,1 min,2 min,3 min,4 min,5 min,6 min,7 min$/],
      [375, /^0 s,2 min,4 min,6 min$/],
    ])) {
      const { page, problems } = await show(long, { width });
      const labels = await page.evaluate(() =>
        // @ts-ignore: chart.js is a global of the page
        globalThis.Chart.getChart('chart-response-0').scales.x.ticks.map((/** @type {any} */ tick) => tick.label),
      );
      assert.match(labels.join(), expected);
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
    assert.equal(await page.locator('.card').nth(2).locator('.held').getAttribute('data-code'), 'did-not-run');
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
    const card = page.locator('.card').nth(2);
    assert.equal(await card.locator('.held').getAttribute('data-code'), 'did-not-run');
    assert.equal(await card.locator('.message').textContent(), 'exit 1: <no port>');
    const text = await page.locator('main').innerText();
    for (const wrong of [/NaN/, /undefined/, /Infinity/, /\[object/]) assert.doesNotMatch(text, wrong);
    assert.equal(await page.locator('.nothing #figure-connect').getAttribute('data-code'), 'nothing-recorded');
    assert.deepEqual(problems, []);
    await page.context().close();
  });

  it('folds what few readers need: a link unfolds it, and paper has all of it', async () => {
    const { page, problems } = await show(RECORDED, { folded: true });
    const folds = page.locator('details.subject, details.each');
    const isOpen = () => folds.evaluateAll((some) => some.map((fold) => fold.hasAttribute('open')));
    const closed = (await isOpen()).map(() => false);
    assert.ok(closed.length >= 5, `${closed.length} folds`);
    assert.deepEqual(await isOpen(), closed);
    await page.emulateMedia({ media: 'print' });
    await page.waitForFunction(() =>
      // @ts-ignore: chart.js is a global of the page
      [...document.querySelectorAll('canvas')].every((one) => one.checkVisibility() && globalThis.Chart.getChart(one)),
    );
    await page.emulateMedia({ media: 'screen' });
    await page.waitForFunction(() => document.querySelector('details.subject[open]') === null);
    await page.locator('#contents summary').click();
    await page.locator('#contents a[href="#figure-cpu"]').click();
    await page.waitForFunction(() => {
      const canvas = document.querySelector('article[aria-labelledby="figure-cpu"] canvas');
      // @ts-ignore: chart.js is a global of the page
      return canvas?.checkVisibility() && globalThis.Chart.getChart(canvas);
    });
    assert.equal((await isOpen()).filter(Boolean).length, 1);
    assert.deepEqual(problems, []);
    await page.context().close();
  });

  it('says the same in tables when scripts are off', async () => {
    const { page } = await show(RECORDED, { script: false });
    const row = page.locator('table.totals tr[data-leg="multi-threaded"]');
    await page.locator('#totals summary').first().click();
    assert.equal(await row.locator('[data-name="open at the end"]').innerText(), '5,942');
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
    for (const at of [0, 1]) await items.nth(at).locator('input').check();
    const picked = await page.locator('#runs-picked').innerText();
    assert.ok(picked.includes(`npm run compare -- ${RUN_ID} 20251121-101500-older`), picked);
    assert.match(picked, /select: transfers\/s\s+\S+\s+\S+/);
    await page.fill('#runs-filter', 'older');
    assert.deepEqual([await items.first().isVisible(), await items.nth(1).isVisible()], [false, true]);
    await page.fill('#runs-filter', '');
    await page.locator('#runs a').first().click();
    assert.match(await page.title(), /20251121-101500-older/);
    assert.equal(await page.locator('#runs').count(), 0);
    await page.close();
  });
});
