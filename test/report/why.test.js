// Why connections were rejected or slow, where the knee was, who was the limit: the words and figures of these.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KEPT_COUNTERS } from '../../client/machine/kernel-counters.js';
import { warning } from '../../client/results/warnings.js';
import { chartModel } from '../../report/model/charts/all.js';
import { parted } from '../../report/model/charts/ramp.js';
import { barStepOf } from '../../report/model/downsample.js';
import { legResults } from '../../report/model/leg-results.js';
import { kneeReasons, kneeText } from '../../client/results/phrases/knee.js';
import { readRun } from '../../report/read/read-run.js';
import { conditions } from '../../report/html/sections/conditions.js';
import { countersMoved, KERNEL_WORDS } from '../../report/html/sections/kernel-words.js';
import { reasons } from '../../report/html/sections/reasons.js';
import { totals } from '../../report/html/sections/totals.js';
import { legCards, legLine } from '../../report/html/sections/leg-cards.js';
import { makeRun } from '../fixtures/make-run.js';

const sum = (/** @type {any[]} */ list, /** @type {(one: any) => number} */ of) =>
  list.reduce((total, one) => total + of(one), 0);
const textOf = (/** @type {any} */ fragment) =>
  String(fragment)
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ');

describe('report: why', function () {
  this.timeout(120_000);
  /** @type {string} */
  let scratch;
  /** @type {Record<'10k' | '80k' | 'reconnect', import('../../report/types.js').Run>} */
  const runs = /** @type {any} */ ({});
  before(async () => {
    scratch = await mkdtemp(join(tmpdir(), 'broadside-why-'));
    for (const load of /** @type {const} */ (['10k', '80k', 'reconnect']))
      runs[load] = await readRun(await makeRun({ out: join(scratch, load), load }));
  });
  after(() => rm(scratch, { recursive: true, force: true }));
  const factsFor = (/** @type {import('../../report/types.js').Run} */ run) =>
    run.legs.map((leg) => legResults(leg, run));
  /** @param {import('../../report/types.js').Run} run @param {string} id @returns {any} */
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
      /^50,000\/s, p99 20 ms; throughput is below 90 % of the best so far \(100,000\/s at 1,000\)$/,
    );
    assert.match(at2('responseTime', { p99Ns: 9e7 }) ?? '', /p99 90 ms; p99 is over 3 × open ÷ throughput \(20 ms\)$/);
    const failures = at2('failures', { unanswered: 30, openedLastSecond: 10, errors: 20 });
    assert.match(failures ?? '', /20 unanswered and 20 errors are 2 % of those requested, over 0\.1 %$/);
    assert.match(
      at2('responseTime', { open: 100, maxInFlight: 2000 }) ?? '',
      /p99 is over 3 × requested ÷ throughput \(20 ms\)$/,
    );
    assert.match(at2('slower', { p99Ns: 2e8 }) ?? '', /p99 is over 5 × that of the first step \(20 ms\)$/);
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
    assert.match(mark.label, /knee: multi-threaded/);
    const response = chartOf(run, 'ramp-response').panels[0].datasets;
    assert.ok(response.some((/** @type {any} */ one) => one.role === 'thin' && /p50/.test(one.label)));
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
    assert.doesNotMatch(String(legCards(factsFor(run), 'closed loop')), /knee/);
  });

  it('marks when a SYN is sent again only where connects took so long', () => {
    const marks = chartOf(runs['10k'], 'connect').panels[0].marks;
    assert.deepEqual(
      marks.map((/** @type {any} */ one) => one.at),
      [1e9, 2e9, 3e9],
    );
    assert.equal(marks[0].label, 'SYN again: 1 s');
    const quick = { ...runs['10k'], legs: [runs['10k'].legs[2]] };
    const chart = chartOf(quick, 'connect');
    assert.equal(chart.panels[0].marks, undefined);
    assert.match(chart.lead, /None had to wait for a second SYN/);
    const given = { ...quick.legs[0], summary: { ...quick.legs[0].summary, rejects: { total: 3, timeout: 3 } } };
    assert.match(chartOf({ ...quick, legs: [given] }, 'connect').lead, /None that opened took 1 s or more/);
    assert.doesNotMatch(chartOf({ ...quick, environment: null }, 'connect').lead, /None/, 'it is not known');
  });

  it('is short when nothing happened and explains when something did', () => {
    const facts = factsFor(runs['80k']);
    const [multi, select, epoll] = facts.map((f) => textOf(reasons([f], runs['80k'])));
    assert.match(epoll, /No connection was rejected, lost or made to wait for a second SYN\./);
    assert.doesNotMatch(epoll, /rejects|Announced/);
    assert.match(multi, /697,999 rejects, timeout: no answer within 10 s, while accept queues were full\./);
    assert.match(multi, /4,097 open connections ended or were spoiled: timeout 4,097\./);
    assert.match(
      multi,
      /6,981 of 24,077 connects took 1 s or more: 4,816 from 1 s on, 1,690 from 2 s on, 475 from 3 s on\. The accept queue was full/,
    );
    assert.match(multi, /Announced before the run: one process can hold about 19,980 of the 80,000 connections/);
    assert.doesNotMatch(multi, /Announced[^]*31,568/, 'of two ceilings the lower one is met');
    assert.match(select, /rejects: [\d,]+ refused: nothing listened on the port; \d+ timeout: no answer within 10 s/);
    assert.match(select, /Limit: the machine for 93\.3 %, no side 6\.67 % of the steady state/);
    assert.match(epoll, /Client and server share 2 cores here: that the machine is the limit is the usual case/);
  });

  it('does not blame a queue for connects that were slow without a second SYN', () => {
    const [f] = factsFor(runs['10k']);
    const said = (/** @type {any} */ kernel, /** @type {any} */ serverKernel = undefined) =>
      textOf(reasons([{ ...f, kernel, serverKernel }], runs['10k']));
    assert.match(
      said({ TcpExtTCPSynRetrans: 0, TcpExtListenDrops: 9 }),
      /No SYN was sent again: they waited for the machine/,
    );
    assert.match(
      said({ TcpExtTCPSynRetrans: 5 }),
      /Their SYN had no answer .* mostly a full accept queue at the server/,
    );
    assert.match(said({ TcpExtTCPSynRetrans: 5 }, { TcpExtListenDrops: 5 }), /The accept queue was full/);
  });

  it('lists the counters that moved: known ones in words, unknown ones by name, traffic not at all', () => {
    const moved = countersMoved([
      { TcpInSegs: 9, TcpExtNewOne: 3, TcpOutRsts: 1, TcpExtListenDrops: 0 },
      { TcpExtListenDrops: 2, TcpMemPages: 7, TcpExtOld: 0 },
    ]);
    assert.deepEqual(moved, ['TcpExtListenDrops', 'TcpOutRsts', 'TcpExtNewOne']);
    const traffic = ['TcpActiveOpens', 'TcpPassiveOpens', 'TcpInSegs', 'TcpOutSegs'];
    assert.deepEqual(
      KEPT_COUNTERS.filter((name) => !KERNEL_WORDS[name]),
      traffic,
      'every counter the client keeps has words',
    );
    const [f] = factsFor(runs['10k']);
    const kernel = { 'TcpExt<b>': 4, TcpExtTCPMemoryPressuresChrono: 1500 };
    const odd = { ...f, kernel, serverKernel: { TcpOutRsts: 6 } };
    const page = String(reasons([odd], runs['10k']));
    assert.ok(page.includes('TcpExt&lt;b&gt;'), 'also a name nobody has thought of');
    assert.match(textOf(page), /time under memory pressure .* 1\.5 s/);
    assert.match(textOf(page), /of the whole network namespace of this machine, not only of this run/);
    assert.match(textOf(page), /of the whole network namespace of the server, another one .* resets sent/);
    assert.equal(page.match(/<table/g)?.length, 2);
    assert.equal(String(reasons([f], runs['10k'])).match(/<table/g)?.length, 1);
    assert.match(textOf(reasons([f], runs['10k'])), /most memory that TCP held .* Pressure begins at 508 MB/);
  });

  it('tells each thread and process, one or many', () => {
    const [f] = factsFor(runs['10k']);
    const of = (/** @type {number} */ n) =>
      String(reasons([{ ...f, processCpu: Array.from({ length: n }, (_, i) => 0.5 - i / 100) }], runs['10k']));
    assert.match(of(1), /The server’s process: 50 % of a core/);
    assert.match(of(32), /32 server processes: 19 % to 50 % of a core/);
    const bars = (/** @type {string} */ page) => page.split('of-server')[1].split('</div>')[0].match(/<i>/g)?.length;
    assert.deepEqual([bars(of(1)), bars(of(32))], [1, 32]);
    assert.doesNotMatch(of(0), /of-server/);
    const told = (/** @type {any} */ change) => textOf(reasons([{ ...f, ...change }], runs['10k']));
    const three = { processCpu: [0.3, 0.2, 0.2, 0], plannedProcesses: 3, serverProcesses: 4 };
    assert.match(told(three), /3 server processes: 30 %, 20 %, 20 % of a core; another one only watches them/);
    const many = { processCpu: Array(32).fill(0.1), plannedProcesses: 40, serverProcesses: 41 };
    assert.match(told(many), /The busiest 32 of 40 server processes: 10 % each of a core/);
  });

  it('calls a machine at its limit usual only where client and server share few cores with nobody else', () => {
    const run = runs['80k'];
    const [f] = factsFor(run);
    const lead = (/** @type {any} */ change, /** @type {any} */ other = {}) =>
      textOf(reasons([{ ...f, ...change }], { ...run, ...other })).split('Waiting is')[0];
    assert.match(lead({}), /share 2 cores here: that the machine is the limit is the usual case/);
    assert.doesNotMatch(lead({ limits: { machine: 0, client: 0, server: 0, none: 1 } }), /usual/);
    const foreign = lead({ warnings: [warning('background-load', { cores: 1, of: 2 })] });
    assert.match(foreign, /other programs took their part of the machine/);
    assert.doesNotMatch(foreign, /usual/);
    const server = { kind: 'target', host: '10.0.0.7', port: 80 };
    const plan = { ...run.plan, legs: [{ ...run.plan?.legs[0], server }] };
    assert.doesNotMatch(lead({}, { plan }), /usual/);
    const scenario = { ...run.scenario, pin: { client: '0', server: null } };
    assert.match(
      textOf(conditions({ ...run, plan, scenario })),
      /server at 10\.\s?0\.\s?0\.\s?7, another machine or interface, workers on CPU 0/,
    );
    assert.match(textOf(conditions(run)), /select, epoll: 5/);
  });

  it('draws bars wide enough to be seen, and loses no count in them', () => {
    const run = runs['80k'];
    assert.equal(barStepOf(run.legs.map((leg) => leg.samples)), 5);
    assert.equal(barStepOf(runs['10k'].legs.map((leg) => leg.samples)), 1);
    const chart = chartOf(run, 'rejects');
    assert.match(chart.lead, /Per 5 s\./);
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
    assert.equal(
      multi.note,
      '19,980 of 80,000 open at the end of the steady state; never more than 24,077, up to 4,097 of them unanswered',
    );
    assert.equal(multi.strong, true);
    const [leg] = runs['10k'].legs;
    const queued = leg.samples.map((sample) => ({ ...sample, gauges: { ...sample.gauges, queued: 5 } }));
    const roleOf = (/** @type {any} */ { role }) => role;
    const roles = (/** @type {any} */ samples) =>
      chartOf({ ...runs['10k'], legs: [{ ...leg, samples }] }, 'connections').legend.map(roleOf);
    assert.ok(roles(queued).includes('queued'));
    assert.ok(!roles(leg.samples).includes('queued'), 'only where connectRate held some back');
    assert.equal(epoll.note, '80,000 of 80,000 open at the end of the steady state');
    const memory = chartOf(runs['80k'], 'memory').panels[2];
    assert.equal(memory.marks[0].at, 383_869 * 4096);
    assert.ok(memory.datasets.some((/** @type {any} */ one) => one.role === 'pages'));
  });

  it('puts connections a second and connect time first where connections are what is measured', () => {
    const run = runs.reconnect;
    const facts = factsFor(run);
    const { charts } = chartModel(run, facts);
    assert.deepEqual(
      charts.slice(0, 2).map(({ id }) => id),
      ['opens', 'connect'],
    );
    assert.equal(new Set(charts.map(({ id }) => id)).size, charts.length, 'no figure twice');
    assert.match(legLine(facts[2]), /^opened [\d,]+\/s, [\d,]+ in all, never answered 0, rejects 0, errors 0/);
    assert.doesNotMatch(String(legCards(facts, 'closed loop')), /class="held bad"/, 'few are open at a time');
    const table = textOf(totals(facts, 'closed loop'));
    assert.match(table, /Reopened counts what was planned; lost would be errors/);
    assert.match(table, /opened attempts\/s opened\/s .* Connect time/);
    for (const f of facts) {
      const steady = run.legs[f.index].samples.filter((sample) => sample.phase === 'steady');
      assert.equal(f.opensPerSecond, sum(steady, (sample) => sample.counters.opened) / 10);
      assert.ok((f.reopened ?? 0) > 100_000 && f.lost === 0);
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
    assert.match(legLine(mute[2]), /never answered 1,000/);
    assert.match(String(legCards(mute, 'closed loop')), /class="held bad"/);
    assert.match(textOf(reasons(mute, run)), /1,000 were never answered/);
    const connections = chartOf({ ...run, legs: silent }, 'connections').panels[0];
    const unanswered = connections.datasets.find((/** @type {any} */ one) => one.role === 'unanswered');
    assert.equal(unanswered.points[5][1], 500, 'those just opened had no time for an answer');
    assert.match(connections.note, /1,000 never answered/);
    const payload = chartOf(run, 'bytes').panels[0].datasets[0].points.at(-1);
    assert.deepEqual([payload[1], payload[2]], [null, run.legs[0].samples.at(-1)?.counters.bytesReceived]);
    const refused = run.legs.map((leg) => ({
      ...leg,
      summary: { ...leg.summary, attempts: { ...leg.summary?.attempts, total: 9e6 } },
    }));
    const chart = chartOf({ ...run, legs: refused }, 'opens');
    assert.equal(chart.panels[0].datasets.filter((/** @type {any} */ one) => one.role === 'thin').length, 3);
    assert.match(chart.lead, /attempted/);
  });
});
