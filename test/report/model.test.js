/** The pure parts of the report: units, HTML, reading a run folder, coarsening and the chart model. */
import assert from 'node:assert/strict';
import { barStepOf, coarsen, stepOf } from '../../report/model/downsample.js';
import { causesOf } from '../../report/model/charts/words.js';
import { pageLeg } from '../../report/model/page-leg.js';
import { Histogram } from '../../client/measure/histogram.js';
import { parseSamples } from '../../client/measure/sample-lines.js';
import { percentileCurve } from '../../report/model/histogram.js';
import { keepUnits } from '../../report/html/units.js';
import { html, json } from '../../report/html/html.js';
import { readRun } from '../../report/read/read-run.js';
import { conditions } from '../../report/html/sections/conditions.js';
import { bytes, count, duration, payload, rate, throughput } from '../../client/words/format.js';
import { chartOf, modelOf } from '../fixtures/page-legs.js';
import { RECORDED, recordedSample } from '../fixtures/recorded-run.js';

/** @type {LooseRun} */
const run = await readRun(RECORDED);
const sum = (/** @type {any[]} */ list, /** @type {(one: any) => number} */ of) =>
  list.reduce((total, one) => total + of(one), 0);

describe('report: units', () => {
  it('write numbers as people read them', () => {
    for (const [text, expected] of [
      [duration(68_400_000), '68.4 ms'],
      [duration(999.9), '1 µs'],
      [duration(3.64e9), '3.64 s'],
      [duration(180e9), '3 min'],
      [duration(undefined), '–'],
      [count(10_000), '10,000'],
      [rate(145_168.4), '145,168/s'],
      [throughput(149_300_000), '149 MB/s'],
      [bytes(178e6), '178 MB'],
      [payload(1024), '1 KiB'],
      [payload(1500), '1,500 B'],
    ]) {
      assert.equal(text, expected);
    }
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

describe('report: what no line ends within', () => {
  it('is an option, with its number', () => {
    const kept = (/** @type {string} */ text) => `<span class="kept">${text}</span>`;
    assert.equal(
      keepUnits('<p>For smaller ones: --budget 3m, -d 5s or --rate; see --protocol http (--force).</p>'),
      `<p>For smaller ones: ${kept('--budget 3m')}, ${kept('-d 5s')} or ${kept('--rate')}; see ${kept('--protocol')} http (${kept('--force')}).</p>`,
    );
    for (const same of ['<p>multi-threaded, p-99, 1 -5, a - b</p>', '<a title="--budget 3m">x</a>'])
      assert.equal(keepUnits(same), same);
  });
});

describe('report: a number and its unit', () => {
  it('have a non-breaking space between them, in texts only', () => {
    const nb = '\u00a0';
    assert.equal(
      keepUnits('<p>1 KiB in 68.4 ms, 5 s, 16 % or 12 MB/s</p>'),
      `<p>1${nb}KiB in 68.4${nb}ms, 5${nb}s, 16${nb}% or 12${nb}MB/s</p>`,
    );
    for (const same of [
      '<b data-leg="size 1 KiB">1 server, 2 sockets, round 3 stalls</b>',
      '<script type="application/json">"1 KiB"</script>',
      '<style>a{margin:1 %}</style>',
      '<code>--wait 5 s</code>',
    ])
      assert.equal(keepUnits(same), same);
  });
});

describe('report: histograms', () => {
  it('become a curve that rises, cut where the percentile is not known', () => {
    for (const leg of run.legs) {
      const timed = leg.samples.filter((sample) => sample.phase !== 'ramp');
      const merged = Histogram.ofLines(timed.map((sample) => sample.histograms.responseTime));
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
    const line = (/** @type {number} */ second, more = {}) =>
      JSON.stringify(recordedSample({ second, fromNs: second - 1, toNs: second, ...more }));
    const broken = [
      line(3).slice(0, 20),
      'null',
      '5',
      '[]',
      line(4, { gauges: null }),
      line(5, { toNs: 'x' }),
      line(6, { histograms: { responseTime: 'HISTB' } }),
      line(7, { schema: undefined }),
      line(8, { surplus: 1 }),
    ];
    const { samples, cutLines } = parseSamples([line(2), line(1), ...broken].join('\n'));
    assert.deepEqual([samples.map(({ second }) => second).join(), cutLines], ['1,2', broken.length]);
  });
});

describe('report: conditions', () => {
  it('of a sweep have its axes, and nothing that holds at some of its points alone', () => {
    const pointAt = (/** @type {number} */ bytes) => ({
      ...{ axes: { payload: `${bytes}B`, connections: 7 }, given: {} },
      settings: { ...run.scenario, payloadBytes: bytes, durationNs: bytes * 1e9 },
    });
    const sweep = { payload: ['1B', '2B'], connections: [7] };
    const scenario = { ...run.scenario, sweep, points: [1, 2].map(pointAt) };
    const plan = { ...run.plan, connections: 5 };
    const [load] = conditions({ ...run, plan, scenario })
      .text.split('<h3>')
      .slice(1);
    const rows = [...load.matchAll(/<dt>(.*?)<\/dt><dd>(.*?)<\/dd>/g)].map(([, name, text]) => [name, text]);
    assert.deepEqual(
      rows.filter(([name]) => ['connections', 'payload', 'steady state'].includes(name)),
      [
        ['connections', '5'],
        ['payload', '1B, 2B in turn'],
      ],
    );
  });

  it('are in words and units, and take the command line typed or split', () => {
    const limits = { descriptors: 20000, tcpMemoryBytes: 1_572_427_424, notKnownYetBytes: 2e9, ports: null };
    const sysctl = {
      ...{
        'net.ipv4.tcp_mem': '287901 383869 575802',
        'net.ipv4.tcp_rmem': '4096 131072 33554432',
        'net.ipv4.ip_local_port_range': '32768 60999',
      },
      ...{ 'net.ipv4.tcp_congestion_control': 'bbr', 'net.ipv4.ip_local_reserved_ports': '' },
    };
    const of = (/** @type {any} */ commandLine) =>
      conditions({ ...run, environment: { commandLine, limits, sysctl } }).text.replace(/<wbr>|<\/?span>/g, '');
    const page = of('broadside stress --config 10k-1kb').split('<summary>Scenario')[0];
    for (const row of [
      'descriptors per process</dt><dd>20,000',
      'TCP memory pressure</dt><dd>1.57 GB',
      'not known yet</dt><dd>2 GB',
      'net.ipv4.tcp_mem</dt><dd>1.18 GB / 1.57 GB / 2.36 GB',
      'net.ipv4.tcp_rmem</dt><dd>4.1 kB / 131 kB / 33.6 MB',
      'net.ipv4.ip_local_port_range</dt><dd>32768 – 60999',
      'net.ipv4.tcp_congestion_control</dt><dd>bbr',
    ]) {
      assert.ok(page.includes(`<dt>${row}</dd>`), row);
    }
    assert.doesNotMatch(page, /tcpMemoryBytes|reserved_ports|per local address/);
    assert.match(page, /<pre class="command">broadside stress --config 10k-1kb<\/pre>/);
    assert.match(
      of(['broadside', 'stress', '--name', 'a b']),
      /<pre class="command">broadside stress --name &#39;a b&#39;</,
    );
  });
});

describe('report: intervals', () => {
  it('are as many as needed, join what one second holds, and keep every sample', () => {
    const { samples } = run.legs[0];
    for (const step of [1, 5, 7]) {
      const intervals = coarsen(samples, step);
      const kept = sum(intervals, (interval) => interval.samples.length);
      assert.equal(kept, samples.length);
      assert.equal(intervals.length, Math.ceil((samples.length - 1) / step) + 1, 'the drain stands apart');
    }
    const cut = [
      { ...samples[0], toNs: 4e8 },
      { ...samples[1], second: 1, fromNs: 4e8, toNs: 1e9, phase: /** @type {const} */ ('steady') },
    ];
    assert.equal(coarsen(cut, 1).length, 1);
  });
});

describe('report: chart model', () => {
  it('holds every count of the samples, cause by cause', () => {
    const facts = run.legs.map((leg) => pageLeg(leg, run));
    const { charts } = modelOf(run);
    const chart = (/** @type {string} */ id) => charts.find((one) => one.id === id) ?? assert.fail(id);
    run.legs.forEach((leg, i) => {
      for (const [id, name] of [
        ['transfers', 'transfers'],
        ['bytes', 'bytesReceived'],
      ]) {
        assert.equal(
          sum(chart(id).panels[i].datasets[0].points, ([, , n]) => n),
          sum(leg.samples, (s) => s.counters[name]),
          id,
        );
      }
      for (const kind of /** @type {const} */ (['rejects', 'errors'])) {
        for (const dataset of chart(kind).panels[i].datasets) {
          assert.equal(
            sum(dataset.points, ([, n]) => n),
            causesOf(facts[i].summary[kind])[/** @type {string} */ (dataset.cause)] ?? 0,
          );
        }
      }
      assert.equal(chart('percentiles').panels[0].datasets[i].total, leg.summary?.steady.responseTimeNs.count);
    });
    assert.equal(chart('recovery').panels[0].datasets.length, 1, 'only select lost connections');
  });

  it('draws no figure of what another one shows, nor of a few values', () => {
    const short = { ...run, legs: run.legs.map((leg) => ({ ...leg, samples: leg.samples.slice(0, 8) })) };
    const emptyOf = (/** @type {any[]} */ legs, /** @type {string} */ id) => chartOf({ ...short, legs }, id).empty;
    const changed = (/** @type {(sample: any, second: number) => any} */ change) =>
      short.legs.map((leg) => ({
        ...leg,
        samples: leg.samples.map((sample, i) => ({ ...sample, ...change(sample, i) })),
      }));
    assert.deepEqual(
      [emptyOf(short.legs, 'bytes')?.code, emptyOf(short.legs, 'bytes')?.data],
      ['as-transfers', { bytesPerTransfer: 1024 }],
    );
    const uneven = changed(({ counters }, i) => ({
      counters: { ...counters, bytesReceived: counters.bytesReceived * (i % 2 === 0 ? 1 : 1.5) },
    }));
    assert.equal(emptyOf(uneven, 'bytes'), undefined);
    const none = changed(({ counters }) => ({ counters: { ...counters, transfers: 0, bytesReceived: 0 } }));
    assert.equal(emptyOf(none, 'bytes'), undefined, 'the other says nothing of it');
    const three = new Histogram();
    for (const ns of [57e6, 62e6, 97e6]) three.record(ns);
    const ofThree = three.toLine();
    const lone = changed((sample, i) => ({
      kernel: { TcpOutRsts: i === 3 ? 19 : 0 },
      histograms: { ...sample.histograms, recoveryTime: i === 3 ? ofThree : null },
    }));
    assert.deepEqual([emptyOf(lone, 'recovery')?.code, emptyOf(lone, 'kernel')?.code], ['few', 'few-kernel-events']);
    assert.deepEqual(emptyOf(lone, 'recovery')?.data, Object.fromEntries(run.legs.map(({ label }) => [label, 3])));
    assert.deepEqual(emptyOf(lone, 'kernel')?.data, Object.fromEntries(run.legs.map(({ label }) => [label, 19])));
    const more = changed((_sample, i) => ({ kernel: { TcpOutRsts: i === 3 ? 20 : 0 } }));
    assert.equal(emptyOf(more, 'kernel'), undefined);
  });

  it('draws the counters of a namespace once for servers side by side', () => {
    const counted = run.legs.map((leg) => ({
      ...leg,
      samples: leg.samples.map((sample, i) => ({ ...sample, kernel: { TcpOutRsts: i === 3 ? 20 : 0 } })),
    }));
    const panelsOf = (/** @type {any[]} */ legs) =>
      chartOf({ ...run, legs }, 'kernel').panels.map((/** @type {any} */ { leg }) => leg);
    assert.deepEqual(panelsOf(counted), [0, 1, 2]);
    const slices = { group: 1, measuredNs: 1e9, turnNs: 1e9, transfers: 1, late: 0, closed: 0, histograms: {} };
    const together = counted.map((leg) => ({ ...leg, summary: { ...leg.summary, slices } }));
    assert.deepEqual(panelsOf(together), [null]);
    const [first, ...rest] = together;
    assert.deepEqual(panelsOf([{ ...first, samples: first.samples.slice(0, 3) }, ...rest]), [0, 1, 2]);
  });

  it('ends the axis of percentiles where the curves end', () => {
    const hundred = new Histogram();
    for (let i = 1; i <= 100; i++) hundred.record(i * 1e6);
    const histograms = { connectTime: hundred.toLine() };
    const legs = run.legs.map((leg) => ({
      ...leg,
      samples: leg.samples.map((sample, i) => ({ ...sample, histograms: i === 0 ? histograms : {} })),
    }));
    const { x, panels } = chartOf({ ...run, legs }, 'connect');
    const ends = panels[0].datasets.map((/** @type {any} */ { points }) => points.at(-1)[0]);
    assert.equal(x.max, Math.max(...ends));
    assert.ok(Number(x.max) >= 99 && Number(x.max) < 1000, String(x.max));
  });

  it('has axes with ends where no leg had a reply', () => {
    const legs = run.legs.map((leg) => ({
      ...leg,
      samples: leg.samples.map((sample) => ({ ...sample, histograms: {} })),
    }));
    const ends = modelOf({ ...run, legs }).charts.flatMap(({ y }) => [y.min ?? 0, y.max ?? 0]);
    assert.ok(ends.length > 20 && ends.every(Number.isFinite), ends.join());
  });

  it('shows a second without answers as a gap, never as a fast one', () => {
    const panel = chartOf(run, 'response').panels[1];
    assert.deepEqual(panel.gaps, [[23, 25]]);
    const { points } = panel.datasets.find((/** @type {any} */ dataset) => dataset.role === 'p50');
    assert.deepEqual([points[23][1], points[24][1], points[25][1] > 0], [null, null, true]);
  });

  it('says closed loop in the title of every figure of response time, and why a chart is empty', () => {
    const only = { ...run, legs: [2, 2].map((at, i) => ({ ...run.legs[at], id: `${i}-${at}`, index: i })) };
    const { charts } = modelOf(only);
    const times = charts.filter(({ title }) => /response time/i.test(title));
    assert.ok(times.length > 0 && times.every(({ title }) => title.includes('closed loop')));
    const emptyOf = (/** @type {string} */ id) => charts.find((chart) => chart.id === id)?.empty?.code;
    assert.deepEqual([emptyOf('rejects'), emptyOf('recovery')], ['no-rejects', 'nothing-recorded']);
  });

  it('has no more points in a line or bars than can be told apart', () => {
    const lengths = (/** @type {number} */ seconds) => {
      const all = [/** @type {any[]} */ (new Array(seconds))];
      return [Math.ceil(seconds / stepOf(all)), seconds / barStepOf(all)];
    };
    assert.deepEqual([30, 600, 3600, 86_400].map(lengths), [
      [30, 30],
      [600, 120],
      [600, 120],
      [600, 120],
    ]);
  });
});
