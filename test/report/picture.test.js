/** The picture beside the answer: which one a run has, and that its rows show what the figures say. */
import assert from 'node:assert/strict';
import { chartModel } from '../../report/model/charts/all.js';
import { pageLegsOf } from '../../report/model/page-cases.js';
import { asRanked, pictureRows, withPicture } from '../../report/model/picture.js';
import { picture } from '../../report/html/sections/picture.js';
import { figures } from '../../report/html/sections/figures.js';
import { readRun } from '../../report/read/read-run.js';
import { madeUpLeg } from '../fixtures/page-legs.js';
import { attributesOf } from '../fixtures/page-elements.js';
import { RECORDED } from '../fixtures/recorded-run.js';

/**
 * @param {string} label @param {Parameters<typeof madeUpLeg>[0]} [more]
 * @returns {import('../../report/types.js').PageLeg} that ran
 */
const ran = (label, { figures, other, ...more } = {}) =>
  madeUpLeg({
    ...more,
    figures: { responseTimeNs: { p50: 1e6, p99: 1e7, max: 1e8 }, ...figures },
    other: { label, ...other },
  });

/** @param {any[]} cases @param {any[]} [results] @returns {import('../../report/model/picture.js').Rows} */
function rowsOf(cases, results = cases) {
  const rows = pictureRows(cases, results);
  assert.ok(rows);
  return rows;
}

/** @param {string} id @param {object} [more] @returns {any} a chart */
const chart = (id, more = {}) => ({ id, ...more });

/** @param {any[]} charts @param {any[]} results @returns {string[]} ids of those that are the picture */
const pictured = (charts, results) => withPicture(charts, results).flatMap((one) => (one.picture ? [one.id] : []));

