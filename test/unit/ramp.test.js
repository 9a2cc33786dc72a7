// The steps of a ramp: worked examples, and that every schedule is counted completely and only once.
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { rampOf, rampSteps } from '../../client/measure/ramp.js';
import { shortRampOf, plannedSteps } from '../../client/measure/ramp-stages.js';
import { SampleMerge } from '../../client/measure/sample-merge.js';
import { rampSchedule } from '../../client/measure/schedule.js';
import { interval, recorded, samplesOf, usage } from '../fixtures/intervals.js';

/** @import { Load } from '../../client/measure/ramp.js' */

const S = 1e9;

/**
 * @typedef {{ transfers?: number, times?: number[], open?: number, unanswered?: number, refused?: number,
 *   closed?: number }} Second
 */

/**
 * The samples of a leg, cut at whole seconds and where the steady state begins.
 * @param {number} rampToNs @param {number} endNs @param {(index: number) => Second} second what a sample holds
 */
function samplesUpTo(rampToNs, endNs, second) {
  const merge = new SampleMerge(1);
  let index = 0;
  for (let fromNs = 0; fromNs < endNs; index += 1) {
    const whole = (Math.floor(fromNs / S) + 1) * S;
    const phase = fromNs < rampToNs ? 'ramp' : 'steady';
    const toNs = Math.min(whole, endNs, phase === 'ramp' ? rampToNs : Infinity);
    const { times = [], transfers = times.length, open = 0, unanswered = 0, refused = 0, closed = 0 } = second(index);
    merge.add(
      0,
      interval({
        second: Math.ceil(toNs / S),
        phase,
        fromNs,
        toNs,
        gauges: { open, unanswered, answered: open - unanswered },
        counters: { transfers, 'rejects.refused': refused, 'errors.closed': closed },
        histograms: { responseTime: recorded(times) },
      }),
      usage,
    );
    fromNs = toNs;
  }
  return samplesOf(merge.take());
}

/** @param {number} connections @param {{ add: number, every: number, spread?: boolean }} ramp every: seconds */
function legOf(connections, { add, every, spread = false }) {
  const { points, endNs } = rampSchedule(connections, { add, everyNs: Math.round(every * S), spread });
  return { schedule: points, rampToNs: endNs };
}

const anyLeg = fc
  .record({
    connections: fc.integer({ min: 1, max: 500 }),
    add: fc.integer({ min: 10, max: 200 }),
    every: fc.constantFrom(0.1, 0.25, 0.7, 1, 1.2, 1.5, 2, 2.5, 5),
    spread: fc.boolean(),
  })
  .map(({ connections, ...ramp }) => legOf(connections, ramp));

const anySeconds = fc
  .infiniteStream(
    fc.record({
      times: fc.array(fc.integer({ min: 1, max: 1e9 }), { maxLength: 5 }),
      open: fc.nat(99),
      unanswered: fc.nat(9),
      refused: fc.nat(9),
      closed: fc.nat(9),
    }),
  )
  .map((stream) => {
    /** @type {Second[]} */
    const known = [];
    return (/** @type {number} */ index) => {
      while (known.length <= index) known.push(stream.next().value);
      return known[index];
    };
  });

describe('planned steps', () => {
  it('follow each other from the start to the end of the ramp, and add up to all connections', () => {
    fc.assert(
      fc.property(anyLeg, (leg) => {
        const steps = plannedSteps(leg);
        assert.equal(steps[0].fromNs, 0);
        assert.equal(steps[steps.length - 1].toNs, leg.rampToNs);
        assert.equal(steps[steps.length - 1].requested, leg.schedule[leg.schedule.length - 1].slots);
        steps.forEach(({ step, fromNs, toNs, requested }, i) => {
          assert.equal(step, i + 1);
          assert.ok(toNs > fromNs);
          if (i > 0) assert.ok(fromNs === steps[i - 1].toNs && requested >= steps[i - 1].requested);
        });
      }),
    );
  });

  it('are the seconds of a linear ramp, but at most a hundred', () => {
    const { schedule, rampToNs } = legOf(25, { add: 10, every: 1, spread: true });
    const steps = plannedSteps({ schedule, rampToNs }).map(({ toNs, requested }) => `${requested} to ${toNs / S} s`);
    assert.deepEqual(steps, ['10 to 1 s', '20 to 2 s', '25 to 3 s']);
    const long = plannedSteps(legOf(80_000, { add: 1000, every: 5, spread: true }));
    assert.deepEqual(
      [long.length, long[0], long[99].requested],
      [100, { step: 1, fromNs: 0, toNs: 4 * S, requested: 800 }, 80_000],
    );
  });
});

