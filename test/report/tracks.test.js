// The first screen of a run of one server: the tracks on one time axis, and the figures above them.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { machineUseOf } from '../../client/measure/machine-use.js';
import { DensityCounter } from '../../client/store/transfer-log/density.js';
import { apart, thinned } from '../../report/browser/tracks.js';
import { keyFigures } from '../../report/html/sections/key-figures.js';
import { mainCharts } from '../../report/html/sections/charts.js';
import { readRun } from '../../report/read/read-run.js';
import { makeRun } from '../fixtures/make-run.js';
import { attributesOf } from '../fixtures/page-elements.js';
import { modelOf } from '../fixtures/page-legs.js';
import { shownPages } from '../fixtures/shown-pages.js';

/**
 * @import { Page } from 'playwright-core'
 * @import { ChartModel } from '../../report/types.js'
 */

/** @param {ChartModel} model @param {string} section @returns {string[]} ids of its charts */
const idsIn = ({ charts }, section) => charts.flatMap((chart) => (chart.section === section ? [chart.id] : []));

/** @param {ChartModel} model @param {string} id @returns {any} */
const chartIn = ({ charts }, id) => charts.find((chart) => chart.id === id) ?? assert.fail(id);

describe('report: the tracks of one server', () => {
  /** @type {string} */
  let scratch;
  /** @type {any} */
  let run;
  before(async () => {
    scratch = await mkdtemp(join(tmpdir(), 'broadside-tracks-'));
    const folder = await makeRun({ out: join(scratch, 'one'), legs: 1, seconds: 5 });
    // as if all connections were opened at once: a ramp would come first
    const path = join(folder, 'summary.json');
    const summary = JSON.parse(await readFile(path, 'utf8'));
    for (const leg of summary.legs) delete leg.ramp;
    await writeFile(path, JSON.stringify(summary));
    run = await readRun(folder);
  });
  after(() => rm(scratch, { recursive: true, force: true }));

  it('are in place of the charts that would show the same; of several servers there are none', async () => {
    const model = modelOf(run);
    assert.deepEqual(idsIn(model, 'track'), ['heat', 'load', 'connections', 'cores']);
    /** @type {string[]} */
    const ids = model.charts.map(({ id }) => id);
    for (const id of ['response', 'transfers', 'cpu', 'rejects', 'errors']) assert.ok(!ids.includes(id), id);
    const page = String(mainCharts(model));
    assert.deepEqual(
      attributesOf(page, 'aria-labelledby')
        .filter((id) => id.startsWith('figure-'))
        .slice(-4),
      ['heat', 'load', 'connections', 'cores'].map((id) => `figure-${id}`),
    );
    assert.deepEqual(idsIn(model, 'main'), []);
    const samples = run.legs[0].samples.map((/** @type {any} */ one) => ({
      ...one,
      errors: { ...one.errors, reset: 1 },
    }));
    const failing = modelOf({ ...run, legs: [{ ...run.legs[0], samples }] });
    assert.deepEqual(idsIn(failing, 'main'), ['failures'], 'only where there are any');
    const two = modelOf({ ...run, legs: [run.legs[0], { ...run.legs[0], id: 'again', index: 1 }] });
    assert.deepEqual(idsIn(two, 'track'), []);
  });

  it('hold what the samples hold, in steps from (0, 0), on one time axis that the last one shows', () => {
    const model = modelOf(run);
    const [{ samples }] = run.legs;
    const tracks = idsIn(model, 'track').map((id) => chartIn(model, id));
    assert.equal(new Set(tracks.map(({ x }) => `${x.min} ${x.max}`)).size, 1);
    assert.deepEqual(
      tracks.map(({ x }) => Boolean(x.isHidden)),
      [true, true, true, false],
    );
    for (const { panels } of tracks.slice(1))
      for (const { isStepped, points } of panels[0].datasets) assert.deepEqual([isStepped, points[0]], [true, [0, 0]]);
    const counted = chartIn(model, 'load').panels[0].datasets.at(-1).points;
    const sum = (/** @type {any[]} */ list, /** @type {(one: any) => number} */ of) =>
      list.reduce((total, one) => total + of(one), 0);
    assert.equal(sum(counted, ([, , n = 0]) => n), sum(samples, ({ counters }) => counters.transfers)); // prettier-ignore
    const { panels, y } = chartIn(model, 'connections');
    const steady = samples.filter((/** @type {any} */ { phase }) => phase === 'steady').at(-1);
    const at = panels[0].datasets[0].points.findIndex((/** @type {number[]} */ [x]) => x === steady.toNs / 1e9);
    assert.equal(
      sum(panels[0].datasets, ({ points }) => points[at][1]),
      steady.gauges.requested,
    );
    assert.equal(y.max, steady.gauges.requested);
    const cores = chartIn(model, 'cores').panels[0].datasets;
    assert.deepEqual(
      cores.map((/** @type {any} */ { label }) => label),
      ['Broadside', 'server', 'other programs'],
    );
    const used = machineUseOf([steady])?.busyCores ?? assert.fail();
    const own = sum(cores.slice(0, 2), ({ points }) => points[at][1]);
    assert.ok(Math.abs(cores[2].points[at][1] - Math.max(0, used - own)) < 0.01);
  });

  it('say that the server is among the other programs where its CPU time is not measured', () => {
    const samples = run.legs[0].samples.map((/** @type {any} */ one) => ({ ...one, server: null }));
    const { panels } = chartIn(modelOf({ ...run, legs: [{ ...run.legs[0], samples }] }), 'cores');
    assert.equal(panels[0].datasets.at(-1).label, 'other programs and the server');
  });

  it('have no room on the axis for what ended in the drain, but say what it was', () => {
    const drainNs = run.legs[0].samples.find((/** @type {any} */ { phase }) => phase === 'drain').fromNs;
    const heatWith = (/** @type {[start: number, response: number][]} */ ...late) => {
      const counter = new DensityCounter({ fromNs: 0, toNs: drainNs });
      for (const [start, response] of [[1e9, 1e6], [2e9, 4e6], ...late]) counter.add(start, response, 0); // prettier-ignore
      return chartIn(modelOf({ ...run, legs: [{ ...run.legs[0], density: counter.result() }] }), 'heat');
    };
    const [plain, slow] = [heatWith(), heatWith([3e9, drainNs], [3e9, drainNs])];
    assert.deepEqual(slow.y, plain.y);
    assert.match(slow.lead, /: 2 that ended in the drain/);
    assert.doesNotMatch(plain.lead, /drain/);
    assert.ok(heatWith([3e9, 1e9]).y.max > plain.y.max, 'what ended before has');
  });

  it('have beside the requests the histogram of what is measured, and its percentiles', () => {
    const { side } = chartIn(modelOf(run), 'heat').panels[0];
    assert.equal(side.title, 'steady state');
    const { responseTimeNs } = run.legs[0].summary.steady;
    const [, ...counts] = side.counts;
    assert.equal(
      counts.reduce((/** @type {number} */ a, /** @type {number} */ b) => a + b, 0),
      responseTimeNs.count,
    );
    assert.deepEqual(side.values.at(-1).at, responseTimeNs.max);
  });

  it('have labels beside them that do not lie on one another, in the order of their values', () => {
    assert.deepEqual(apart([10, 60, 120], 6, 200), [10, 60, 120]);
    for (const places of [
      [6, 6, 6, 6],
      [200, 200, 200],
      [10, 12, 190, 195, 199],
    ]) {
      const labels = apart(places, 6, 200);
      assert.ok(labels.every((at) => at >= 6 && at <= 200));
      assert.ok(labels.slice(1).every((at, i) => at - labels[i] >= 14));
    }
  });

  it('have values above them where there is no room beside, the least, the greatest and p99 longest', () => {
    const values = ['p50', 'p90', 'p99', 'p99.9', 'max'];
    const most = (/** @type {number} */ n) => thinned(values, (some) => some.length <= n);
    assert.deepEqual(most(5), values);
    assert.deepEqual(most(4), ['p50', 'p99', 'p99.9', 'max']);
    assert.deepEqual(most(3), ['p50', 'p99', 'max']);
    assert.deepEqual(most(1), ['p50', 'max']);
  });

  it('have five figures above them in place of a table, and a table where the server did not run', () => {
    assert.equal(attributesOf(String(keyFigures(run)), 'data-name').length, 5);
    const [{ connections: _none, ...never }] = run.summary.legs;
    assert.equal(keyFigures({ ...run, summary: { ...run.summary, legs: [never] } }), null);
  });

  describe('in Chromium', function () {
    this.timeout(120_000);
    const shown = shownPages();

    it('have the same edges at every width, one cursor, and keys that lead from one to the next', async () => {
      for (const width of [1400, 800, 400]) {
        const { page, problems } = await shown.show(join(scratch, 'one'), { width, height: 1000, folded: true });
        const edges = await page.evaluate(() =>
          [...document.querySelectorAll('.track canvas')].map((canvas) => {
            // @ts-ignore: chart.js is a global of the page
            const { left, right } = globalThis.Chart.getChart(canvas).chartArea;
            return `${canvas.getBoundingClientRect().left + left} ${right}`;
          }),
        );
        assert.equal(edges.length, 4);
        assert.equal(new Set(edges).size, 1, edges.join());
        const [, right] = edges[0].split(' ').map(Number);
        if (width === 400) assert.ok(right > 320, `the plots take the width: to ${right} px`);
        if (width === 1400) {
          await page.focus('#chart-heat-0');
          await page.keyboard.press('ArrowRight');
          await page.waitForFunction(() => document.querySelectorAll('.track .cursor-line:not([hidden])').length === 4);
          await page.keyboard.press('ArrowDown');
          assert.equal(await page.evaluate(() => document.activeElement?.id), 'chart-load-0');
          const bottom = await page.evaluate(() => document.querySelector('.tracks')?.getBoundingClientRect().bottom);
          assert.ok(Number(bottom) <= 1000, 'the first screen has all of them');
        }
        assert.deepEqual(problems, []);
        await page.close();
      }
    });
  });
});
