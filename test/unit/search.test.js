// The search for the greatest value at which a condition holds: on simulated servers, exact ones and noisy ones.

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { checkBaseline, comparisonOf } from '../../client/commands/run-comparison.js';
import { planWith } from '../../client/plan/plan.js';
import { bisection } from '../../client/plan/search.js';
import { resolveScenario } from '../../client/scenario/scenario.js';
import { host, known } from '../fixtures/hosts.js';
import { Bisection, mostProbes, usualProbes } from '../../client/judge/search/bisection.js';
import { boundsUpTo, nextValue, searchOf } from '../../client/judge/search/index.js';
import { judgeRun } from '../../client/judge/verdict.js';
import { seededRandom } from '../../client/measure/random.js';

/**
 * @import { Bounds } from '../../client/judge/search/bisection.js'
 * @import { Find } from '../../client/judge/search/index.js'
 */

/**
 * @param {Bounds} bounds
 * @param {(value: number, probe: number) => boolean | null} holdsAt a simulated server
 */
function search(bounds, holdsAt) {
  const bisection = new Bisection(bounds);
  const values = [];
  for (let value = bisection.next(); value !== null; value = bisection.next()) {
    values.push(value);
    assert.ok(values.length <= mostProbes(bounds), 'it ends');
    bisection.record(value, holdsAt(value, values.length));
  }
  return { values, answer: bisection.answer() };
}

