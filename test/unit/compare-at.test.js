// Key compareAt: the legs that it adds, their rate, and what it refuses; and how the table of servers, the conditions
// and the list of runs show these legs, for made-up data with known answers.

import assert from 'node:assert/strict';
import { comparedFigure } from '../../client/judge/comparisons.js';
import { comparedWithFirst } from '../../client/judge/conditions/against-first.js';
import { compareRuns } from '../../client/judge/compare-runs/index.js';
import { comparisonsOf, rankingTable } from '../../client/judge/ranking-table.js';
import { tableOf } from '../../client/judge/table.js';
import { digestOf } from '../../client/judge/run-digest.js';
import { judgeRun } from '../../client/judge/verdict.js';
import { thenAtRate } from '../../client/plan/compare-at.js';
import { plan, planWith } from '../../client/plan/plan.js';
import { storedPlan } from '../../client/measure/settings.js';
import { resolveScenario } from '../../client/scenario/scenario.js';
import { codesOf } from '../fixtures/codes.js';
import { host } from '../fixtures/hosts.js';
import { FAST, SLOW, legOf, rounds, runOf } from '../fixtures/made-up-answers.js';
import { assertConforms } from '../fixtures/schemas.js';

/** @param {Record<string, unknown>} content @returns {any} as it is before the first leg */
function plannedOf(content) {
  const common = { servers: ['select', 'epoll', 'go'], connections: 100, duration: '10s', starts: 1, compareAt: '50%' };
  const scenario = resolveScenario({ content: { ...common, ...content } });
  return { scenario, ...planWith(thenAtRate, scenario, host) };
}

/**
 * @param {any} planned
 * @param {Record<string, number>} rates transfers/s of each server
 * @param {(leg: any) => object} [over]
 * @returns {any[]} summaries of the legs of its plan
 */
const summariesOf = ({ plan: { legs } }, rates, over = () => ({})) =>
  legs.map((/** @type {any} */ leg) => ({
    ...legOf({ name: leg.series ?? leg.label, rate: rates[leg.series ?? leg.label], requested: leg.connections }),
    ...{ id: leg.id, case: leg.case, label: leg.label, axes: leg.axes, round: leg.round },
    ...(leg.series === undefined ? {} : { series: leg.series }),
    ...over(leg),
  }));

/** @param {any} planned @param {any[]} summaries @returns {any} the whole plan, and the legs that were added */
function extended(planned, summaries) {
  const { legs, warnings } = /** @type {any} */ (planned.next(summaries));
  const whole = { ...planned.plan, legs: [...planned.plan.legs, ...legs] };
  return { plan: whole, legs, warnings };
}

const CAPACITY = { select: 30_060, epoll: 40_000, go: 25_190 };

