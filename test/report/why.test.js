// Why connections were rejected or slow, where the knee was, which side was the limit: codes and data of the remarks.
import assert from 'node:assert/strict';
import { heldText } from '../../client/judge/table.js';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KEPT_COUNTERS } from '../../client/machine/kernel-counters.js';
import { chartModel } from '../../report/model/charts/all.js';
import { parted } from '../../report/model/charts/ramp.js';
import { barStepOf } from '../../report/model/downsample.js';
import { opensPerSecond, pageLeg } from '../../report/model/page-leg.js';
import { kneeReasons, kneeText } from '../../client/words/knee.js';
import { readRun } from '../../report/read/read-run.js';
import { conditions } from '../../report/html/sections/conditions.js';
import { causesMoved, countersMoved, KERNEL_WORDS } from '../../report/html/sections/kernel-words.js';
import { counters } from '../../report/html/sections/counters.js';
import { limits } from '../../report/html/sections/limits.js';
import { makeRun } from '../fixtures/make-run.js';
import { RECORDED } from '../fixtures/recorded-run.js';
import { withFigures, withSummary } from '../fixtures/page-legs.js';
import { attributesOf, cellOf, codesIn, elementOf, textOf } from '../fixtures/page-elements.js';

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
  /** @param {LooseRun} run @param {string} id @returns {any} */
  const chartOf = (run, id) => chartModel(run, factsFor(run)).charts.find((chart) => chart.id === id);

  it('names the knee by its step, its figures and the rules that hold, or says up to where there is none', () => {
    const step = (/** @type {number} */ n, /** @type {any} */ change) => ({
      ...{ step: n, requested: 1000 * n, open: 1000 * n, unanswered: 0, rejects: 0, errors: 0, perSecond: 1e5 },
      ...{ fromNs: 0, toNs: 0, p99Ns: 2e7, ...change },
    });
    const best = { step: 1, perSecond: 1e5 };
    const of = (/** @type {any} */ knee, /** @type {any} */ change = {}) =>
      /** @type {any} */ ({ steps: [step(1, {}), step(2, change), step(3, change)], knee });
    const at2 = (/** @type {string} */ rule, /** @type {any} */ change) => {
      const facts = of({ step: 2, requested: 2000, why: [rule], best }, change);
      assert.equal(kneeText(facts), 'knee at 2,000 connections');
      return kneeReasons(facts);
    };
    assert.match(
      at2('throughput', { perSecond: 5e4 }) ?? '',
      /^50,000\/s, p99 20 ms; throughput is below 90 % of the best so far \(100,000\/s at 1,000 connections\)$/,
    );
    assert.match(at2('responseTime', { p99Ns: 9e7 }) ?? '', /p99 90 ms; p99 exceeds 3 × open ÷ throughput \(20 ms\)$/);
    const failures = at2('failures', { unanswered: 30, openedLastSecond: 10, errors: 20 });
    assert.match(failures ?? '', /20 unanswered and 20 errors for 2,000 requested connections, more than 0\.1 %$/);
    assert.match(
      at2('responseTime', { open: 100, maxInFlight: 2000 }) ?? '',
      /p99 exceeds 3 × requested ÷ throughput \(20 ms\)$/,
    );
    assert.match(
      at2('slower', { p99Ns: 2e8 }) ?? '',
      /p99 exceeds 5 × that of the first stage \(20 ms in its first step\)$/,
    );
    const first = of({ step: 1, requested: 1000, why: ['throughput'], best });
    assert.equal(kneeText(first), 'knee already at 1,000 connections');
    assert.equal(kneeText(of(null)), 'no knee up to 3,000 connections');
    assert.equal(kneeText(undefined), undefined);
    assert.equal(kneeReasons(of(null)), undefined);
  });

  it('draws the ramp against what was open, the knee at its step, and steps beyond a ceiling apart', () => {
    const run = runs['80k'];
    const chart = chartOf(run, 'ramp-throughput');
    const [multi] = run.legs;
    const steps = multi.summary?.ramp.steps;
    const ofLeg = (/** @type {string} */ role) =>
      chart.panels[0].datasets.find((/** @type {any} */ one) => one.leg === 0 && one.role === role).points;
    assert.equal(ofLeg('leg').length + ofLeg('beyond').length, steps.length);
    assert.ok(ofLeg('beyond').length > 50, 'most steps brought no more');
    assert.equal(Math.max(...ofLeg('leg').map((/** @type {any} */ [x]) => x)), multi.summary?.connections.peakOpen);
    for (const points of [ofLeg('leg'), ofLeg('beyond')]) {
      const places = points.map((/** @type {any} */ [x]) => x);
      assert.deepEqual(
        places,
        [...places].sort((a, b) => a - b),
        'chart.js wants them in order',
      );
    }
    const knee = multi.summary?.ramp.knee;
    const mark = chart.panels[0].marks.find((/** @type {any} */ one) => one.leg === 0);
    assert.equal(mark.at, steps.find((/** @type {any} */ one) => one.step === knee.step).open);
    assert.equal(mark.leg, 0);
    const response = chartOf(run, 'ramp-response').panels[0].datasets;
    assert.ok(response.some((/** @type {any} */ one) => one.role === 'thin'));
    assert.equal(chartOf(runs['10k'], 'ramp-throughput').panels[0].marks.length, 2, 'epoll has no knee');
    const open = (/** @type {any} */ step) => step.open;
    const split = parted(/** @type {any} */ ([1, 2, 3, 3, 2.9, 3.001, 4].map((n) => ({ open: n }))), open);
    assert.deepEqual(split.rising.map(open), [1, 2, 3, 4]);
    assert.deepEqual(split.beyond.map(open), [3, 2.9, 3.001]);
  });

  it('leaves the ramp out where no leg has steps', () => {
    const legs = runs['10k'].legs.map((leg) => ({ ...leg, summary: { ...leg.summary, ramp: undefined } }));
    const run = { ...runs['10k'], legs };
    assert.equal(chartOf(run, 'ramp-throughput'), undefined);
    const [, , epoll] = factsFor(run);
    assert.equal(cellOf(limits([epoll], run), 'knee'), '');
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

  it('lists the counters that moved: known ones in words, unknown ones by name, traffic not at all', () => {
    const moved = countersMoved([
      { TcpInSegs: 9, TcpExtNewOne: 3, TcpOutRsts: 1, TcpExtListenDrops: 0 },
      { TcpExtListenDrops: 2, TcpMemPages: 7, TcpExtOld: 0 },
    ]);
    assert.deepEqual(moved, ['TcpExtListenDrops', 'TcpOutRsts', 'TcpExtNewOne']);
    assert.deepEqual(
      causesMoved(moved).map(({ cause, counters }) => [cause, counters]),
      [
        ['queue', ['TcpExtListenDrops']],
        ['resets', ['TcpOutRsts']],
        ['other', ['TcpExtNewOne']],
      ],
    );
    const all = causesMoved(Object.keys(KERNEL_WORDS)).flatMap(({ cause, counters }) => counters.map(() => cause));
    assert.deepEqual(
      [all.length, all.filter((cause) => cause === 'other').length],
      [Object.keys(KERNEL_WORDS).length, 2],
    );
    const traffic = ['TcpActiveOpens', 'TcpPassiveOpens', 'TcpInSegs', 'TcpOutSegs'];
    assert.deepEqual(
      KEPT_COUNTERS.filter((name) => !KERNEL_WORDS[name]),
      traffic,
      'every counter the client keeps has words',
    );
    const [f] = factsFor(runs['10k']);
    const kernel = { 'TcpExt<b>': 4, TcpExtTCPMemoryPressuresChrono: 1500 };
    const odd = withSummary(f, { kernel, serverKernel: { TcpOutRsts: 6 } });
    const told = (/** @type {any} */ one) => {
      const { memPages } = runs['10k'].environment?.tcp ?? {};
      return `${counters([one], ({ summary }) => summary.kernel, 'machine', memPages)}${counters([one], ({ summary }) => summary.serverKernel, 'server')}`;
    };
    const page = told(odd);
    assert.ok(page.includes('TcpExt&lt;b&gt;'), 'also an unknown name');
    assert.match(textOf(elementOf(page, 'data-counter', 'TcpExtTCPMemoryPressuresChrono')), / 1\.5 s$/);
    assert.deepEqual(attributesOf(page, 'data-namespace'), ['machine', 'server']);
    const [ofMachine, ofServer] = page.split('data-namespace="server"');
    assert.ok(!attributesOf(ofMachine, 'data-counter').includes('TcpOutRsts'));
    assert.deepEqual(attributesOf(ofServer, 'data-counter'), ['TcpOutRsts']);
    const alone = told(f);
    const attempts = f.summary.attempts?.total ?? 0;
    const queue = withSummary(f, {
      kernel: { TcpExtListenDrops: 7, TcpExtListenOverflows: 6, TcpActiveOpens: attempts * 2 },
    });
    const rows = told(queue);
    assert.deepEqual(attributesOf(rows, 'data-cause'), ['queue']);
    assert.match(textOf(elementOf(rows, 'data-cause', 'queue')), / 7$/);
    assert.deepEqual(attributesOf(rows.split('class="counted"')[1], 'data-counter'), [
      'TcpExtListenOverflows',
      'TcpExtListenDrops',
    ]);
    assert.ok(codesIn(rows).includes('other-connections'));
    assert.ok(!codesIn(alone).includes('other-connections'));
    assert.deepEqual(attributesOf(alone, 'data-namespace'), ['machine']);
    assert.match(textOf(elementOf(alone, 'data-counter', 'TcpMemPages')), /508 MB/);
  });

  it('tells how busy threads and processes were, one or many', () => {
    const [f] = factsFor(runs['10k']);
    const using = (/** @type {number[]} */ processCpu) => withFigures(f, { server: { cpuSeconds: 1, processCpu } });
    const of = (/** @type {number} */ n) => using(Array.from({ length: n }, (_, i) => 0.5 - i / 100));
    const told = (/** @type {import('../../report/types.js').PageLeg} */ one) =>
      cellOf(limits([one], runs['10k']), 'server processes');
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
    const of = (/** @type {any} */ change, /** @type {any} */ other = {}) =>
      codesIn(limits([withSummary(f, change)], { ...run, ...other })).includes('shared-cores');
    assert.equal(of({}), true);
    assert.equal(of({ limitShares: { machine: 0, client: 0, server: 0, none: 1 } }), false);
    assert.equal(of({ disturbed: 1 }), false, 'a warning says so');
    const server = { kind: 'target', host: '10.0.0.7', port: 80 };
    const pin = { client: '0', server: null };
    const plan = { ...run.plan, legs: [{ ...run.plan?.legs[0], server, pin }] };
    assert.equal(of({}, { plan }), false);
    assert.match(
      textOf(conditions({ ...run, plan })),
      /server at 10\.\s?0\.\s?0\.\s?7, another machine or interface, not described, workers on CPU 0/,
    );
    const titles = (/** @type {any} */ one) =>
      [...String(conditions(one)).matchAll(/<h3>([^<]*achine[^<]*)<\/h3>/g)].map(([, title]) => title);
    assert.deepEqual(titles({ ...run, plan }), ['Machine of the client', 'Limits of the client’s machine']);
    const agent = {
      agent: 's1',
      address: '10.0.0.8',
      cpu: 'Made-up 9000',
      cores: 64,
      limits: { descriptors: 777 },
      sysctl: { 'net.core.somaxconn': '17' },
    };
    const apart = {
      ...run,
      plan: {
        ...run.plan,
        legs: (run.plan?.legs ?? []).map((/** @type {any} */ leg) => ({ ...leg, serverAgent: 's1' })),
      },
      environment: { ...run.environment, server: agent },
    };
    assert.deepEqual(titles(apart), [
      'Machine of the client',
      'Limits of the client’s machine',
      'Machine of the server',
      'Limits of the server’s machine',
      'Kernel settings of the server’s machine',
    ]);
    assert.match(
      textOf(conditions(apart)),
      /servers on agent s1 at 10\.\s?0\.\s?0\.\s?8, see the machine of the server/,
    );
    assert.match(textOf(conditions(apart)), /Made-\s?up 9000/);
    assert.equal(of({}, apart), false, 'they share no cores');
    const here = { ...run, plan, scenario: { ...run.scenario, serverPid: 42 } };
    assert.deepEqual(titles(here), ['Machine', 'Limits of the machine']);
    assert.match(textOf(conditions(here)), /another interface of this machine, workers/);
    assert.match(textOf(conditions(run)), /select, epoll: 5/);
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
    const kernel = chartOf(run, 'kernel');
    const drops = kernel.panels[0].datasets.find((/** @type {any} */ one) => one.cause === 'drops');
    assert.equal(
      sum(drops.points, ([, , n]) => n),
      run.legs[0].summary?.kernel.TcpExtListenDrops,
    );
    assert.deepEqual(
      kernel.panels[2].datasets.map((/** @type {any} */ one) => one.cause),
      ['again', 'memory'],
    );
  });

  it('shows the ceiling of a leg: requested, open, unanswered, and how many there ever were', () => {
    const [multi, , epoll] = chartOf(runs['80k'], 'connections').panels;
    assert.deepEqual(multi.note, {
      code: 'ceiling',
      data: { open: 19_980, requested: 80_000, unanswered: 0, peakOpen: 24_077, mostUnanswered: 4097 },
      text: '19,980 of 80,000 open at the end of the steady state; at most 24,077 at a time, up to 4,097 of them unanswered',
    });
    assert.equal(multi.strong, true);
    const [leg] = runs['10k'].legs;
    const queued = leg.samples.map((sample) => ({ ...sample, gauges: { ...sample.gauges, queued: 5 } }));
    const roleOf = (/** @type {any} */ { role }) => role;
    const roles = (/** @type {any} */ samples) =>
      chartOf({ ...runs['10k'], legs: [{ ...leg, samples }] }, 'connections').legend.map(roleOf);
    assert.ok(roles(queued).includes('queued'));
    assert.ok(!roles(leg.samples).includes('queued'), 'only where connectRate held some back');
    assert.deepEqual([epoll.note.code, epoll.note.data.open], ['held', 80_000]);
    const memory = chartOf(runs['80k'], 'memory').panels[2];
    assert.equal(memory.marks[0].at, 383_869 * 4096);
    assert.ok(memory.datasets.some((/** @type {any} */ one) => one.role === 'pages'));
  });

  it('puts connections a second and connect time first where connections are what is measured', () => {
    const run = runs.reconnect;
    const facts = factsFor(run);
    const { charts } = chartModel(run, facts);
    const main = charts.filter(({ section }) => section === 'main').map(({ id }) => id);
    assert.deepEqual(main.slice(0, 2), ['opens', 'main-response']);
    assert.equal(new Set(charts.map(({ id }) => id)).size, charts.length, 'no figure twice');
    assert.match(heldText(facts[2].summary, facts[2].workload), /^opened \d[\d,]*\/s, [\d,]+ in all$/);
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
      summary: { ...leg.summary, connections: { ...leg.summary?.connections, neverAnswered: 1000 } },
      samples: leg.samples.map((sample) => ({
        ...sample,
        gauges: { ...sample.gauges, unanswered: 700, openedLastSecond: 200 },
      })),
    }));
    const mute = factsFor({ ...run, legs: silent });
    assert.equal(mute[2].summary.connections?.neverAnswered, 1000);
    const connections = chartOf({ ...run, legs: silent }, 'connections').panels[0];
    const unanswered = connections.datasets.find((/** @type {any} */ one) => one.role === 'unanswered');
    assert.equal(unanswered.points[5][1], 500, 'those just opened had no time for an answer');
    assert.deepEqual([connections.note.code, connections.note.data.neverAnswered], ['opened', 1000]);
    const payload = chartOf(run, 'bytes').panels[0].datasets[0].points.at(-1);
    assert.deepEqual([payload[1], payload[2]], [null, run.legs[0].samples.at(-1)?.counters.bytesReceived]);
    const refused = run.legs.map((leg) => ({
      ...leg,
      summary: { ...leg.summary, attempts: { ...leg.summary?.attempts, total: 9e6 } },
    }));
    const chart = chartOf({ ...run, legs: refused }, 'opens');
    assert.equal(chart.panels[0].datasets.filter((/** @type {any} */ one) => one.role === 'thin').length, 3);
    assert.equal(chart.data.attempts, true);
  });
});
