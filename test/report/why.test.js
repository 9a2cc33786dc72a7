// Why connections were rejected or slow, where the knee was, which side was the limit: codes and data of the remarks.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rampServed } from '../../client/measure/ramp-served.js';
import { samplesOfSteps } from '../../client/measure/ramp.js';
import { barStepOf } from '../../report/model/downsample.js';
import { opensPerSecond, pageLeg } from '../../report/model/page-leg.js';
import { readRun } from '../../report/read/read-run.js';
import { conditions } from '../../report/html/sections/conditions.js';
import { limits } from '../../report/html/sections/limits.js';
import { makeRun } from '../fixtures/make-run.js';
import { RECORDED } from '../fixtures/recorded-run.js';
import { chartOf, modelOf, withFigures, withSummary } from '../fixtures/page-legs.js';
import { cellOf, codesIn, elementOf, textOf } from '../fixtures/page-elements.js';

/** @import { PageLeg } from '../../report/types.js' */

const sum = (/** @type {any[]} */ list, /** @type {(one: any) => number} */ of) =>
  list.reduce((total, one) => total + of(one), 0);

describe('report: why', function () {
  this.timeout(120_000);
  /** @type {string} */
  let scratch;
  /** @type {Record<'10k' | '80k' | 'reconnect', LooseRun>} */
  const runs = /** @type {any} */ ({});
  before(async () => {
    scratch = await mkdtemp(join(tmpdir(), 'broadside-why-'));
    runs['10k'] = await readRun(RECORDED);
    for (const load of /** @type {const} */ (['80k', 'reconnect']))
      runs[load] = await readRun(await makeRun({ out: join(scratch, load), load }));
  });
  after(() => rm(scratch, { recursive: true, force: true }));
  const factsFor = (/** @type {LooseRun} */ run) => run.legs.map((leg) => pageLeg(leg, run));

  it('draws the ramp of several servers against the connections requested, a line each, its knee on it', () => {
    const run = runs['80k'];
    const { panels, x, endLabels } = chartOf(run, 'ramp-throughput');
    const [multi] = run.legs;
    const { steps, knee } = /** @type {any} */ (multi.summary).ramp;
    const ofLeg = (/** @type {string} */ role) =>
      panels[0].datasets.find((/** @type {any} */ one) => one.role === role)?.points;
    assert.deepEqual(
      ofLeg('curve').map((/** @type {any} */ [at]) => at),
      steps.map((/** @type {any} */ { requested }) => requested),
    );
    assert.deepEqual([x.title, endLabels], ['connections requested', true]);
    const [[at, y]] = ofLeg('knee');
    assert.equal(at, knee.requested);
    assert.equal(y, ofLeg('curve').find((/** @type {any} */ [place]) => place === at)[1]);
    const knees = chartOf(runs['10k'], 'ramp-throughput').panels[0].datasets;
    assert.equal(knees.filter((/** @type {any} */ { role }) => role === 'knee').length, 2, 'epoll has no knee');
  });

  it('draws CPU per transfer as the CPU time over the transfers of a step, and no line where it was not measured', () => {
    const run = runs['10k'];
    const { datasets } = chartOf(run, 'ramp-cpu').panels[0];
    const dots = datasets.filter((/** @type {any} */ { role }) => role === 'second');
    assert.equal(dots.length, run.legs.length, 'of few servers a dot a second');
    run.legs.forEach((leg, i) => {
      const steps = /** @type {any} */ (leg.summary).ramp.steps;
      const [[second]] = samplesOfSteps(leg.samples, steps, {});
      const of = (/** @type {any} */ { server, counters }) => (server.cpuSeconds * 1e9) / counters.transfers;
      const first = dots[i].points.find((/** @type {any} */ [at]) => at === steps[0].requested);
      assert.equal(first[1], Number(of(second).toPrecision(5)));
    });
    const samples = run.legs[1].samples.map(({ server: _, ...sample }) => sample);
    const unmeasured = { ...run, legs: [run.legs[0], { ...run.legs[1], samples }, run.legs[2]] };
    const lines = chartOf(unmeasured, 'ramp-cpu').panels[0].datasets;
    assert.equal(lines.filter((/** @type {any} */ { role }) => role === 'curve').length, 2);
  });

  it('draws the connections served of each server below all that were requested, where one breaks', () => {
    const { datasets } = chartOf(runs['80k'], 'ramp-served').panels[0];
    const [all, ...others] = datasets;
    assert.equal(all.label, 'all');
    assert.ok(all.points.every((/** @type {any} */ [at, y]) => at === y));
    for (const { role, points } of others.filter((/** @type {any} */ one) => one.role === 'curve'))
      assert.ok(
        points.every((/** @type {any} */ [at, y]) => y === null || y <= at),
        role,
      );
  });

  it('stacks what became of the connections of one server at each step, above replies and response times', () => {
    const run = { ...runs['80k'], legs: [runs['80k'].legs[0]] };
    const { panels } = chartOf(run, 'steps');
    const [{ summary, samples }] = run.legs;
    const { steps } = /** @type {any} */ (summary).ramp;
    const [fates, speed, times] = panels;
    steps.forEach((/** @type {any} */ { requested }, /** @type {number} */ i) => {
      const stacked = sum(fates.datasets, ({ points }) => points[i][1]);
      assert.equal(stacked, requested, 'the stack adds up to the requested');
    });
    const [{ points: served }] = fates.datasets;
    assert.equal(served.at(-1)[1], /** @type {any} */ (summary).account.served, 'the last is that of the account');
    const broken = rampServed(/** @type {any} */ (summary))?.broken;
    const before = steps[steps.findIndex((/** @type {any} */ one) => one.requested === broken?.requested) - 1];
    assert.deepEqual(
      panels.map((/** @type {any} */ { marks }) => marks[0].at),
      panels.map(() => (before.requested + Number(broken?.requested)) / 2),
      'the same line across all',
    );
    assert.ok(fates.aside.items.some((/** @type {any} */ { role }) => role === 'fate served'));
    const [median, dots] = speed.datasets;
    assert.equal(median.points.length, steps.length);
    const judged = samplesOfSteps(samples, steps, {});
    assert.equal(dots.points.length, judged.flat().length);
    const [{ heat }] = times.datasets;
    const counted = sum(heat.columns, ([, ...counts]) => sum(counts, (n) => n));
    assert.equal(
      counted,
      sum(judged.flat(), ({ histograms }) => histograms.responseTime?.count ?? 0),
    );
    assert.deepEqual(modelOf(run).charts.filter(({ section }) => section === 'main')[0].id, 'steps', 'it is first');
  });

  it('marks when a SYN is sent again only where connects took so long', () => {
    const marks = chartOf(runs['10k'], 'connect').panels[0].marks;
    assert.deepEqual(
      marks.map((/** @type {any} */ one) => one.at),
      [1e9, 2e9, 3e9],
    );
    assert.equal(chartOf(runs['10k'], 'connect').data.secondSyn, 'needed');
    const quick = { ...runs['10k'], legs: [runs['10k'].legs[2]] };
    const chart = chartOf(quick, 'connect');
    assert.equal(chart.panels[0].marks, undefined);
    assert.equal(chart.data.secondSyn, 'not-needed');
    const given = { ...quick.legs[0], summary: { ...quick.legs[0].summary, rejects: { total: 3, timeout: 3 } } };
    assert.equal(chartOf({ ...quick, legs: [given] }, 'connect').data.secondSyn, 'rejects-only');
    assert.equal(chartOf({ ...quick, environment: null }, 'connect').data.secondSyn, 'unknown');
  });

  it('tells of each server which side was the limit, its knee and why, round-trip times, and what the plan had predicted', () => {
    const run = runs['80k'];
    const table = limits(factsFor(run), run);
    const [multi, select, epoll] = run.legs.map(({ label }) => elementOf(table, 'data-leg', label));
    assert.equal(cellOf(select, 'limit'), 'machine 93 %');
    assert.deepEqual(
      [...select.matchAll(/class="share-(\w+)" style="width:([\d.]+)%"/g)].map(([, ...own]) => own),
      [['machine', '93.33']],
    );
    assert.equal(cellOf(epoll, 'knee').split(' ')[0], 'not', 'it declines slowly over 80 steps');
    const { rttNs } = /** @type {any} */ (run.legs[2].summary);
    assert.ok(rttNs.min < rttNs.p50, 'the least is nearest to the network: the others include the wait for a reply');
    assert.match(cellOf(epoll, 'round trip'), /^\S+ .s \/ \S+ .s \/ \S+ .s$/);
    const { limits: planned } = /** @type {any} */ (run.plan);
    const holds = planned.flatMap((/** @type {any} */ limit) =>
      limit.servers?.includes('multi-threaded') && limit.holds ? [limit] : [],
    );
    assert.deepEqual(holds.map((/** @type {any} */ one) => one.holds).sort(), [19_980, 31_568]);
    const least = holds.find((/** @type {any} */ one) => one.holds === 19_980);
    assert.ok(cellOf(multi, 'predicted by the plan').endsWith(least.text));
    assert.equal(cellOf(epoll, 'predicted by the plan'), '–');
  });

  it('tells how busy threads and processes were, one or many', () => {
    const [f] = factsFor(runs['10k']);
    const using = (/** @type {number[]} */ processCpu) => withFigures(f, { server: { cpuSeconds: 1, processCpu } });
    const of = (/** @type {number} */ n) => using(Array.from({ length: n }, (_, i) => 0.5 - i / 100));
    const told = (/** @type {PageLeg} */ one) => cellOf(limits([one], runs['10k']), 'server processes');
    assert.deepEqual([told(of(1)), told(of(32)), told(of(0))], ['1: 50 %', '32: 19 % to 50 %', '']);
    const started = (/** @type {number[]} */ processCpu, /** @type {number} */ processes) =>
      told({
        ...withSummary(using(processCpu), { serverUse: { ...f.summary.serverUse, processes: processes + 1 } }),
        planned: /** @type {any} */ ({ server: { kind: 'named', options: { processes } } }),
      });
    assert.equal(started([0.3, 0.2, 0.2, 0], 3), '3: 30 %, 20 %, 20 %', 'without the one that only supervises them');
    assert.equal(started(Array(32).fill(0.1), 40), '40: 10 % each');
    assert.match(cellOf(limits([f], runs['10k']), 'engine threads'), /^\d: [\d.]+ %.*, waiting [\d.]+ %/);
  });

  it('calls a machine at its limit usual only where client and server alone share few cores', () => {
    const run = runs['80k'];
    const [f] = factsFor(run);
    const server = { kind: 'target', host: '10.0.0.7', port: 80 };
    const legs = (/** @type {object} */ more) =>
      (run.plan?.legs ?? []).map((/** @type {any} */ leg) => ({ ...leg, ...more }));
    const away = {
      plan: { ...run.plan, legs: legs({ server, pin: { client: '0', server: null } }).slice(0, 1) },
      legs: run.legs.map((leg) => ({ ...leg, summary: leg.summary && { ...leg.summary, serverUse: undefined } })),
    };
    const agent = { address: '10.0.0.8', cpu: 'Made-up 9000', cores: 64, limits: { descriptors: 777 } };
    const apart = {
      plan: { ...run.plan, legs: legs({ serverAgent: 's1' }) },
      environment: { ...run.environment, server: { ...agent, sysctl: { 'net.core.somaxconn': '17' } } },
    };
    for (const [change, other, isUsual] of /** @type {[object, object, boolean][]} */ ([
      [{}, {}, true],
      [{ limitShares: { machine: 0, client: 0, server: 0, none: 1 } }, {}, false],
      [{ warnings: [{ code: 'background-load' }] }, {}, false], // a warning says so
      [{}, away, false],
      [{}, apart, false], // they share no cores
    ])) {
      const page = limits([withSummary(f, change)], /** @type {any} */ ({ ...run, ...other }));
      assert.equal(codesIn(page).includes('shared-cores'), isUsual);
    }
    const titles = (/** @type {any} */ more) =>
      [...String(conditions({ ...run, ...more })).matchAll(/<h3>([^<]*achine[^<]*)<\/h3>/g)].map(([, title]) => title);
    assert.deepEqual(titles(away), ['Machine of the client', 'Limits of the client’s machine']);
    assert.equal(titles(apart).length, 2 + 3, 'those of the server and its kernel settings, too');
    assert.deepEqual(titles({ ...away, legs: run.legs }), ['Machine', 'Limits of the machine']);
    assert.match(textOf(conditions(/** @type {any} */ ({ ...run, ...apart }))), /Made-\s?up 9000/);
  });

  it('draws bars wide enough to be seen, and loses no count in them', () => {
    const run = runs['80k'];
    assert.equal(barStepOf(run.legs.map((leg) => leg.samples)), 5);
    assert.equal(barStepOf(runs['10k'].legs.map((leg) => leg.samples)), 1);
    const chart = chartOf(run, 'rejects');
    assert.equal(chart.data.barSeconds, 5);
    chart.panels.forEach((/** @type {any} */ panel, /** @type {number} */ i) => {
      for (const { cause, points } of panel.datasets) {
        assert.ok(points.length <= 120);
        assert.equal(
          sum(points, ([, n]) => n),
          sum(run.legs[i].samples, (sample) => sample.rejects[cause]),
        );
      }
    });
    const { panels } = chartOf(run, 'kernel');
    const drops = panels[0].datasets.find((/** @type {any} */ one) => one.cause === 'drops');
    assert.equal(
      sum(drops.points, ([, , n]) => n),
      run.legs[0].summary?.kernel.TcpExtListenDrops,
    );
  });

  it('shows the ceiling of a leg: what became of those requested, and how many there ever were', () => {
    const [multi, , epoll] = chartOf(runs['80k'], 'connections').panels;
    assert.equal(multi.note.code, 'ceiling');
    assert.deepEqual(multi.note.data, {
      ...{ open: 19_980, requested: 80_000, unanswered: 0, peakOpen: 24_077, mostUnanswered: 4097 },
    });
    assert.equal(multi.strong, true);
    for (const { datasets } of chartOf(runs['80k'], 'connections').panels) {
      assert.equal(datasets[0].role, 'served');
      const stacks = datasets[0].points.map((/** @type {any} */ _, /** @type {number} */ at) =>
        sum(datasets, ({ points }) => points[at][1]),
      );
      assert.equal(Math.max(...stacks), 80_000, 'the parts add up to those requested');
    }
    assert.deepEqual([epoll.note.code, epoll.note.data.open], ['held', 80_000]);
    const memory = chartOf(runs['80k'], 'memory').panels[2];
    assert.equal(memory.marks[0].at, 383_869 * 4096);
    assert.ok(memory.datasets.some((/** @type {any} */ one) => one.role === 'pages'));
  });

  it('has connections a second where connections are what is measured', () => {
    const run = runs.reconnect;
    const facts = factsFor(run);
    const { charts } = modelOf(run);
    assert.equal(new Set(charts.map(({ id }) => id)).size, charts.length, 'no figure twice');
    for (const f of facts) {
      const steady = run.legs[f.index].samples.filter((sample) => sample.phase === 'steady');
      assert.equal(opensPerSecond(f), sum(steady, (sample) => sample.counters.opened) / 10);
      assert.ok(f.summary.connections && f.summary.connections.reopened > 100_000 && f.summary.connections.lost === 0);
      assert.equal(f.saturation, null, 'open ÷ throughput is not the response time here');
    }
    assert.ok(!charts.some(({ id }) => id === 'transfers'), 'the same curve once');
    // A server that accepts and never answers must not look well.
    const silent = run.legs.map((leg) => ({
      ...leg,
      samples: leg.samples.map((sample) => ({
        ...sample,
        gauges: { ...sample.gauges, unanswered: 700, openedLastSecond: 200 },
      })),
    }));
    const { datasets } = chartOf({ ...run, legs: silent }, 'connections').panels[0];
    const unanswered = datasets.find((/** @type {any} */ one) => one.role === 'unanswered');
    assert.equal(unanswered.points[5][1], 500, 'those just opened had no time for an answer');
  });
});
