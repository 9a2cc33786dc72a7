// Key `budget`: its grammar, when a run asks whether enough is known, and how often chance says so.
import assert from 'node:assert/strict';
import { comparedFigure, isSettled, markOf, rulesOf } from '../../client/judge/comparisons.js';
import { lookTimes } from '../../client/judge/looks.js';
import { rankBy } from '../../client/judge/ranking-table.js';
import { ratioInterval } from '../../client/judge/statistics/index.js';
import { medianOf } from '../../client/measure/statistics.js';
import { resolveScenario } from '../../client/scenario/scenario.js';
import { normal, uniform } from '../fixtures/random-numbers.js';

const RUNS = 300;
/** The most that chance makes of 5 % in so many runs: two standard errors more. */
const MOST = 0.05 + 2 * Math.sqrt((0.05 * 0.95) / RUNS);
const FIRST_BLOCKS = 8;
const perSecond = comparedFigure('perSecond');

/**
 * @param {number} looks at twice as many blocks each time @param {number} ratio of the speed of the second server
 * @param {(blocks: [number, number][]) => boolean} claims whether servers are told apart
 * @returns {number} share of runs in which they are at any look
 */
function shareTold(looks, ratio, claims) {
  const gaussian = normal(uniform(11));
  let told = 0;
  for (let run = 0; run < RUNS; run += 1) {
    const blocks = Array.from({ length: FIRST_BLOCKS * 2 ** (looks - 1) }, () => {
      const machine = Math.exp(0.2 * gaussian());
      const speed = () => 1000 * machine * Math.exp(0.05 * gaussian());
      return /** @type {[number, number]} */ ([speed(), ratio * speed()]);
    });
    const isTold = Array.from({ length: looks }, (_, look) => blocks.slice(0, FIRST_BLOCKS * 2 ** look)).some(claims);
    if (isTold) told += 1;
  }
  return told / RUNS;
}

/** @param {number} looks @returns {(blocks: [number, number][]) => boolean} by the table of servers */
const byTable = (looks) => (blocks) => {
  const cases = [0, 1].map((i) => {
    const values = blocks.map((block) => block[i]);
    return { id: `${i}`, label: `${i}`, axes: {}, figures: { perSecond: { median: medianOf(values), values } } };
  });
  const { marks } = rankBy(/** @type {any} */ (cases), perSecond, rulesOf({ looks }));
  return [...marks.values()].some(({ code }) => code === 'worse');
};

describe('key budget', () => {
  const twoServers = { servers: ['epoll', 'select'], connections: 10, duration: '10s' };
  const resolve = (/** @type {any} */ given) => resolveScenario({ content: { ...twoServers, ...given } });

  it('is the most of a steady state whose least is duration', () => {
    const { budget, durationNs } = resolve({ budget: '2m' });
    assert.deepEqual([budget, durationNs], [{ minNs: 10e9, looksNs: [15e9, 30e9, 60e9, 120e9] }, 120e9]);
    assert.deepEqual([resolve({}).budget, resolve({}).durationNs], [null, 10e9]);
    assert.deepEqual(lookTimes(8e9, 15e9), [15e9]);
    assert.equal(lookTimes(1e9, 3600e9).length, 6);
  });

  it('tells equal servers apart in at most 5 % of runs, which looks with intervals of 95 % would not', () => {
    for (const looks of [2, 4]) {
      const told = shareTold(looks, 1, byTable(looks));
      assert.ok(told <= MOST, `${looks} looks: ${told}`);
    }
    const naive = shareTold(4, 1, (blocks) => {
      const { code } = markOf(perSecond, ratioInterval(blocks.map(([a, b]) => [b, a])));
      return code === 'worse' || code === 'better';
    });
    assert.ok(naive > MOST, `${naive}`);
    assert.ok(shareTold(4, 1.05, byTable(4)) > 0.95, 'finds 5 %');
  });

  it('is spent where a mark by the figure that ranks, or a condition, is not known', () => {
    const known = { figure: 'perSecond', case: 'a', mark: { code: 'worse' } };
    const open = { figure: 'perSecond', case: 'a', mark: { code: 'not-known', why: 'rounds-differ' } };
    const times = { ...known, figure: 'p99Ns', mark: { code: 'not-compared', why: 'served-some' } };
    /** @type {[string, object[], boolean][]} */
    const rows = [
      ['known', [known], true],
      ['one is open', [known, open], false],
      ['one is open that does not rank', [known, { ...open, figure: 'serverCpuPerTransferNs' }], true],
      ['what is not compared does not rank', [times, open], false],
      ['nor what has one value', [{ ...known, figure: 'served' }, open], false],
      ['one is open of an earlier point', [known, { ...open, case: 'b' }], true],
      ['one is absent', [known, { ...open, mark: { code: 'not-known', why: 'absent' } }], true],
      ['nothing was compared', [], false],
    ];
    for (const [what, comparisons, expected] of rows)
      assert.equal(isSettled(/** @type {any} */ ({ comparisons }), ['a']), expected, what);
    const verdict = { thresholds: [{ undecided: true }] };
    assert.equal(isSettled(/** @type {any} */ ({ comparisons: [known], verdict }), ['a']), false);
  });
});
