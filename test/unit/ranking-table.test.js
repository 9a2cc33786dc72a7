// The table of servers: the marks of its cells, the pairs that it compares, and how often it reports a difference
// between equal servers, for made-up data with known answers.

import assert from 'node:assert/strict';
import { comparedFigure, comparedOf, markOf } from '../../client/judge/comparisons.js';
import { answerOf } from '../../client/judge/headline.js';
import { markText, serversExplained, shortMark, shownMark } from '../../client/judge/mark-texts.js';
import { rankBy, rankingTable } from '../../client/judge/ranking-table.js';
import { ratioInterval } from '../../client/judge/statistics/index.js';
import { blockTest, incompleteBeta } from '../../client/judge/statistics/block-test.js';
import { seededRandom } from '../../client/measure/random.js';
import { medianOf } from '../../client/measure/statistics.js';
import { FAST, SLOW, legOf, rounds, runOf } from '../fixtures/made-up-answers.js';

/**
 * @import { ComparedFigure } from '../../client/judge/comparisons.js'
 * @import { Mark } from '../../config/types.js'
 */

const RUNS = 500;
const perSecond = comparedFigure('perSecond');
const p99 = comparedFigure('p99Ns');
const served = comparedFigure('served');
const MEMORY = 'serverMemoryPerConnectionBytes';

/**
 * @param {any} summary
 * @param {string} [key] of a figure
 * @returns {string} name, mark and why of each row at each point
 */
function marksOf(summary, key = 'perSecond') {
  const { figures, points } = rankingTable(summary);
  const i = figures.findIndex(({ compared }) => compared.key === key);
  const marks = points.flatMap(({ rows }) =>
    rows.map(({ case: id, cells }) => {
      const { code = 'none', why } = cells[i].mark ?? {};
      return [id, code, ...(why ? [why] : [])].join(' ');
    }),
  );
  return marks.join(', ');
}

/** @param {number[]} ratios of rounds @param {ComparedFigure} [figure] @param {number} [margin] */
const mark = (ratios, figure = perSecond, margin) =>
  markOf(figure, ratioInterval(ratios.map((ratio) => [100 * ratio, 100])), margin);

describe('the mark of a figure', () => {
  it('is worse or better where the interval excludes 1, by the direction of the figure', () => {
    for (const [figure, factor, code] of /** @type {[typeof perSecond, number, string][]} */ ([
      [perSecond, 2, 'better'],
      [perSecond, 0.5, 'worse'],
      [served, 0.5, 'worse'],
      [p99, 2, 'worse'],
      [p99, 0.9, 'better'],
    ])) {
      const actual = mark(
        [0.99, 1, 1.01].map((noise) => factor * noise),
        figure,
      );
      assert.equal(actual.code, code);
      assert.ok(Math.abs(Number(actual.ratio?.median) - factor) < 1e-9);
    }
  });

  it('is as good where the whole interval lies within the margin, also if it excludes 1', () => {
    assert.equal(mark([0.999, 1, 1.001]).code, 'as-good');
    assert.equal(mark([0.979, 0.98, 0.981]).code, 'as-good');
    assert.equal(mark([0.979, 0.98, 0.981], perSecond, 0.01).code, 'worse');
    const legs = [...rounds('a', [1000, 1001, 999]), ...rounds('b', [980, 981, 979])];
    assert.equal(marksOf(runOf(legs)), 'a as-good, b as-good');
    assert.equal(marksOf(runOf(legs, { config: { margin: 0.01 } })), 'a best, b worse');
  });

  it('is not known otherwise, with the smallest difference that could have been seen', () => {
    const { code, why, ratio, smallestPercent } = mark([1.05, 0.95, 1.01]);
    assert.deepEqual([code, why], ['not-known', 'rounds-differ']);
    assert.equal(smallestPercent, 50 * (Number(ratio?.high) - Number(ratio?.low)));
    assert.deepEqual(mark([3]), { code: 'not-known', why: 'once' });
    assert.deepEqual(mark([3, 3]), { code: 'not-known', why: 'two-rounds' });
    assert.deepEqual(mark([0, 0, 0]), { code: 'not-known', why: 'absent' });
  });

  it('is a short text', () => {
    for (const [marked, text] of /** @type {[Mark, string][]} */ ([
      [mark([0.5, 0.5, 0.5]), 'worse by 50 %'],
      [mark([2.1, 2, 2.2], p99), 'worse by 2.1× (1.9 to 2.4)'],
      [mark([0.0000123, 0.0000124, 0.0000122]), 'worse by 99.9988 % (99.9987 to 99.9988)'],
      [mark([1.05, 0.95, 1.01]), 'not known (< 13 %)'],
      [mark([0.1, 20, 1]), 'not known (varies too much)'],
    ]))
      assert.equal(markText(marked), text);
  });

  it('has a shorter one for narrow columns, with the smallest difference that could have been seen', () => {
    assert.equal(shortMark(mark([1.05, 0.95, 1.01])), 'not known (< 13 %)');
    assert.equal(shortMark(mark([0.1, 20, 1])), 'not known');
    assert.equal(shortMark(mark([0.5, 0.5, 0.5])), '−50 %');
    const explained = (/** @type {number[]} */ rates) =>
      serversExplained(rankingTable(runOf([...rounds('a', FAST.slice(0, 3)), ...rounds('b', rates)])));
    assert.match(
      explained([1600, 2400, 2000]),
      /not known \(< x %\): a smaller difference could not have been seen\.$/,
    );
    assert.match(explained(SLOW.slice(0, 3)), /as good: within ±5 %\.$/);
  });
});

