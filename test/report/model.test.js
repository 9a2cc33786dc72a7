/** The pure parts of the report: reading a run folder, facts, saturation, coarsening and the chart model. */
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { chartModel } from '../../report/charts/all.js';
import { coarsen } from '../../report/coarsen.js';
import { beyondMax, factsOf, startOf } from '../../report/facts.js';
import { merge, percentileCurve, percentiles } from '../../report/histogram.js';
import { html, json } from '../../report/html.js';
import { parseSamples, readRun } from '../../report/read-run.js';
import { saturationOf } from '../../report/saturation.js';
import { conditions } from '../../report/sections/conditions.js';
import { verdictLine } from '../../report/sections/verdict.js';
import { bytes, count, duration, payload, rate, throughput } from '../../report/units.js';
import { RUN_ID } from '../fixtures/make-run.js';

const FIXTURE = fileURLToPath(new URL(`../fixtures/run/${RUN_ID}`, import.meta.url));
const sum = (/** @type {any[]} */ list, /** @type {(one: any) => number} */ of) =>
  list.reduce((total, one) => total + of(one), 0);

describe('report: units', () => {
  it('write numbers as people read them', () => {
    assert.equal(duration(68_400_000), '68.4 ms');
    assert.equal(duration(1000), '1 µs');
    assert.equal(duration(999.9), '1 µs');
    assert.equal(duration(10_000_000), '10 ms');
    assert.equal(duration(3.64e9), '3.64 s');
    assert.equal(duration(180e9), '3 min');
    assert.equal(duration(undefined), '–');
    assert.equal(count(10_000), '10,000');
    assert.equal(rate(145_168.4), '145,168/s');
    assert.equal(throughput(149_300_000), '149 MB/s');
    assert.equal(bytes(178e6), '178 MB');
    assert.deepEqual(
      [payload(1), payload(1024), payload(1048576), payload(1500)],
      ['1 B', '1 KiB', '1 MiB', '1,500 B'],
    );
  });
});

describe('report: html', () => {
  it('escapes values, keeps fragments, and cannot end a script element', () => {
    assert.equal(
      html`<p>${'<b>&"'}${html`<i>${1}</i>`}${[null, 'x']}</p>`.text,
      '<p>&lt;b&gt;&amp;&quot;<i>1</i>x</p>',
    );
    assert.equal(json({ a: '</script>' }).text, '{"a":"\\u003c/script>"}');
  });
});

describe('report: histograms', () => {
  it('merge to the counts, extremes and percentiles of the summary', async () => {
    const run = await readRun(FIXTURE);
    for (const leg of run.legs) {
      const steady = leg.samples.filter((sample) => sample.phase === 'steady');
      const merged = merge(steady.map((sample) => sample.histograms.responseTime));
      assert.ok(merged);
      const expected = leg.summary?.steady.responseTimeNs;
      const actual = percentiles(merged);
      assert.equal(actual.count, expected.count);
      for (const name of /** @type {const} */ (['min', 'p50', 'p90', 'p99', 'p99_9', 'max']))
        assert.equal(actual[name], expected[name], name);
      const curve = percentileCurve(merged);
      assert.ok(
        curve.every(([x, y], i) => i === 0 || (x > curve[i - 1][0] && y >= curve[i - 1][1])),
        'the curve rises',
      );
      assert.ok(curve[curve.length - 1][0] <= 10_000);
      assert.ok(
        percentileCurve(merged, 0.9).every(([x]) => x <= 10.0001),
        'cut where the percentile is not known',
      );
    }
  });
});

describe('report: reading', () => {
  it('counts lines that do not parse and keeps the others', () => {
    const { samples, cutLines } = parseSamples(
      '{"k":2,"fromNs":1,"toNs":2}\n{"k":1,"fromNs":0,"toNs":1}\n{"k":3,"fro',
    );
    assert.deepEqual(
      samples.map((sample) => sample.k),
      [1, 2],
    );
    assert.equal(cutLines, 1);
  });
});

