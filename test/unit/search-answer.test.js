// The probes of a search, judged by its condition, and the answer that they give.

import assert from 'node:assert/strict';
import { isAnswered, probesOf, searchOf } from '../../client/judge/search/index.js';
import { judgeRun } from '../../client/judge/verdict.js';
import { junitOf } from '../../client/exports/junit.js';
import { digestOf } from '../../client/judge/run-digest.js';
import { searchCharts } from '../../report/model/charts/search.js';

/** @import { Find } from '../../client/judge/search/index.js' */

const find = /** @type {Find} */ ({
  ...{ maximise: 'rate', goals: ['p99 < 10ms'], to: 2000, tolerance: 0.5, confirm: 2 },
});
const findConnections = /** @type {const} */ ({ ...find, maximise: 'connections' });

/** @param {number} p99 ns @param {object} [over] */
const steadyOf = (p99, over) => ({
  ...{ transfers: 1000, failed: 0, unfinished: 0, perSecond: 1000, responseTimeNs: { p99, max: p99 + 4e6 } },
  ...over,
});

/**
 * @param {number} rate
 * @param {number} [p99] ns
 * @param {Record<string, any>} [over]
 * @returns {any} a leg that reached its rate
 */
const legOf = (rate, p99 = 5e6, over = {}) => ({
  ...{ id: `${rate}-${p99}`, label: `x, ${rate}/s`, series: 'x', tried: rate },
  ...{ complete: true, endedBy: 'plan', limitedBy: 'none', phases: { endNs: 1e9 } },
  steady: steadyOf(p99, { perSecond: rate }),
  ...over,
});
const SLOW = 50e6;

describe('probes of a search', () => {
  const held = (/** @type {any} */ leg, at = find) => {
    const [probe] = probesOf(at, leg);
    return [probe.held, probe.cause];
  };
  const ended = (/** @type {string} */ endedBy) => legOf(1000, 5e6, { complete: false, endedBy });
  /** @param {number} served of 1,000 @param {number} [idle] @param {object} [over] */
  const connected = (served, idle, over) =>
    legOf(1, 5e6, { tried: 1000, account: { requested: 1000, served, idle }, ...over });

  it('hold by the condition, and if rate and connections were what was asked; broken legs cannot be judged', () => {
    for (const [leg, isHeld, cause] of /** @type {[any, boolean | null, string?][]} */ ([
      [legOf(1000), true],
      [legOf(8000, SLOW), false, 'condition'],
      [legOf(1000, 1, { steady: undefined }), false, 'condition'],
      [legOf(9000, 5e6, { steady: steadyOf(5e6, { perSecond: 8000 }) }), false, 'rate-not-reached'],
      [ended('no-transfers'), false, 'no-transfers'],
      [ended('target-lost'), false, 'target-lost'],
      [ended('server-start'), null, 'not-judged'],
      [ended('interrupted'), null, 'not-judged'],
    ])) {
      assert.deepEqual(held(leg), [isHeld, cause], JSON.stringify(leg));
    }
    for (const [leg, isHeld, cause] of /** @type {[any, boolean | null, string?][]} */ ([
      [connected(999), true],
      [connected(990), false, 'not-served'],
      [connected(960, 40), true],
      [connected(950, 40), false, 'not-served'],
      [connected(750, 250), null, 'not-asked'],
      [connected(700, 250), false, 'not-served'],
      [connected(750, 250, { steady: steadyOf(SLOW) }), false, 'condition'],
    ])) {
      assert.deepEqual(held(leg, findConnections), [isHeld, cause], JSON.stringify(leg));
    }
  });

  it('have the figures of each clause, and that which the search itself requires where it was not met', () => {
    const figures = (/** @type {any} */ leg, at = find) => probesOf(at, leg)[0].figures;
    assert.deepEqual(figures(legOf(1000), { ...find, goals: ['p99 < 10ms and rejects == 0'] }), [
      { figure: 'p99', condition: 'p99 < 10ms', value: 5e6, held: true },
      { figure: 'rejects', condition: 'rejects == 0', held: false },
    ]);
    assert.deepEqual(figures(legOf(1000, 1, { steady: steadyOf(5e6, { failed: 50 }) })), [
      { figure: 'p99', condition: 'p99 < 10ms', above: 9e6, held: false },
    ]);
    assert.deepEqual(figures(legOf(1000, 1, { steady: steadyOf(5e6, { perSecond: 900 }) }))[1], {
      ...{ figure: 'rate', condition: 'rate >= 950/s', cause: 'rate-not-reached', value: 900, held: false },
    });
    const missing = { tried: 2000, account: { requested: 2000, served: 1897, idle: 100 } };
    assert.deepEqual(figures(legOf(1, 5e6, missing), findConnections)[1], {
      ...{ figure: 'served', condition: 'served >= 1899', cause: 'not-served', value: 1897, held: false },
    });
  });

  it('are grouped by server, each with its own answer', () => {
    const legs = [
      ...[legOf(1000), legOf(1000, SLOW, { series: 'y' }), legOf(2000), legOf(4000)],
      legOf(8000, SLOW, { limitedBy: 'client' }),
    ];
    assert.deepEqual(
      searchOf({ ...find, to: 8000 }, legs).answers.map(({ label, probes, held: best, failed, limitedBy }) => [
        ...[label, probes.length, best?.value, failed?.value, limitedBy],
      ]),
      [
        ['x', 4, 4000, 8000, 'client'],
        ['y', 1, undefined, 1000, 'none'],
      ],
    );
  });
});

