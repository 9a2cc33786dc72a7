// The probes of a search, judged by its condition, and the answer that they give.

import assert from 'node:assert/strict';
import { isAnswered, nextValue, probesOf, searchOf } from '../../client/judge/search/index.js';
import { judgeRun } from '../../client/judge/verdict.js';
import { searchLines } from '../../client/console/search-lines.js';
import { findingsOf } from '../../client/judge/findings/index.js';
import { junitOf } from '../../client/exports/junit.js';
import { answerText } from '../../client/judge/headline.js';
import { search as section } from '../../report/html/sections/search.js';
import { digestOf } from '../../client/judge/run-digest.js';
import { searchCharts } from '../../report/model/charts/search.js';

/** @import { Find } from '../../client/judge/search/index.js' */

const find = /** @type {Find} */ ({
  ...{ maximise: 'rate', goals: ['p99 < 10ms'], to: 2000, tolerance: 0.5, confirm: 2, longestNs: 30e9 },
});
const findConnections = /** @type {const} */ ({ ...find, maximise: 'connections' });

/** @param {number} p99 ns @param {object} [over] */
const steadyOf = (p99, over) => ({
  ...{ fromNs: 0, toNs: 30e9, transfers: 1000, failed: 0, unfinished: 0, perSecond: 1000 },
  responseTimeNs: { p99, max: p99 + 4e6 },
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
      [legOf(9000, 5e6, { steady: steadyOf(5e6, { perSecond: 8000, due: 30 * 8100 }) }), true],
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

  it('are undecided where a percentile has too few requests, unless a lower one already tells', () => {
    /** @param {number} rate @param {number} ns of its steady state @param {object} times @param {string} [goal] */
    const probe = (rate, ns, times, goal = 'p99 < 10ms') => {
      const steady = steadyOf(5e6, { toNs: ns, perSecond: rate, responseTimeNs: { ...times, max: 90e6 } });
      const [{ held: isHeld, cause, few, figures }] = probesOf({ ...find, goals: [goal] }, legOf(rate, 1, { steady }));
      return [isHeld, cause, few?.requests, few?.of, figures[0].value ?? figures[0].above];
    };
    const fast = { p50: 1e6, p90: 2e6, p99: 5e6, p99_9: 8e6 };
    const slow = { p50: 1e6, p90: 20e6, p99: 50e6, p99_9: 80e6 };
    assert.deepEqual(probe(113, 9e9, fast), [true, undefined, undefined, undefined, 5e6]);
    assert.deepEqual(probe(113, 1e9, fast), [null, 'few-requests', 113, 1000, 2e6], 'it did not hold by chance');
    assert.deepEqual(probe(113, 1e9, slow), [false, 'condition', undefined, undefined, 20e6], 'p99 is above p90');
    assert.deepEqual(probe(113, 1e9, slow, 'p99 > 10ms').slice(0, 2), [true, undefined]);
    assert.deepEqual(probe(60, 1e9, slow), [null, 'few-requests', 60, 1000, undefined], 'too few for any percentile');
    assert.deepEqual(probe(113, 1e9, fast, 'p50 < 10ms').slice(0, 2), [true, undefined]);
    assert.deepEqual(probe(60, 1e9, fast, 'p50 < 10ms').slice(0, 4), [null, 'few-requests', 60, 100]);
    assert.deepEqual(probe(60, 1e9, fast, 'max < 10ms')[0], false, 'the longest is known of any number');
    const missed = steadyOf(5e6, { toNs: 1e9, perSecond: 50, responseTimeNs: fast });
    assert.deepEqual(held(legOf(113, 1, { steady: missed })), [false, 'rate-not-reached'], 'it needs no percentile');
    assert.deepEqual(held(connected(1000, 0, { steady: steadyOf(1, { transfers: 960 }) }), findConnections), [
      true,
      undefined,
    ]);
    assert.deepEqual(held(connected(1000, 0, { steady: steadyOf(1, { transfers: 900 }) }), findConnections), [
      ...[null, 'few-requests'],
    ]);
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
  const answerOf = (/** @type {any[]} */ legs) => searchOf(find, legs).answers[0];

  it('is an interval where both ends are confirmed, with what may have distorted it; none before', () => {
    const { decided, answer, details } = answerOf(limited);
    assert.deepEqual([decided, answer], [true, '1,000 to 1,500/s']);
    assert.equal(details, 'held at 1,000/s (2 of 2 times), failed at 1,500/s (2 of 2 times)');
    assert.equal(isAnswered({ ...find, answers: [answerOf(limited)] }), true);
    for (const count of [0, 1, 2, 3, 4]) {
      const { answers } = searchOf(find, limited.slice(0, count));
      assert.equal(isAnswered({ ...find, answers }), false);
      if (count > 0) assert.deepEqual([answers[0].decided, answers[0].reason], [false, 'unfinished']);
    }
  });

  it('says of each server in how many of the legs that failed something else may be why, once', () => {
    const closed = legOf(3000, 1, { tried: undefined, ...background });
    const late = { ...background, findings: [{ code: 'arrivals-distorted' }] };
    const legs = [closed, ...limited.slice(0, 4).map((leg) => ({ ...leg, ...background })), legOf(1500, 4e7, late)];
    const goals = ['p99 < 10ms', 'p99 < 1s'];
    const { cautions, answers } = searchOf({ ...find, to: null, goals }, [...legs, legOf(1, 1, { series: 'y' })]);
    assert.deepEqual(cautions, [
      {
        ...{ server: 'x', of: 3 },
        kinds: [
          { code: 'background-load', legs: 3 },
          { code: 'arrivals-distorted', legs: 1 },
        ],
        text:
          'other programs used the machine in 3 and the client did not send its requests on time in 1 of 3 legs that ' +
          'failed: measure on an idle machine',
      },
    ]);
    const held = limited.slice(0, 1).map((leg) => ({ ...leg, ...background }));
    const of = searchOf(find, held);
    assert.equal(of.cautions, undefined, 'a leg that held');
    assert.deepEqual(findingsOf(/** @type {any} */ ({ legs: held, search: of, warnings: [] })), []);
    assert.ok(answers.every(({ details }) => !details.includes('machine')));
  });

  it('has a line for each server and goal on the console, and one for what may have distorted it', () => {
    const legs = limited.map((leg) => ({ ...leg, ...background }));
    const lines = (/** @type {any} */ search) => searchLines(search, legs, 120, (_, text) => text).split('\n');
    const search = searchOf(find, legs);
    const caution = '! other programs used the machine in 3 of 3 legs that failed: measure on an idle machine';
    assert.deepEqual(lines(search).slice(2, 4), [
      'x, p99 < 10ms: 1,000 to 1,500/s; held at 1,000/s (2 of 2 times), failed at 1,500/s (2 of 2 times)',
      caution,
    ]);
    const several = lines(searchOf({ ...find, goals: ['p99 < 10ms', 'p99 < 15ms'] }, legs));
    assert.deepEqual([several.indexOf(''), several.indexOf(caution)], [1, several.indexOf('', 2) - 1]);
    assert.equal(several.indexOf(caution), several.indexOf('x') + 4, 'below a heading and two goals');
    const summary = /** @type {any} */ ({ legs, search, warnings: [] });
    assert.deepEqual(findingsOf(summary), [], 'the list of findings does not repeat it');
    assert.ok(findingsOf({ ...summary, search: undefined }).length > 0);
  });

  it('says where the client waited for a core, and the CPU time of the server is not known', () => {
    /** @param {number} wait @param {object} [over] */
    const waiting = (wait, over) =>
      legOf(1000, 1, { steady: steadyOf(SLOW, { client: { engines: [{ cpu: 0.1, wait }] }, ...over }) });
    const codes = (/** @type {any[]} */ legs) =>
      (searchOf(find, legs).cautions ?? []).flatMap(({ kinds }) => kinds.map(({ code, legs: n }) => [code, n]));
    const known = { server: { cpuSeconds: 1 } };
    assert.deepEqual(codes([waiting(0.2), waiting(0.05), waiting(0.2, known)]), [['client-waited', 1]]);
    assert.deepEqual(codes([{ ...waiting(0.2), ...background }]), [['background-load', 1]], 'one of both');
  });

  it('says what did not hold at the value that failed, and in how many of its legs', () => {
    const legs = [
      ...[legOf(1000, 1), legOf(2000, 2e7), legOf(1500, 1, { steady: steadyOf(1) }), legOf(1000, 2)],
      legOf(1500, 2e7, { steady: steadyOf(2e7) }),
    ];
    const { failed, broken } = answerOf(legs);
    assert.deepEqual(failed, { value: 1500, held: 0, failed: 2 });
    assert.deepEqual(broken, [
      { cause: 'rate-not-reached', legs: 2 },
      { cause: 'condition', condition: 'p99 < 10ms', legs: 1 },
    ]);
    const overwhelmed = legOf(1500, 1, { complete: false, endedBy: 'no-transfers', steady: undefined });
    assert.deepEqual(answerOf([legOf(1000, 1), overwhelmed]).broken, [{ cause: 'no-transfers', legs: 1 }]);
  });

  it('is one-sided where the greatest value holds, or not even the smallest', () => {
    const answer = answerOf([legOf(1000, 1), legOf(2000, 1), legOf(2000, 2)]);
    assert.deepEqual([answer.decided, answer.reason, answer.answer], [true, 'upper-bound', 'at least 2,000/s']);
    const values = [1000, 500, 250, 125, 63, 34, 34];
    const undecided = answerOf(values.map((value, i) => legOf(value, 2e7 + i)));
    assert.deepEqual([undecided.decided, undecided.reason, undecided.answer], [true, 'never-held', 'none']);
    assert.match(undecided.details, /34\/s \(2 of 2 times\), the smallest rate tried$/, 'below it legs tell nothing');
  });

  it('is unfinished after an interrupted leg, and not judged after a broken one', () => {
    for (const [endedBy, reason] of [
      ['interrupted', 'unfinished'],
      ['workers', 'not-judged'],
    ]) {
      const last = legOf(1500, 1, { complete: false, endedBy });
      assert.equal(answerOf([...limited.slice(0, 2), last]).reason, reason);
    }
  });

  it('is missing where every leg has too few requests, with what would tell', () => {
    const few = legOf(20, 5e6, {
      steady: steadyOf(5e6, { perSecond: 20, responseTimeNs: { p50: 1e6, p90: 2e6, p99: 5e6 } }),
    });
    const { decided, reason, answer, remark, details } = searchOf({ ...find, to: 20 }, [few]).answers[0];
    assert.deepEqual([decided, reason, answer, details], [false, 'not-judged', 'no answer', '']);
    assert.equal(remark, 'at 20/s a leg of 30 s has 600 requests; p99 needs 1,000: give -d 50s');
  });

  describe('that is less than was asked for', () => {
    const narrow = { ...find, tolerance: 0.05 };
    /**
     * @param {(rate: number, time: number) => boolean} holds
     * @param {number} [maxLegs]
     * @returns {any[]} its legs
     */
    function legsOf(holds, maxLegs = Infinity) {
      /** @type {any[]} */
      const legs = [];
      for (let rate = nextValue(narrow, legs); rate !== null && legs.length < maxLegs; rate = nextValue(narrow, legs)) {
        const time = legs.filter(({ tried }) => tried === rate).length;
        legs.push(legOf(rate, (holds(rate, time) ? 5e6 : SLOW) + legs.length));
      }
      return legs;
    }
    const isOdd = (/** @type {number} */ time) => time % 2 === 1;
    const contradicting = legsOf((rate, time) => rate < 700 || (rate < 1100 && isOdd(time)));

    it('is the interval between what held and what failed, with why it is wider, and what to type', () => {
      const search = searchOf(narrow, contradicting, 1e9);
      const [{ decided, reason, answer, remark, details }] = search.answers;
      assert.deepEqual([decided, reason, answer], [true, 'too-many-probes', '694 to 884/s']);
      assert.equal(remark, 'wider than the 5 % asked for: legs in between disagree');
      assert.equal(details, 'held at 694/s (2 of 2 times), failed at 884/s (1 of 1 time)');
      assert.equal(search.remedy, 'for a narrower answer: -d 5s, or --find.tolerance 30%');
      assert.match(searchOf(narrow, contradicting, 8e9).remedy ?? '', /: -d 16s, or/);
      assert.ok(isAnswered(search));
      const summary = /** @type {any} */ ({
        scenario: 's',
        config: { loop: 'open' },
        legs: contradicting,
        search,
        warnings: [],
      });
      assert.equal(answerText(summary), `x: 694 to 884/s (${remark}).`);
      const shown = searchLines(search, contradicting, 200, (_, text) => text);
      const page = String(section(/** @type {any} */ ({ summary })));
      for (const text of [shown, page])
        for (const said of [remark ?? assert.fail(), search.remedy ?? assert.fail()])
          assert.ok(text.includes(said), `${said} in ${text}`);
    });

    it('is one end where only one is known, and then none for an exit code', () => {
      for (const [
        holds,
        answer,
        remark,
      ] of /** @type {[(rate: number, time: number) => boolean, string, string][]} */ ([
        [(_, time) => !isOdd(time), 'at least 1,760/s', 'no upper end: legs above disagree'],
        [(_, time) => isOdd(time), 'less than 63/s', 'no lower end: legs below disagree'],
      ])) {
        const search = searchOf(narrow, legsOf(holds), 1e9);
        assert.deepEqual([search.answers[0].answer, search.answers[0].remark], [answer, remark]);
        assert.deepEqual([isAnswered(search), search.remedy], [false, 'for an answer: -d 5s']);
      }
    });

    it('is what is known so far of a search that is not finished', () => {
      const search = searchOf(narrow, contradicting.slice(0, 6), 1e9);
      const [{ answer, remark }] = search.answers;
      assert.deepEqual([answer, remark], ['504 to 757/s', 'the search is not finished']);
      assert.deepEqual([isAnswered(search), search.remedy], [false, undefined]);
    });
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

  describe('is drawn against the value', () => {
    /** @param {any[]} legs @param {number} [colour] @returns {any[]} as the page has them */
    const coloured = (legs, colour = 5) => legs.map((leg) => ({ ...leg, colour }));

    it('with what held, what failed, their median, the limit, and both ends of the answer', () => {
      const [chart, ...none] = searchCharts(searchOf(find, limited), coloured(limited));
      const [{ datasets, marks, brackets }] = chart.panels;
      assert.deepEqual([chart.x.title, none], ['requests per second', []]);
      assert.deepEqual(
        datasets.map(({ role, color, points }) => [role, color, points.join(' ')]),
        [
          ['trend', 5, '1000,1.5 1500,35000000 2000,20000000'],
          ['held', 5, '1000,1 1000,2'],
          ['missed', 5, '1500,30000000 1500,40000000 2000,20000000'],
        ],
      );
      assert.deepEqual(marks, [{ axis: 'y', at: 10_000_000, label: 'p99 < 10ms' }]);
      assert.deepEqual(brackets, [{ color: 5, row: 0, from: 1000, to: 1500 }]);
      assert.deepEqual(
        searchCharts(searchOf(find, limited.slice(0, 1)), coloured(limited)),
        [],
        'one value is no chart',
      );
      assert.deepEqual(
        searchCharts(searchOf({ ...find, goals: ['limited by == none'] }, limited), coloured(limited)),
        [],
      );
    });

    it('of all servers and goals in one chart: a line for each goal, a row of brackets for each server', () => {
      const of = (/** @type {string} */ series) =>
        limited.map((leg) => ({ ...leg, id: `${series} ${leg.id}`, series }));
      const legs = [...of('x'), ...of('y')];
      const search = searchOf({ ...find, goals: ['p99 < 10ms', 'p99 < 25ms'] }, legs);
      const results = [...coloured(legs.slice(0, legs.length / 2), 0), ...coloured(legs.slice(legs.length / 2), 1)];
      const [{ panels }, ...none] = searchCharts(search, results);
      const [{ datasets, marks, brackets = [] }] = panels;
      assert.deepEqual(none, []);
      assert.deepEqual(
        datasets.flatMap(({ role, label }) => (role === 'trend' ? [label] : [])),
        ['x', 'y'],
      );
      assert.deepEqual(
        marks?.map(({ label }) => label),
        ['p99 < 10ms', 'p99 < 25ms'],
      );
      const rowsOf = (/** @type {number} */ color) =>
        new Set(brackets.flatMap((point) => (point.color === color ? [point.row] : [])));
      const [x, y] = [0, 1].map(rowsOf);
      assert.ok(x.size > 0 && y.size > 0 && [...x].every((row) => !y.has(row)), 'none over that of another');
    });

    it('with a chart for each figure that goals are of', () => {
      const search = searchOf({ ...find, goals: ['p99 < 10ms', 'rate > 900/s'] }, limited);
      assert.deepEqual(
        searchCharts(search, coloured(limited)).map(({ id, title }) => `${id}: ${title}`),
        ['search-0: p99 against requests per second', 'search-1: rate against requests per second'],
      );
    });
  });
});