describe('report: facts', () => {
  it('summed from samples alone equal those of the summary', async () => {
    const run = await readRun(FIXTURE);
    for (const leg of run.legs) {
      const told = factsOf(leg, run);
      const summed = factsOf({ ...leg, summary: null }, { ...run, summary: null });
      for (const name of /** @type {const} */ ([
        'asked',
        'open',
        'peakOpen',
        'opened',
        'reopened',
        'lost',
        'unanswered',
        'neverAnswered',
        'attempts',
        'rejected',
        'abandoned',
        'rejectsTotal',
        'errorsTotal',
        'transfers',
        'failed',
        'unfinished',
        'bytesReceived',
        'limitedBy',
        'perSecond',
        'steadyFromNs',
        'steadyToNs',
        'endNs',
      ]))
        assert.equal(summed[name], told[name], `${leg.id} ${name}`);
      assert.deepEqual(summed.rejects, told.rejects);
      assert.deepEqual(summed.errors, told.errors);
      assert.equal(summed.response?.p99, told.response?.p99);
      assert.equal(told.complete, true);
      assert.deepEqual(told.missing, []);
      assert.equal(summed.complete, false);
      assert.match(summed.missing.join(), /summary\.json/);
    }
  });

  it('find the start of a leg that left no summary from its sampled transfers', async () => {
    const run = await readRun(FIXTURE);
    for (const leg of run.legs) assert.equal(startOf(leg.samples), leg.summary?.startNs);
    assert.equal(startOf([]), 0);
  });

  it('put a percentile beyond the maximum where failures leave no room for it', () => {
    const facts = /** @type {any} */ ({ failedShare: 0.005 });
    assert.deepEqual(
      [0.5, 0.99, 0.995, 0.996, 0.9999].map((p) => beyondMax(facts, p)),
      [false, false, false, true, true],
    );
    assert.equal(beyondMax(/** @type {any} */ ({ failedShare: 0 }), 0.9999), false);
  });

  it('count failures where the percentiles are: steady ones, and what the drain left unfinished', async () => {
    const run = await readRun(FIXTURE);
    for (const leg of run.legs) {
      const { transfers, failed, unfinished } = /** @type {any} */ (leg.summary).steady;
      const lost = failed + unfinished;
      assert.equal(factsOf(leg, run).failedShare, lost / (transfers + lost), leg.id);
    }
    const [, select] = run.legs;
    const counting = (/** @type {any} */ numbers) =>
      factsOf(
        {
          ...select,
          samples: select.samples.map((sample) => ({
            ...sample,
            counters: { ...sample.counters, transfers: 10, failed: 0, unfinished: 0, ...numbers[sample.phase] },
          })),
        },
        run,
      ).failedShare;
    assert.equal(counting({ ramp: { failed: 5000, unfinished: 7 } }), 0, 'the ramp does not count');
    assert.equal(counting({ drain: { failed: 3 } }), 0);
    assert.equal(counting({ steady: { failed: 10 } }), 0.5, 'nor does it dilute');
    assert.equal(counting({ drain: { transfers: 99, unfinished: 100 } }), 0.25);
  });

  it('of a leg interrupted in its ramp are as they were before the drain', async () => {
    const run = await readRun(FIXTURE);
    const [leg] = run.legs;
    const ramp = leg.samples.filter((sample) => sample.phase === 'ramp').slice(0, 4);
    const drain = { ...leg.samples[39], k: 5, phase: /** @type {const} */ ('drain'), fromNs: 4e9, toNs: 4.2e9 };
    drain.gauges = { ...drain.gauges, asked: 4000, open: 0, unanswered: 0 };
    drain.counters = { ...drain.counters, unfinished: 30 };
    const summary = { ...leg.summary, complete: false, endedBy: 'interrupted', phases: { endNs: 4.2e9 } };
    Object.assign(summary, { steady: undefined, connections: { asked: 4000, openAtEnd: 0, unansweredAtEnd: 0 } });
    for (const known of [summary, null]) {
      const facts = factsOf({ ...leg, summary: known, samples: [...ramp, drain] }, run);
      assert.equal(facts.open, ramp[3].gauges.open);
      assert.equal(facts.unanswered, ramp[3].gauges.unanswered);
      assert.ok((facts.open ?? 0) > 3000 && (facts.unanswered ?? 0) > 1000, 'the fixture has such');
      assert.deepEqual([facts.steadyFromNs, facts.steadyToNs, facts.endNs], [4e9, 4e9, 4.2e9]);
      assert.equal(facts.scope, 'all');
      const done = sum(ramp, (sample) => sample.counters.transfers);
      assert.equal(facts.failedShare, 30 / (done + 30));
      assert.equal(facts.perConnection, undefined);
      assert.equal(facts.response?.count, done, 'figures cover the ramp');
      assert.match(facts.missing.join(), /figures cover the ramp/);
    }
  });

  it('of the kernel are added up, but for those that say how it stands', async () => {
    const run = await readRun(FIXTURE);
    const samples = run.legs[0].samples.map((sample, i) => ({
      ...sample,
      kernel: { TcpRetransSegs: 2, TcpMemPages: i === 7 ? 900 : 50, TcpTimeWait: i },
    }));
    const { kernel } = factsOf({ ...run.legs[0], summary: null, samples }, run);
    assert.deepEqual(kernel, {
      TcpRetransSegs: 2 * samples.length,
      TcpMemPages: 900,
      TcpTimeWait: samples.length - 1,
    });
  });

  it('of once and hold say what they were to do', async () => {
    const run = await readRun(FIXTURE);
    const [, , leg] = run.legs;
    const of = (/** @type {string} */ workload, /** @type {any} */ change, heartbeatNs = 0) =>
      factsOf(
        { ...leg, ...change },
        {
          ...run,
          summary: { ...run.summary, config: { ...run.summary?.config, workload } },
          scenario: { ...run.scenario, workload, heartbeatNs },
        },
      );
    const once = of('once', {
      summary: { ...leg.summary, steady: undefined, transfers: { count: 9990, failed: 10, unfinished: 0 } },
      samples: leg.samples.filter((sample) => sample.phase === 'ramp'),
    });
    assert.match(verdictLine(once), /^answered 9,990 of 10,000, unanswered 0, .* p99 \d/);
    assert.deepEqual([once.missing, once.perSecond, once.heldOnly], [[], undefined, false]);
    const idle = leg.samples.map((sample) => ({
      ...sample,
      counters: { ...sample.counters, transfers: 0, failed: 0, unfinished: 0 },
      histograms: { connectTime: sample.histograms.connectTime },
    }));
    const quiet = { summary: { ...leg.summary, steady: {}, transfers: { count: 0, failed: 0, unfinished: 0 } } };
    const held = of('hold', { ...quiet, samples: idle });
    assert.match(verdictLine(held), /^held 10,000 of 10,000, lost 0, rejects 0, errors 0, connect p99 \d/);
    assert.equal(of('hold', { ...quiet, samples: idle }, 1e9).heldOnly, false, 'heartbeats were due');
    const { charts } = chartModel({ ...run, legs: [{ ...leg, ...quiet, samples: idle }] }, [held]);
    const empty = charts.filter((chart) => /without a heartbeat/.test(chart.empty ?? '')).map(({ id }) => id);
    assert.deepEqual(empty, ['response', 'percentiles', 'fairness', 'transfers', 'bytes']);
  });

  it('say saturated only where quotient and p50 agree and a side was at its limit', () => {
    const samples = /** @type {any} */ ([{ gauges: { open: 10_000, unanswered: 0 } }]);
    const base = { closed: true, pauseNs: 0, workload: 'continuous', perSecond: 100_000, limitedBy: 'machine' };
    const of = (/** @type {any} */ change, /** @type {any} */ on = samples) =>
      saturationOf({ ...base, response: { p50: 98e6 }, ...change }, on);
    assert.match(
      of({})?.text ?? '',
      /^10,000 open ÷ 100,000\/s = 100 ms, beside p50 98 ms; saturated: this is queueing$/,
    );
    assert.equal(of({ response: { p50: 30e6 } })?.saturated, false);
    assert.equal(of({ limitedBy: 'none' })?.saturated, false);
    assert.equal(of({ pauseNs: 1 }), null);
    assert.equal(of({ workload: 'hold' }), null);
    assert.equal(of({ closed: false }), null);
    const starved = [{ gauges: { open: 10_000, unanswered: 8000 } }];
    assert.match(of({ response: { p50: 20e6 } }, starved)?.text ?? '', /^2,000 answered ÷ .* = 20 ms/);
  });
});

