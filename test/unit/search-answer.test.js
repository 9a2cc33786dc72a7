// The probes of a search, judged by its condition, and the answer that they give.

import assert from 'node:assert/strict';
import { isAnswered, probesOf, searchOf } from '../../client/judge/search/index.js';
import { judgeRun } from '../../client/judge/verdict.js';
import { junitOf } from '../../client/exports/junit.js';
import { digestOf } from '../../client/judge/run-digest.js';
import { searchCharts } from '../../report/model/charts/search.js';

describe('probes of a search', () => {
  const find = /** @type {import('../../client/judge/search/index.js').Find} */ ({
    maximise: 'rate',
    goals: ['p99 < 10ms'],
    to: 8000,
    tolerance: 0.5,
    confirm: 2,
  });
  /** @param {number} rate @param {Record<string, any>} [over] @returns {any} */
  const legOf = (rate, over = {}) => ({
    ...{
      id: `01-x-${rate}`,
      label: `x, ${rate}/s`,
      series: 'x',
      settings: { rate },
      complete: true,
      endedBy: 'plan',
      limitedBy: 'none',
    },
    steady: { transfers: 10, failed: 0, unfinished: 0, perSecond: rate, responseTimeNs: { p99: 5e6, max: 9e6 } },
    ...over,
  });
  const slow = {
    steady: { transfers: 10, failed: 0, unfinished: 0, perSecond: 8000, responseTimeNs: { p99: 50e6, max: 90e6 } },
  };
  const facts = (/** @type {any} */ leg, at = /** @type {any} */ (find)) => {
    const [{ held, cause }] = probesOf(at, leg);
    return [held, cause];
  };

  it('hold by the condition', () => {
    assert.deepEqual(facts(legOf(1000)), [true, undefined]);
    assert.deepEqual(facts(legOf(8000, slow)), [false, 'condition']);
    assert.deepEqual(facts(legOf(1000, { steady: undefined })), [false, 'condition'], 'a figure was not measured');
  });

  it('do not hold where the rate was not reached, or connections were not served', () => {
    assert.deepEqual(facts(legOf(9000, { steady: { ...legOf(1).steady, perSecond: 8000 } })), [
      false,
      'rate-not-reached',
    ]);
    const connections = { ...find, maximise: 'connections' };
    const held = { settings: { connections: 1000 }, account: { requested: 1000, served: 999 } };
    assert.deepEqual(facts(legOf(1, held), connections), [true, undefined]);
    assert.deepEqual(facts(legOf(1, { ...held, account: { requested: 1000, served: 990 } }), connections), [
      false,
      'not-served',
    ]);
  });

  it('fail where the server was overwhelmed, and cannot be judged where the leg was broken', () => {
    for (const endedBy of ['no-transfers', 'target-lost']) {
      assert.deepEqual(facts(legOf(1000, { complete: false, endedBy })), [false, endedBy]);
    }
    assert.deepEqual(facts(legOf(1000, { complete: false, endedBy: 'server-start' })), [null, 'not-judged']);
    assert.deepEqual(facts(legOf(1000, { complete: false, endedBy: 'interrupted' })), [null, 'not-judged']);
  });

  it('have the figures of each clause', () => {
    assert.deepEqual(probesOf({ ...find, goals: ['p99 < 10ms and rejects == 0'] }, legOf(1000))[0].figures, [
      { figure: 'p99', condition: 'p99 < 10ms', value: 5e6, held: true },
      { figure: 'rejects', condition: 'rejects == 0', held: false },
    ]);
    const lost = { steady: { ...legOf(1000).steady, failed: 5 } };
    assert.deepEqual(probesOf(find, legOf(1000, lost))[0].figures, [
      { figure: 'p99', condition: 'p99 < 10ms', above: 9e6, held: false },
    ]);
  });

  it('have the figure of what the search itself requires, where it was not met', () => {
    const slower = { steady: { ...legOf(1).steady, perSecond: 900 } };
    assert.deepEqual(probesOf(find, legOf(1000, slower))[0].figures[1], {
      ...{ figure: 'rate', condition: 'rate >= 950/s', cause: 'rate-not-reached', value: 900, held: false },
    });
    const connections = /** @type {const} */ ({ ...find, maximise: 'connections' });
    const missing = { settings: { connections: 2000 }, account: { requested: 2000, served: 1897, idle: 100 } };
    assert.deepEqual(probesOf(connections, legOf(1, missing))[0].figures[1], {
      ...{ figure: 'served', condition: 'served >= 1899', cause: 'not-served', value: 1897, held: false },
    });
  });

  it('of connections are about those on which a request was sent, and unknown where too few were', () => {
    const connections = { ...find, maximise: 'connections' };
    const outcome = (/** @type {number} */ served, /** @type {number} */ idle, over = {}) =>
      facts(
        legOf(1, { settings: { connections: 1000 }, account: { requested: 1000, served, idle }, ...over }),
        connections,
      );
    assert.deepEqual(outcome(960, 40), [true, undefined]);
    assert.deepEqual(outcome(950, 40), [false, 'not-served']);
    assert.deepEqual(outcome(750, 250), [null, 'not-asked']);
    assert.deepEqual(outcome(700, 250), [false, 'not-served'], 'enough is known');
    assert.deepEqual(outcome(750, 250, slow), [false, 'condition']);
  });

  it('are grouped by server, each with its own answer', () => {
    const legs = [
      legOf(1000),
      { ...legOf(1000, slow), series: 'y', settings: { rate: 1000 } },
      legOf(2000),
      legOf(4000),
      legOf(8000, { ...slow, limitedBy: 'client' }),
    ];
    const { answers } = searchOf(find, legs);
    assert.deepEqual(
      answers.map(({ label, probes, held, failed, limitedBy, reason }) => [
        label,
        probes.length,
        held?.value,
        failed?.value,
        limitedBy,
        reason,
      ]),
      [
        ['x', 4, 4000, 8000, 'client', 'unfinished'],
        ['y', 1, undefined, 1000, 'none', 'unfinished'],
      ],
    );
  });
});

