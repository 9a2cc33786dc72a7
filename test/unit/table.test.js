// The table of servers that console, page and Markdown print, as data. Its text: test/golden/tables.txt; on the page:
// test/report/servers.test.js.
import assert from 'node:assert/strict';
import { rankingTable } from '../../client/judge/ranking-table.js';
import { shortened, shortLabels } from '../../client/console/shorten-labels.js';
import { answerOf } from '../../client/judge/headline.js';
import { tableOf } from '../../client/judge/table.js';
import { servedOnlySome } from '../../client/words/figures.js';
import { FAST, SLOW, legOf, rounds, runOf } from '../fixtures/made-up-answers.js';

/** @import { DrawnCell, TableRow } from '../../client/judge/table.js' */

/** @param {any} summary @returns {TableRow[]} */
const rowsOf = (summary) => tableOf(summary).groups.flatMap(({ rows }) => rows);

describe('the table of servers', () => {
  it('has the best first, with value, interval and mark of each figure that ranks', () => {
    const run = runOf([...rounds('slow', SLOW), ...rounds('fast', FAST)]);
    const { columns, ranking } = tableOf(run);
    assert.deepEqual(
      columns.map(({ key }) => key),
      ['perSecond', 'p50Ns', 'p99Ns'],
    );
    assert.equal(ranking.rounds, 4);
    const [fast, slow] = rowsOf(run);
    assert.deepEqual([fast.label, slow.label], ['fast', 'slow']);
    const [best, worse] = [fast.cells[0], slow.cells[0]];
    assert.deepEqual([best.text, best.range, best.mark?.code], ['2,005', '1,968 to 2,047', 'best']);
    assert.equal(worse.mark?.code, 'worse');
  });

  it('draws each figure on the logarithmic axis of its column: value, interval, the values of the rounds', () => {
    const { columns, groups } = tableOf(runOf([...rounds('slow', SLOW), ...rounds('fast', FAST)]));
    const [fast, slow] = groups[0].rows.map(({ cells }) => /** @type {DrawnCell} */ (cells[0].drawn));
    for (const { at, interval, values } of [fast, slow]) {
      const [low, high] = /** @type {[number, number]} */ (interval);
      assert.ok(0 <= low && low <= at && at <= high && high <= 1, `${low} ${at} ${high}`);
      assert.equal(values.length, 4);
    }
    assert.ok(slow.at < 0.2 && fast.at > 0.8, `${slow.at} ${fast.at}`);
    assert.deepEqual([fast.isKnown, slow.isKnown], [true, true]);
    const [from, to] = groups[0].bands.perSecond;
    assert.ok(from < fast.at && fast.at < to && to - from < 0.2);
    const ticks = /** @type {NonNullable<(typeof columns)[number]['ticks']>} */ (columns[0].ticks);
    assert.deepEqual(
      ticks.map(({ value }) => value),
      [1000, 2000],
    );
    assert.ok(Math.abs((slow.at + fast.at) / 2 - (ticks[0].at + ticks[1].at) / 2) < 0.01, 'ratios have lengths');
  });

  it('has no axis for a figure of a single server', () => {
    const { columns, groups } = tableOf(runOf(rounds('fast', FAST)));
    assert.deepEqual([columns[0].ticks, groups[0].rows[0].cells[0].drawn], [undefined, undefined]);
  });

  it('says what became of each connection; the parts add up to those requested', () => {
    const account = { served: 40, unanswered: 30, connecting: 10, rejected: 20 };
    const legs = [
      legOf({ name: 'short', account, rejects: { total: 1, timeout: 1 }, errors: { total: 2, reset: 2 } }),
      legOf({ name: 'whole' }),
    ];
    const [short, whole] = rowsOf(runOf(legs));
    assert.equal(short.connections, '40 served, 30 unanswered, 10 still connecting, 20 rejected');
    assert.equal(short.failures, '1 reject, 2 errors');
    assert.equal(
      short.account.reduce((sum, { value }) => sum + value, 0),
      short.requested,
    );
    assert.deepEqual([short.isShort, whole.isShort], [true, false]);
    assert.deepEqual([whole.connections, whole.failures], ['100 served', undefined]);
  });

  it('says of connections that come and go how many there were', () => {
    const leg = legOf({ name: 'a' });
    const steady = { ...leg.steady, fromNs: 0, toNs: 2e9, opened: 240 };
    const connections = { ...leg.connections, opened: 511, peakOpen: 90 };
    for (const [over, config, text] of /** @type {[object, object, string][]} */ ([
      [{ churns: true }, {}, 'opened 120/s, 511 in all'],
      [{}, { workload: 'once' }, 'answered 10,000 of 100'],
      [{ account: undefined, endedBy: 'done', connections: leg.connections }, {}, 'opened 100 of 100'],
      [{ account: undefined }, {}, 'held 100 of 100'],
    ])) {
      assert.equal(rowsOf(runOf([{ ...leg, steady, connections, ...over }], { config }))[0].connections, text);
    }
  });

  it('has no rows of a search, whose legs are tries', () => {
    assert.deepEqual(rowsOf(runOf([legOf({ name: 'a' })], { search: { answers: [] } })), []);
  });

  it('has columns of what went wrong in some leg, and times of connects where nothing was to be sent', () => {
    const keys = (/** @type {any} */ over, config = {}) =>
      tableOf(runOf([legOf({ name: 'a', ...over })], { config })).columns.map(({ key }) => key);
    const { steady } = legOf({ name: 'a' });
    const open = { due: 100, late: 7, unsent: 0, serviceTimeNs: steady.responseTimeNs };
    for (const [over, key, isThere] of /** @type {[object, string, boolean][]} */ ([
      [open, 'late', true],
      [{ ...open, late: 0 }, 'late', false],
      [{ statuses: { total: 4, ok: 3, miss: 1 } }, 'failed replies', true],
      [{ statuses: { total: 4, '2xx': 3, '5xx': 1 } }, 'failed replies', false],
    ])) {
      assert.equal(keys({ steady: { ...steady, ...over } }, { loop: 'open' }).includes(key), isThere);
    }
    const held = {
      ...{ heldOnly: true, steady: undefined, account: { served: 0, idle: 100 } },
      ...{ connectTimeNs: { p99: 5e6, max: 6e6 }, attempts: { total: 100, opened: 100, rejected: 0, abandoned: 0 } },
    };
    assert.deepEqual(keys(held, { workload: 'hold' }).slice(-1), ['connect p99']);
  });

  it('begins with the rate of an open loop, and with what was asked for where that was not achieved', () => {
    const achieved = (/** @type {number} */ rate) => {
      const { steady } = legOf({ name: 'a', rate });
      const run = runOf([legOf({ name: 'a', steady: { ...steady, due: 9, duePerSecond: 1000 } })], {
        config: { loop: 'open' },
      });
      const [{ title, isCompared }] = tableOf(run).columns;
      const [{ text, isBad }] = rowsOf(run)[0].cells;
      const figures = answerOf(run).at(-1)?.data.figures;
      assert.deepEqual([title, isCompared, figures[0]], ['transfers/s', false, `${text} requests/s`]);
      return [text, isBad];
    };
    assert.deepEqual(achieved(250), ['250 of 1,000', true]);
    assert.deepEqual(achieved(995), ['995', false]);
  });

  it('has the p99.9 of a server by itself', () => {
    const rowOf = (/** @type {string} */ name) => {
      const leg = legOf({ name });
      return { ...leg, steady: { ...leg.steady, responseTimeNs: { ...leg.steady.responseTimeNs, p99_9: 7e9 } } };
    };
    const keys = (/** @type {any[]} */ ...legs) => tableOf(runOf(legs)).columns.map(({ key }) => key);
    assert.deepEqual(keys(rowOf('a')), ['perSecond', 'p50Ns', 'p99Ns', 'p99.9']);
    assert.deepEqual(keys(rowOf('a'), rowOf('b')), ['perSecond', 'p50Ns', 'p99Ns']);
  });

  it('has the figures until an interrupt, and says of which phase they are; they are compared with nothing', () => {
    const over = { complete: false, endedBy: 'interrupted' };
    const { steady, ...rest } = legOf({ name: 'cut', ...over });
    const figuresOf = (/** @type {any[]} */ ...legs) =>
      rowsOf(runOf(legs, { endedBy: 'interrupted' })).map(({ label, cells }) => [
        label,
        ...cells.map(({ text, range, mark }) => `${text} ${range ?? ''}${mark?.code ?? ''}`.trim()),
      ]);
    assert.deepEqual(figuresOf({ ...rest, steady }), [['cut', '1,000', '2.5 ms', '5 ms']]);
    const ramp = { ...rest, beforeSteady: { ...steady, phase: 'ramp' } };
    assert.deepEqual(figuresOf(ramp), [['cut', '1,000 of the ramp', '2.5 ms of the ramp', '5 ms of the ramp']]);
    const [whole, cut] = figuresOf(...rounds('whole', SLOW), { ...rest, steady });
    assert.deepEqual([whole[0], cut], ['whole', ['cut', '1,000', '2.5 ms', '5 ms']]);
    const [, { text }] = answerOf(runOf([{ ...rest, steady }], { endedBy: 'interrupted' }));
    assert.equal(text, '1,000 transfers/s, p50 2.5 ms and p99 5 ms.');
  });
});