describe('search', () => {
  it('doubles, bisects, and confirms both ends', () => {
    const { values, answer } = search({ from: 1000, to: 64_000, tolerance: 0.1, confirm: 2 }, (value) => value <= 5300);
    assert.deepEqual(values, [1000, 2000, 4000, 8000, 6000, 5000, 5500, 5000, 5500]);
    assert.deepEqual(answer, {
      decided: true,
      held: { value: 5000, held: 2, failed: 0 },
      failed: { value: 5500, held: 0, failed: 2 },
    });
  });

  it('finds the limit of any server that behaves the same each time, within the tolerance', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 200_000 }),
        fc.integer({ min: 1, max: 100_000 }),
        fc.integer({ min: 1, max: 100_000 }),
        fc.constantFrom(0.01, 0.05, 0.2),
        (limit, from, more, tolerance) => {
          const to = from + more;
          const { answer, values } = search({ from, to, tolerance, confirm: 2 }, (value) => value <= limit);
          const { decided, reason, held, failed } = answer;
          assert.equal(decided, true);
          assert.ok(values.every((value) => value >= 1 && value <= to));
          if (limit >= to) return assert.deepEqual([reason, held?.value, failed], ['upper-bound', to, undefined]);
          assert.ok(held && failed && held.value <= limit && failed.value > limit);
          if (from <= limit)
            assert.ok(values.length <= usualProbes({ from, to, tolerance, confirm: 2 }), `${values.length} probes`);
          // three significant digits
          assert.ok(failed.value - held.value <= Math.max(1, Math.max(tolerance, 0.011) * failed.value));
        },
      ),
    );
  });

  it('says when nothing holds, when the greatest value does, and when it does in one leg and fails in the next', () => {
    const bounds = { from: 8, to: 100, tolerance: 0.05, confirm: 2 };
    const none = search(bounds, () => false);
    assert.deepEqual([none.values, none.answer.reason, none.answer.decided], [[8, 4, 2, 1, 1], 'never-held', true]);
    const all = search(bounds, () => true);
    assert.deepEqual(
      [all.values.join(), all.answer.reason, all.answer.decided],
      ['8,16,32,64,100,100', 'upper-bound', true],
    );
    const { values, answer } = search(bounds, (value, probe) => value < 100 || probe % 2 === 0);
    assert.deepEqual([answer.decided, answer.reason, answer.failed], [true, 'unclear-above', undefined]);
    assert.ok(answer.held && answer.held.value >= 95 && answer.held.held === 2, JSON.stringify(values));
  });

  it('ends undecided at a leg that could not be judged, and while it is not finished', () => {
    const bounds = { from: 8, to: 100, tolerance: 0.05, confirm: 2 };
    const { decided, reason, held } = search(bounds, (value) => (value < 30 ? true : null)).answer;
    assert.deepEqual([decided, reason, held?.value], [false, 'not-judged', 16]);
    assert.deepEqual(new Bisection(bounds).answer(), { decided: false, reason: 'unfinished' });
  });

  it('begins above a value whose leg does not tell, and ends where none above it does, or one within the interval', () => {
    const bounds = { from: 8, to: 100, tolerance: 0.05, confirm: 2 };
    const from = (/** @type {number} */ least) => {
      const bisection = new Bisection(bounds);
      const values = [];
      for (let value = bisection.next(); value !== null; value = bisection.next()) {
        values.push(value);
        if (value < least) bisection.leaveOut(value);
        else bisection.record(value, value <= 50);
      }
      return { values, ...bisection.answer() };
    };
    const { values, decided, held } = from(20);
    assert.deepEqual([values.slice(0, 4), decided, held?.value], [[8, 16, 32, 64], true, 50]);
    assert.deepEqual([from(1000).values, from(1000).reason], [[8, 16, 32, 64, 100], 'not-judged']);
    const other = new Bisection(bounds);
    other.record(8, true);
    other.leaveOut(4);
    assert.equal(other.next(), 16, 'it had not asked for 4');
    other.leaveOut(16);
    assert.deepEqual([other.next(), other.answer().reason], [null, 'not-judged']);
  });

  // 5 % above its limit one leg in 20 holds, 5 % below it one in 20 fails; a stall makes one leg in 20 fail anywhere
  for (const { confirm, stalls, decided, near, inside } of [
    { confirm: 2, stalls: 0, decided: 0.99, near: 0.97, inside: 0.68 },
    { confirm: 2, stalls: 0.05, decided: 0.97, near: 0.92, inside: 0.64 },
    { confirm: 3, stalls: 0, decided: 0.99, near: 0.98, inside: 0.8 },
    { confirm: 3, stalls: 0.05, decided: 0.97, near: 0.95, inside: 0.78 },
  ]) {
    it(`is near the limit of a noisy server: confirm ${confirm}, ${stalls * 100} % stalls`, () => {
      const all = 400;
      const answers = [];
      for (let seed = 1; seed <= all; seed += 1) {
        const random = seededRandom(seed);
        const limit = Math.round(2000 + 60_000 * random());
        const { answer } = search(
          { from: 2000, to: 64_000, tolerance: 0.05, confirm },
          (value) => random() < (1 - stalls) / (1 + Math.exp(60 * (value / limit - 1))),
        );
        const [low, high] = [answer.held?.value ?? 0, answer.failed?.value ?? Infinity];
        const middle = high === Infinity ? low : (low + high) / 2;
        const isNear = Math.abs(middle / limit - 1) < 0.05;
        answers.push({ decided: answer.decided, isNear, isInside: low <= limit && limit < high });
      }
      const known = answers.filter((answer) => answer.decided);
      assert.ok(known.length >= decided * all, `${known.length} decided`);
      const count = (/** @type {'isNear' | 'isInside'} */ key) =>
        known.filter((answer) => answer[key]).length / known.length;
      assert.ok(count('isNear') >= near, `${count('isNear')} within 5 %`);
      assert.ok(count('isInside') >= inside, `${count('isInside')} in the interval`);
    });
  }

  it('ends, whatever the outcomes are, and does not take chance for an answer as near as asked for', () => {
    let wider = 0;
    for (let seed = 1; seed <= 200; seed += 1) {
      const coin = seededRandom(seed);
      const { answer } = search({ from: 1000, to: 64_000, tolerance: 0.05, confirm: 2 }, () => coin() < 0.5);
      const { decided, reason, held, failed } = answer;
      if (reason === 'too-many-probes') {
        assert.equal(decided, held !== undefined && failed !== undefined, 'two ends are an answer');
        wider += 1;
      }
    }
    assert.ok(wider > 0);
  });
});

describe('a search whose outcomes are chance', () => {
  it('has all values that held below the upper end of its answer', () => {
    let wider = 0;
    for (let seed = 1; seed <= 100; seed += 1) {
      const coin = seededRandom(seed);
      const bisection = new Bisection({ from: 1000, to: 64_000, tolerance: 0.05, confirm: 2 });
      for (let value = bisection.next(); value !== null; value = bisection.next())
        bisection.record(value, coin() < 0.5);
      const { reason, failed } = bisection.answer();
      if (reason !== 'too-many-probes' || failed === undefined || failed === bisection.ends().failed) continue;
      wider += 1;
      const held = [...bisection.tallies.values()].filter((tally) => tally.held > tally.failed);
      assert.ok(Math.max(...held.map(({ value }) => value)) < failed.value, `seed ${seed}`);
    }
    assert.ok(wider > 0);
  });
});