describe('answer of a search', () => {
  const find = /** @type {import('../../client/judge/search/index.js').Find} */ ({
    maximise: 'rate',
    goals: ['p99 < 10ms'],
    to: 2000,
    tolerance: 0.5,
    confirm: 2,
  });
  /** @param {number} rate @param {number} p99 in ns @param {Record<string, any>} [over] @returns {any} */
  const legOf = (rate, p99, over = {}) => ({
    ...{
      id: `${rate}-${p99}`,
      label: `x, ${rate}/s`,
      series: 'x',
      settings: { rate },
      complete: true,
      endedBy: 'plan',
    },
    ...{ limitedBy: 'none', phases: { endNs: 1e9 } },
    steady: { transfers: 10, failed: 0, unfinished: 0, perSecond: rate, responseTimeNs: { p99, max: p99 } },
    ...over,
  });
  const background = { warnings: [{ code: 'background-load', data: {}, text: '' }] };
  const limited = [legOf(1000, 1), legOf(2000, 2e7), legOf(1500, 3e7), legOf(1000, 2), legOf(1500, 4e7, background)];
  const found = (/** @type {any[]} */ legs) => searchOf(find, legs).answers[0];

  it('is an interval where both ends are confirmed, with what may have distorted it', () => {
    const { decided, answer, cautions } = found(limited);
    assert.deepEqual([decided, answer, cautions], [true, '1,000 to 1,500/s', [{ code: 'background-load', legs: 1 }]]);
  });

  it('says what did not hold at the value that failed, and in how many of its legs', () => {
    const steady = { ...legOf(1, 1).steady, perSecond: 1000 };
    const legs = [
      legOf(1000, 1),
      legOf(2000, 2e7),
      legOf(1500, 1, { steady }),
      legOf(1000, 2),
      legOf(1500, 2e7, { steady: { ...steady, responseTimeNs: { p99: 2e7, max: 2e7 } } }),
    ];
    const { failed, broken } = found(legs);
    assert.deepEqual(
      [failed, broken],
      [
        { value: 1500, held: 0, failed: 2 },
        [
          { cause: 'rate-not-reached', legs: 2 },
          { cause: 'condition', condition: 'p99 < 10ms', legs: 1 },
        ],
      ],
    );
    const overwhelmed = { ...legOf(1500, 1, { complete: false, endedBy: 'no-transfers' }), steady: undefined };
    assert.deepEqual(found([legOf(1000, 1), overwhelmed]).broken, [{ cause: 'no-transfers', legs: 1 }]);
    assert.equal(found([legOf(1000, 1)]).broken, undefined);
  });

  it('is one-sided where the greatest value holds, or not even the smallest', () => {
    const all = found([legOf(1000, 1), legOf(2000, 1), legOf(2000, 2)]);
    assert.deepEqual([all.decided, all.reason, all.answer], [true, 'upper-bound', 'at least 2,000/s']);
    const values = [1000, 500, 250, 125, 63, 32, 16, 8, 4, 2, 1, 1];
    const none = found(values.map((value, i) => legOf(value, 2e7 + i)));
    assert.deepEqual([none.decided, none.reason, none.answer], [true, 'never-held', 'none']);
  });

  it('is none while it is not confirmed', () => {
    for (const count of [0, 1, 2, 3, 4]) {
      const { answers } = searchOf(find, limited.slice(0, count));
      assert.ok(
        answers.every(({ decided, reason, answer }) => !decided && reason === 'unfinished' && answer === 'no answer'),
      );
      assert.equal(isAnswered({ ...find, answers }), false);
    }
    assert.equal(isAnswered({ ...find, answers: [found(limited)] }), true);
  });

  it('is none after an interrupted leg, because the search is unfinished; after a broken one, because that is unknown', () => {
    const last = { complete: false, endedBy: 'interrupted' };
    assert.equal(found([...limited.slice(0, 2), legOf(1500, 1, last)]).reason, 'unfinished');
    assert.equal(found([...limited.slice(0, 2), legOf(1500, 1, { ...last, endedBy: 'workers' })]).reason, 'not-judged');
  });

  it('is a test case of junit.xml, which fails without one', () => {
    const casesOf = (/** @type {any[]} */ legs) =>
      junitOf(/** @type {any} */ ({ scenario: 's', legs, search: searchOf(find, legs) }), legs);
    assert.match(casesOf(limited), /tests="1" failures="0" errors="0" time="5.000"/);
    assert.match(casesOf(limited.slice(0, 4)), /<failure type="search-unfinished"/);
    const search = searchOf(find, limited);
    const verdict = judgeRun({ thresholds: ['found rate >= 1001/s'] }, limited, 5, { search });
    assert.match(
      junitOf(/** @type {any} */ ({ scenario: 's', legs: limited, search, verdict }), limited),
      /<failure type="threshold"/,
    );
  });

  it('is the case of a run in lists and in its history; legs that fail on purpose are no failures', () => {
    const failing = limited.map((leg) => ({ ...leg, rejects: { total: 3 } }));
    /** @type {any} */
    const summary = { run: 'r', scenario: 's', config: {}, legs: failing, search: searchOf(find, limited) };
    const { cases, failures } = digestOf(summary);
    assert.deepEqual(
      [cases.map(({ label, perSecond }) => [label, perSecond]), failures],
      [[['x: 1,000 to 1,500/s', 1000]], []],
    );
    const open = digestOf({ ...summary, search: searchOf(find, limited.slice(0, 3)) });
    assert.deepEqual(
      open.failures.map(({ code, count }) => [code, count]),
      [['search', 1]],
    );
  });

  it('is drawn against the value: what held, what failed, the limit, and both ends', () => {
    const [chart] = searchCharts(searchOf(find, limited), limited);
    const [panel] = chart.panels;
    assert.deepEqual(
      panel.datasets.map(({ role, points }) => [role, points]),
      [
        [
          'held',
          [
            [1000, 1],
            [1000, 2],
          ],
        ],
        [
          'missed',
          [
            [2000, 2e7],
            [1500, 3e7],
            [1500, 4e7],
          ],
        ],
      ],
    );
    assert.deepEqual(
      panel.marks?.map(({ axis, at }) => [axis, at]),
      [
        ['y', 1e7],
        ['x', 1000],
        ['x', 1500],
      ],
    );
    assert.ok(!/rate|longest/.test(chart.lead), 'it explains only the marks that are there');
    const steady = legOf(1900, 1).steady;
    const leads = [{ perSecond: 1000 }, { failed: 9 }].map(
      (over) =>
        searchCharts(searchOf(find, [...limited, legOf(1900, 1, { steady: { ...steady, ...over } })]), [])[0].lead,
    );
    assert.deepEqual(
      leads.map((lead) => [lead.includes('rate was not reached'), lead.includes('longest')]),
      [
        [true, false],
        [false, true],
      ],
    );
    assert.deepEqual(searchCharts(searchOf(find, limited.slice(0, 1)), []), [], 'one value is no chart');
    assert.deepEqual(searchCharts(searchOf({ ...find, goals: ['limited by == none'] }, limited), limited), []);
  });
});
