/** Where the response time went: of each leg the parts of the transfers that kernel timestamps split, by percentile. */
import assert from 'node:assert/strict';
import { timedSamples } from '../../client/measure/leg-figures.js';
import { Histogram } from '../../client/measure/histogram.js';
import { readRun } from '../../report/read/read-run.js';
import { chartOf } from '../fixtures/page-legs.js';
import { RECORDED } from '../fixtures/recorded-run.js';

/**
 * @import { HistogramLine } from '../../client/measure/histogram.js'
 * @import { Chart, Run } from '../../report/types.js'
 */

const US = 1e3;

/** @param {number} n @param {(i: number) => number} valueOf @returns {HistogramLine | null} */
function lineOf(n, valueOf) {
  const histogram = new Histogram();
  for (let i = 0; i < n; i += 1) histogram.record(valueOf(i));
  return histogram.toLine();
}

/**
 * The committed run, as if kernel timestamps had split some of its transfers.
 * @param {(leg: number) => number} splitsOf of each sample of a leg
 * @param {Record<string, (i: number) => number>} [more] further histograms
 * @returns {Promise<Run>}
 */
async function runWith(splitsOf, more = {}) {
  const run = await readRun(RECORDED);
  /** @type {Record<string, (i: number) => number>} */
  const valuesOf = {
    splitResponse: (i) => (100 + i) * US,
    sendDelay: () => 0,
    networkAndServer: (i) => (70 + i) * US,
    receiveDelay: () => 30 * US,
    ...more,
  };
  const legs = run.legs.map((leg, at) => ({
    ...leg,
    samples: leg.samples.map((sample) => {
      const split = Object.entries(valuesOf).map(([name, valueOf]) => [name, lineOf(splitsOf(at), valueOf)]);
      return { ...sample, histograms: { ...sample.histograms, ...Object.fromEntries(split) } };
    }),
  }));
  return { ...run, legs };
}

/** @param {Run} run @returns {Chart | undefined} */
const partsOf = (run) => chartOf(run, 'time-parts');

describe('report: where the response time went', () => {
  it('has a curve for the response time and for each of its parts, of every leg, of the samples that its response times are of', async () => {
    const run = await runWith(() => 100);
    const chart = partsOf(run);
    assert.ok(chart);
    const roles = ['whole', 'networkAndServer', 'receiveDelay', 'sendDelay'];
    assert.deepEqual(
      chart.legend.map(({ role }) => role),
      roles,
    );
    assert.equal(chart.panels.length, run.legs.length);
    run.legs.forEach(({ samples, summary }, i) => {
      const { datasets, empty } = chart.panels[i];
      assert.equal(empty, undefined);
      assert.deepEqual(
        datasets.map(({ role }) => role),
        roles,
      );
      const steady = samples.filter(({ phase }) => phase === 'steady').length;
      assert.ok(steady > 0);
      const counted = timedSamples(summary ?? {}, samples).length;
      assert.equal(datasets[0].total, 100 * counted);
      const [whole, rest, receive, send] = datasets.map(({ points }) => points.map(([, y]) => y));
      for (const [ys, us] of /** @type {const} */ ([
        [whole, 199],
        [rest, 169],
        [receive, 30],
        [send, Number(send.at(-1)) / US], // more than none, for a logarithmic axis
      ])) {
        assert.ok(Math.abs(Number(ys.at(-1)) / (us * US) - 1) < 0.002, `${ys.at(-1)} is not ${us} us`);
        const isWithin = (/** @type {number | null} */ y) =>
          Number(y) > 0 && Number(y) >= Number(chart.y.min) && Number(y) <= Number(chart.y.max);
        assert.ok(ys.length > 0 && ys.every(isWithin));
      }
    });
  });

  it('has in open loop the wait for a connection', async () => {
    const chart = partsOf(await runWith(() => 100, { connectionWait: (i) => i * US }));
    assert.ok(chart?.legend.some(({ role }) => role === 'connectionWait'));
    assert.ok(chart?.panels.every(({ datasets }) => datasets[1].role === 'connectionWait'));
  });

  it('is empty for a leg with too few, and absent where there is none', async () => {
    const chart = partsOf(await runWith((leg) => (leg === 0 ? 0 : 100)));
    assert.ok(chart);
    assert.deepEqual(
      chart.panels.map(({ empty }) => empty !== undefined),
      chart.panels.map((_, i) => i === 0),
    );
    assert.deepEqual(chart.panels[0].datasets, []);
    assert.equal(partsOf(await runWith(() => 0)), undefined);
    assert.equal(partsOf(await readRun(RECORDED)), undefined);
  });
});
