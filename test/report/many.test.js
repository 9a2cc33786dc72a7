// Many legs: in which orders they are listed, which are drawn at first, and that a server that served only some never looks fast.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { warning } from '../../client/words/warnings.js';
import { fewPlacesText, placesText, servedOnlySome } from '../../client/words/figures.js';
import { chartModel } from '../../report/model/charts/all.js';
import { pageLeg, requestedOf } from '../../report/model/page-leg.js';
import { areMany, drawnFirst, grouped, orders, withColours, withOwn } from '../../report/model/leg-order.js';
import { dashOf } from '../../report/model/leg-marks.js';
import { COLOURS } from '../../report/model/palette.js';
import { serverText } from '../../report/model/server-words.js';
import { readRun } from '../../report/read/read-run.js';
import { runsSection } from '../../report/read/run-list.js';
import { figures } from '../../report/html/sections/figures.js';
import { warnings } from '../../report/html/sections/notices.js';
import { overview } from '../../report/html/sections/overview.js';
import { reasons } from '../../report/html/sections/reasons.js';
import { totals } from '../../report/html/sections/totals.js';
import { legCards } from '../../report/html/sections/leg-cards.js';
import { makeRun } from '../fixtures/make-run.js';
import { withFigures, withSummary } from '../fixtures/page-legs.js';
import { attributesOf, cellOf, codesIn, elementOf, isBad, textOf } from '../fixtures/page-elements.js';

/** @typedef {import('../../report/types.js').PageLeg} PageLeg */

const labels = (/** @type {Array<{ label: string }>} */ list) => list.map(({ label }) => label);