describe('the table of a run in which requests failed', () => {
  const { steady } = legOf({ name: 'a' });
  const replies = { '2xx': 9600, '5xx': 400, total: 10_000 };
  const failing = { ...steady, transfers: 10_000, failed: 400, unfinished: 33, statuses: replies };
  const good = { ...steady, statuses: { '2xx': 10_000, total: 10_000 } };
  const tableWith = (/** @type {object} */ bad, /** @type {any} */ config = {}) =>
    tableOf(runOf([legOf({ name: 'bad', steady: bad }), legOf({ name: 'good', steady: good })], { config }));

  it('begins with the share that failed, a 5xx too, and the good replies a second', () => {
    for (const loop of ['closed', 'open']) {
      const { columns, groups } = tableWith(failing, { loop });
      assert.deepEqual(
        columns.slice(0, 2).map(({ title }) => title),
        ['failed', 'good replies/s'],
      );
      assert.ok(!columns.some(({ key }) => key === 'perSecond' || key === 'failed replies'));
      const cells = groups[0].rows.map(({ label, cells: cellsOfRow }) => [
        label,
        ...cellsOfRow.slice(0, 2).map(({ text }) => text),
      ]);
      assert.deepEqual(cells, [
        ['bad', '8 %', '960'],
        ['good', '0 %', '1,000'],
      ]);
    }
  });

  it('has all replies, where none of them was an error', () => {
    const { columns } = tableWith({ ...failing, statuses: good.statuses });
    assert.deepEqual(
      columns.slice(0, 2).map(({ title }) => title),
      ['failed', 'transfers/s'],
    );
    assert.equal(tableWith(good).columns[0].title, 'transfers/s');
  });

  it('ranks by good replies, so that quick errors win nothing', () => {
    const quick = { ...steady, perSecond: 4000, statuses: { '2xx': 2500, '5xx': 7500, total: 10_000 } };
    const legs = [1, 2, 3].flatMap((round) => [
      legOf({ name: 'quick', round, steady: quick }),
      legOf({ name: 'sound', round, steady: { ...good, perSecond: 2000 + round } }),
    ]);
    const { leadBy, best } = rankingTable(runOf(legs)).points[0];
    assert.deepEqual([leadBy?.name, best.goodPerSecond], ['good rate', 'sound']);
  });
});