describe('search for several goals', () => {
  const goals = ['p99 < 1ms', 'p99 < 5ms', 'p99 < 20ms'];
  const tolerance = 0.05;
  /** @type {Find} */
  const find = { maximise: 'rate', goals, to: null, tolerance, confirm: 2, longestNs: 30e9 };

  /**
   * A made-up server: one queue, whose 99th percentile grows as service / (1 - rate / capacity); noise: of a leg, as a
   * share; closed: the throughput in closed loop, where connections are too few for its capacity.
   * @param {{ capacity: number, serviceNs: number, noise?: number, seed?: number, closed?: number }} server
   */
  function legsOf({ capacity, serviceNs, noise = 0, seed = 1, closed = capacity }) {
    const random = seededRandom(seed);
    /** @param {number | undefined} tried @param {number} perSecond @param {number} p99 @returns {any} */
    const leg = (tried, perSecond, p99) => ({
      ...{ id: String(legs.length), label: 'x', series: 'x', tried },
      ...{ complete: true, endedBy: 'plan', limitedBy: 'none' },
      steady: {
        ...{ fromNs: 0, toNs: 30e9, transfers: 1, failed: 0, unfinished: 0, perSecond },
        responseTimeNs: { p99, max: p99 },
      },
    });
    /** @type {any[]} */
    const legs = [];
    legs.push(leg(undefined, closed, 1e9));
    for (let rate = nextValue(find, legs); rate !== null; rate = nextValue(find, legs)) {
      const load = (rate / capacity) * (1 + noise * (2 * random() - 1));
      const p99 = load < 1 ? serviceNs / (1 - load) : 1e9;
      legs.push(leg(rate, Math.min(rate, capacity), p99));
      assert.ok(legs.length <= 1 + mostProbes(boundsUpTo(find)), 'it ends');
    }
    return legs;
  }
  /** @param {number} ns @param {{ capacity: number, serviceNs: number }} server */
  const limitOf = (ns, { capacity, serviceNs }) => Math.max(0, capacity * (1 - serviceNs / ns));

  it('tells each from the legs of all, within the tolerance and the throughput in closed loop', () => {
    const each = usualProbes(boundsUpTo({ ...find, goals: ['p99 < 1ms'] }));
    fc.assert(
      fc.property(
        fc.integer({ min: 1000, max: 900_000 }),
        fc.constantFrom(0.02e6, 0.2e6, 0.6e6),
        (capacity, serviceNs) => {
          const legs = legsOf({ capacity, serviceNs });
          assert.ok(legs.length < 1 + 3 * each, `${legs.length} legs`);
          const { saturated, answers } = searchOf(find, legs);
          assert.equal(saturated?.[0].perSecond, capacity);
          for (const [i, ns] of [1e6, 5e6, 20e6].entries()) {
            const limit = limitOf(ns, { capacity, serviceNs });
            const { decided, held, failed, goal } = answers[i];
            assert.deepEqual([goal, decided], [goals[i], true]);
            assert.ok(held && held.value <= limit, `${goal}: ${held?.value} held, the limit is ${limit}`);
            assert.ok(failed === undefined || failed.value >= limit);
            assert.ok(((failed?.value ?? capacity * 1.01) - held.value) / held.value <= tolerance + 0.011);
          }
        },
      ),
      { numRuns: 50 },
    );
  });

  it('has no answer for a goal that fails at the smallest rate, and a lower bound for that which always holds', () => {
    const slow = searchOf(find, legsOf({ capacity: 10_000, serviceNs: 4e6 })).answers;
    assert.deepEqual(
      slow.map(({ decided, reason }) => `${decided} ${reason}`),
      ['true never-held', 'true undefined', 'true undefined'],
    );
    const few = searchOf(find, legsOf({ capacity: 10_000, closed: 2000, serviceNs: 1e5 })).answers;
    const all = few.map(({ reason, answer }) => `${reason} ${answer}`);
    assert.deepEqual(all, Array(3).fill('upper-bound at least 2,000/s'));
  });

  it('is unfinished where the leg in closed loop was interrupted, and ends where it measured nothing', () => {
    const [first] = legsOf({ capacity: 10_000, serviceNs: 1e5 });
    for (const [endedBy, reason] of [
      ['no-transfers', 'not-judged'],
      ['interrupted', 'unfinished'],
    ]) {
      const legs = [{ ...first, complete: false, endedBy, steady: undefined }];
      const reasons = searchOf(find, legs).answers.map((answer) => `${answer.decided} ${answer.reason}`);
      assert.deepEqual(reasons, Array(3).fill(`false ${reason}`));
      if (reason === 'not-judged') assert.equal(nextValue(find, legs), null);
    }
  });

  it('has the limit of a noisy server within 10 % of the middle of nearly every interval', () => {
    const server = { capacity: 40_000, serviceNs: 0.3e6 };
    let near = 0;
    let all = 0;
    for (let seed = 1; seed <= 100; seed += 1) {
      const { answers } = searchOf(find, legsOf({ ...server, noise: 0.03, seed }));
      for (const [i, { decided, held, failed }] of answers.entries()) {
        const limit = limitOf([1e6, 5e6, 20e6][i], server);
        all += 1;
        if (decided && held && Math.abs((held.value + (failed?.value ?? held.value)) / 2 / limit - 1) < 0.1) near += 1;
      }
    }
    assert.ok(near >= 0.93 * all, `${near} of ${all}`);
  });
});