describe('report: many legs', function () {
  this.timeout(120_000);
  /** @type {string} */
  let scratch;
  /** @type {Record<'fleet' | 'polyglot', LooseRun>} */
  const runs = /** @type {any} */ ({});
  /** @type {Record<'fleet' | 'polyglot', PageLeg[]>} */
  const facts = /** @type {any} */ ({});
  before(async () => {
    scratch = await mkdtemp(join(tmpdir(), 'broadside-many-'));
    for (const load of /** @type {const} */ (['fleet', 'polyglot'])) {
      runs[load] = await readRun(await makeRun({ out: join(scratch, load), load }));
      facts[load] = withColours(runs[load].legs.map((leg) => pageLeg(leg, runs[load])));
    }
  });
  after(() => rm(scratch, { recursive: true, force: true }));
  const named = (/** @type {string} */ label) => /** @type {PageLeg} */ (facts.polyglot.find((f) => f.label === label));

  it('are more than six; fewer stand side by side as ever', () => {
    const some = facts.polyglot.slice(0, 6);
    assert.deepEqual([areMany(some), areMany(facts.fleet)], [false, true]);
    assert.equal(withColours(some), some);
    assert.match(String(legCards(some, 'closed loop')), /class="card leg-0"/);
    const few = String(overview(some, [], 'closed loop'));
    assert.doesNotMatch(few, /data-arrange|data-toggle/);
    assert.deepEqual(
      attributesOf(few, 'data-leg'),
      some.map(({ label }) => label),
    );
    assert.doesNotMatch(String(legCards(some.slice(0, 1), 'closed loop')), /class="overview/);
  });

  it('are grouped by language where there are several; those that left some unanswered come last', () => {
    const groups = grouped(facts.polyglot);
    assert.deepEqual(
      groups.map(({ name, results: own }) => `${name} ${own.length}`),
      ['C 17', 'Go 2', 'Java 3', 'Node.js 2', 'Python 4', 'Rust 2'],
    );
    for (const { results: own } of groups) {
      const standing = own.map((f) => Number(servedOnlySome(f.summary) !== undefined));
      assert.deepEqual(standing, [...standing].sort());
    }
    const [c] = groups;
    assert.equal(c.results[0].label, 'io_uring');
    assert.deepEqual(labels(c.results.slice(13)).sort(), ['iterative', 'preforked', 'prethreaded', 'prethreaded 128']);
    assert.equal(grouped(facts.fleet).length, 1);
    const unknown = facts.polyglot.map((f) => (f.label === 'go' ? withSummary(f, { serverModel: undefined }) : f));
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
    assert.deepEqual(new Set(drawnFirst(facts.polyglot).map((f) => f.summary.serverModel?.language)).size, 6);
    const first = drawnFirst(facts.fleet);
    assert.equal(first.length, 6);
    assert.equal(first.filter((f) => servedOnlySome(f.summary)).length, 1);
    assert.deepEqual([first[0].label, first[4].label], ['io_uring', 'fork']);
    const two = facts.polyglot.filter((f) => ['go', 'rust'].includes(f.summary.serverModel?.language ?? ''));
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
    assert.equal(servedOnlySome(named('iterative').summary), 'serves 1 at once: 999 of 1,000 unanswered');
    assert.equal(servedOnlySome(named('prethreaded').summary), 'serves 16 at once (threads): 984 of 1,000 unanswered');
    assert.equal(servedOnlySome(named('python-threads').summary), '200 of 1,000 unanswered');
    assert.equal(servedOnlySome(named('epoll').summary), undefined);
    assert.deepEqual(
      ['iterative', 'preforked', 'go'].map((label) => placesText(named(label).summary)),
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
    const [, cards] = String(legCards([first, ...rest], 'closed loop')).split('<ul class="cards');
    const [card] = cards.split('</li>');
    assert.equal(first.label, 'iterative');
    assert.deepEqual(codesIn(card).slice(0, 2), ['held', 'served-only-some']);
    assert.ok(isBad(card, 'unanswered'));
    const { account } = first.summary;
    assert.ok(account, 'its account adds up, on the card too');
    const line = /data-code="account">(.*?)<\/p>/s.exec(card)?.[1] ?? '';
    assert.deepEqual(
      [...line.matchAll(/class="(\w*)" data-part="(\w+)">([\d,]+) /g)].map(([, kind, part, n]) => [kind, part, n]),
      [
        ['', 'served', String(account.served)],
        ['bad', 'unanswered', String(account.unanswered)],
      ],
    );
    assert.equal(account.served + account.unanswered, requestedOf(first));
  });

  it('have an overview: a row each, times on one scale, unserved connections next to them', () => {
    const model = chartModel(runs.polyglot, facts.polyglot);
    const page = String(overview(facts.polyglot, model.legs, 'closed loop'));
    const rows = page.split('<tr class="leg-').slice(1);
    assert.equal(rows.length, 30);
    const row = (/** @type {string} */ label) => rows.find((one) => one.includes(` data-leg="${label}"`)) ?? '';
    const cells = (/** @type {string} */ label, /** @type {string[]} */ ...names) =>
      names.map((name) => cellOf(row(label), name));
    assert.match(row('iterative'), /^\d+( again-\d)? some"/);
    assert.deepEqual(codesIn(row('iterative')), ['served-only-some']);
    assert.deepEqual(cells('iterative', 'p50', 'p99'), ['10.4 µs *', '13.6 µs *']);
    const figures = ['p50', 'p99', 'max', 'transfers/s', 'unanswered', 'rejects', 'errors'];
    assert.deepEqual(cells('epoll', ...figures), ['6.68 ms', '8.86 ms', '51.8 ms', '148,885', '0', '0', '0']);
    assert.deepEqual(codesIn(row('epoll')), []);
    assert.doesNotMatch(row('epoll'), /class="only"|\bsome\b/);
    assert.deepEqual(codesIn(row('python-threads')), ['served-only-some', 'held-too-few']);
    assert.deepEqual(cells('python-threads', 'unanswered', 'rejects', 'errors'), ['200', '160', '9']);
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
    assert.equal(page.match(/<tr class="group">/g)?.length, 6);
    assert.equal(codesIn(page).at(-1), 'served-only-some', 'what the star means');
  });

  it('have in the overview what their workload is about, and bear legs that did not run', async () => {
    const reconnect = await readRun(await makeRun({ out: join(scratch, 'reconnect'), load: 'reconnect', legs: 8 }));
    const own = withColours(reconnect.legs.map((leg) => pageLeg(leg, reconnect)));
    const of = (/** @type {PageLeg[]} */ some) => {
      const page = String(overview(some, [], 'closed loop'));
      assert.doesNotMatch(page, /NaN|Infinity|undefined/);
      const [row] = some.filter(({ ran }) => ran);
      return {
        orders: attributesOf(page, 'data-order'),
        times: attributesOf(page, 'data-times'),
        columns: row ? attributesOf(page.split(` data-leg="${row.label}"`)[1].split('</tr>')[0], 'data-name') : [],
      };
    };
    assert.deepEqual(of(own), {
      orders: ['speed', 'wait', 'name', 'run'],
      times: ['connect'],
      columns: ['p50', 'p99', 'max', 'transfers/s', 'unanswered', 'rejects', 'errors'],
    });
    const none = { serverModel: undefined, steady: undefined };
    const held = facts.fleet.map((f) => ({ ...withSummary(f, { ...none, heldOnly: true }), workload: 'hold' }));
    assert.deepEqual(of(held), {
      orders: ['wait', 'name', 'run'],
      times: ['connect'],
      columns: ['p50', 'p99', 'max', 'lost', 'rejects', 'errors'],
    });
    const once = facts.fleet.map((f) => ({ ...f, workload: 'once' }));
    assert.deepEqual(of(once).columns, ['p50', 'p99', 'max', 'answered', 'unanswered', 'rejects', 'errors']);
    const gone = { connections: undefined, failure: { text: '<no port>\nx' } };
    const absent = facts.fleet.map((f, i) => (i % 2 ? f : withSummary(f, gone)));
    assert.match(elementOf(overview(absent, [], 'closed loop'), 'data-code', 'did-not-run'), /: &lt;no port&gt;$/);
    assert.deepEqual(of(facts.fleet.map((f) => withSummary(f, gone))).columns, []);
  });

  it('have in the overview what only some runs are about: replies, handshakes, what is unsent', () => {
    const model = chartModel(runs.fleet, facts.fleet);
    const columns = new Set(attributesOf(overview(facts.fleet, model.legs, 'open loop'), 'data-name'));
    for (const name of ['replies not as requested', 'handshake p99', 'late', 'unsent'])
      assert.ok(!columns.has(name), name);
    const some = facts.fleet.map((f, i) => ({
      ...withFigures(
        withSummary(f, { handshakeTimeNs: { count: f.summary.connectTimeNs?.count, p50: 1e6, p99: 4e6, max: 9e6 } }),
        {
          ...{ late: 7, unsent: i === 0 ? 31 : 0 },
          statuses: { total: 100, '2xx': 75, '5xx': i === 0 ? 25 : 0 },
        },
      ),
      closed: false,
    }));
    const page = String(overview(some, model.legs, 'open loop'));
    const bad = [...page.matchAll(/<td class="failed more bad" data-name="([^"]*)">([^<]*)</g)];
    assert.deepEqual(
      bad.map(([, ...told]) => told).filter(([name]) => name !== 'late'),
      [
        ['replies not as requested', '25 %'],
        ['unsent', '31'],
      ],
    );
    assert.equal(bad.filter(([, name, text]) => name === 'late' && text === '7').length, some.length);
    assert.equal(page.match(/data-name="handshake p99">4 ms</g)?.length, some.length);
    const told = (/** @type {any} */ f) => {
      const card = legCards([f], 'open loop');
      const names = attributesOf(card, 'data-name').filter((name) => /handshake|resumed/.test(name));
      return names.map((name) => [name, textOf(elementOf(card, 'data-name', name).split('<dd>')[1])]);
    };
    assert.deepEqual(told(some[0]), [['handshake p99', '4 ms']]);
    const one = withSummary(some[0], {
      resumptionTimeNs: { count: 1234, p50: 5e5, p99: 2e6, max: 3e6 },
    });
    assert.deepEqual(told(one), [
      ['handshake p99', '4 ms'],
      ['resumed p99', '2 ms'],
    ]);
    const few = totals([one], 'open loop');
    assert.deepEqual(
      ['handshake p99', 'resumed p99'].map((code) => cellOf(elementOf(few, 'data-code', code), one.label)),
      ['4 ms', '2 ms'],
    );
    const [head] = String(totals(some, 'open loop')).split('<details>');
    assert.ok(attributesOf(head, 'data-name').includes('handshake p99'), 'of many legs in the table itself');
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
    const page = String(figures({ charts, legs, many: true }, facts.polyglot));
    const shown = (/** @type {string} */ id) => {
      const [note] = page.split(`aria-labelledby="figure-${id}"`)[1].split('</article>');
      return ['data-shown', 'data-any', 'data-none'].map((name) => Number(attributesOf(note, name)[0]));
    };
    assert.deepEqual(
      [shown('rejects'), shown('errors')],
      [
        [1, 1, 29],
        [3, 3, 27],
      ],
    );
    const [drawn, any, without] = shown('kernel');
    assert.deepEqual([drawn, any + without], [3, 30]);
    assert.ok(any > 3);
    const quiet = /** @type {any} */ ({ layout: 'panels', kind: 'bar', panels: [{ amount: 0 }, { empty: 'none' }] });
    assert.deepEqual(
      withOwn(quiet).panels.map((panel) => Boolean(panel.own)),
      [false, false],
    );
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
    const { charts, step } = chartModel(long, withColours(long.legs.map((leg) => pageLeg(leg, long))));
    assert.equal(step, 2);
    const chart = charts.find(({ id }) => id === 'transfers');
    long.legs.forEach((leg, i) => {
      const points = chart?.panels[0].datasets[i].points ?? [];
      assert.ok(points.length <= 300);
      assert.equal(
        points.reduce((sum, [, , n = 0]) => sum + n, 0),
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
    assert.equal(attributesOf(details, 'data-leg').length, 30);
    const ofLeg = elementOf(details, 'data-leg', 'iterative');
    assert.equal(cellOf(ofLeg, 'connections it serves at once'), '1');
    assert.equal(cellOf(ofLeg, 'server'), serverText(named('iterative')));
    assert.ok(all.split('>*</span>').length > 1 && codesIn(all).includes('served-only-some'));
    const chips = [...all.split('<details>')[0].matchAll(/class="leg (leg-[^"]*)"/g)].map(([, look]) => look);
    assert.deepEqual([chips.length, new Set(chips).size], [30, 30]);
    const total = elementOf(all, 'data-leg', 'iterative');
    assert.deepEqual(codesIn(total), ['served-only-some']);
    assert.deepEqual([cellOf(total, 'requested'), cellOf(total, 'unanswered')], ['1,000', '999']);
    const why = String(reasons(own, runs.polyglot));
    const rows = why.slice(why.indexOf('<table class="why">'), why.indexOf('</table>'));
    assert.equal(rows.match(/<th scope="row"/g)?.length, 30);
    assert.ok(codesIn(elementOf(rows, 'data-leg', 'python-threads')).includes('rejects'));
    assert.deepEqual(codesIn(elementOf(rows, 'data-leg', 'io_uring')), []);
    const counted = why.slice(why.indexOf('<details class="counted">'));
    const leg = own.find((f) => f.label === 'python-threads');
    const drops = elementOf(elementOf(counted, 'data-leg', 'python-threads'), 'data-counter', 'TcpExtListenDrops');
    assert.equal(textOf(drops), leg?.summary.kernel?.TcpExtListenDrops.toLocaleString('en-US'));
    assert.ok(counted.slice(counted.indexOf('<dl class="meanings">')).includes('<code>TcpExtListenDrops</code>'));
  });

  it('are warned of together where the warning is the same', () => {
    const shared = (/** @type {number} */ n) => warning('background-load', { cores: n, of: 2 });
    const own = facts.fleet.map((f, i) => withSummary(f, { warnings: i < 3 ? [shared(1.2 + i)] : [] }));
    const said = String(warnings(runs.fleet, own));
    const subjects = (/** @type {unknown} */ page) => attributesOf(page, 'data-subject');
    assert.deepEqual(codesIn(said).filter((code) => code === 'background-load').length, 1);
    assert.ok(codesIn(said.slice(said.indexOf('<details id="disturbed">'))).includes('background-load'), 'folded');
    assert.deepEqual(subjects(said).slice(-3), labels(own.slice(0, 3)));
    const planned = /** @type {any} */ (runs.fleet.plan).warnings;
    assert.ok(planned.length > 0);
    for (const { code } of planned) assert.ok(codesIn(said).includes(code), code);
    const few = (/** @type {PageLeg[]} */ some) =>
      warnings({ ...runs.fleet, plan: null, summary: /** @type {any} */ ({ complete: true, warnings: [] }) }, some);
    assert.deepEqual(subjects(few(own.slice(0, 3))), labels(own.slice(0, 3)), 'of few legs, too');
    assert.deepEqual(
      [codesIn(few(own.slice(2, 4))), subjects(few(own.slice(2, 4)))],
      [['background-load'], [own[2].label]],
    );
  });

  it('are folded in the list of runs', () => {
    const card = {
      file: 'a.html',
      run: 'a',
      scenario: 's',
      startedAt: '2026-11-23T09:00:00.000Z',
      complete: true,
      legs: [],
    };
    const legs = labels(facts.polyglot).map((label) => ({ label, line: 'held all' }));
    assert.match(runsSection([card, { ...card, legs }]), /<details><summary>30 cases<\/summary><ul><li><b>epoll<\/b>/);
    assert.doesNotMatch(runsSection([card, { ...card, legs: legs.slice(0, 6) }]), /<details>/);
  });
});