describe('a server that served only some connections', () => {
  const leg = (/** @type {number} */ unanswered, /** @type {object} */ model = {}) =>
    /** @type {any} */ ({
      ...legOf({ name: 'x', requested: 1000, account: { served: 1000 - unanswered, unanswered } }),
      serverModel: { language: 'c', model: 'some', ...model },
    });

  it('is known by how many it left without a reply', () => {
    for (const [unanswered, over, text] of /** @type {[number, object, string?][]} */ ([
      [10, {}], // one in a hundred is not many
      [431, {}, '431 of 1,000 not served'],
      [999, { concurrent: 'unbounded' }, '999 of 1,000 not served'],
    ])) {
      assert.equal(servedOnlySome(leg(unanswered, over)), text);
    }
    assert.equal(servedOnlySome({ ...leg(999), churns: true }), undefined);
    const whole = leg(0);
    const closed = { ...whole, connections: { ...whole.connections, neverAnswered: 340 } };
    assert.equal(servedOnlySome(closed), '340 of 1,000 not served', 'the server closed them each time');
  });
});

describe('names of legs where there is little room', () => {
  it('are cut so that they stay distinct', () => {
    assert.equal(shortened('epoll', 5), 'epoll');
    assert.equal(shortened('epoll-backlog-128', 12), 'epoll-…g-128');
    const kinds = ['epoll-pool (workKind wait)', 'epoll-pool (workKind block)', 'go'];
    const short = (/** @type {number} */ maxWidth) => [...shortLabels(kinds, maxWidth).values()];
    assert.deepEqual(short(27), kinds);
    assert.deepEqual(short(26), ['epoll-pool (wait)', 'epoll-pool (block)', 'go']);
    assert.deepEqual(short(14), ['epo…ool (wait)', 'epo…ol (block)', 'go']);
  });
});
