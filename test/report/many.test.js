// Many legs: in which orders they are listed, which are drawn at first, and that who served only some never looks fast.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { warning } from '../../client/results/warnings.js';
import { fewPlacesText, placesText, servedOnlySome } from '../../client/results/leg-figures.js';
import { chartModel } from '../../report/model/charts/all.js';
import { legResults } from '../../report/model/leg-results.js';
import { areMany, drawnFirst, grouped, orders, withColours, withOwn } from '../../report/model/leg-order.js';
import { dashOf } from '../../report/model/leg-marks.js';
import { COLOURS } from '../../report/model/palette.js';
import { readRun } from '../../report/read/read-run.js';
import { runsSection } from '../../report/read/run-list.js';
import { figures } from '../../report/html/sections/figures.js';
import { notices } from '../../report/html/sections/notices.js';
import { overview } from '../../report/html/sections/overview.js';
import { reasons } from '../../report/html/sections/reasons.js';
import { totals } from '../../report/html/sections/totals.js';
import { legCards } from '../../report/html/sections/leg-cards.js';
import { makeRun } from '../fixtures/make-run.js';

/** @typedef {import('../../report/types.js').LegResults} LegResults */

const textOf = (/** @type {any} */ fragment) =>
  String(fragment)
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ');
const labels = (/** @type {Array<{ label: string }>} */ list) => list.map(({ label }) => label);