describe('thresholds of a search', () => {
  const [held, failed] = [{ value: 50 }, { value: 52 }];
  const rows = /** @type {[Record<string, any>, string, boolean][]} */ ([
    [{ decided: true, held, failed }, '>= 50/s', true],
    [{ decided: true, held, failed }, '> 50/s', false],
    [{ decided: true, held, failed }, '< 51/s', true],
    [{ decided: false, held, failed }, '>= 1/s', false],
    [{ decided: false, held, failed }, '< 100/s', false],
    [{ decided: true, reason: 'too-many-probes', held, failed }, '>= 50/s', true],
    [{ decided: true, reason: 'too-many-probes', held, failed }, '>= 51/s', false],
    [{ decided: true, reason: 'too-many-probes', held, failed }, '< 51/s', false],
    [{ decided: true, held }, '>= 50/s', true],
    [{ decided: true, held }, '>= 51/s', false],
    [{ decided: true, held }, '> 50/s', false],
    [{ decided: true, held }, '> 49/s', true],
    [{ decided: true, held }, '< 51/s', false],
    [{ decided: true, failed: { value: 1 } }, '>= 1/s', false],
    [{ decided: true, failed: { value: 1 } }, '== 0/s', true],
  ]);

  it('compare the greatest value that held; they fail without an answer, and where it is not known', () => {
    for (const [answer, wanted, passed] of rows) {
      const search = /** @type {any} */ ({ answers: [{ label: 'x', ...answer }] });
      const verdict = judgeRun({ thresholds: [`found rate ${wanted}`] }, [], 0, { search });
      assert.equal(verdict?.passed, passed, `${JSON.stringify(answer)} ${wanted}`);
    }
  });
});

describe('comparison with a search', () => {
  const withSearch = /** @type {any} */ ({
    summary: { run: 'r', legs: [], search: { maximise: 'rate', answers: [{ label: 'epoll', answer: '1,000/s' }] } },
  });
  const withoutSearch = /** @type {any} */ ({ summary: { run: 's', legs: [] } });

  it('is refused, whichever of the runs it is', () => {
    for (const [run, baseline] of [
      [withSearch, withoutSearch],
      [withoutSearch, withSearch],
    ]) {
      assert.throws(() => comparisonOf(run, baseline, null), { code: 'ECOMPARE', data: { run: 'r' } });
    }
    const plan = /** @type {any} */ ({ legs: [] });
    assert.throws(() => checkBaseline({ run: withSearch, tolerance: null }, plan), { code: 'ECOMPARE' });
    assert.throws(() => checkBaseline({ run: withoutSearch, tolerance: null }, { ...plan, search: {} }), {
      code: 'EOPTION',
    });
  });
});

