// The charts at the top of the page: which they are for each kind of run; and what charts over time draw.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Histogram } from '../../client/measure/histogram.js';
import { mainCharts } from '../../report/html/sections/charts.js';
import { withMainCharts } from '../../report/model/charts/main.js';
import { readRun } from '../../report/read/read-run.js';
import { makeSweep } from '../fixtures/page-kinds.js';
import { codesIn } from '../fixtures/page-elements.js';
import { modelOf } from '../fixtures/page-legs.js';
import { RECORDED } from '../fixtures/recorded-run.js';

/** @import { ChartModel } from '../../report/types.js' */

const sum = (/** @type {any[]} */ list, /** @type {(one: any) => number} */ of) =>
  list.reduce((total, one) => total + of(one), 0);

/** @param {ChartModel} model @returns {string[]} ids of the charts that are drawn at the top */
const drawnIn = ({ charts }) => charts.flatMap(({ id, section, empty }) => (section === 'main' && !empty ? [id] : []));

/** @param {ChartModel} model @param {string} id @returns {any} */
const chartIn = ({ charts }, id) => charts.find((chart) => chart.id === id) ?? assert.fail(id);

describe('report: the charts at the top', () => {
  /** @type {string} */
  let scratch;
  before(async () => {
    scratch = await mkdtemp(join(tmpdir(), 'broadside-main-'));
  });
  after(() => rm(scratch, { recursive: true, force: true }));

  it('are of several servers those of a ramp alone, for rows say the rest; of a sweep or a search what it asks, up to four', async () => {
    const run = /** @type {any} */ (await readRun(RECORDED));
    const several = modelOf(run);
    assert.deepEqual(drawnIn(several), ['ramp-cpu', 'ramp-throughput', 'ramp-served']);
    const atOnce = {
      ...run,
      legs: run.legs.map((/** @type {any} */ leg) => ({ ...leg, summary: { ...leg.summary, ramp: undefined } })),
    };
    assert.equal(mainCharts(modelOf(atOnce)), null);
    assert.equal(new Set(several.charts.map(({ id }) => id)).size, several.charts.length, 'none twice on the page');
    const swept = modelOf(await readRun(await makeSweep(join(scratch, 'sweep'))));
    assert.deepEqual(drawnIn(swept), ['sweep-throughput', 'sweep-cpu', 'sweep-response', 'sweep-failed']);
    const input = /** @type {any} */ ({ legs: [], results: [], intervals: [], bars: [], xMax: 1, barStep: 1 });
    const asked = [1, 2, 3, 4, 5].map((i) => /** @type {any} */ ({ id: `search-${i}`, part: 'sweep', panels: [] }));
    assert.deepEqual(
      withMainCharts(input, asked).map(({ id, section }) => `${id} ${section}`),
      ['search-1 main', 'search-2 main', 'search-3 main', 'search-4 main', 'search-5 undefined'],
    );
  });

  it('hold exactly what the samples hold of rejects and errors', async () => {
    const run = /** @type {any} */ (await readRun(RECORDED));
    const summary = { ...run.summary, legs: run.summary.legs.slice(1, 2) };
    const alone = { ...run, legs: run.legs.slice(1, 2), summary };
    const ofCauses = chartIn(modelOf(alone), 'failures');
    assert.equal(ofCauses.kind, 'bar');
    for (const { cause, label, points } of ofCauses.panels[0].datasets) {
      const kind = label.split(':')[0];
      assert.equal(sum(points, ([, n]) => n), sum(run.legs[1].samples, (s) => s[kind][cause]), label); // prettier-ignore
    }
    const kinds = ofCauses.panels[0].datasets.map((/** @type {any} */ { label }) => label.split(':')[0]);
    assert.deepEqual(new Set(kinds), new Set(['rejects', 'errors']));
  });

  it('have what came in the drain as dots apart from their lines, and no room for it on the axis', async () => {
    const run = /** @type {any} */ (await readRun(RECORDED));
    const [leg] = run.legs;
    const last = leg.samples.at(-1);
    assert.equal(last.phase, 'drain');
    /** @param {number} factor of the response times @returns {any} a second of the drain */
    const drained = (factor, seconds = 0) => {
      const { responseTime, rtt } = leg.samples.at(-2).histograms;
      const slower = (/** @type {any} */ one) => {
        const times = new Histogram();
        times.record(one.p50 * factor, one.count);
        return times.toLine();
      };
      const [fromNs, toNs] = [last.fromNs, last.fromNs + 1e9].map((ns) => ns + seconds * 1e9);
      const startNs = run.summary.legs[0].startNs + fromNs;
      const slowest = [[startNs, responseTime.p50 * factor, 1, 0]];
      const histograms = { ...last.histograms, responseTime: slower(responseTime), rtt: slower(rtt) };
      return {
        ...last,
        ...{ fromNs, toNs, second: Math.ceil(toNs / 1e9) },
        histograms,
        transfers: { random: [], slowest },
      };
    };
    const chartsWith = (/** @type {any[]} */ ...drain) => {
      const samples = [...leg.samples.slice(0, -1), ...drain];
      return modelOf({ ...run, legs: [{ ...leg, samples }, ...run.legs.slice(1)] });
    };
    const [plain, slow] = [chartsWith(), chartsWith(drained(1e5), drained(1e5, 1))];
    for (const id of ['response', 'rtt']) {
      assert.deepEqual(chartIn(slow, id).y, chartIn(plain, id).y, id);
      const lines = chartIn(slow, id)
        .panels.flatMap((/** @type {any} */ panel) =>
          panel.datasets.map((/** @type {any} */ one) => ({ leg: panel.leg, ...one })),
        )
        .filter((/** @type {any} */ one) => one.leg === 0 && ['p50', 'p99', 'max'].includes(one.role));
      assert.ok(lines.length > 1);
      for (const { points } of lines) {
        const ends = points.slice(-4).map((/** @type {any} */ [, y]) => y !== null);
        assert.deepEqual(ends, [false, true, false, true], 'two dots');
      }
    }
    const drain = { ...leg, samples: [drained(1e5)] };
    const alone = modelOf({ ...run, legs: [drain, { ...drain, id: 'again', index: 1 }] });
    assert.ok(chartIn(alone, 'response').y.max > 1e9, 'room for what is all there is');
  });

  it('go on over the seconds in which a leg waited for its turn, but break where it had one and no reply came', async () => {
    const run = /** @type {any} */ (await readRun(RECORDED));
    const [leg] = run.legs;
    const turn = (/** @type {any} */ sample, /** @type {number} */ i) => {
      const slices = {
        turnNs: i % 3 === 1 ? 0 : 5e8,
        measuredNs: i % 3 === 1 ? 0 : 5e8,
        transfers: 0,
        late: 0,
        closed: 0,
      };
      if (i % 3 === 0) return { ...sample, slices: { ...slices, transfers: sample.counters.transfers } };
      const histograms = { ...sample.histograms, responseTime: null };
      return { ...sample, slices, histograms, counters: { ...sample.counters, transfers: 0 } };
    };
    const samples = leg.samples.slice(0, 9).map(turn);
    const model = modelOf({
      ...run,
      legs: [
        { ...leg, samples },
        { ...leg, id: 'again', index: 1 },
      ],
    });
    const [transfers] = chartIn(model, 'transfers').panels[0].datasets;
    const none = [false, true, false, true, false, true];
    assert.deepEqual(
      transfers.points.map((/** @type {any} */ [, y]) => !y),
      none,
    );
  });

  it('say so where no leg left a sample', () => {
    assert.deepEqual(codesIn(mainCharts({ legs: [], charts: [] })), ['no-samples']);
  });
});