describe('answer of a search', () => {
  const background = { warnings: [{ code: 'background-load', data: {}, text: '' }] };
  const limited = [legOf(1000, 1), legOf(2000, 2e7), legOf(1500, 3e7), legOf(1000, 2), legOf(1500, 4e7, background)];
  const found = (/** @type {any[]} */ legs) => searchOf(find, legs).answers[0];

  it('is an interval where both ends are confirmed, with what may have distorted it; none before', () => {
    const { decided, answer, cautions } = found(limited);
    assert.deepEqual([decided, answer, cautions], [true, '1,000 to 1,500/s', [{ code: 'background-load', legs: 1 }]]);
    assert.equal(isAnswered({ ...find, answers: [found(limited)] }), true);
    for (const count of [0, 1, 2, 3, 4]) {
      const { answers } = searchOf(find, limited.slice(0, count));
      assert.equal(isAnswered({ ...find, answers }), false);
      if (count > 0) assert.deepEqual([answers[0].decided, answers[0].reason], [false, 'unfinished']);
    }
  });

  it('says in how many of all legs it may have been distorted, and which had too few requests', () => {
    const closed = legOf(3000, 1, { tried: undefined, ...background });
    const few = legOf(1500, 4e7, {
      ...background,
      steady: steadyOf(4e7, { transfers: 990, failed: 9, perSecond: 1500 }),
    });
    const legs = [closed, ...limited.slice(0, 4).map((leg) => ({ ...leg, ...background })), few];
    const { cautions, details } = searchOf({ ...find, to: null }, legs).answers[0];
    assert.deepEqual(cautions, [
      { code: 'background-load', legs: 6 },
      { code: 'few-requests', legs: 1 },
    ]);
    assert.match(details, /in 6 of 6 legs\. 1 of 6 legs had/);
  });

  it('says what did not hold at the value that failed, and in how many of its legs', () => {
    const legs = [
      ...[legOf(1000, 1), legOf(2000, 2e7), legOf(1500, 1, { steady: steadyOf(1) }), legOf(1000, 2)],
      legOf(1500, 2e7, { steady: steadyOf(2e7) }),
    ];
    const { failed, broken } = found(legs);
    assert.deepEqual(failed, { value: 1500, held: 0, failed: 2 });
    assert.deepEqual(broken, [
      { cause: 'rate-not-reached', legs: 2 },
      { cause: 'condition', condition: 'p99 < 10ms', legs: 1 },
    ]);
    const overwhelmed = legOf(1500, 1, { complete: false, endedBy: 'no-transfers', steady: undefined });
    assert.deepEqual(found([legOf(1000, 1), overwhelmed]).broken, [{ cause: 'no-transfers', legs: 1 }]);
  });

  it('is one-sided where the greatest value holds, or not even the smallest', () => {
    const all = found([legOf(1000, 1), legOf(2000, 1), legOf(2000, 2)]);
    assert.deepEqual([all.decided, all.reason, all.answer], [true, 'upper-bound', 'at least 2,000/s']);
    const values = [1000, 500, 250, 125, 63, 32, 16, 8, 4, 2, 1, 1];
    const none = found(values.map((value, i) => legOf(value, 2e7 + i)));
    assert.deepEqual([none.decided, none.reason, none.answer], [true, 'never-held', 'none']);
  });

  it('is unfinished after an interrupted leg, and not judged after a broken one', () => {
    for (const [endedBy, reason] of [
      ['interrupted', 'unfinished'],
      ['workers', 'not-judged'],
    ]) {
      const last = legOf(1500, 1, { complete: false, endedBy });
      assert.equal(found([...limited.slice(0, 2), last]).reason, reason);
    }
  });

  it('is a test case of junit.xml, which fails without one', () => {
    const textOf = (/** @type {any[]} */ legs, thresholds = /** @type {string[]} */ ([])) => {
      const search = searchOf(find, legs);
      const verdict = judgeRun({ thresholds }, legs, 5, { search });
      return junitOf(/** @type {any} */ ({ scenario: 's', legs, search, verdict }), legs);
    };
    assert.match(textOf(limited), /tests="1" failures="0" errors="0" time="5.000"/);
    assert.match(textOf(limited.slice(0, 4)), /<failure type="search-unfinished"/);
    assert.match(textOf(limited, ['found rate >= 1001/s']), /<failure type="threshold"/);
  });

  it('is the case of a run in lists and in its history; legs that fail on purpose are no failures', () => {
    const legs = limited.map((leg) => ({ ...leg, rejects: { total: 3 } }));
    const digest = (/** @type {any[]} */ some) =>
      digestOf(/** @type {any} */ ({ run: 'r', scenario: 's', config: {}, legs, search: searchOf(find, some) }));
    const { cases, failures } = digest(limited);
    assert.deepEqual([cases.map(({ perSecond }) => perSecond), failures], [[1000], []]);
    assert.deepEqual(
      digest(limited.slice(0, 3)).failures.map(({ code, count }) => [code, count]),
      [['search', 1]],
    );
  });

  it('is drawn against the value: what held, what failed, the limit, and both ends', () => {
    const [{ panels }] = searchCharts(searchOf(find, limited), limited);
    const [{ datasets, marks }] = panels;
    assert.deepEqual(
      datasets.map(({ role, points }) => [role, points.join(' ')]),
      [
        ['held', '1000,1 1000,2'],
        ['missed', '2000,20000000 1500,30000000 1500,40000000'],
      ],
    );
    assert.deepEqual(
      marks?.map(({ axis, at }) => `${axis} ${at}`),
      ['y 10000000', 'x 1000', 'x 1500'],
    );
    assert.deepEqual(searchCharts(searchOf(find, limited.slice(0, 1)), []), [], 'one value is no chart');
    assert.deepEqual(searchCharts(searchOf({ ...find, goals: ['limited by == none'] }, limited), limited), []);
  });
});