describe('report: many legs', function () {
  this.timeout(120_000);
  /** @type {string} */
  let scratch;
  /** @type {Record<'fleet' | 'polyglot', import('../../report/types.js').Run>} */
  const runs = /** @type {any} */ ({});
  /** @type {Record<'fleet' | 'polyglot', LegResults[]>} */
  const facts = /** @type {any} */ ({});
  before(async () => {
    scratch = await mkdtemp(join(tmpdir(), 'broadside-many-'));
    for (const load of /** @type {const} */ (['fleet', 'polyglot'])) {
      runs[load] = await readRun(await makeRun({ out: join(scratch, load), load }));
      facts[load] = withColours(runs[load].legs.map((leg) => legResults(leg, runs[load])));
    }
  });
  after(() => rm(scratch, { recursive: true, force: true }));
  const named = (/** @type {string} */ label) =>
    /** @type {LegResults} */ (facts.polyglot.find((f) => f.label === label));

  it('are more than six; fewer stand side by side as ever', () => {
    const some = facts.polyglot.slice(0, 6);
    assert.deepEqual([areMany(some), areMany(facts.fleet)], [false, true]);
    assert.equal(withColours(some), some);
    assert.match(String(legCards(some, 'closed loop')), /class="card leg-0"/);
    assert.doesNotMatch(String(legCards(some, 'closed loop')), /class="overview/);
  });

  it('are grouped by language where there are several; who left some unanswered stands last', () => {
    const groups = grouped(facts.polyglot);
    assert.deepEqual(
      groups.map(({ name, results: own }) => `${name} ${own.length}`),
      ['C 17', 'Go 2', 'Java 3', 'Node.js 2', 'Python 4', 'Rust 2'],
    );
    for (const { results: own } of groups) {
      const standing = own.map((f) => Number(f.servedOnlySome !== undefined));
      assert.deepEqual(standing, [...standing].sort());
    }
    const [c] = groups;
    assert.equal(c.results[0].label, 'io_uring');
    assert.deepEqual(labels(c.results.slice(13)).sort(), ['iterative', 'preforked', 'prethreaded', 'prethreaded 128']);
    assert.equal(grouped(facts.fleet).length, 1);
    const unknown = facts.polyglot.map((f) => (f.label === 'go' ? { ...f, serverModel: undefined } : f));
    assert.deepEqual(
      grouped(unknown)
        .map(({ name }) => name)
        .at(-1),
      'others',
    );
  });

  it('can be listed in several orders, each of all of them', () => {
    for (const own of Object.values(facts)) {
      const names = orders(own).map(({ id }) => id);
      assert.deepEqual(
        names,
        own === facts.fleet ? ['speed', 'wait', 'name', 'run'] : ['language', 'speed', 'wait', 'name', 'run'],
      );
      for (const order of orders(own)) assert.deepEqual(new Set(order.results), new Set(own), order.id);
    }
    const by = (/** @type {string} */ id) => labels(orders(facts.polyglot).find((one) => one.id === id)?.results ?? []);
    assert.deepEqual([by('speed')[0], by('name')[0], by('run')], ['io_uring', 'epoll', labels(facts.polyglot)]);
    for (const id of ['speed', 'wait']) assert.ok(by(id).indexOf('iterative') > by(id).indexOf('python-asyncio'), id);
  });

  it('are drawn six at first: one of each language, or from all over the order with one that served only some', () => {
    assert.deepEqual(new Set(drawnFirst(facts.polyglot).map((f) => f.serverModel?.language)).size, 6);
    const first = drawnFirst(facts.fleet);
    assert.equal(first.length, 6);
    assert.equal(first.filter((f) => f.servedOnlySome).length, 1);
    assert.deepEqual([first[0].label, first[4].label], ['io_uring', 'fork']);
    const two = facts.polyglot.filter((f) => ['go', 'rust'].includes(f.serverModel?.language ?? ''));
    assert.deepEqual(labels(drawnFirst(two)), ['go', 'rust-tokio', 'go, one thread', 'rust-threads']);
    assert.deepEqual(drawnFirst(facts.fleet.map((f) => ({ ...f, ran: false }))), []);
  });

  it('differ in colour or dash, those drawn at first in colour', () => {
    for (const own of Object.values(facts)) {
      assert.deepEqual(
        own
          .filter((f) => f.drawn)
          .map((f) => f.colour)
          .sort(),
        [0, 1, 2, 3, 4, 5],
      );
      assert.deepEqual(
        own.map((f) => f.colour).sort((a, b) => a - b),
        own.map((_, i) => i),
      );
    }
    const looks = Array.from({ length: 96 }, (_, i) => `${i % COLOURS} ${dashOf(i)}`);
    assert.equal(new Set(looks).size, 96);
  });

  it('say of a server with few places how many it serves and how many it leaves', () => {
    assert.equal(named('iterative').servedOnlySome, 'serves 1 at once: 999 of 1,000 unanswered');
    assert.equal(named('prethreaded').servedOnlySome, 'serves 16 at once (threads): 984 of 1,000 unanswered');
    assert.equal(named('python-threads').servedOnlySome, '200 of 1,000 unanswered');
    assert.equal(named('epoll').servedOnlySome, undefined);
    assert.deepEqual(
      ['iterative', 'preforked', 'go'].map((label) => placesText(named(label))),
      ['1', '16 processes', 'unbounded'],
    );
    const { summary: preforked } = runs.polyglot.legs[named('preforked').index];
    const connections = { ...preforked?.connections, requested: 16 };
    assert.equal(fewPlacesText({ ...preforked, connections }), undefined);
    for (const f of facts.polyglot) {
      const { summary } = runs.polyglot.legs[f.index];
      assert.equal(servedOnlySome({ ...summary, heldOnly: true }), undefined, f.label);
    }
    const [first, ...rest] = facts.polyglot.slice(4, 7).reverse();
    const card = textOf(legCards([first, ...rest], 'closed loop'));
    assert.match(card, /iterative held 1,000 of 1,000 serves 1 at once: 999 of 1,000 unanswered unanswered 999/);
  });

  it('have an overview: a row each, times on one scale, what was not served beside them', () => {
    const model = chartModel(runs.polyglot, facts.polyglot);
    const page = String(overview(facts.polyglot, model.legs, 'closed loop'));
    const rows = page.split('<tr class="leg-').slice(1);
    assert.equal(rows.length, 30);
    const row = (/** @type {string} */ label) => rows.find((one) => one.includes(`</i>${label}</button>`)) ?? '';
    assert.match(row('iterative'), /^\d+( again-\d)? some"/);
    assert.match(textOf(row('iterative')), /serves 1 at once: 999 of 1,000 unanswered 10\.4 µs \* 13\.6 µs \* /);
    assert.match(textOf(row('epoll')), /epoll, level-triggered, one thread 6\.68 ms 8\.86 ms 51\.8 ms 148,885 0 0 0/);
    assert.doesNotMatch(row('epoll'), /class="only"|\bsome\b/);
    assert.match(textOf(row('python-threads')), /held 840 of 1,000 .* 200 160 9/);
    const places = rows.map((one) => Number(/ class="p50" style="left:([\d.]+)%"/.exec(one)?.[1]));
    assert.ok(
      places.every((at) => at >= 0 && at <= 100),
      places.join(),
    );
    const left = (/** @type {string} */ label) => places[rows.indexOf(row(label))];
    assert.ok(left('iterative') < left('epoll') && left('epoll') < left('python-asyncio'));
    // each order's places are a permutation
    for (const order of [0, 1, 2, 3, 4]) {
      const at = rows.map((one) => Number(/data-places="([\d,]+)"/.exec(one)?.[1].split(',')[order]));
      assert.deepEqual(
        at.sort((a, b) => a - b),
        rows.map((_, i) => i),
      );
    }
    assert.match(textOf(page), /C 17 servers .* Rust 2 servers/);
    assert.match(textOf(page), /\* Only of the connections that were served/);
  });

  it('have in the overview what their workload is about, and bear legs that did not run', async () => {
    const reconnect = await readRun(await makeRun({ out: join(scratch, 'reconnect'), load: 'reconnect', legs: 8 }));
    const own = withColours(reconnect.legs.map((leg) => legResults(leg, reconnect)));
    const of = (/** @type {LegResults[]} */ some) => textOf(overview(some, [], 'closed loop'));
    assert.match(of(own), /Order: opened\/s connect p99 .* Connect time: .* opened\/s never answered/);
    const held = facts.fleet.map((f) => ({
      ...f,
      workload: 'hold',
      heldOnly: true,
      servedOnlySome: undefined,
      fewPlaces: undefined,
      perSecond: undefined,
    }));
    assert.match(of(held), /Order: connect p99 .* Connect time: .* lost rejects errors/);
    assert.doesNotMatch(of(held), /transfers\/s|unanswered|NaN|undefined/);
    const once = facts.fleet.map((f) => ({ ...f, workload: 'once', perSecond: undefined }));
    assert.match(of(once), /answered never answered rejects/);
    const gone = { ran: false, response: undefined, message: '<no port>\nx' };
    const absent = facts.fleet.map((f, i) => (i % 2 ? f : { ...f, ...gone }));
    assert.match(String(overview(absent, [], 'closed loop')), /did not run: &lt;no port&gt;</);
    const none = facts.fleet.map((f) => ({ ...f, ran: false, response: undefined, connect: undefined }));
    assert.doesNotMatch(String(overview(none, [], 'closed loop')), /NaN|Infinity|undefined/);
  });

  it('have in the overview what only some runs are about: replies, handshakes, what is unsent', () => {
    const model = chartModel(runs.fleet, facts.fleet);
    const textAlone = (/** @type {import('../../report/types.js').LegResults[]} */ own) =>
      textOf(String(overview(own, model.legs, 'open loop')));
    assert.doesNotMatch(textAlone(facts.fleet), /replies|handshake|unsent/);
    const some = facts.fleet.map((f, i) => ({
      ...f,
      closed: false,
      late: 7,
      unsent: i === 0 ? 31 : 0,
      handshake: /** @type {any} */ ({ p50: 1e6, p99: 4e6, max: 9e6 }),
      replies: { '2xx': 75, '5xx': i === 0 ? 25 : 0 },
    }));
    const page = String(overview(some, model.legs, 'open loop'));
    const bad = [...page.matchAll(/<td class="failed more bad" data-name="([^"]*)">([^<]*)</g)];
    assert.deepEqual(
      bad.map(([, ...told]) => told),
      [
        ['replies', '5xx 25 %'],
        ['late / unsent', '7 / 31'],
      ],
    );
    assert.equal(page.match(/data-name="handshake p99">4 ms</g)?.length, some.length);
    assert.equal(page.match(/data-name="replies">2xx</g)?.length, some.length - 1);
    const card = textOf(legCards(some.slice(0, 1), 'open loop'));
    assert.match(card, /handshake p50 1 ms handshake p99 4 ms handshake max 9 ms/);
    const [one] = some.map((f) => ({
      ...f,
      handshake: { ...f.handshake, count: 20 },
      resumption: /** @type {any} */ ({ count: 1234, p50: 5e5, p99: 2e6, max: 3e6 }),
    }));
    assert.match(
      textOf(legCards([one], 'open loop')),
      /whole handshakes 20 handshake p50 1 ms handshake p99 4 ms resumed 1,234 resumed p50 500 µs resumed p99 2 ms/,
    );
    const few = textOf(totals([one], 'open loop'));
    assert.match(
      few,
      /Handshake time \(TLS\) p50 \/ p99 \/ max 1 ms \/ 4 ms \/ 9 ms Resumed handshakes p50 \/ p99 \/ max 500 µs \/ 2 ms \/ 3 ms/,
    );
    assert.match(textOf(totals(some, 'open loop')), /Throughput .*Handshake time \(TLS\) .*Every other figure/);
  });

  it('draw in the charts of failures those with the most of it, whatever is chosen', () => {
    const { charts, legs } = chartModel(runs.polyglot, facts.polyglot);
    const own = (/** @type {string} */ id) =>
      charts
        .find((chart) => chart.id === id)
        ?.panels.filter((panel) => panel.own)
        .map(({ leg }) => legs[Number(leg)].label);
    assert.deepEqual(own('rejects'), ['python-threads']);
    assert.deepEqual(own('errors'), ['poll-pool', 'select', 'python-threads']);
    assert.equal(own('kernel')?.length, 3);
    assert.equal(own('kernel')?.includes('python-threads'), true);
    assert.equal(charts.find(({ id }) => id === 'recovery')?.own, true);
    assert.equal(charts.find(({ id }) => id === 'transfers')?.own, undefined);
    const text = textOf(figures({ charts, legs, many: true }, facts.polyglot));
    assert.match(text, /Drawn is the one server with any; the other 29 had none\./);
    assert.match(text, /Drawn are all 3 with any; the other 27 had none\./);
    assert.match(text, /Drawn are the 3 with the most of \d+, and further ones when they are chosen/);
    const quiet = /** @type {any} */ ({ layout: 'panels', kind: 'bar', panels: [{ amount: 0 }, { empty: 'none' }] });
    assert.ok(withOwn(quiet).panels.every((panel) => !panel.own));
  });

  it('keep the counts of their samples, and stay light', () => {
    const long = {
      ...runs.fleet,
      legs: runs.fleet.legs.slice(0, 7).map((leg) => {
        const samples = Array.from({ length: 320 }, (_, i) => {
          const sample = leg.samples[6 + (i % 4)];
          return {
            ...sample,
            second: i + 1,
            phase: /** @type {const} */ ('steady'),
            fromNs: i * 1e9,
            toNs: (i + 1) * 1e9,
          };
        });
        return { ...leg, samples };
      }),
    };
    const { charts, step } = chartModel(long, withColours(long.legs.map((leg) => legResults(leg, long))));
    assert.equal(step, 2);
    const chart = charts.find(({ id }) => id === 'transfers');
    long.legs.forEach((leg, i) => {
      const points = chart?.panels[0].datasets[i].points ?? [];
      assert.ok(points.length <= 300);
      assert.equal(
        points.reduce((sum, [, , n]) => sum + n, 0),
        leg.samples.reduce((sum, sample) => sum + sample.counters.transfers, 0),
      );
    });
    const response = charts.find(({ id }) => id === 'response');
    const cloud = response?.panels.flatMap(({ datasets }) => datasets.filter(({ role }) => role === 'cloud')) ?? [];
    assert.ok(cloud.reduce((sum, { points }) => sum + points.length, 0) <= 24_000);
  });

  it('have tables with a leg a row', () => {
    const own = facts.polyglot;
    const all = String(totals(own, 'closed loop'));
    const [, details] = all.split('<details>');
    assert.equal(details.split('<tr>').length - 2, 30);
    assert.match(textOf(details), /iterative .* C: one connection at a time, blocking calls 1 /);
    assert.equal(
      all.split('>*</span>').length > 1 && /\* Only of the connections that were served\./.test(textOf(all)),
      true,
    );
    const chips = [...all.split('<details>')[0].matchAll(/class="leg (leg-[^"]*)"/g)].map(([, look]) => look);
    assert.deepEqual([chips.length, new Set(chips).size], [30, 30]);
    assert.match(textOf(all), /iterative serves 1 at once: 999 of 1,000 unanswered 1,000 \/ 1,000 999/);
    const why = String(reasons(own, runs.polyglot));
    const rows = why.slice(why.indexOf('<table class="why">'), why.indexOf('</table>'));
    assert.equal(rows.match(/<th scope="row"/g)?.length, 30);
    assert.match(textOf(rows), /python-threads .* 160 rejects, timeout: no answer within 10 s/);
    assert.match(textOf(rows), /io_uring no side none 40 µs .* nothing rejected or lost/);
    const counted = why.slice(why.indexOf('<details class="counted">'));
    const leg = own.find((f) => f.label === 'python-threads');
    const at = /<tr><th scope="row"[^>]*><i class="chip"><\/i>python-threads<\/th>(.*?)<\/tr>/.exec(counted)?.[1] ?? '';
    assert.ok(textOf(at).includes(` ${leg?.kernel.TcpExtListenDrops.toLocaleString('en-US')} `), at);
    assert.match(textOf(counted), /SYNs dropped by a listener TcpExtListenDrops Because of a full accept queue/);
  });

  it('are warned of together where the words are the same', () => {
    const shared = (/** @type {number} */ n) => warning('background-load', { cores: n, of: 2 });
    const own = facts.fleet.map((f, i) => ({ ...f, warnings: i < 3 ? [shared(1.2 + i)] : [] }));
    const said = String(notices(runs.fleet, own));
    assert.match(textOf(said), /epoll: other programs used 1\.2 of 2 cores in the steady state: .* Likewise 2 others/);
    assert.match(textOf(said), /epoll-et-pool: other programs used 3\.2 of 2/);
    assert.match(textOf(said), /iterative: it serves 1 of the 1,000 connections at once/);
    const few = String(
      notices({ ...runs.fleet, plan: null, summary: { complete: true, warnings: [] } }, own.slice(0, 3)),
    );
    assert.equal(few.match(/other programs/g)?.length, 4, 'of few legs, too: one told, and all three behind it');
    assert.doesNotMatch(
      String(notices({ ...runs.fleet, plan: null, summary: { complete: true, warnings: [] } }, own.slice(2, 4))),
      /Likewise/,
    );
  });

  it('are folded in the list of runs', () => {
    const card = { file: 'a.html', run: 'a', scenario: 's', startedAt: '2026-11-23T09:00:00.000Z', complete: true };
    const legs = labels(facts.polyglot).map((label) => ({ label, line: 'held all' }));
    assert.match(runsSection([{ ...card, legs }]), /<details><summary>30 servers<\/summary><ul><li><b>epoll<\/b>/);
    assert.doesNotMatch(runsSection([{ ...card, legs: legs.slice(0, 6) }]), /<details>/);
  });
});