describe('plan of a search', () => {
  const scenario = resolveScenario({
    content: {
      ...{ servers: ['epoll', 'select'], connections: 100, rate: '64000/s', duration: '1s', workers: 2 },
      find: { maximise: 'rate', while: 'p99 < 10ms', tolerance: '20%' },
    },
  });
  const { plan, next } = planWith(bisection, scenario, host, known);
  /** @param {any} leg @param {boolean} held */
  const summaryOf = (leg, held) => {
    const { tried: perSecond } = leg;
    const counts = { fromNs: 0, toNs: 30e9, transfers: 1, failed: 0, unfinished: 0 };
    const steady = { ...counts, perSecond, responseTimeNs: { p99: held ? 1 : 20e6 } };
    return { ...leg, complete: true, endedBy: 'plan', limitedBy: 'none', steady };
  };

  it('begins with the first value of each server, and shows the most legs and the longest time', () => {
    assert.deepEqual(
      plan.legs.map(({ id, label, series, tried, settings }) => [id, label, series, tried, settings.rate]),
      [
        ['01-epoll-2-000-s', 'epoll, 2,000/s', 'epoll', 2000, 2000],
        ['02-select-2-000-s', 'select, 2,000/s', 'select', 2000, 2000],
      ],
    );
    assert.ok(plan.legs[0].rates?.every(({ rate }) => rate === 2000));
    const bounds = boundsUpTo(/** @type {any} */ (scenario.find));
    assert.equal(plan.search?.mostLegs, 2 * mostProbes(bounds));
    assert.equal(plan.search?.usualLegs, 2 * usualProbes(bounds));
    const legSeconds = plan.legs.reduce((sum, { endNs }) => sum + endNs, 0) / 1e9;
    assert.equal(plan.expected.seconds, mostProbes(bounds) * legSeconds);
  });

  it('has legs that last longer at a low rate, for as many requests as the percentiles of its goals need', () => {
    /** @param {string[]} goals @param {number} rate @returns {number} seconds of a leg at 1/32 of that rate */
    const secondsAt = (goals, rate) => {
      const content = {
        ...{ servers: ['epoll'], connections: 10, rate: `${32 * rate}/s`, duration: '2s' },
        find: { maximise: 'rate', while: goals },
      };
      const [leg] = planWith(bisection, resolveScenario({ content }), host, known).plan.legs;
      const seconds = (leg.steadyToNs - leg.steadyFromNs) / 1e9;
      assert.deepEqual([leg.settings.rate, leg.settings.durationNs], [rate, seconds * 1e9]);
      return seconds;
    };
    for (const [goals, rate, seconds] of /** @type {[string[], number, number][]} */ ([
      [['p99 < 1ms'], 113, 9],
      [['p99 < 1ms'], 500, 2],
      [['p50 < 1ms'], 113, 2],
      [['p50 < 1ms', 'p99 < 1ms and rejects == 0'], 200, 5],
      [['p99.9 < 1ms'], 1000, 10],
      [['service p99 < 1ms'], 100, 10],
      [['p50 < 1ms', 'p99 < 1ms'], 10, 10],
      [['connect p99 < 1ms'], 1, 2],
    ]))
      assert.equal(secondsAt(goals, rate), seconds, `${goals} at ${rate}/s`);
  });

  it('looks at no rate at which the longest leg has too few requests, and begins above those for several goals', () => {
    const [first, to] = [34, 320];
    /** @type {Find} */
    const some = {
      maximise: 'rate',
      goals: ['p99 < 1ms', 'p50 < 1ms'],
      to,
      tolerance: 0.05,
      confirm: 2,
      longestNs: 30e9,
    };
    const rangeOf = (/** @type {Find} */ at, /** @type {string[]} */ ...goals) => {
      const { from, least } = boundsUpTo(at, at.to, goals);
      return [from, least];
    };
    assert.deepEqual(rangeOf(some, 'p99 < 1ms'), [first, first]);
    assert.deepEqual(rangeOf(some, 'p50 < 1ms'), [10, 4]);
    assert.deepEqual(
      rangeOf({ ...some, longestNs: 100e9 }, 'p99 < 1ms'),
      [10, 10],
      'a longer leg tells of lower rates',
    );
    assert.deepEqual(rangeOf({ ...some, to: 20 }, 'p99 < 1ms'), [20, 20]);
    assert.deepEqual(rangeOf({ ...some, maximise: 'connections' }, 'p99 < 1ms'), [10, 1]);
    assert.equal(nextValue(some, []), first);
  });

  it('asks for one leg after another, the servers in turn, until both have their answers', () => {
    const summaries = plan.legs.map((leg) => summaryOf(leg, leg.series === 'epoll'));
    const labels = [];
    for (let [leg] = next(summaries).legs; leg !== undefined; [leg] = next(summaries).legs) {
      plan.legs.push(leg);
      labels.push(leg.label);
      summaries.push(summaryOf(leg, leg.series === 'epoll' ? Number(leg.tried) <= 3000 : Number(leg.tried) <= 600));
    }
    assert.deepEqual(labels.slice(0, 4), ['epoll, 4,000/s', 'select, 1,000/s', 'epoll, 3,000/s', 'select, 500/s']);
    assert.equal(labels.at(-1)?.endsWith(' (2)'), true, 'the ends are measured again');
    const { answers } = searchOf(/** @type {any} */ (scenario.find), summaries);
    assert.deepEqual(
      answers.map(({ decided, held, failed }) => [decided, held?.value, failed && failed.value > (held?.value ?? 0)]),
      [
        [true, 3000, true],
        [true, 563, true],
      ],
    );
  });
});