describe('the table of servers', () => {
  it('has no column that no server has, and no mark where a server lacks the figure', () => {
    const legs = [...rounds('a', FAST), ...rounds('b', SLOW)];
    const withCpu = (/** @type {any} */ leg) =>
      leg.label === 'a' ? { ...leg, steady: { ...leg.steady, server: { cpuSeconds: 1 } } } : leg;
    const [bare, measured] = [legs, legs.map(withCpu)].map((all) => {
      const { figures, points } = rankingTable(runOf(all));
      const at = figures.findIndex(({ compared }) => compared.key === 'serverCpuPerTransferNs');
      return Object.fromEntries(points[0].rows.map(({ label, cells }) => [label, cells[at]]));
    });
    assert.deepEqual(bare, { a: undefined, b: undefined });
    assert.ok(Number(measured.a.median) > 0);
    assert.deepEqual(measured.b, {});
  });

  it('is ordered by the times of an open loop, where the rate is given', () => {
    const legs = [...rounds('a', FAST, { p99: 8e6 }), ...rounds('b', FAST, { p99: 4e6 })];
    assert.equal(marksOf(runOf(legs, { config: { loop: 'open' } }), 'p99Ns'), 'b best, a worse');
    for (const load of /** @type {const} */ ([
      { workload: 'continuous', loop: 'open' },
      { workload: 'hold', loop: 'closed' },
    ])) {
      const keys = comparedOf(load).map(({ compared }) => compared.key);
      assert.equal(keys[0], 'p99Ns');
      assert.ok(keys.includes('served') && !keys.includes('perSecond'));
    }
  });

  it('ranks nothing of one round or two: the order is that of the run, and no mark is shown', () => {
    for (const [n, why] of /** @type {const} */ ([
      [1, 'once'],
      [2, 'two-rounds'],
    ])) {
      const table = rankingTable(runOf([...rounds('a', SLOW.slice(0, n)), ...rounds('b', FAST.slice(0, n))]));
      const [{ rows, leadBy, best }] = table.points;
      assert.deepEqual([leadBy, best], [undefined, {}]);
      assert.deepEqual(
        rows.map((row) => [row.case, row.cells[0].mark, row.cells[0].low]),
        ['a', 'b'].map((name) => [name, { code: 'not-known', why }, undefined]),
      );
      assert.equal(shownMark(table, rows[0].cells[0].mark), false);
    }
  });

  it('gives no mark, in a table of blocks, to what a leg has one value of, unless there are three rounds of it', () => {
    const legsOf = (/** @type {string} */ name, /** @type {number[]} */ perBlock, /** @type {number} */ peakRssBytes) =>
      [1, 2, 3].map((round) =>
        legOf({
          ...{ name, round, slices: { of: 2, lengthNs: 1e9, turnNs: 20e9, blocks: { perSecond: perBlock } } },
          connections: { ...legOf({ name }).connections, peakOpen: 100 },
          serverUse: { peakRssBytes, startRssBytes: 1e6, threads: 1, processes: 1 },
        }),
      );
    const [a, b] = [legsOf('a', FAST, 2e6), legsOf('b', SLOW, 3e6)];
    for (const n of [1, 2, 3]) {
      const held = [...a.slice(0, n), ...b.slice(0, n)].map((leg) => ({ ...leg, heldOnly: true }));
      const run = runOf(held, { config: { workload: 'hold' } });
      assert.equal(marksOf(run, MEMORY), n === 3 ? 'a best, b worse' : 'a none, b none');
      assert.equal(marksOf(runOf([...a.slice(0, n), ...b.slice(0, n)])), 'a best, b worse');
    }
  });

  it('compares memory at the same rate, or of connections that are held: else it follows throughput', () => {
    const holding = (/** @type {string} */ name, /** @type {number[]} */ rates, /** @type {number} */ bytes) =>
      rounds(name, rates, {
        connections: { ...legOf({ name }).connections, peakOpen: 100 },
        serverUse: { startRssBytes: 0, peakRssBytes: bytes, threads: 1, processes: 1 },
      });
    const marks = (/** @type {number[]} */ rates, /** @type {any} */ config) =>
      marksOf(runOf([...holding('a', FAST, 2e6), ...holding('b', rates, 1e6)], { config }), MEMORY);
    assert.equal(marks(SLOW, {}), 'a not-compared rates-differ, b not-compared rates-differ');
    assert.equal(marks(FAST, {}), 'a not-compared rates-differ, b not-compared rates-differ');
    assert.equal(marks(FAST, { workload: 'hold' }), 'a worse, b best');
    assert.equal(marks(FAST, { loop: 'open' }), 'a worse, b best');
    assert.equal(marks(SLOW, { loop: 'open' }), 'a none, b not-compared rates-differ', 'b does not keep up');
  });

  it('ranks nothing of servers that were loaded in fewer than ten slices, and says so', () => {
    const of = (/** @type {number} */ slices) => {
      const turns = /** @type {any} */ ({ of: 2, lengthNs: 3e9, turnNs: 3e9 * slices, blocks: { perSecond: [1] } });
      const legs = [...rounds('a', FAST), ...rounds('b', SLOW)].map((leg) => ({ ...leg, slices: turns }));
      return runOf(legs);
    };
    assert.equal(marksOf(of(2)), 'a not-compared few-slices, b not-compared few-slices');
    assert.deepEqual([rankingTable(of(2)).points[0].leadBy, rankingTable(of(2)).points[0].best], [undefined, {}]);
    const { data } = answerOf(of(2)).find(({ code }) => code === 'not-ranked') ?? assert.fail('no reason');
    assert.equal(data.slices, 2 * FAST.length);
    assert.equal(marksOf(of(3)), 'a best, b worse', 'of all rounds together');
  });

  it('ranks what servers did in turns until an interrupt, if they have slices enough, and else says how long it needed', () => {
    const end = { complete: false, endedBy: 'interrupted' };
    const of = (/** @type {number} */ slices, /** @type {object} */ over = end) => {
      const leg = (/** @type {string} */ name, /** @type {number[]} */ perSecond) => {
        const { steady, ...rest } = legOf({ name, ...over });
        const turns = { of: 2, lengthNs: 0.5e9, turnNs: 0.5e9 * slices, blocks: { perSecond } };
        return { ...rest, steady: { ...steady, fromNs: 4e9, toNs: 17.7e9 }, slices: turns };
      };
      return runOf([leg('a', FAST), leg('b', SLOW)], end);
    };
    const after = { complete: 0, begun: 2, killed: false, untilNs: 17.7e9 };
    const dataOf = (/** @type {any} */ run, /** @type {string} */ code) =>
      answerOf(run).find((part) => part.code === code)?.data;
    assert.equal(marksOf(of(10)), 'a best, b worse');
    assert.equal(dataOf(of(10), 'best')?.best, 'a');
    assert.deepEqual(dataOf(of(10), 'interrupted'), after);
    assert.equal(marksOf(of(4)), 'a not-compared few-slices, b not-compared few-slices');
    const { slices, missingNs } = dataOf(of(4), 'not-ranked') ?? {};
    assert.deepEqual([slices, missingNs, dataOf(of(4), 'interrupted')], [4, 6e9, after]);
    const lost = { complete: false, endedBy: 'workers' };
    assert.equal(marksOf(of(10, lost)), '', 'not what broke');
  });

  it('says of a server that was measured in too few of the rounds, or never, that it is not known', () => {
    const dead = { ...legOf({ name: 'd' }), connections: undefined, steady: undefined, complete: false };
    const run = runOf([...rounds('a', FAST), ...rounds('b', SLOW), ...rounds('c', [1500, 1500]), dead]);
    assert.equal(marksOf(run), 'a best, c not-known two-rounds, b worse, d none');
    const alone = runOf([...rounds('a', FAST), ...rounds('c', [1500, 1500])]);
    assert.equal(marksOf(alone), 'a none, c not-known two-rounds');
  });

  it('compares servers that left connections without a reply by those served alone, below the others', () => {
    const some = { account: { served: 40, unanswered: 60 } };
    const run = runOf([...rounds('b', [9000, 9100, 9200, 9050], some), ...rounds('a', FAST), ...rounds('c', SLOW)]);
    assert.equal(marksOf(run), 'a best, c worse, b not-compared served-some');
    assert.match(marksOf(run, 'p50Ns'), /, b not-compared served-some$/);
    assert.equal(marksOf(run, 'served'), 'a best, c as-good, b worse');
    const all = runOf([...rounds('a', FAST, some), ...rounds('b', SLOW, some)]);
    assert.equal(marksOf(all), 'a best, b worse');
    assert.equal(marksOf(all, 'p99Ns'), 'a not-compared served-some, b not-compared served-some');
    const none = runOf([...rounds('a', FAST), ...rounds('c', SLOW)]);
    assert.equal(marksOf(none, 'served'), 'a none, c none');
  });

  it('does not call servers equal that serve all connections and none, or few, in every round', () => {
    for (const few of [
      [0, 0, 0],
      [0, 1, 30],
      [1, 1, 30],
    ]) {
      const legs = few.map((n, i) => legOf({ name: 'few', round: i + 1, account: { served: n, unanswered: 100 - n } }));
      const run = runOf([...legs, ...rounds('all', FAST.slice(0, 3))]);
      assert.equal(marksOf(run, 'served'), 'all best, few worse');
    }
  });

  it('shows of a percentile that is beyond all measured times that it is more than the longest', () => {
    const { steady } = legOf({ name: 'a' });
    const failing = { steady: { ...steady, failed: 5000 } };
    const legs = [1, 2, 3].map((round) => legOf({ name: 'a', round, ...(round === 2 ? failing : {}) }));
    const { figures, points } = rankingTable(runOf(legs));
    assert.deepEqual(points[0].rows[0].cells[figures.indexOf(p99)], { moreThan: 9e9 });
    assert.deepEqual(rankingTable(runOf(legs, { search: { answers: [] } })).points, [], 'a search ranks nothing');
  });

  it('compares no response times where they follow from the throughput of a saturated closed loop', () => {
    // 100 connections
    for (const [rate, p50, loop, mark] of /** @type {const} */ ([
      [1000, 100e6, 'closed', 'not-compared follows-from-throughput'],
      [100, 100e6, 'closed', 'as-good'], // most of the time a connection pauses
      [100_000, 1e6, 'closed', 'as-good'], // no request waits for another
      [1000, 100e6, 'open', 'as-good'],
    ])) {
      const responseTimeNs = { mean: p50, min: 1e6, p50, p99: 2 * p50, max: 9e9 };
      const steady = { ...legOf({ name: 'x' }).steady, perSecond: rate, responseTimeNs };
      const legs = ['a', 'b'].flatMap((name) => rounds(name, FAST, { steady }));
      assert.equal(marksOf(runOf(legs, { config: { loop } }), 'p99Ns'), `a ${mark}, b ${mark}`);
    }
  });
});

