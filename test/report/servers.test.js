// The table at the top of the page: a row for each server, what became of its connections, and the figures that rank
// with their marks.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silhouettesOf } from '../../report/model/silhouettes.js';
import { leastWidths } from '../../report/html/sections/lane.js';
import { servers } from '../../report/html/sections/servers.js';
import { pageLegsOf } from '../../report/model/page-cases.js';
import { readRun } from '../../report/read/read-run.js';
import { FAST, SLOW, legOf, rounds, runOf } from '../fixtures/made-up-answers.js';
import { makeRun } from '../fixtures/make-run.js';
import { attributesOf, elementOf, isBad, textOf } from '../fixtures/page-elements.js';
import { RECORDED } from '../fixtures/recorded-run.js';

/** @param {any} summary @returns {any} a run without samples */
const runWith = (summary) => ({
  ...{ summary, plan: null, scenario: null, environment: null, unreadable: [] },
  legs: summary.legs.map((/** @type {any} */ leg, /** @type {number} */ index) => ({
    ...{ id: leg.id, caseLabel: leg.label, index, samples: [], cutLines: 0, planned: null, summary: leg },
    label: summary.legs.some((/** @type {any} */ { round }) => round > 1)
      ? `${leg.label}, round ${leg.round}`
      : leg.label,
  })),
});

/** @param {any} run @returns {string} its table */
function tableOf(run) {
  const { cases } = pageLegsOf(run);
  return String(servers(run, cases));
}

/** @param {string} table @returns {string[]} labels of its rows, in order */
const rowsOf = (table) => attributesOf(table.split('</thead>')[1] ?? '', 'data-leg');

/** @param {string} table @returns {string[]} keys of the figures of its columns */
const columnsOf = (table) => [...new Set(attributesOf(table, 'data-figure'))];

/**
 * @param {string} table
 * @param {string} label
 * @param {string} [key] of a figure; left out: connections
 * @returns {string} its cell, with tags
 */
function cellOf(table, label, key) {
  const row = elementOf(table, 'data-leg', label).split('</th>').slice(1).join('</th>');
  return key === undefined ? elementOf(row, 'data-name', 'connections') : elementOf(row, 'data-figure', key);
}

/**
 * @param {string} table
 * @param {string} label
 * @returns {[part: string, width: number][]} of the bar of its connections
 */
const barOf = (table, label) =>
  [...cellOf(table, label).matchAll(/class="part-(\w+)" style="width:([\d.]+)%"/g)].map(([, part, width]) => [
    part,
    Number(width),
  ]);