describe('report: conditions', () => {
  it('are in words and units, and take the command line typed or split', async () => {
    const run = await readRun(FIXTURE);
    const limits = { descriptors: 20000, tcpMemoryBytes: 1_572_427_424, notKnownYetBytes: 2e9, ports: null };
    const sysctl = {
      'net.ipv4.tcp_mem': '287901 383869 575802',
      'net.ipv4.tcp_rmem': '4096 131072 33554432',
      'net.ipv4.ip_local_port_range': '32768 60999',
      'fs.file-max': '2466183',
      'net.ipv4.tcp_congestion_control': 'bbr',
      'net.ipv4.ip_local_reserved_ports': '',
    };
    const of = (/** @type {any} */ commandLine) =>
      conditions({ ...run, environment: { commandLine, limits, sysctl } }).text.replace(/<wbr>|<\/?span>/g, '');
    const page = of('broadside stress --config 10k-1kb').split('<details>')[0];
    for (const row of [
      'descriptors per process</dt><dd>20,000',
      'TCP pressure from</dt><dd>1.57 GB',
      'not known yet</dt><dd>2 GB',
      'net.ipv4.tcp_mem</dt><dd>1.18 GB / 1.57 GB / 2.36 GB',
      'net.ipv4.tcp_rmem</dt><dd>4.1 kB / 131 kB / 33.6 MB',
      'net.ipv4.ip_local_port_range</dt><dd>32768 – 60999',
      'fs.file-max</dt><dd>2,466,183',
      'net.ipv4.tcp_congestion_control</dt><dd>bbr',
    ]) {
      assert.ok(page.includes(`<dt>${row}</dd>`), row);
    }
    assert.doesNotMatch(page, /tcpMemoryBytes|reserved_ports|per local address/);
    assert.match(page, /<pre class="command">broadside stress --config 10k-1kb<\/pre>/);
    assert.match(of(['broadside', 'stress', '--name', 'a b']), /<pre class="command">broadside stress --name &#39;a b&#39;</);
  });
});

describe('report: intervals', () => {
  it('are as many as needed, join what one second holds, and keep every sample', async () => {
    const run = await readRun(FIXTURE);
    const { samples } = run.legs[0];
    for (const step of [1, 5, 7]) {
      const intervals = coarsen(samples, step);
      assert.equal(
        sum(intervals, (interval) => interval.samples.length),
        samples.length,
      );
      assert.equal(intervals.length, Math.ceil((samples.length - 1) / step) + 1, 'the drain stands apart');
    }
    const cut = [
      { ...samples[0], toNs: 4e8 },
      { ...samples[1], k: 1, fromNs: 4e8, toNs: 1e9, phase: /** @type {const} */ ('steady') },
    ];
    assert.equal(coarsen(cut, 1).length, 1);
  });
});

describe('report: chart model', () => {
  it('holds every count of the samples, cause by cause', async () => {
    const run = await readRun(FIXTURE);
    const facts = run.legs.map((leg) => factsOf(leg, run));
    const { charts } = chartModel(run, facts);
    const chart = (/** @type {string} */ id) =>
      /** @type {import('../../report/types.js').Chart} */ (charts.find((one) => one.id === id));
    run.legs.forEach((leg, i) => {
      for (const [id, name] of [
        ['transfers', 'transfers'],
        ['bytes', 'bytesReceived'],
      ]) {
        assert.equal(
          sum(chart(id).panels[0].datasets[i].points, ([, , n]) => n),
          sum(leg.samples, (s) => s.counters[name]),
          id,
        );
      }
      for (const kind of /** @type {const} */ (['rejects', 'errors'])) {
        for (const dataset of chart(kind).panels[i].datasets) {
          assert.equal(
            sum(dataset.points, ([, n]) => n),
            facts[i][kind][/** @type {string} */ (dataset.cause)] ?? 0,
          );
        }
      }
      assert.equal(chart('fairness').panels[0].datasets[i].total, facts[i].asked);
      assert.equal(
        sum(chart('fairness').panels[0].datasets[i].points, ([, , n]) => n),
        facts[i].asked,
      );
      assert.equal(chart('percentiles').panels[0].datasets[i].total, leg.summary?.steady.transfers);
    });
    assert.equal(chart('recovery').panels[0].datasets.length, 1, 'only select lost connections');
  });

  it('shows a second without answers as a gap, never as a fast one', async () => {
    const run = await readRun(FIXTURE);
    const { charts } = chartModel(
      run,
      run.legs.map((leg) => factsOf(leg, run)),
    );
    const panel = /** @type {any} */ (charts.find((chart) => chart.id === 'response')).panels[1];
    assert.deepEqual(panel.gaps, [[23, 25]]);
    const p50 = panel.datasets.find((/** @type {any} */ dataset) => dataset.role === 'p50');
    assert.equal(p50.points[23][1], null);
    assert.equal(p50.points[24][1], null);
    assert.ok(p50.points[25][1] > 0);
  });

  it('keeps the cloud in the order of time and inside the axis, where chart.js draws it whole', async () => {
    const run = await readRun(FIXTURE);
    const { charts } = chartModel(
      run,
      run.legs.map((leg) => factsOf(leg, run)),
    );
    const chart = /** @type {any} */ (charts.find((one) => one.id === 'response'));
    for (const panel of chart.panels) {
      for (const { role, points } of panel.datasets) {
        if (role !== 'cloud' && role !== 'failed') continue;
        assert.ok(
          points.every((/** @type {any} */ [x], /** @type {number} */ i) =>
            x <= chart.x.max && (i === 0 || x >= points[i - 1][0])),
          role,
        );
      }
    }
  });

  it('says closed loop in the title of every figure of response time, and in words what is not there', async () => {
    const run = await readRun(FIXTURE);
    const only = { ...run, legs: [{ ...run.legs[2], index: 2 }] };
    const { charts } = chartModel(
      only,
      only.legs.map((leg) => factsOf(leg, only)),
    );
    for (const chart of charts.filter((one) => /response time/i.test(one.title)))
      assert.match(chart.title, /closed loop/);
    assert.match(charts.find((chart) => chart.id === 'rejects')?.empty ?? '', /No rejects/);
    assert.match(charts.find((chart) => chart.id === 'recovery')?.empty ?? '', /No connection was lost/);
  });

  it('stays small for a leg of hours', async () => {
    const run = await readRun(FIXTURE);
    const [leg] = run.legs;
    const samples = Array.from({ length: 4000 }, (_, i) => ({
      ...leg.samples[i % 40],
      k: i + 1,
      phase: /** @type {const} */ ('steady'),
      fromNs: i * 1e9,
      toNs: (i + 1) * 1e9,
      histograms: {},
      transfers: { random: [], slowest: [] },
    }));
    const long = { ...run, legs: [{ ...leg, summary: null, samples }] };
    const { charts, step } = chartModel(
      long,
      long.legs.map((one) => factsOf(one, long)),
    );
    assert.equal(step, 5);
    const { points } = /** @type {any} */ (charts.find((chart) => chart.id === 'transfers')).panels[0].datasets[0];
    assert.equal(points.length, 800);
    assert.equal(
      sum(points, ([, , n]) => n),
      sum(samples, (s) => s.counters.transfers),
    );
  });
});
