// The rules of the table at the end of a run. Its text is in test/golden/tables.txt.
import assert from 'node:assert/strict';
import { servedOnlySome } from '../../client/words/figures.js';
import { plain } from '../../client/console/terminal-text.js';
import { figures } from '../../client/judge/figures.js';
import { legTable } from '../../client/console/leg-table.js';
import { shortened, shortLabels } from '../../client/console/shorten-labels.js';

/**
 * @param {string} label
 * @param {{ requested?: number, open?: number, unanswered?: number, never?: number, model?: object, p50?: number }} [what]
 * @returns {any} the summary of a leg
 */
function leg(label, { requested = 1000, open = requested, unanswered = 0, never = 0, model, p50 = 12.4e6 } = {}) {
  return {
    label,
    endedBy: 'plan',
    complete: true,
    limitedBy: 'machine',
    limitShares: { machine: 1 },
    ...(model ? { serverModel: { language: 'c', model: 'some', ...model } } : {}),
    connections: {
      requested,
      openAtEnd: open,
      opened: requested,
      unansweredAtEnd: unanswered,
      neverAnswered: never,
      lost: 0,
      reopened: 0,
    },
    attempts: { total: 10_000, opened: 9988, rejected: 12, abandoned: 0 },
    rejects: { total: 12, refused: 12 },
    errors: { total: 0 },
    transfers: { count: 9e5, failed: 0, unfinished: 0 },
    steady: {
      fromNs: 0,
      toNs: 1e9,
      transfers: 9e5,
      failed: 0,
      unfinished: 0,
      perSecond: 85_200,
      bytesPerSecond: 87e6,
      responseTimeNs: { p50, p90: 2 * p50, p99: 3 * p50, p99_9: 4 * p50, max: 5e9 },
      client: { cpuSeconds: 0.3 },
      server: { cpuSeconds: 0.24 },
    },
    connectTimeNs: { count: 9988, p99: 53.3e6 },
    serverUse: { peakRssBytes: 1.9 * 2 ** 20 },
  };
}

const many = Array.from({ length: 14 }, (_, i) => leg(`server-${i}`));
const lines = (/** @type {string} */ table) => table.split('\n');

describe('the table of a leg', () => {
  it('leaves out of its rows what the table of servers has', () => {
    const elsewhere = figures.filter(({ name }) => ['rate', 'p99'].includes(name));
    const rowsOf = (/** @type {any} */ rows) =>
      lines(legTable([leg('a'), leg('b')], 200, plain, rows)).map((line) => line.trim().split(/ {2,}/)[0]);
    const [all, some] = [rowsOf({ most: 10, elsewhere: [] }), rowsOf({ most: 10, elsewhere })];
    assert.deepEqual(
      all.slice(0, -1).filter((row) => !some.includes(row)),
      ['transfers/s', 'response p99'],
    );
  });
});

describe('the table of cases over rounds', () => {
  const titles = (/** @type {any[]} */ legs) =>
    lines(legTable(legs, Infinity))
      .map((line) => line.trim().split(/ {2,}/)[0])
      .filter((title) => title !== '');

  it('has no interval of a median beside the value of the worst round', () => {
    const shown = titles([{ ...leg('a'), rounds: 3, intervals: { served: [80, 120], perSecond: [80, 120] } }]);
    assert.equal(shown.filter((title) => title === '95 % interval').length, 1);
  });
});

describe('the table of many legs', () => {
  it('knows which servers left so many connections without a reply that their response times are of a few', () => {
    assert.equal(servedOnlySome(leg('x', { unanswered: 10 })), undefined, 'one in a hundred is not many');
    assert.equal(servedOnlySome(leg('x', { unanswered: 431 })), '431 of 1,000 unanswered');
    assert.equal(
      servedOnlySome(leg('x', { unanswered: 999, model: { concurrent: 'unbounded' } })),
      '999 of 1,000 unanswered',
    );
    assert.equal(servedOnlySome({ ...leg('x', { unanswered: 999 }), churns: true }), undefined);
  });

  it('is used from seven legs on, or when columns would be too wide, but never for one leg', () => {
    const first = (/** @type {any[]} */ legs, /** @type {number} */ width) => lines(legTable(legs, width))[0];
    assert.match(first(many.slice(0, 6), Infinity), /^ +server-0 +server-1 +.*server-5$/);
    assert.match(legTable(many.slice(0, 7), Infinity), /^ server-6 /m);
    assert.match(legTable(many.slice(0, 4), 60), /^ server-3 /m);
    assert.match(first(many.slice(0, 3), 80), /server-0 +server-1 +server-2/);
    assert.match(first([leg('x'.repeat(300))], 60), /x…x/);
  });

  it('keeps long names distinct', () => {
    assert.equal(shortened('epoll', 5), 'epoll');
    assert.equal(shortened('epoll-backlog-128', 12), 'epoll-…g-128');
    const kinds = ['epoll-pool (workKind wait)', 'epoll-pool (workKind block)', 'go'];
    const short = (/** @type {number} */ most) => [...shortLabels(kinds, most).values()];
    assert.deepEqual(short(27), kinds);
    assert.deepEqual(short(26), ['epoll-pool (wait)', 'epoll-pool (block)', 'go']);
    assert.deepEqual(short(14), ['epo…ool (wait)', 'epo…ol (block)', 'go']);
  });
});
