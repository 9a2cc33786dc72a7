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
      assert.ok(samples.length > 0);
      for (const { counters } of samples) assert.equal(counters.bytesReceived, counters.transfers * 1024);
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