describe('the legs of compareAt', () => {
  it('are in open loop at a share of the smallest throughput, the same for all, side by side as those before', () => {
    const planned = plannedOf({});
    assert.deepEqual(planned.plan.compareAt, { share: 0.5, mostLegs: 6 });
    assertConforms('plan', storedPlan(planned.plan, planned.scenario));
    const { plan: whole, legs, warnings } = extended(planned, summariesOf(planned, CAPACITY));
    assertConforms('plan', storedPlan(whole, planned.scenario));
    assert.deepEqual(warnings, []);
    assert.deepEqual(
      legs.map((/** @type {any} */ { id, label, series }) => `${id} ${series}: ${label}`),
      ['04-select', '05-epoll', '06-go'].map((id) => `${id}-at-12-500-s ${id.slice(3)}: ${id.slice(3)} at 12,500/s`),
    );
    for (const leg of legs) {
      assert.ok(leg.rates.every((/** @type {any} */ { rate }) => rate === 12_500 && leg.comparedAt === rate));
      assert.ok(leg.steadyFromNs - leg.rampToNs >= 5e9, 'its server is new, too');
      assert.equal(leg.settings.rate, 12_500);
      assert.deepEqual([leg.slices.group, leg.slices.of, leg.slices.pilot], [2, 3, undefined]);
    }
    assert.equal(legs[2].slices.index, 2);
    const once = plan({ ...planned.scenario, compareAt: null }, host).expected.seconds;
    assert.ok(Math.abs(planned.plan.expected.seconds - (once + legs[0].endNs / 1e9)) < 1e-6);
  });

  it('are added once, at a rate that is given, and as whole legs in as many rounds where slices are off', () => {
    const planned = plannedOf({ compareAt: '20000/s', interleave: 'off', rounds: 2 });
    const summaries = summariesOf(planned, CAPACITY);
    const { plan: whole, legs } = extended(planned, summaries);
    assertConforms('plan', storedPlan(whole, planned.scenario));
    assert.deepEqual(
      legs.map((/** @type {any} */ { round, comparedAt, slices }) => [round, comparedAt, slices]),
      [1, 1, 1, 2, 2, 2].map((round) => [round, 20_000, undefined]),
    );
    assert.equal(new Set(whole.legs.map((/** @type {any} */ { id }) => id)).size, 12);
    planned.plan.legs.push(...legs);
    assert.deepEqual(planned.next(summaries).legs, []);
  });

  it('leave out servers that did not serve all in each round, and are none of one server', () => {
    const planned = plannedOf({ rounds: 2 });
    const { account, connections } = legOf({ name: 'go', account: { served: 40, unanswered: 60 } });
    for (const broken of [{ account, connections }, { complete: false }]) {
      const isBad = (/** @type {any} */ leg) => leg.label === 'go' && leg.round === 2;
      const { legs } = extended(
        planned,
        summariesOf(planned, CAPACITY, (leg) => (isBad(leg) ? broken : {})),
      );
      assert.deepEqual([...new Set(legs.map((/** @type {any} */ { series }) => series))].sort(), ['epoll', 'select']);
      assert.ok(legs.every((/** @type {any} */ { comparedAt, slices }) => comparedAt === 15_000 && slices.of === 2));
    }
    const few = summariesOf(planned, CAPACITY, ({ label }) => (label === 'epoll' ? {} : { complete: false }));
    const { legs, warnings } = extended(planned, few);
    assert.deepEqual([legs, codesOf(warnings)], [[], ['nothing-to-compare-at']]);
  });

  it('have a rate of their own at each point of a sweep', () => {
    const planned = plannedOf({ connections: undefined, sweep: { connections: [10, 100] }, rounds: 2 });
    const { steady } = legOf({ name: 'x' });
    const summaries = summariesOf(planned, CAPACITY, ({ axes, series }) => ({
      steady: { ...steady, perSecond: CAPACITY[/** @type {'go'} */ (series)] * (axes.connections === 10 ? 1 : 2) },
    }));
    const { plan: whole, legs } = extended(planned, summaries);
    assertConforms('plan', storedPlan(whole, planned.scenario));
    assert.deepEqual(
      legs
        .map((/** @type {any} */ { round, axes, comparedAt }) => `${round}: ${axes.connections} at ${comparedAt}`)
        .sort(),
      ['1: 10 at 12500', '1: 100 at 25100', '2: 10 at 12500', '2: 100 at 25100'].flatMap((slice) => [
        slice,
        slice,
        slice,
      ]),
    );
    const groups = whole.legs.map((/** @type {any} */ { slices }) => slices.group);
    assert.deepEqual(
      groups,
      [1, 2, 3, 4, 5, 6, 7, 8].flatMap((group) => [group, group, group]),
    );
  });
});

/**
 * @param {string} name of the server @param {number[]} times p99 of its rounds @param {Record<string, any>} [over]
 * @returns {any[]} its legs at 500/s
 */
const atRate = (name, times, over = {}) =>
  times.map((p99, i) => {
    const leg = legOf({ name, p99, rate: 500, round: i + 1, ...over });
    const id = `${leg.case}-at`;
    return { ...leg, id: `${i + 1}-${id}`, case: id, label: `${leg.label} at 500/s`, series: name, comparedAt: 500 };
  });