describe('a ramp that is too short for a knee', () => {
  it('is foreseen from the plan, whatever the schedule is', () => {
    let [short, long] = [0, 0];
    fc.assert(
      fc.property(anyLeg, fc.integer({ min: 1, max: 6 }), fc.constantFrom(0, S), (leg, steady, pauseNs) => {
        const planned = { ...leg, steadyFromNs: leg.rampToNs, steadyToNs: leg.rampToNs + steady * S };
        if (plannedSteps(leg).length < 2) return;
        const second = () => ({ times: [1e6], transfers: 1000, open: 10 });
        const ramp = rampOf(samplesUpTo(leg.rampToNs, planned.steadyToNs, second), leg, { pauseNs });
        const isShort = ramp === undefined || ramp.undetermined?.code === 'short-steps';
        const foreseen = shortRampOf(planned, { pauseNs, ramp: { everyNs: S } });
        assert.equal(foreseen !== undefined, isShort, JSON.stringify([planned, foreseen]));
        if (isShort) short += 1;
        else long += 1;
      }),
      { numRuns: 80, seed: 1 },
    );
    assert.ok(short > 8 && long > 8, `${short} and ${long}`);
  });

  it('is not one of one step, nor of a load without a knee; a ramp.every that would do is proposed, and does', () => {
    const planned = (/** @type {number} */ add, /** @type {number} */ every) => {
      const leg = legOf(300, { add, every });
      return { ...leg, steadyFromNs: leg.rampToNs, steadyToNs: leg.rampToNs + 2 * S };
    };
    const of = (/** @type {number} */ add, /** @type {number} */ every, over = {}) =>
      shortRampOf(planned(add, every), { ramp: { everyNs: every * S }, ...over });
    assert.equal(of(300, 1), undefined);
    assert.deepEqual(of(100, 1), { steps: 3, stages: 1, everySeconds: 4 });
    assert.equal(of(100, 4), undefined);
    assert.deepEqual(of(150, 5), { steps: 2, stages: 0 }, 'a longer ramp.every makes no more steps');
    const loads = [{ rate: 5 }, { workload: 'once' }, { start: /** @type {const} */ ('together') }];
    for (const load of [...loads, { lifetime: { reopen: false } }]) assert.equal(of(100, 1, load), undefined);
  });
});