describe('the table of servers on the page', () => {
  /** @type {string} */
  let scratch;
  before(async () => {
    scratch = await mkdtemp(join(tmpdir(), 'broadside-servers-'));
  });
  after(() => rm(scratch, { recursive: true, force: true }));

  it('has the best first, its marks, the interval of each value as the title of its cell, a colour for each server', () => {
    const run = runWith(runOf([...rounds('slow', SLOW), ...rounds('fast', FAST)]));
    const table = tableOf(run);
    assert.deepEqual(rowsOf(table), ['fast', 'slow']);
    assert.equal(columnsOf(table)[0], 'perSecond');
    const [fast, slow] = ['fast', 'slow'].map((label) => cellOf(table, label, 'perSecond'));
    assert.deepEqual(
      [fast, slow].map((cell) => attributesOf(cell, 'data-mark')),
      [['best'], ['worse']],
    );
    assert.equal(textOf(fast), '2,005 best');
    assert.match(attributesOf(slow, 'title')[0], /^99\d to 1,01\d; worse by 50 % \(/);
    const { results } = pageLegsOf(run);
    assert.equal(new Set(results.map(({ colour }) => colour)).size, 2);
  });

  it('has silhouettes of all response times on one axis, each with its p50 and p99', async () => {
    const run = await readRun(RECORDED);
    const { cases } = pageLegsOf(run);
    const found = silhouettesOf(run, cases);
    assert.deepEqual(
      [...(found?.of.keys() ?? [])].map(({ label }) => label).sort(),
      run.legs.map(({ label }) => label).sort(),
    );
    for (const [f, { heights, marks }] of found?.of ?? []) {
      assert.equal(Math.max(...heights), 1, f.label);
      const [p50, p99] = marks;
      assert.ok(0 < p50 && p50 < p99 && p99 < 1, f.label);
      assert.ok(heights[Math.floor(p50 * heights.length)] > 0, f.label);
    }
    assert.equal(silhouettesOf(run, cases.slice(0, 1)), null, 'of one there is nothing to compare');
  });

  it('draws values and intervals, and dots of the blocks where there is room', () => {
    const both = tableOf(runWith(runOf([...rounds('slow', SLOW), ...rounds('fast', FAST)])));
    const cell = cellOf(both, 'slow', 'perSecond');
    for (const part of ['interval', 'value', 'blocks', 'band']) assert.match(cell, new RegExp(`class="${part}"`));
    assert.doesNotMatch(cell, /class="hollow"/, 'a known difference is a full dot');
    const many = Array.from({ length: 9 }, (_, i) => rounds(`s${i}`, i === 0 ? FAST : SLOW)).flat();
    assert.doesNotMatch(tableOf(runWith(runOf(many))), /class="blocks"/);
  });

  it('has servers that served only some connections apart, below those that served all', async () => {
    const table = tableOf(await readRun(RECORDED));
    assert.deepEqual(rowsOf(table).at(-1), 'multi-threaded');
    assert.match(table.slice(table.indexOf('group apart')), /data-leg="multi-threaded"/);
    const short = { account: { served: 40, unanswered: 60 } };
    const none = tableOf(runWith(runOf([legOf({ name: 'a', ...short }), legOf({ name: 'b', ...short })])));
    assert.doesNotMatch(none, /group apart/, 'where none served all, they are compared');
  });

  it('of a run that was measured once is in the order of the scenario, without marks and what they mean', () => {
    const table = tableOf(runWith(runOf([legOf({ name: 'slow', rate: 1 }), legOf({ name: 'fast', rate: 2 })])));
    assert.deepEqual(rowsOf(table), ['slow', 'fast']);
    assert.doesNotMatch(table, /<small>|class="foot"/);
    const many = Array.from({ length: 8 }, (_, i) => legOf({ name: `s${i}`, rate: 100 * i }));
    assert.equal(rowsOf(tableOf(runWith(runOf(many))))[0], 's7', 'many rows need an order');
    const alone = tableOf(runWith(runOf(rounds('alone', FAST))));
    assert.deepEqual([rowsOf(alone), alone.includes('class="foot"')], [['alone'], false]);
  });

  it('tells of every connection requested what became of it', async () => {
    for (const folder of [RECORDED, await makeRun({ out: join(scratch, 'polyglot'), load: 'polyglot', seconds: 2 })]) {
      const run = await readRun(folder);
      const table = tableOf(run);
      for (const { label, summary } of run.legs) {
        const { account, rejects, errors } = /** @type {any} */ (summary);
        const bar = barOf(table, label);
        assert.equal(bar.length > 0, account.served < account.requested, `${label}: a full bar says nothing`);
        if (bar.length > 0)
          assert.ok(Math.abs(bar.reduce((sum, [, width]) => sum + width, 0) - 100) < 0.05, `${label}: ${bar}`);
        for (const [part, width] of bar)
          assert.ok(Math.abs(width - (100 * account[part]) / account.requested) < 0.01, `${label} ${part}`);
        const bad = account.served < account.requested || rejects.total + errors.total > 0;
        assert.equal(isBad(` ${elementOf(table, 'data-leg', label)}`, 'connections'), bad, label);
      }
    }
    const table = tableOf(await readRun(RECORDED));
    assert.equal(
      textOf(cellOf(table, 'multi-threaded')),
      '1,631 of 10,000 4,311 unanswered, 3,058 still connecting, 1,000 rejected · 10,174 rejects',
    );
  });

  it('says of a server that did not run why not, and of one that was cut that its figures are incomplete', () => {
    const failure = { code: 'leg-failed', data: {}, text: 'exit 1: <no port>\nmore' };
    const gone = { complete: false, endedBy: 'server-start', failure, connections: undefined, account: undefined };
    const cut = { complete: false, endedBy: 'error' };
    const table = tableOf(
      runWith(runOf([legOf({ name: 'a' }), legOf({ name: 'b', ...gone }), legOf({ name: 'c', ...cut })])),
    );
    assert.deepEqual(rowsOf(table), ['a', 'b', 'c']);
    const cell = elementOf(elementOf(table, 'data-leg', 'b').split('</th>')[1], 'data-code', 'did-not-run');
    assert.equal(textOf(cell), 'did not run: exit 1: &lt;no port&gt;');
    assert.match(elementOf(table, 'data-leg', 'c'), /class="tag">incomplete</);
  });

  it('takes response times from the legs at the same rate, which have no rows of their own', () => {
    const atRate = ['a', 'b'].flatMap((name, i) =>
      [1, 2, 3, 4].map((round) => ({
        ...legOf({ name, round, rate: 500, p99: (i + 1) * 3e6 + round }),
        ...{ id: `${round}-${name}-at`, case: `${name}-at`, label: `${name} at 500/s`, series: name, comparedAt: 500 },
      })),
    );
    const closed = [...rounds('a', FAST, { series: 'a' }), ...rounds('b', SLOW, { series: 'b' })];
    const table = tableOf(runWith(runOf([...closed, ...atRate])));
    assert.deepEqual(rowsOf(table), ['a', 'b']);
    assert.match(textOf(cellOf(table, 'b', 'p99Ns')), /^6 ms /);
    assert.deepEqual(attributesOf(cellOf(table, 'b', 'p99Ns'), 'data-mark'), ['worse']);
  });

  it('has a column for what went wrong in some: requests that failed, and of an open loop what was late or unsent', () => {
    const { steady } = legOf({ name: 'x' });
    const legs = (/** @type {object} */ over) => [
      legOf({ name: 'a' }),
      legOf({ name: 'b', steady: { ...steady, due: 10_000, late: 0, unsent: 0, ...over } }),
    ];
    const of = (/** @type {object} */ over) => tableOf(runWith(runOf(legs(over), { config: { loop: 'open' } })));
    const own = ['failed share', 'late', 'unsent'];
    const shown = (/** @type {string} */ table) => columnsOf(table).filter((key) => own.includes(key));
    assert.deepEqual(shown(of({})), []);
    const table = of({ late: 700, unsent: 31, statuses: { total: 10_000, '2xx': 7500, '5xx': 2500 } });
    assert.deepEqual(new Set(shown(table)), new Set(own));
    const cells = own.map((key) => cellOf(table, 'b', key));
    assert.deepEqual(cells.map(textOf), ['25 %', '700', '31']);
    for (const cell of cells) assert.match(cell, /class="(main|extra) bad"/);
  });

  it('keeps two figures with an axis on a narrow screen, also behind what failed, and none that is not ranked', () => {
    const run = runWith(runOf([...rounds('slow', SLOW), ...rounds('fast', FAST)]));
    const heads = (/** @type {string} */ table) =>
      [...table.matchAll(/<th scope="col" class="(main|extra)[^"]*"[^>]*><button type="button">([^<]*)/g)].map(
        ([, name, title]) => `${name} ${title}`,
      );
    const before = heads(tableOf(run));
    for (const { summary } of run.legs) summary.steady = { ...summary.steady, failed: 100 };
    const [failed, ...after] = heads(tableOf(run));
    assert.deepEqual([failed, before.slice(0, 2).map((text) => text.split(' ')[0])], ['main failed', ['main', 'main']]);
    assert.deepEqual(after, before);
  });

  it('has connect times where connections are held without a transfer', async () => {
    const held = {
      ...{ heldOnly: true, steady: undefined, attempts: { total: 100, abandoned: 0 } },
      connectTimeNs: { count: 100, p50: 1e6, p99: 7e6, max: 9e6 },
    };
    const legs = ['a', 'b'].map((name) => legOf({ name, ...held, account: { served: 0, idle: 100 } }));
    const table = tableOf(runWith(runOf(legs, { config: { workload: 'hold' } })));
    assert.deepEqual([...new Set(attributesOf(table, 'data-figure'))].at(-1), 'connect p99');
    assert.equal(textOf(cellOf(table, 'a', 'connect p99')), '7 ms');
    assert.equal(textOf(cellOf(table, 'a')), '100 open, nothing requested');
    assert.deepEqual(barOf(table, 'a'), []);
  });

  it('is left out of a search, whose legs are tries', () => {
    const run = runWith(runOf([legOf({ name: 'a' })], { search: {} }));
    assert.equal(servers(run, []), null);
  });
});

describe('the ticks of a lane', () => {
  it('are left out where they have no room, the ends last', () => {
    const at = (/** @type {number} */ share, /** @type {string} */ text) => ({ at: share, text });
    const [low, below, middle, above, high] = leastWidths([
      ...[at(0.1, '−50 %'), at(0.35, '−20 %'), at(0.5, 'no change')],
      ...[at(0.65, '+25 %'), at(0.9, '2×')],
    ]);
    assert.equal(low, 0, 'stays');
    assert.ok(high < middle && middle < Math.min(below, above), String([low, below, middle, above, high]));
    const [, second] = leastWidths([at(0.2, '10,000'), at(0.6, '20,000')]);
    assert.ok(second > (6 * 6) / 0.4 && second < 200, `px that two numbers need: ${second}`);
  });
});