/** @param {() => number} random 0..1 @returns {number} of a normal distribution */
const normal = (random) => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

/**
 * @param {number[]} speeds of servers @param {number} count of rounds @param {() => number} random
 * @returns {any[]} cases; the machine is faster in some rounds than in others
 */
function casesOf(speeds, count, random) {
  const machine = Array.from({ length: count }, () => 0.1 * normal(random));
  return speeds.map((speed, i) => {
    const values = machine.map((change) => speed * Math.exp(change + 0.05 * normal(random)));
    return { id: `${i}`, label: `${i}`, axes: {}, figures: { perSecond: { median: medianOf(values), values } } };
  });
}

/**
 * @param {number[]} speeds
 * @param {number} count of rounds
 * @param {(codes: Record<string, Mark['code']>) => boolean} holds codes by server
 * @returns {number}
 */
function shareOf(speeds, count, holds) {
  const random = seededRandom(7);
  const results = Array.from({ length: RUNS }, () => {
    const { best, marks } = rankBy(casesOf(speeds, count, random), perSecond);
    const others = [...marks].map(([{ id }, { code }]) => [id, code]);
    return Object.fromEntries(best ? [[best.id, 'best'], ...others] : others);
  });
  return results.filter(holds).length / RUNS;
}

describe('a ranking', () => {
  it('finds a difference between equal servers in about 5 % of simulated comparisons, and at most 7 %', () => {
    for (const servers of [2, 3, 5, 16])
      for (const count of [3, 5]) {
        const share = shareOf(new Array(servers).fill(1000), count, (codes) => Object.values(codes).includes('worse'));
        assert.ok(share <= 0.07, `${share} of ${servers} servers with ${count} rounds`);
      }
  });

  it('finds one fast server among many, and does not divide the others', () => {
    const speeds = [2000, ...new Array(9).fill(1000)];
    const holds = (/** @type {Record<string, Mark['code']>} */ codes) =>
      codes[0] === 'best' && Object.values(codes).filter((code) => code === 'worse').length === 9;
    assert.ok(shareOf(speeds, 3, holds) > 0.9);
  });

  it('has as best one that which is better in the rounds that both have, where one was not measured in the slow ones', () => {
    const caseOf = (/** @type {string} */ id, /** @type {(number | null)[]} */ values) => {
      const median = medianOf(values.filter((value) => value !== null));
      return /** @type {any} */ ({ id, label: id, axes: {}, figures: { perSecond: { median, values } } });
    };
    const cases = [caseOf('a', [100, 110, 120, null, null]), caseOf('b', [115, 126, 136, 50, 50])];
    const { best, marks } = rankBy(cases, perSecond);
    assert.deepEqual([best?.id, marks.get(cases[0])?.code], ['b', 'worse']);
  });

  it('rests on the F distribution', () => {
    // quantiles 0.95 from tables
    for (const [f, first, second] of [
      [6.944, 2, 4],
      [2.0148, 15, 30],
      [3.478, 4, 10],
    ]) {
      const p = incompleteBeta(second / (second + first * f), second / 2, first / 2);
      assert.ok(Math.abs(p - 0.05) < 1e-4, `F(${first}, ${second}): ${p}`);
    }
    assert.deepEqual([incompleteBeta(0, 1, 2), incompleteBeta(1, 1, 2)], [0, 1]);
    const rows = [1, 2];
    assert.deepEqual(
      [
        [rows, rows],
        [rows, [2, 4]],
      ].map(blockTest),
      [1, 0],
    );
  });
});