describe('ramp steps', () => {
  it('exclude the second of the connects from the rates, but not from the failures', () => {
    const seconds = [
      { times: [9e8, 9e8], refused: 4 },
      { times: [1000, 2000, 3000], open: 9, unanswered: 1 },
      { times: [5000], open: 10, unanswered: 2, closed: 1 },
    ];
    const leg = legOf(20, { add: 10, every: 3 });
    const [first, second, ...none] = rampSteps(
      samplesUpTo(leg.rampToNs, 7 * S, (i) => seconds[i % 3]),
      leg,
    );
    assert.deepEqual(none, []);
    assert.deepEqual(first, {
      step: 1,
      fromNs: 0,
      toNs: 3 * S,
      requested: 10,
      open: 10,
      unanswered: 2,
      served: 8,
      rejects: 4,
      errors: 1,
      perSecond: 2,
      p50Ns: 2000,
      p99Ns: 5000,
    });
    assert.deepEqual(second, { ...first, step: 2, fromNs: 3 * S, toNs: 6 * S, requested: 20 });
  });

  it('include it if there is nothing else, or if the load follows the opening', () => {
    const second = (/** @type {number} */ i) => ({ transfers: i + 1 });
    for (const [every, load, rates] of /** @type {[number, object, number[]][]} */ ([
      [1, {}, [1, 2]],
      [2, {}, [2, 4]],
      [2, { heartbeatNs: 1 }, [1.5, 3.5]],
      [2, { pauseNs: 1 }, [1.5, 3.5]],
    ])) {
      const leg = legOf(20, { add: 10, every });
      const steps = rampSteps(samplesUpTo(leg.rampToNs, leg.rampToNs + S, second), leg, load);
      assert.deepEqual(
        steps.map(({ perSecond }) => perSecond),
        rates,
      );
    }
  });

  it('shorter than a sample are merged, with the number and the target of the last one', () => {
    const leg = legOf(100, { add: 10, every: 0.25 });
    const samples = samplesUpTo(leg.rampToNs, 4 * S, (i) => ({ transfers: i, refused: 1 }));
    assert.deepEqual(
      rampSteps(samples, leg).map(({ step, toNs, requested, perSecond, rejects }) =>
        [step, toNs / S, requested, perSecond, rejects].join(' '),
      ),
      ['4 1 40 0 1', '8 2 80 1 1', '10 2.5 100 4 1'],
    );
  });

  it('count failures of the steady state in the last step until the timeouts have passed', () => {
    const leg = legOf(30, { add: 10, every: 1 });
    const samples = samplesUpTo(leg.rampToNs, 9 * S, () => ({ refused: 1, closed: 2, transfers: 1 }));
    for (const [load, last] of /** @type {[Load, string][]} */ ([
      [{}, '1 2'],
      [{ connectTimeoutNs: 2 * S, transferTimeoutNs: S }, '3 6'],
      [{ connectTimeoutNs: 2 * S, transferTimeoutNs: 90 * S }, '7 14'],
    ])) {
      const counted = rampSteps(samples, leg, load).map(({ rejects, errors }) => `${rejects} ${errors}`);
      assert.deepEqual(counted, ['1 2', '1 2', last]);
    }
  });

  it('are those that lasted to their end', () => {
    const leg = legOf(50, { add: 10, every: 2 });
    const samples = samplesUpTo(leg.rampToNs, 5.5 * S, () => ({}));
    assert.equal(rampSteps(samples, leg).length, 2);
    assert.deepEqual(rampSteps([], leg), []);
  });

  it('count every failure once, and every transfer of a paced load once', () => {
    fc.assert(
      fc.property(anyLeg, anySeconds, (leg, seconds) => {
        const samples = samplesUpTo(leg.rampToNs, leg.rampToNs + 3 * S, seconds);
        const steps = rampSteps(samples, leg, { pauseNs: 1, transferTimeoutNs: 1.5 * S });
        const sum = (/** @type {any[]} */ list, /** @type {(item: any) => number} */ by) =>
          list.reduce((n, item) => n + by(item), 0);
        const inRamp = samples.filter(({ phase }) => phase === 'ramp');
        const counted = samples.filter(({ fromNs }) => fromNs < leg.rampToNs + 1.5 * S);
        assert.deepEqual(
          [sum(steps, ({ rejects }) => rejects), sum(steps, ({ errors }) => errors)],
          [sum(counted, ({ rejects }) => rejects.refused), sum(counted, ({ errors }) => errors.closed)],
        );
        const ends = steps.map(({ toNs }) =>
          Math.max(...inRamp.map((sample) => sample.toNs).filter((at) => at <= toNs)),
        );
        const lengthOf = (/** @type {number} */ i) => (ends[i] - (ends[i - 1] ?? 0)) / S;
        const transfers = steps.reduce((n, { perSecond }, i) => n + Number(perSecond) * lengthOf(i), 0);
        assert.ok(Math.abs(transfers - sum(inRamp, ({ counters }) => counters.transfers)) < 1e-6);
        steps.forEach(({ fromNs, toNs }, i) => assert.equal(fromNs, i === 0 ? 0 : steps[i - 1].toNs, `${toNs}`));
      }),
    );
  });
});

describe('a ramp', () => {
  const leg = legOf(30, { add: 10, every: 1 });
  const samples = samplesUpTo(leg.rampToNs, 5 * S, () => ({ times: [1000], open: 10 }));

  it('has steps if there are at least three and connections stay open', () => {
    assert.equal(rampOf(samples, leg)?.steps.length, 3);
    const short = legOf(20, { add: 10, every: 1 });
    const none = [
      rampOf(
        samplesUpTo(short.rampToNs, 5 * S, () => ({})),
        short,
      ),
      rampOf(samples.slice(0, 2), leg), // ended in its ramp
      rampOf(samples, leg, { workload: 'once' }),
      rampOf(samples, leg, { start: 'together' }),
      rampOf(samples, leg, { lifetime: { reopen: false } }),
      rampOf(samples, {}),
    ];
    assert.ok(none.every((ramp) => ramp === undefined));
    assert.notEqual(rampOf(samples, leg, { start: 'open', lifetime: { reopen: true } }), undefined);
  });
});