describe('the table of servers with compareAt', () => {
  // at capacity a has the shorter times, as it has more throughput; at the same rate b has
  const legs = [
    ...rounds('a', FAST, { p99: 2e6 }),
    ...rounds('b', SLOW, { p99: 4e6 }),
    ...atRate('a', [8e5, 8.1e5, 7.9e5, 8e5]),
    ...atRate('b', [4e5, 4.1e5, 3.9e5, 4e5]),
  ];

  it('has throughput of the closed loop, and response times at the same rate, named by it', () => {
    const run = runOf(legs);
    const { figures, points } = rankingTable(run);
    const titles = figures.map((/** @type {any} */ { title, name }) => title ?? name);
    assert.ok(titles.includes('response p50 at 500/s') && titles.includes('response p99 at 500/s'), titles.join());
    assert.equal(points.length, 1);
    const [{ rows, at, leadBy, best }] = points;
    assert.deepEqual([at, leadBy?.compared.key], [undefined, 'perSecond']);
    assert.deepEqual(best, { perSecond: 'a', p50Ns: 'b-at', p99Ns: 'b-at' });
    const i = figures.findIndex(({ compared }) => compared.key === 'p99Ns');
    assert.deepEqual(
      rows.map(({ label, case: id, cells }) => [label, id, cells[0].mark?.code, cells[i].mark?.code, cells[i].median]),
      [
        ['a', 'a', 'best', 'worse', 8e5],
        ['b', 'b', 'worse', 'best', 4e5],
      ],
    );
    const [comparison] = comparisonsOf(run).filter(({ figure, baseline }) => figure === 'p99Ns' && baseline);
    assert.deepEqual([comparison.case, comparison.baseline, comparison.values?.[0]], ['a-at', 'b-at', [8e5, 4e5]]);
  });

  it('compares memory at the same rate alone, in conditions too', () => {
    const holding = legs.map((leg) => ({
      ...leg,
      connections: { ...leg.connections, peakOpen: 100 },
      serverUse: { startRssBytes: 0, peakRssBytes: leg.series === undefined ? 9e6 : leg.series === 'a' ? 2e6 : 1e6 },
    }));
    const run = runOf(holding);
    const { figures, points } = rankingTable(run);
    const i = figures.findIndex(({ compared }) => compared.called === 'memory');
    assert.deepEqual(
      points[0].rows.map(({ label, cells: { [i]: cell } }) => [label, cell.case, cell.mark?.code]),
      [
        ['a', 'a-at', 'worse'],
        ['b', 'b-at', 'best'],
      ],
    );
    assert.ok(tableOf(run).columns.some(({ title }) => title === 'memory per connection at 500/s'));
    const compared = comparedWithFirst(run.cases, holding, { workload: 'continuous', loop: 'closed' });
    const verdict = judgeRun({ failIf: ['memory worse by 3%'] }, holding, legs.length, { comparedWithFirst: compared });
    assert.deepEqual(
      verdict?.thresholds.map(({ case: id, passed }) => [id, passed]),
      [['b-at', true]],
    );
    assert.equal(compared('1-b')?.(comparedFigure('serverMemoryPerConnectionBytes')).why, 'rates-differ');
  });

  it('compares p99.9 too, which a closed loop does not', () => {
    const times = (/** @type {any} */ leg) => {
      const { responseTimeNs } = leg.steady;
      return {
        ...leg,
        steady: { ...leg.steady, responseTimeNs: { ...responseTimeNs, p99_9: 2 * responseTimeNs.p99 } },
      };
    };
    const keysOf = (/** @type {any[]} */ some) =>
      rankingTable(runOf(some.map(times))).figures.map((/** @type {any} */ { compared }) => compared.key);
    assert.deepEqual(keysOf(legs), ['perSecond', 'p50Ns', 'p99Ns', 'p99_9Ns', 'served']);
    assert.ok(!keysOf(legs.slice(0, 8)).includes('p99_9Ns'));
  });

  it('has no response times of a server, or at a point, without legs at the rate', () => {
    const [first, second] = [10, 100].map((connections) => ({ axes: { connections } }));
    const swept = [
      ...['a', 'b', 'c'].flatMap((name) => [...rounds(name, FAST, first), ...rounds(name, FAST, second)]),
      ...atRate('a', [8e5, 8.1e5, 7.9e5], second),
      ...atRate('b', [4e5, 4.1e5, 3.9e5], second),
    ];
    const { figures, points } = rankingTable(runOf(swept));
    const i = figures.findIndex(({ compared }) => compared.key === 'p99Ns');
    const codes = points.map((/** @type {any} */ { rows }) =>
      rows
        .map((/** @type {any} */ { label, cells }) => `${label} ${cells[i].mark?.code}`)
        .sort()
        .join(', '),
    );
    assert.deepEqual(codes, ['a undefined, b undefined, c undefined', 'a worse, b best, c undefined']);
    assert.ok(points[1].at?.includes('500/s') && !points[0].at?.includes('500/s'));
  });

  it('judges conditions about response times at the rate, and all others at capacity', () => {
    const conditions = { thresholds: ['p99 < 1ms', 'rejects == 0'], failIf: ['rate < 900'] };
    const verdict = judgeRun(conditions, legs, legs.length);
    assert.deepEqual(
      verdict?.thresholds.map(({ condition, case: id }) => `${id}: ${condition}`),
      ['a', 'b']
        .flatMap((id) => [`${id}: rejects == 0`, `${id}: rate < 900`])
        .concat('a-at: p99 < 1ms', 'b-at: p99 < 1ms'),
    );
    assert.equal(verdict?.passed, true);
    assert.equal(judgeRun(conditions, legs.slice(0, 8), 8)?.passed, false, 'p99 is that of the closed loop');
  });

  it('compares with the first server under the same load alone', () => {
    const { cases } = runOf(legs);
    const compared = comparedWithFirst(cases, legs, { workload: 'continuous', loop: 'closed' });
    assert.deepEqual([compared('1-a'), compared('1-a-at')], [undefined, undefined]);
    for (const [id, key] of /** @type {const} */ ([
      ['1-b', 'perSecond'],
      ['1-b-at', 'p99Ns'],
    ])) {
      const { ratio } = compared(id)?.(comparedFigure(key)) ?? assert.fail(id);
      assert.ok(Math.abs(Number(ratio?.median) - 0.5) < 0.02, `${id}: ${ratio?.median}`);
    }
    const conditions = { thresholds: ['p99 worse by 3%', 'rate worse by 3%'] };
    const verdict = judgeRun(conditions, legs, legs.length, { comparedWithFirst: compared });
    assert.deepEqual(
      verdict?.thresholds.map(({ condition, case: id }) => `${id}: ${condition}`),
      ['b: rate worse by 3%', 'b-at: p99 worse by 3%'],
    );
  });

  it('is in the list of runs with a case for each server, and compared with a run at the same rate alone', () => {
    assert.deepEqual(
      digestOf(runOf(legs)).cases.map((/** @type {any} */ { label }) => label),
      ['a', 'b'],
    );
    const run = { summary: runOf(legs), scenario: null, environment: null };
    const same = compareRuns(run, run, null);
    const keys = same?.comparisons.map((comparison) => `${comparison.case} ${comparison.figure}`) ?? [];
    assert.ok(keys.includes('a perSecond') && keys.includes('a-at p99Ns') && !keys.includes('a-at perSecond'));
    const other = { ...run, summary: runOf(legs.map((leg) => ({ ...leg, label: leg.label.replace('500', '600') }))) };
    assert.deepEqual(compareRuns(run, other, null)?.unpaired.run, ['a at 500/s', 'b at 500/s']);
  });
});