describe('report: the picture beside the answer', () => {
  it('is the curve of a sweep, one search, the times of one leg, its connections where it had no transfers', () => {
    const swept = [chart('sweep-throughput'), chart('sweep-response'), chart('heat'), chart('connections')];
    const open = ran('a', { other: { closed: false } });
    assert.deepEqual(pictured(swept, [ran('a'), ran('b')]), ['sweep-throughput']);
    assert.deepEqual(pictured(swept, [open, open]), ['sweep-response'], 'the rate is given');
    assert.deepEqual(pictured(swept.slice(2), [ran('a')]), ['heat']);
    assert.deepEqual(pictured(swept.slice(3), [ran('a')]), ['connections']);
    assert.deepEqual(pictured(swept.slice(2), [ran('a', { connections: { unansweredAtEnd: 40 } })]), ['connections']);
    assert.deepEqual(pictured(swept.slice(2), [ran('a'), ran('b')]), [], 'of several it has rows');
    const searches = [chart('search-0', { section: 'search' }), chart('search-1', { section: 'search' })];
    assert.deepEqual(pictured([searches[0], ...swept], [ran('a')]), ['search-0']);
    assert.deepEqual(pictured([...searches, ...swept], [ran('a')]), [], 'they are the first section');
    const none = { code: 'none', data: {}, text: '' };
    assert.deepEqual(pictured([chart('heat', { empty: none }), chart('connections')], [ran('a')]), ['connections']);
  });

  it('has a row for each server: its share of the highest throughput, its p99, what became of its connections', () => {
    const account = {
      requested: 100,
      served: 25,
      unanswered: 50,
      idle: 0,
      connecting: 25,
      rejected: 0,
      lost: 0,
      queued: 0,
      closed: 0,
    };
    const cases = [
      ran('fast', { figures: { perSecond: 4000, responseTimeNs: { p50: 1e5, p99: 1e6, max: 1e7 } } }),
      ran('slow', { summary: { rejects: { total: 3 } }, figures: { failed: 1000 } }),
      ran('few', { summary: { account }, connections: { unansweredAtEnd: 50 } }),
      ran('none', { summary: { connections: undefined, failure: { text: 'exit code 1\nand more' } } }),
    ];
    const { rows, left } = rowsOf(cases);
    assert.equal(left, 0);
    assert.deepEqual(
      rows.map(({ label }) => label),
      ['fast', 'slow', 'few', 'none'],
    );
    assert.deepEqual(
      rows.map(({ speed }) => speed?.at),
      [1, 0.25, 0.25, undefined],
    );
    const [fast, slow, few, none] = rows;
    assert.deepEqual([slow.wait?.bad, fast.wait?.bad], [true, false], 'more failed than p99 leaves room for');
    assert.ok(Number(fast.wait?.at) < Number(few.wait?.at));
    for (const { wait } of rows) assert.ok(wait === null || (wait.at >= 0 && wait.at <= 1), JSON.stringify(wait));
    assert.deepEqual(few.served?.parts, [
      { part: 'served', share: 0.25 },
      { part: 'unanswered', share: 0.5 },
      { part: 'connecting', share: 0.25 },
    ]);
    assert.deepEqual([few.served?.bad, few.onlySome, fast.served?.bad, fast.onlySome], [true, true, false, false]);
    assert.ok(slow.failures.includes('3'));
    assert.equal(fast.failures, '');
    assert.ok(none.message.includes('exit code 1') && !none.message.includes('more'));
  });

  it('has the intervals over rounds; one that says nothing reaches over the whole width', () => {
    const intervals = { perSecond: [900, 1100], p99Ns: [1e5, 1e9] };
    const { rows, intervals: any } = rowsOf([ran('a', { summary: { intervals, rounds: 3 } }), ran('b')]);
    assert.equal(any, true);
    const [from, to] = rows[0].wait?.interval ?? [];
    assert.ok(from === 0 && Number(to) > 1, `${from} to ${to}`);
    const [low, high] = rows[0].speed?.interval ?? [];
    const at = Number(rows[0].speed?.at);
    assert.ok(Number(low) < at && at < Number(high) && Number(high) <= 1);
    assert.equal(rows[1].speed?.interval, undefined);
  });

  it('has the figures that the answer names, also where connections come and go', () => {
    const of = (/** @type {object} */ summary, other = {}) =>
      ran('a', {
        summary: { connectTimeNs: { p50: 4, p99: 5e6, max: 6e6 }, ...summary },
        figures: { opened: 7, perSecond: 8, responseTimeNs: { p50: 1, p99: 2e6, max: 3e6 } },
        other,
      });
    const shown = (/** @type {any} */ f) => {
      const { speed, wait, rows } = rowsOf([f, { ...f, id: 'b' }]);
      return [speed, rows[0].speed?.text, wait, rows[0].wait?.text];
    };
    assert.deepEqual(shown(of({ churns: true }, { workload: 'reconnect' })), ['transfers/s', '8', 'p99', '2 ms']);
    assert.deepEqual(shown(of({ heldOnly: true })), [null, undefined, 'connect p99', '5 ms']);
  });

  it('has of one server in rounds a row for each, and of many servers the first in order', () => {
    const rounds = [ran('a, round 1'), ran('a, round 2', { figures: { perSecond: 1200 } })];
    assert.equal(rowsOf([ran('a')], rounds).rows.length, 2);
    const many = Array.from({ length: 20 }, (_, i) =>
      ran(`s${i}`, { other: { index: i }, figures: { perSecond: 100 + i } }),
    );
    const { rows, left } = rowsOf(many);
    assert.deepEqual([rows.length, left, rows[0].label], [16, 4, 's19']);
    assert.deepEqual(rowsOf(rounds).order, null, 'in the order of the run');
    assert.equal(pictureRows([ran('a')], [ran('a')]), null);
  });

  it('says of many servers, which are sorted, in how many rounds they were measured', () => {
    const many = (/** @type {object} */ summary) =>
      rowsOf(Array.from({ length: 9 }, (_, i) => ran(`s${i}`, { summary, figures: { perSecond: 100 - i } }))).order;
    assert.deepEqual([many({})?.data, many({ rounds: 5 })?.data], [{ rounds: 1 }, { rounds: 5 }]);
  });

  it('is not among the figures again', async () => {
    const run = await readRun(RECORDED);
    const alone = { ...run, legs: run.legs.slice(1, 2) };
    const { results, cases } = pageLegsOf(alone);
    const model = chartModel(alone, results, cases);
    const idsIn = (/** @type {unknown} */ html) => attributesOf(html, 'id').filter((id) => id === 'figure-heat');
    assert.deepEqual(idsIn(picture(cases, results, model, false)), ['figure-heat']);
    assert.deepEqual(idsIn(figures(model, results)), []);
    const all = pageLegsOf(run);
    const several = chartModel(run, all.results, all.cases);
    const labels = all.cases.map(({ label }) => label);
    assert.deepEqual(attributesOf(picture(all.cases, all.results, several, false), 'data-row'), labels);
    assert.equal(picture(all.cases, all.results, several, true), null, 'the first section is one itself');
    assert.deepEqual(idsIn(figures(several, all.results)), ['figure-heat']);
  });

  it('has the figures and the order of the table of servers, and no response times that are not compared', () => {
    const cells = (/** @type {number} */ perSecond, /** @type {string} */ code) =>
      /** @type {any} */ ([
        { median: perSecond, low: perSecond - 1, high: perSecond + 1 },
        { median: 5e6, mark: { code } },
      ]);
    const table = (/** @type {string} */ code) =>
      /** @type {any} */ ({
        figures: [{ compared: { key: 'perSecond' } }, { compared: { key: 'p99Ns' } }],
        points: [
          {
            rows: [
              { label: 'b', cells: cells(900, code) },
              { label: 'a', cells: cells(700, code) },
            ],
          },
        ],
      });
    const legs = [ran('a', { figures: { perSecond: 710 } }), ran('b', { figures: { perSecond: 880 } })];
    const compared = rowsOf(asRanked(legs, table('best')));
    assert.deepEqual(
      compared.rows.map(({ label, speed, wait }) => [label, speed?.text, wait?.text]),
      [
        ['b', '900', '5 ms'],
        ['a', '700', '5 ms'],
      ],
    );
    assert.equal(compared.intervals, true);
    const follows = rowsOf(asRanked(legs, table('not-compared')));
    assert.deepEqual([follows.wait, follows.rows.map(({ wait }) => wait)], [null, [null, null]]);
    assert.equal(asRanked(legs, /** @type {any} */ ({ figures: [], points: [{}, {}] })), legs, 'a sweep has curves');
  });
});
